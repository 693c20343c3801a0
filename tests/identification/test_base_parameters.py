"""Base parameters: counts from the literature, the elbow arm's published set, exact and symbolic coefficients."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

import gearwright as gw
from gearwright.catalogue import load
from gearwright.errors import InputError
from gearwright.identification import parameter_groups, regressor_blocks
from support.compare import relative
from support.machines import KINDS, random_design, random_state, rotation, unit

SYMMETRY = [f"link{i}.{name}" for i in (1, 2, 3) for name in ("Ixy", "Ixz", "Iyz")]
SYMMETRY += [f"link{i}.{name}" for i in (2, 3) for name in ("mcy", "mcz")]

# Sciavicco, Siciliano and Villani, section 7, with the axes of a link's joint frame (y1 there is z of link 1 here).
ELBOW_PI = [
    {"link1.Izz": 1, "link2.Iyy": 1, "link3.Iyy": 1, "link3.m": 0.16, "j1.rotor.J": 120**2},
    {"link2.mcx": 1, "link3.m": 0.4},
    {"link2.Ixx": 1, "link2.Iyy": -1, "link3.m": -0.16},
    {"link2.Izz": 1, "j2.rotor.J": 100**2, "link3.m": 0.16},
    {"link3.Ixx": 1, "link3.Iyy": -1},
    {"link3.mcx": 1},
    {"link3.Izz": 1},
    {"j2.rotor.J": 1},
    {"j3.rotor.J": 1},
]
ELBOW_VALUES = (8.0992, 2.225, -0.7612, 3.7714, -0.0915, 0.45, 0.0975, 3e-4, 2e-4)


@pytest.fixture(scope="module")
def elbow() -> gw.Mechanism:
    return gw.assemble(load("elbow"))


def rows(terms: list[dict[str, float]], names: list[str]) -> np.ndarray:
    table = np.zeros((len(terms), len(names)))
    for row, combination in zip(table, terms, strict=True):
        for name, factor in combination.items():
            row[names.index(name)] = factor
    return table


def test_elbow_has_17_base_parameters_of_33(elbow):
    base = gw.base_parameters(elbow)
    assert (base.rank, len(gw.parameter_names(elbow))) == (17, 33)
    assert "link2.mcz" in base.no_effect
    assert "link1.m" in base.no_effect
    assert ("link3.Ixx", "link3.Iyy") in base.inseparable_groups
    assert "j3.rotor.J" in base.separable_parameters


def test_elbow_with_symmetry_spans_the_nine_published_parameters(elbow):
    base = gw.base_parameters(elbow, SYMMETRY)
    published = rows(ELBOW_PI, gw.parameter_names(elbow))
    published[:, [gw.parameter_names(elbow).index(name) for name in SYMMETRY]] = 0.0
    scale = np.abs(published).max(axis=0) + 1.0
    assert base.rank == 9
    assert np.linalg.matrix_rank(published / scale) == 9
    assert np.linalg.matrix_rank(np.vstack([published, base.combination_matrix]) / scale, tol=1e-9) == 9
    np.testing.assert_allclose(published @ gw.parameters(elbow), ELBOW_VALUES, atol=5e-5)


def test_elbow_in_named_lengths(elbow):
    a2, k1 = sympy.symbols("a2 k1")
    third = replace(elbow.bodies[2], position=(a2, 0, 0))
    first = replace(elbow.spins[0], ratio=(k1, 0, 0))
    arm = replace(elbow, bodies=(*elbow.bodies[:2], third), spins=(first, *elbow.spins[1:]), actuators=())
    base = gw.base_parameters(arm, SYMMETRY)
    assert "link1.Izz + link2.Iyy + a2^2 link3.m + link3.Iyy + k1^2 j1.rotor.J" in base.names
    assert "link2.mcx + a2 link3.m" in base.names
    with pytest.raises(InputError, match=r"base.*coefficient.*symbol"):
        _ = base.combination_matrix


def test_exact_coefficients_equal_the_numerical_ones(elbow):
    exact, numeric = gw.base_parameters(elbow, exact=True), gw.base_parameters(elbow)
    assert exact.combinations[0]["link3.m"] == sympy.Rational(4, 25)
    np.testing.assert_allclose(exact.combination_matrix, numeric.combination_matrix, atol=1e-9)


def test_exact_refuses_irrational_geometry():
    tilted = gw.Body("fore", "upper", position=(np.sqrt(2), 0, 0), mass=1, com=(0.1, 0, 0))
    arm = gw.Mechanism([gw.Body("upper", mass=1, com=(0.1, 0, 0)), tilted])
    with pytest.raises(InputError, match="fraction"):
        gw.base_parameters(arm, exact=True)


@pytest.mark.parametrize(("name", "links"), [("panda_like", 43), ("puma560", 36)])
def test_counts_published_for_robots(name, links):
    """43 (Gaz et al. 2019) and 36 (Gautier and Khalil 1990) base parameters of the links alone."""
    mech = gw.approximate(gw.assemble(load(name)), "none")
    assert gw.base_parameters(mech).rank == links


@pytest.mark.parametrize("count", [1, 2, 4, 6])
@pytest.mark.parametrize("upright", [True, False])
def test_counts_of_general_revolute_chains(count, upright):
    """7n - 6 with the first axis along gravity, 7n - 4 otherwise (Gautier and Khalil 1990)."""
    rng = np.random.default_rng(count)
    bodies = [
        gw.Body(
            f"b{i}",
            i - 1,
            axis=(0, 0, 1),
            rotation=np.eye(3) if i == 0 else rotation(rng),
            position=rng.uniform(-0.5, 0.5, 3),
            mass=1,
            com=(0.1, 0, 0),
        )
        for i in range(count)
    ]
    mech = gw.Mechanism(bodies, gravity=(0, 0, -9.81) if upright else unit(rng) * 9.81)
    assert gw.base_parameters(mech).rank == 7 * count - (6 if upright else 4)


@pytest.mark.parametrize("seed", range(25))
def test_random_machines(seed):
    """Y pi = inverse dynamics; the base columns carry all of it, and there are as many as the numerical rank."""
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.choice(KINDS, rng.integers(1, 7))] + ["revolute"]
    springs, shafts, wheels = (int(rng.integers(0, 4)) for _ in range(3))
    mech = random_design(rng, kinds, wheels=wheels, shafts=shafts, springs=springs).written()
    pi = gw.parameters(mech)
    states = [random_state(rng, mech) for _ in range(2 * len(pi) // mech.n + 20)]
    q, v, a = (np.array([getattr(state, name) for state in states]) for name in "qva")
    Y, tau = gw.regressor(mech, q, v, a), gw.inverse_dynamics(mech, q, v, a)
    assert relative(Y @ pi, tau) < 1e-12
    base = gw.base_parameters(mech)
    assert relative(base.base_columns(Y) @ base.combine(pi), tau) < 1e-11
    stacked = Y.reshape(-1, len(pi))
    length = np.linalg.norm(stacked, axis=0)
    sizes = np.linalg.svd(stacked[:, length > 1e-9] / length[length > 1e-9], compute_uv=False)
    assert base.rank == int((sizes > 1e-10 * sizes[0]).sum())


def test_grouped_by_joint_the_regressor_is_block_upper_triangular(elbow):
    """Eq. (34): eleven parameters per joint, and those of joint j do not act on outer joints."""
    groups = parameter_groups(elbow)
    assert [len(group.indices) for group in groups] == [11, 11, 11]
    assert groups[1].names[-1] == "j2.rotor.J"
    rng = np.random.default_rng(0)
    q, v, a = rng.uniform(-2, 2, (3, 20, 3))
    blocks = list(regressor_blocks(elbow, gw.regressor(elbow, q, v, a)).values())
    for j, block in enumerate(blocks):
        assert np.abs(block[:, j + 1 :]).max(initial=0.0) < 1e-12
        assert np.abs(block[:, j]).max() > 0.1
    assert sorted(k for group in groups for k in group.indices) == list(range(33))


def test_elastic_parameters_belong_to_their_shaft():
    body = gw.Body("arm", mass=1, com=(0.2, 0, 0))
    spin = gw.Spin("rotor", "base", (0, 0, 1), 1e-4, {"arm.motor": 100})
    spring = gw.Spring("gear", {"arm": 1, "arm.motor": -1}, 500, 1)
    groups = parameter_groups(gw.Mechanism([body], [spin], ["arm.motor"], [spring]))
    assert groups[1].names == ("rotor.J", "gear.stiffness", "gear.damping")


def test_exact_coefficients_with_planes_screws_and_crosses():
    """Their geometry is rational too; a screw's angle may stand for its tangent, as its length is another number."""
    solid = {"mass": 1.0, "inertia": np.eye(3)}
    bodies = [
        gw.Body("cart", joint="planar", **solid),
        gw.Body("nut", "cart", "helical", axis=(0, 0.6, 0.8), pitch=0.125, position=(0.1, 0.2, 0), **solid),
        gw.Body("disc", "nut", "universal", axis=(1, 0, 0), axis2=(0, 0.6, 0.8), position=(0, 0.25, 0), **solid),
    ]
    mech = gw.Mechanism(bodies, [gw.Spin("wheel", "nut", (0, 0, 1), 1e-3, {"nut": 20, "disc.angle2": 3})])
    exact, numeric = gw.base_parameters(mech, exact=True), gw.base_parameters(mech)
    np.testing.assert_allclose(exact.combination_matrix, numeric.combination_matrix, atol=1e-9)


def test_unknown_names_are_refused(elbow):
    with pytest.raises(InputError, match=r"'link2\.Ixx'"):
        gw.base_parameters(elbow, ["link2.Ixxx"])
    with pytest.raises(InputError, match=r"\b33\b"):
        gw.base_parameters(elbow).combine([1.0, 2.0])


def test_exact_coefficients_with_free_joints_sliders_springs_and_shared_wheels():
    """Rational rotations and axes throughout; the coefficients agree with those in floating point."""
    turn = np.array([[-1, -2, -2], [-2, -1, 2], [-2, 2, -1]]) / 3
    turn = turn * np.sign(np.linalg.det(turn))
    solid = {"mass": 1.0, "inertia": np.eye(3)}
    bodies = [
        gw.Body("trunk", joint="free", **solid),
        gw.Body("slide", "trunk", "prismatic", axis=(0, 0.6, 0.8), position=(0.1, 0.2, 0), **solid),
        gw.Body("arm", "slide", rotation=turn, position=(0, 0.25, 0), **solid),
        gw.Body("ball", "arm", "spherical", position=(0.5, 0, 0), **solid),
    ]
    wheel = gw.Spin("wheel", "slide", (0, 0, 1), 1e-3, {"arm": 20, "slide": 3})
    mech = gw.Mechanism(bodies, [wheel], springs=[gw.Spring("spring", {"arm": 1}, 10)])
    exact, numeric = gw.base_parameters(mech, exact=True), gw.base_parameters(mech)
    np.testing.assert_allclose(exact.combination_matrix, numeric.combination_matrix, atol=1e-9)
    of_trunk = exact.combinations[exact.leading_parameters.index("trunk.Ixx")]
    assert of_trunk["arm.m"] == sympy.Rational(1, 16)  # Steiner: the arm's joint lies a quarter metre off the slide
