"""Closed forms: the printed equations of the elbow arm, agreement with the recursions, text that runs."""

import ctypes
import shutil
import subprocess
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import sympy as sp

import gearwright as gw
from gearwright.equations.closed_form import CLOSED_FORM_PROGRAMS, closed_form
from gearwright.equations.trigonometric_polynomial import (
    TrigPolynomial,
    cosine_and_sine,
    products_of_waves,
    symbol_polynomial,
)
from gearwright.errors import InputError, JointError

BODY = {
    "jacobian": {"body": 1, "point": (0.1, 0.2, 0.3)},
    "joint_axes": {"body": 1},
    "joint_axis_derivatives": {"body": 1},
}
OF_WHEELS = ("explain", "wheel_mass_matrix", "wheel_coriolis", "structure_matrix")  # in test_symbolic_machine.py
FUNCTIONS = {
    name: partial(getattr(gw, name, None) or getattr(gw.equations, name), **BODY.get(name, {}))
    for name in CLOSED_FORM_PROGRAMS
    if name not in OF_WHEELS
}


def elbow():
    """The arm of Sciavicco, Siciliano and Villani, section 7: diagonal tensors, first moments of links 2, 3 along x."""
    upright = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    bodies = [
        gw.Body("one", mass=6.8, com=(0, 0, -0.05), inertia=np.diag([0.06, 0.06, 0.04])),
        gw.Body("two", "one", rotation=upright, mass=5.5, com=(0.19, 0, 0), inertia=np.diag([0.011, 0.1, 0.1])),
        gw.Body("three", "two", position=(0.4, 0, 0), mass=3, com=(0.15, 0, 0), inertia=np.diag([0.006, 0.03, 0.03])),
    ]
    spins = [
        gw.Spin("m1", "base", (0, 0, 1), 5e-4, {"one": 120}),
        gw.Spin("m2", "one", (0, 0, 1), 3e-4, {"two": 100}),
        gw.Spin("m3", "two", (1, 0, 0), 2e-4, {"three": 80}),
    ]
    return gw.Mechanism(bodies, spins)


def same(a, b):
    """Equality of trigonometric expressions, by exponentials."""
    return sp.expand(sp.expand((a - b).rewrite(sp.exp))) == 0


@pytest.fixture(scope="module")
def printed():
    """b_ij, h_ij, g_i as printed, with pi_1 to pi_9 in our symbols (our body frames are the paper's i - 1 frames)."""
    q2, q3, d1, d2, d3, g, a2 = sp.symbols("q2 q3 dq1 dq2 dq3 g lx3")
    k1, k2, k3 = sp.symbols("k1 k2 k3")
    s = {str(x): x for x in sp.symbols("Izz1 Ixx2 Iyy2 Izz2 Ixx3 Iyy3 Izz3 mx2 m3 mx3 J1 J2 J3")}
    pi = [
        s["Izz1"] + s["Iyy2"] + s["Iyy3"] + a2**2 * s["m3"] + k1**2 * s["J1"],
        s["mx2"] + a2 * s["m3"],
        s["Ixx2"] - s["Iyy2"] - a2**2 * s["m3"],
        s["Izz2"] + k2**2 * s["J2"] + a2**2 * s["m3"],
        s["Ixx3"] - s["Iyy3"],
        s["mx3"],
        s["Izz3"],
        s["J2"],
        s["J3"],
    ]
    c2, s2, c3, s3 = sp.cos(q2), sp.sin(q2), sp.cos(q3), sp.sin(q3)
    c23, s23 = sp.cos(q2 + q3), sp.sin(q2 + q3)
    b = sp.zeros(3, 3)
    b[0, 0] = pi[0] + s2**2 * pi[2] + s23**2 * pi[4] + 2 * a2 * c2 * c23 * pi[5]
    b[0, 1] = b[1, 0] = k2 * pi[7]
    b[0, 2] = b[2, 0] = k3 * s2 * pi[8]
    b[1, 1] = pi[3] + 2 * a2 * c3 * pi[5] + pi[6]
    b[1, 2] = b[2, 1] = a2 * c3 * pi[5] + pi[6]
    b[2, 2] = pi[6] + k3**2 * pi[8]
    h = sp.zeros(3, 3)
    h[0, 0] = s2 * c2 * d2 * pi[2] + s23 * c23 * (d2 + d3) * pi[4] - a2 * (s2 * c23 * d2 + c2 * s23 * (d2 + d3)) * pi[5]
    h[0, 1] = (
        s2 * c2 * d1 * pi[2]
        + s23 * c23 * d1 * pi[4]
        - a2 * (c2 * s23 + s2 * c23) * d1 * pi[5]
        + k3 * c2 * d3 * pi[8] / 2
    )
    h[0, 2] = s23 * c23 * d1 * pi[4] - a2 * c2 * s23 * d1 * pi[5] + k3 * c2 * d2 * pi[8] / 2
    h[1, 0] = -h[0, 1]
    h[1, 1] = -a2 * s3 * d3 * pi[5]
    h[2, 0] = -s23 * c23 * d1 * pi[4] + a2 * c2 * s23 * d1 * pi[5] + k3 * c2 * d2 * pi[8] / 2
    h[2, 1] = a2 * s3 * d2 * pi[5] + k3 * c2 * d1 * pi[8] / 2
    h[1, 2] = h[1, 1] - h[2, 1]
    # The printed minus sign holds for g as the (negative) z-component of gravity; here g = 9.81 m/s2.
    gravity = sp.Matrix([0, g * c23 * pi[5] + g * c2 * pi[1], g * c23 * pi[5]])
    return {"mass_matrix": b, "coriolis_matrix": h, "gravity": gravity}, pi


@pytest.mark.parametrize("name", ["mass_matrix", "coriolis_matrix", "gravity"])
def test_the_elbow_arm_comes_out_as_printed(name, printed):
    ours = closed_form(name, elbow()).expression()
    assert all(same(a, b) for a, b in zip(ours, printed[0][name], strict=True))


def test_the_groups_are_the_printed_base_parameters(printed):
    _, pi = printed
    mass, gravity = closed_form("mass_matrix", elbow()), closed_form("gravity", elbow())
    found = [*mass.groups.values(), *gravity.groups.values()]
    assert len(found) == 5
    assert {sp.expand(x) for x in found} == {sp.expand(x) for x in (pi[0], pi[1], pi[2], pi[3], pi[4])}


def test_compact_trigonometry():
    form = closed_form("mass_matrix", elbow())
    assert {"c2", "s2", "c23", "s23", "c3"} == set(form.waves)
    assert "2 c_{2} c_{23} l_{x,3} m_{x,3}" in form.latex()


def test_base_parameters_have_one_name():
    """p1 of the mass matrix is p1 everywhere; gravity adds what only it has."""
    arm = gw.load("elbow")
    known = {}
    for name in ("mass_matrix", "gravity", "coriolis_matrix", "bias", "inverse_dynamics", "kinetic_energy"):
        for symbol_of_group, meaning in closed_form(name, arm).groups.items():
            assert known.setdefault(symbol_of_group, meaning) == meaning, name
    assert len(set(known.values())) == len(known) == 5


def test_jacobian_and_axial_rates_to_read():
    """Eqs (8) and (12) of Sciavicco, Siciliano and Villani for the elbow: rotor 3 feels q1' through s2."""
    rates = closed_form("axial_rates", gw.load("elbow"))
    assert [str(x) for x in rates.entries] == ["0", "0", "0", "1", "0", "0", "s2", "0", "0"]
    hand = closed_form("jacobian", elbow(), body="three", point=(0.35, 0, 0))
    a2, q1, q2, q3 = sp.symbols("lx3 q1 q2 q3")
    reach = a2 * sp.cos(q2) + sp.Rational(7, 20) * sp.cos(q2 + q3)
    assert same(sp.nsimplify(hand.expression()[0, 0]), -reach * sp.sin(q1))


def test_regressor_has_the_symmetries_of_the_design():
    form = closed_form("regressor", elbow())
    names = gw.parameter_names(elbow())
    row = form.expression()[2, names.index("m3.J")]
    assert same(row, sp.sympify("k3*(sin(q2)*ddq1 + cos(q2)*dq1*dq2) + k3**2*ddq3"))
    assert not form.groups, "it has no inertial parameters"


def random_arm(seed):
    """Four bodies, revolute, prismatic, fixed, parallel axes among them; general rows, a spring, a follower."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice(["revolute", "revolute", "prismatic", "fixed"], size=4)
    kinds[0] = kinds[1] = "revolute"
    quarter = [np.eye(3), np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]), np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])]
    bodies = []
    for i, kind in enumerate(kinds):
        more = {"follows": ("b1", 2, 0.3)} if seed % 2 and i == 3 and kind == "revolute" else {}
        bodies.append(
            gw.Body(
                f"b{i}",
                i - 1,
                str(kind),
                axis=rng.normal(size=3) if seed == 2 and i == 1 else (0, 0, rng.choice([-1, 1])),
                rotation=quarter[rng.integers(3)],
                position=rng.normal(size=3) * (rng.random(3) < 0.6),
                mass=rng.uniform(1, 3),
                com=rng.normal(size=3) * 0.2,
                inertia=np.diag(rng.uniform(0.2, 0.3, 3)),
                **more,
            )
        )
    n = gw.Mechanism(bodies).n
    spins = [
        gw.Spin(f"s{j}", int(rng.integers(-1, 4)), rng.normal(size=3), 1e-3, rng.normal(size=n) * 9) for j in range(3)
    ]
    spins.append(gw.Spin("balanced", 2, (0, 0, 1), 1e-3, rng.normal(size=n), coupling=0.0))
    springs = [gw.Spring("spring", rng.normal(size=n), 20.0, 0.5, rest=0.1)]
    return gw.Mechanism(bodies, spins, springs=springs), rng


ARMS = [(name, seed) for name in FUNCTIONS for seed in (0, 1, 3)]
GENERAL = [  # seed 2: a general axis; the regressor has long entries and no groups, so the other arms are enough
    pytest.param(name, 2, marks=pytest.mark.slow) for name in FUNCTIONS if name != "regressor"
]


@pytest.mark.parametrize(("name", "seed"), [*ARMS, *GENERAL])
@pytest.mark.parametrize("keep", [("inertias",), ("inertias", "lengths", "ratios", "gravity", "springs"), ()])
def test_it_equals_the_recursion(name, seed, keep):
    mech, rng = random_arm(seed)
    form = closed_form(name, mech, keep, **BODY.get(name, {}))
    state = rng.uniform(-1, 1, (len(CLOSED_FORM_PROGRAMS[name].inputs), mech.n))
    exact = FUNCTIONS[name](mech, *state)
    assert np.allclose(form.evaluate(*state), exact, rtol=1e-10, atol=1e-10 * (1 + np.abs(exact).max()))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kinds", [("helical", "revolute"), ("universal", "revolute"), ("revolute", "planar")])
def test_it_equals_the_recursion_on_other_joints(name, kinds):
    """A screw's angle is a length too, a cross has two angles, a cart's speeds are those in its own axes."""
    rng = np.random.default_rng(5)
    needs = {"helical": {"pitch": 0.07}, "universal": {"axis2": (0, 1, 0)}}
    bodies = [
        gw.Body(
            f"b{i}",
            i - 1,
            kind,
            position=rng.normal(size=3) * (rng.random(3) < 0.6),
            mass=2.0,
            com=rng.normal(size=3) * 0.2,
            inertia=np.diag(rng.uniform(0.2, 0.3, 3)),
            **needs.get(kind, {}),
        )
        for i, kind in enumerate(kinds)
    ]
    row = {"revolute": "b{}", "helical": "b{}", "universal": "b{}.angle2"}
    driven = [row[kind].format(i) for i, kind in enumerate(kinds) if kind in row]
    mech = gw.Mechanism(bodies, [gw.Spin("s", 0, (0.6, 0, 0.8), 1e-3, dict.fromkeys(driven, 9.0))])
    form = closed_form(name, mech, **BODY.get(name, {}))
    state = rng.uniform(-1, 1, (len(CLOSED_FORM_PROGRAMS[name].inputs), mech.n))
    exact = FUNCTIONS[name](mech, *state)
    assert np.allclose(form.evaluate(*state), exact, rtol=1e-10, atol=1e-10 * (1 + np.abs(exact).max()))
    assert set(list(form.motion.values())[: mech.nq]) == set(mech.coordinates)


def test_a_nut_reads_as_in_the_book():
    nut = gw.Body("nut", joint="helical", pitch=0.02, mass=2, inertia=np.diag([0.1, 0.1, 0.15]))
    M = closed_form("mass_matrix", gw.Mechanism([nut])).expression()[0]
    h, m, I = sp.symbols("h1 m1 Izz1")
    assert sp.expand(M - (I + m * h**2)) == 0


def test_a_kept_symbol_can_change():
    form = closed_form("mass_matrix", elbow())
    heavier = form.evaluate([0.1, 0.2, 0.3], J1=1e-3)
    assert heavier[0, 0] - form.evaluate([0.1, 0.2, 0.3])[0, 0] == pytest.approx(5e-4 * 120**2)
    with pytest.raises(InputError, match=r"'J9'.*J1"):
        form.evaluate([0.0, 0.0, 0.0], J9=1.0)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("name", ["mass_matrix", "inverse_dynamics", "kinetic_energy"])
def test_the_c_text_compiles_and_gives_the_numbers(name, tmp_path):
    mech = elbow()
    source, library = tmp_path / "form.c", tmp_path / "form.so"
    source.write_text(closed_form(name, mech).c())
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-fPIC", "-shared"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True)
    state = np.random.default_rng(1).uniform(-1, 1, (len(CLOSED_FORM_PROGRAMS[name].inputs), 3))
    exact = np.asarray(FUNCTIONS[name](mech, *state))
    out = np.empty(exact.size)
    pointers = [np.ascontiguousarray(x).ctypes.data_as(ctypes.c_void_p) for x in (*state, out)]
    getattr(ctypes.CDLL(str(library)), name)(*pointers)
    assert np.allclose(out, exact.ravel(), rtol=1e-12, atol=1e-12)


def test_markdown_names_every_symbol():
    form = closed_form("gravity", elbow())
    text = form.markdown()
    assert all(meaning in text for meaning in form.meanings.values())
    assert text.count("$$") == 2
    assert form._repr_latex_().startswith("$\\begin{aligned}")


@pytest.mark.parametrize("name", CLOSED_FORM_PROGRAMS)
def test_every_function_writes_itself(name):
    wheel = {"wheel": "j3.rotor"} if "wheel" in CLOSED_FORM_PROGRAMS[name].options else {}
    form = closed_form(name, gw.load("elbow"), **BODY.get(name, wheel))
    assert form.latex().count("&=") >= len(form.groups) + 1
    assert form.function in form.markdown()


def test_progress_counts_to_the_end():
    seen = []
    closed_form("mass_matrix", elbow(), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (9, 9)


def test_six_joints_with_full_tensors():
    rng = np.random.default_rng(5)
    turn = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    bodies = [
        gw.Body(
            f"b{i}",
            i - 1,
            rotation=turn if i in (1, 3, 4, 5) else np.eye(3),
            position=rng.normal(size=3) * 0.3,
            mass=2,
            com=rng.normal(size=3) * 0.1,
            inertia=np.diag(rng.uniform(0.2, 0.3, 3)),
        )
        for i in range(6)
    ]
    mech = gw.Mechanism(bodies, [gw.Spin(f"s{i}", i - 1, rng.normal(size=3), 1e-4, {f"b{i}": 100}) for i in range(6)])
    q = rng.uniform(-1, 1, 6)
    for name in ("mass_matrix", "gravity"):
        assert np.allclose(closed_form(name, mech, "inertias").evaluate(q), FUNCTIONS[name](mech, q), atol=1e-11)


def test_the_normal_form_is_a_ring():
    a, b = cosine_and_sine(0, (1, 0)), cosine_and_sine(0, (1, 1))
    c, s = cosine_and_sine(1, (1,))
    x, y, z = a[0] * symbol_polynomial("m") + 2 * b[1], c * b[0] - 1, s * s * a[1] + symbol_polynomial("k")
    assert x * (y + z) == x * y + x * z
    assert (x * y) * z == x * (y * z)
    assert a[0] * a[0] + a[1] * a[1] == 1
    assert a[0] * b[0] + a[1] * b[1] == cosine_and_sine(0, (0, 1))[0]
    assert (x - x).terms == {}
    assert x != y
    assert 1 / symbol_polynomial("m") * symbol_polynomial("m") == 1


def test_products_keep_the_value():
    rng = np.random.default_rng(2)
    q = rng.uniform(-2, 2, 3)

    def wave(kind, k):
        return (np.cos if kind in ("c", "cos") else np.sin)(np.dot(k, q))

    for k in [(2, 1, 0), (2, 2, 1), (1, -2, 0), (2, 0, -1), (3, 1, 0), (0, 2, 0)]:
        for value, kind in zip(cosine_and_sine(0, k), ("cos", "sin"), strict=True):
            total = sum(
                factor * np.prod([wave(w[0], w[2]) ** power for w, power in product.waves])
                for product, factor in products_of_waves(value).items()
            )
            assert total == pytest.approx(wave(kind, k))


def test_products_are_of_simple_angles_in_every_group():
    double = cosine_and_sine(0, (2,))[0] * cosine_and_sine(1, (2,))[1]  # cos(2 q1) sin(2 q2)
    assert {abs(k) for product in products_of_waves(double) for (_, _, wave), _ in product.waves for k in wave} == {1}


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: closed_form("momentum", elbow()), InputError, "closed_form: .*'momentum'"),
        (lambda: closed_form("jacobian", elbow()), InputError, "jacobian .*body.*point"),
        (lambda: closed_form("gravity", elbow(), body=1), InputError, "gravity .*body"),
        (lambda: closed_form("gravity", elbow(), keep=["m7"]), InputError, "keep='m7'"),
        (
            lambda: closed_form("gravity", gw.Mechanism([gw.Body("b", joint="free", mass=1, inertia=np.eye(3))])),
            JointError,
            "'b' .*free",
        ),
        (lambda: 1 / (symbol_polynomial("a") + 1), InputError, r"1 \+ a"),
    ],
)
def test_bad_input_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_the_scalar_prints_itself():
    assert repr(TrigPolynomial({})) == "0"
    assert repr(2 * symbol_polynomial("m") * cosine_and_sine(0, (1,))[0]) == "2*m*cos[0](1,)"


def test_ratios_of_a_train_go_through_the_whole_chain():
    """Eq. (44) of Chen and Wang: g14, g25, g76 and g37 (here g1 to g4) in the inertia matrix, products included."""
    canonical = gw.equations.canonical_trains(gw.load("grm3"))
    form = closed_form("mass_matrix", canonical)
    wheels = {f"J{k}": sp.Symbol(f"J{k}") for k in range(1, 5)}
    found = form.expression()
    shares = found.applyfunc(lambda x: sp.expand(x.subs({s: 0 for s in x.free_symbols if str(s)[0] in "mI"})))
    g1, g2, g3, g4, s2 = (sp.sympify(x) for x in ("g1", "g2", "g3", "g4", "sin(q2)"))
    J1, J2, J3, J4 = wheels.values()
    expected = sp.Matrix(
        [
            [J1 * g1**2 + J2, J2 * g2, J4 * g4 * s2],
            [J2 * g2, J2 * g2**2 + J3, J3 * g3 * g4],
            [J4 * g4 * s2, J3 * g3 * g4, J3 * g3**2 * g4**2 + J4 * g4**2],
        ]
    )
    assert (shares - expected).expand() == sp.zeros(3, 3)
    assert form.meanings["g3"] == "gears: w6 per w7"
    assert form.evaluate([0.3, -0.5, 0.8]) == pytest.approx(gw.mass_matrix(gw.load("grm3"), [0.3, -0.5, 0.8]))


WRISTS = ("wrist_roll3", "wrist_bendix", "wrist_puma", "wrist_wam")


@pytest.mark.parametrize(
    ("name", "keep"), [*((x, ("ratios",)) for x in WRISTS), ("grm3", ("inertias", "g1")), ("grm3", ())]
)
def test_trains_equal_the_recursion(name, keep):
    """Wrists state teeth, whose rows stay symbols of their own; of grm3 all ratios, one or none are kept."""
    robot = gw.load(name)
    q = np.linspace(0.3, 0.9, gw.assemble(robot).n)
    form = closed_form("mass_matrix", robot, keep)
    assert form.evaluate(q) == pytest.approx(gw.mass_matrix(robot, q), abs=1e-14)
    assert [x for x in form.symbols if x.startswith("g")] == [x for x in keep if x == "g1"]


def test_a_train_that_only_numbers_solve():
    """Two ways round to one wheel agree for these numbers only: its rows are symbols as a whole."""
    robot = gw.load("grm3")
    (train,) = robot.trains
    twice = replace(train, meshes=(*train.meshes, replace(train.meshes[0])))
    robot = replace(robot, trains=(twice,))
    form = closed_form("mass_matrix", robot)
    assert "k1" in form.symbols
    assert "g1" not in form.symbols
