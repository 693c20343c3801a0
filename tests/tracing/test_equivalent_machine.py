"""A prepared machine has the equations of motion of the original, and fewer numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import gearwright as gw
from gearwright.parts.parameter_paths import with_parameters
from gearwright.programs import dynamics_programs
from gearwright.programs.batch import evaluate_program
from gearwright.tracing.simplify.equivalent_machine import FRAME_INVARIANT_FUNCTIONS, simplify_machine
from support.compare import relative
from support.machines import motions, random_design, random_state, rotation


def arguments(name: str, q: np.ndarray, state) -> tuple[np.ndarray, ...]:
    """The arguments of a public function, tau taken from the accelerations drawn."""
    speeds = () if name in ("gravity", "mass_matrix") else (state.v,)
    return (q, *speeds, state.a) if name in ("inverse_dynamics", "forward_dynamics") else (q, *speeds)


def difference(name: str, mech: gw.Mechanism, state) -> float:
    prepared = simplify_machine(mech)
    function = getattr(gw, name)
    moved = np.array(prepared.coordinates_for(list(state.q)))
    expected = function(mech, *arguments(name, state.q, state))
    scale = 0.0
    if name == "coriolis_matrix":  # what cancels in C has the size of M v
        scale = float(np.abs(gw.mass_matrix(mech, state.q)).max() * np.abs(state.v).max())
    return relative(function(prepared.mech, *arguments(name, moved, state)), expected, scale)


@pytest.mark.parametrize("name", FRAME_INVARIANT_FUNCTIONS)
@given(motions())
@settings(max_examples=40, deadline=None)
def test_same_equations_on_random_machines(name, drawn):
    _, mech, state = drawn
    assert difference(name, mech, state) < 1e-12


@pytest.mark.parametrize("kinds", [("revolute",) * 6, ("prismatic", "revolute", "prismatic", "revolute")])
def test_right_angles_parallel_axes_and_level_ground(kinds):
    """Machines with all the special positions: quarter turns, parallel axes, gravity along an axis, coaxial wheels."""
    rng = np.random.default_rng(5)
    quarter = [np.eye(3), [[1, 0, 0], [0, 0, -1], [0, 1, 0]], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], np.diag([1, -1, -1])]
    for _ in range(10):
        bodies = [
            gw.Body(
                f"b{i}",
                i - 1,
                kind,
                axis=np.eye(3)[rng.integers(3)],
                rotation=np.asarray(quarter[rng.integers(4)], float),
                position=rng.integers(0, 2, 3) * 0.3,
                mass=2.0,
                com=rng.integers(0, 2, 3) * 0.1,
                inertia=np.diag([0.04, 0.05, 0.03]),
            )
            for i, kind in enumerate(kinds)
        ]
        spins = [
            gw.Spin(f"s{i}", i - 1, np.eye(3)[rng.integers(3)], 1e-4, {f"b{i}": ratio})
            for i, ratio in enumerate(rng.choice([1.0, -20.0, 50.0], len(kinds)))
        ]
        mech = gw.Mechanism(bodies, spins)
        state = random_state(rng, mech)
        for name in FRAME_INVARIANT_FUNCTIONS:
            assert difference(name, mech, state) < 1e-12, name


@pytest.mark.parametrize("tilt", [1e-3, 1e-6, 1e-8, 1e-10, 1e-13])
def test_nearly_parallel_axes_are_not_parallel(tilt):
    """A cosine does not tell a small angle from none; gravity and the mass matrix do."""
    rng = np.random.default_rng(6)
    c, s = np.cos(tilt), np.sin(tilt)
    tilted = [[1, 0, 0], [0, c, -s], [0, s, c]]
    bodies = [
        gw.Body(
            f"b{i}", i - 1, rotation=tilted, position=(0.3, 0.1, 0.2), mass=2, com=rng.normal(size=3), inertia=np.eye(3)
        )
        for i in range(4)
    ]
    mech = gw.Mechanism(bodies)
    state = random_state(rng, mech)
    for name in ("inverse_dynamics", "mass_matrix"):
        assert difference(name, mech, state) < 1e-12, name
    moved = np.array(simplify_machine(mech).coordinates_for(list(state.q)))
    torque = gw.gravity(simplify_machine(mech).mech, moved)
    assert relative(torque, gw.gravity(mech, state.q)) < max(1e-12, 1e-14 / tilt)


def test_wheels_on_the_driven_link_and_further_out():
    rng = np.random.default_rng(2)
    mech = random_design(rng, ("revolute",) * 3, wheels=0, chain=True).written()
    axes = rng.normal(size=(4, 3))
    carriers = [("b0", "j0"), ("b1", "j1"), ("b2", "j0"), ("b1", "j2")]
    spins = [gw.Spin(f"s{k}", c, axes[k], 1e-4, {j: 30.0}) for k, (c, j) in enumerate(carriers)]
    mech = gw.Mechanism(mech.bodies, spins, gravity=mech.gravity)
    for name in FRAME_INVARIANT_FUNCTIONS:
        assert difference(name, mech, random_state(rng, mech)) < 1e-12, name


def test_a_chain_in_general_position_keeps_only_its_base_parameters():
    """Seven per revolute body beyond the first (Gautier and Khalil), and a turn about x as fixed rotation."""
    mech = random_design(np.random.default_rng(0), ("revolute",) * 5, wheels=0, chain=True).written()
    for body in simplify_machine(mech).mech.bodies[1:]:
        m, _, _, hz, xx, _, _, yy, _, zz = body.about_origin
        assert (m, hz) == (0.0, 0.0)
        assert xx + yy == zz
        assert body.rotation.rows()[0] == (1.0, 0.0, 0.0)
        assert body.position.y == 0.0


def test_a_vertical_first_joint_keeps_one_number():
    body = gw.Body("turret", axis=(0, 0, 1), mass=5, com=(0.1, 0.2, 0.3), inertia=np.diag([0.1, 0.2, 0.25]))
    prepared = simplify_machine(gw.Mechanism([body], [gw.Spin("rotor", "base", (1, 2, 3), 1e-4, [-100])]))
    assert prepared.mech.spins == ()
    zz = 0.25 + 5 * (0.1**2 + 0.2**2) + 1e-4 * 100**2
    expected = np.array([0, 0, 0, 0, 0, 0, 0, zz, 0, zz])
    np.testing.assert_allclose(list(prepared.mech.bodies[0].about_origin), expected, rtol=1e-15)


def test_rounded_rotations_are_left_alone():
    """New frames would make a rotation exact that the original has rounded."""
    R = np.round(rotation(np.random.default_rng(1)), 8)
    mech = gw.Mechanism([gw.Body("a", mass=1, com=(0.1, 0, 0)), gw.Body("b", "a", rotation=R, mass=1, com=(0.1, 0, 0))])
    assert simplify_machine(mech).mech is mech


def test_symbolic_inertias_and_ratios_are_regrouped_too():
    """Parameters that stay inputs go through the regrouping as symbols, with any value afterwards."""
    robot = gw.load("elbow").with_payload(1.0, (0.3, 0.1, 0.05))
    joint = robot.drives[1].joint
    paths = ["payload.mass", f"{joint}.motor.inertia", f"{joint}.gear.ratio"]
    kernel = gw.compile(gw.inverse_dynamics, robot, parameters=paths)
    values = kernel.nominal_parameters * [2.5, 1.1, -0.7]
    mech = gw.assemble(with_parameters(robot, dict(zip(paths, values, strict=True))))
    state = random_state(np.random.default_rng(3), mech)
    expected = evaluate_program(
        dynamics_programs.INVERSE_DYNAMICS, mech, {"q": state.q, "v": state.v, "a": state.a}, {}
    )
    assert relative(kernel(state.q, state.v, state.a, parameters=values), expected) < 1e-12


def test_a_machine_of_shafts_alone_stays():
    case = gw.Body("case", -1, "fixed", mass=1, com=(0.1, 0, 0), inertia=np.eye(3))
    mech = gw.Mechanism([case], [gw.Spin("rotor", "case", (0, 0, 1), 1e-3, {"shaft": 10})], shafts=["shaft"])
    assert simplify_machine(mech).mech is mech
    np.testing.assert_allclose(gw.compile(gw.mass_matrix, mech)(np.zeros(1)), [[0.1]], rtol=1e-15)
