"""Closed forms in the words of a robot's file: the elbow of Sciavicco, Siciliano and Villani as it is printed."""

import numpy as np
import pytest
import sympy as sp

import gearwright as gw
from gearwright.equations.closed_form import CLOSED_FORM_PROGRAMS, closed_form
from gearwright.equations.closed_form_writer import factored_sum
from gearwright.errors import InputError
from gearwright.parts import with_parameters

PARAMETERS = {  # section 7, pi 1 to pi 5; the others are single symbols: m3x, I3zz, Im2, Im3
    "pi_1": "I1yy + I2yy + I3yy + a2**2*m3 + kr1**2*Im1",
    "pi_2": "m2x + a2*m3",
    "pi_3": "I2xx - I2yy - a2**2*m3",
    "pi_4": "I2zz + kr2**2*Im2 + a2**2*m3",
    "pi_5": "I3xx - I3yy",
}
SINGLE = {"pi_6": "m3x", "pi_7": "I3zz", "pi_8": "Im2", "pi_9": "Im3"}
PRINTED = {
    "mass_matrix": [
        *("pi_1 + s2**2*pi_3 + s23**2*pi_5 + 2*a2*c2*c23*pi_6", "kr2*pi_8", "kr3*s2*pi_9"),
        *("kr2*pi_8", "pi_4 + 2*a2*c3*pi_6 + pi_7", "a2*c3*pi_6 + pi_7"),
        *("kr3*s2*pi_9", "a2*c3*pi_6 + pi_7", "pi_7 + kr3**2*pi_9"),
    ],
    "coriolis_matrix": [
        "s2*c2*dq2*pi_3 + s23*c23*(dq2 + dq3)*pi_5 - a2*(s2*c23*dq2 + c2*s23*(dq2 + dq3))*pi_6",
        "s2*c2*dq1*pi_3 + s23*c23*dq1*pi_5 - a2*(c2*s23 + s2*c23)*dq1*pi_6 + kr3*c2*dq3*pi_9/2",
        "s23*c23*dq1*pi_5 - a2*c2*s23*dq1*pi_6 + kr3*c2*dq2*pi_9/2",
        "-(s2*c2*dq1*pi_3 + s23*c23*dq1*pi_5 - a2*(c2*s23 + s2*c23)*dq1*pi_6 + kr3*c2*dq3*pi_9/2)",
        "-a2*s3*dq3*pi_6",
        "-a2*s3*dq3*pi_6 - a2*s3*dq2*pi_6 - kr3*c2*dq1*pi_9/2",
        "-s23*c23*dq1*pi_5 + a2*c2*s23*dq1*pi_6 + kr3*c2*dq2*pi_9/2",
        "a2*s3*dq2*pi_6 + kr3*c2*dq1*pi_9/2",
        "0",
    ],
    # Printed with g as the (negative) z-component of gravity; here g = 9.81 m/s2.
    "gravity": ["0", "g*c23*pi_6 + g*c2*pi_2", "g*c23*pi_6"],
}
WAVES = {
    "c2": "cos(q2)",
    "s2": "sin(q2)",
    "c3": "cos(q3)",
    "s3": "sin(q3)",
    "c23": "cos(q2 + q3)",
    "s23": "sin(q2 + q3)",
}


def parsed(text):
    names = {name: sp.Symbol(name) for name in ("pi_1", "pi_2", "pi_3", "pi_4", "pi_5", "pi_6", "pi_7", "pi_8", "pi_9")}
    return sp.sympify(text, locals=names)


def in_full(expression):
    return expression.subs({k: sp.sympify(x) for k, x in {**PARAMETERS, **SINGLE}.items()}).subs(
        {k: sp.sympify(x) for k, x in WAVES.items()}
    )


@pytest.mark.parametrize("name", PRINTED)
def test_the_elbow_in_the_printed_names(name):
    """Every entry equals the printed one in the printed symbols, and is not longer."""
    form = closed_form(name, gw.load("elbow"), names="file")
    for ours, full, text in zip(form.entries, form.expression(), PRINTED[name], strict=True):
        printed = parsed(text)
        difference = (full - in_full(printed)).rewrite(sp.exp)
        assert sp.expand(sp.expand(difference)) == 0, text
        assert ours.count_ops() <= printed.count_ops(), f"{ours} is longer than {text}"


def test_base_parameters_are_the_printed_ones_and_have_one_name():
    """Those of M keep their names in g, in C and in the torques; gravity adds the printed pi 2."""
    arm, known = gw.load("elbow"), {}
    for name in ("mass_matrix", "gravity", "coriolis_matrix", "inverse_dynamics", "kinetic_energy"):
        for group, meaning in closed_form(name, arm, names="file").groups.items():
            assert known.setdefault(group, meaning) == meaning, name
    assert set(known) == {f"pi{k}" for k in range(1, 6)}
    assert {sp.expand(x) for x in known.values()} == {sp.expand(sp.sympify(x)) for x in PARAMETERS.values()}


def test_the_frames_are_those_of_the_file():
    """Link 1 stands upright: what is zz on its joint is yy in its frame at the far end, as printed in pi 1."""
    arm = gw.load("elbow")
    ours, files = closed_form("mass_matrix", arm).symbols, closed_form("mass_matrix", arm, names="file").symbols
    assert files["I1yy"] == pytest.approx(ours["Izz1"])
    assert files["a2"] == arm.link("link3").joint.position.x == 0.4


ROBOTS = (
    "elbow",
    "elastic_elbow",
    "puma560",
    "scara",
    "vector_arm",
    "grm3",
    "planetary_2r_3",
    "planetary_3r",
    "ur5_like",
)


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("name", ["mass_matrix", "gravity"])
def test_names_do_not_change_the_values(robot, name):
    """Standard and modified Denavit-Hartenberg, vectors, origins; inertias in turned axes; wheels of trains."""
    arm = gw.load(robot)
    q = np.linspace(0.3, -0.9, gw.assemble(arm).n)
    form = closed_form(name, arm, ("inertias", "lengths", "ratios"), names="file")
    exact = CLOSED_FORM_PROGRAMS[name]
    assert form.evaluate(q) == pytest.approx(getattr(gw, exact.name)(arm, q), abs=1e-11)


def test_lengths_have_the_files_letters():
    """A general angle between axes: d enters by its sine and cosine, still one symbol."""
    arm = gw.load("puma560")
    lengths = {name for name in closed_form("mass_matrix", arm, names="file").symbols if name[0] in "adl"}
    assert lengths
    assert all(name[0] in "ad" for name in lengths)


def test_a_machine_without_a_file():
    """Its bodies' own axes, and positions by coordinates."""
    upper = gw.Body("upper", mass=2, com=(0.2, 0, 0), inertia=np.diag([0.1, 0.1, 0.1]))
    fore = gw.Body("fore", "upper", position=(0.4, 0, 0), mass=1, com=(0.1, 0, 0), inertia=np.diag([0.1, 0.1, 0.1]))
    form = closed_form("mass_matrix", gw.Mechanism([upper, fore]), names="file")
    assert set(form.symbols) == {"I1zz", "m2", "m2x", "I2zz", "l2x"}


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match=r"'latin'.*'numbers'.*'file'"):
        closed_form("gravity", gw.load("elbow"), names="latin")


def test_gear_ratios_have_the_papers_names():
    """Chen and Wang: g14, g25, g76, g37, and wheels 4 to 7."""
    form = closed_form("mass_matrix", gw.load("grm3"), names="file")
    assert {"g14", "g25", "g76", "g37", "I4", "I5", "I6", "I7", "a2"} <= set(form.symbols)


def test_brackets_keep_the_value():
    rng = np.random.default_rng(3)
    letters = "abcde"
    for _ in range(20):
        rows = {tuple(zip(letters, map(int, rng.integers(0, 3, 5)), strict=True)) for _ in range(7)}
        terms = {tuple((x, p) for x, p in row if p): float(rng.integers(-3, 4)) for row in rows}
        plain = sp.Add(*(sp.Integer(int(f)) * sp.Mul(*(sp.Symbol(x) ** p for x, p in m)) for m, f in terms.items()))
        short = factored_sum(terms)
        assert sp.expand(short - plain) == 0
        assert short.count_ops() <= plain.count_ops()


@pytest.mark.parametrize("robot", ["planetary_2r", "planetary_3r"])
def test_numbers_of_planets_are_symbols(robot):
    """Of planetary_3r two stages with 3 and 4 planets ride on one link: each has a number of its own."""
    arm = gw.load(robot)
    q = np.linspace(0.3, -0.9, gw.assemble(arm).n)
    for name in ("mass_matrix", "gravity"):
        form = closed_form(name, arm, names="file")
        assert form.evaluate(q) == pytest.approx(getattr(gw, name)(arm, q), abs=1e-11)
    shown = {x for x in closed_form("mass_matrix", arm, names="file").symbols if x in ("n", "n1", "n2", "n3")}
    assert shown == ({"n"} if robot == "planetary_2r" else {"n1", "n2", "n3"})


@pytest.mark.parametrize("stage", [2, 3])
def test_another_number_of_planets_may_be_put_in(stage):
    """Stage 2 is on a link; in stage 3 they orbit with a carrier of their own."""
    arm = gw.load("planetary_3r")
    more = with_parameters(arm, {f"j{stage}.gear.planets": 5})
    q = np.linspace(0.3, -0.9, gw.assemble(arm).n)
    form = closed_form("mass_matrix", arm)
    assert form.evaluate(q, **{f"n{stage}": 5}) == pytest.approx(gw.mass_matrix(more, q), abs=1e-11)
