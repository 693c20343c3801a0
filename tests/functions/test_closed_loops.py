"""Machines with closed loops in independent speeds: laws, closed forms, and the projected open tree."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import GearwrightWarning, InputError
from gearwright.functions.constrained.closing import lost_direction, speed_directions, whole_motion
from gearwright.parts import Loop
from support.closed_machines import FRAME, POINT, closed_state, random_closed_machine
from support.mechanisms import LENGTHS, four_bar, with_parallelogram

SEEDS = range(12)


def relative(found, wanted):
    return np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-3)


def parallelogram(turn: float = 1.0) -> gw.contact.ClosedMechanism:
    """Two cranks of 1 m, 2 m apart, joined by a bar; every body has a rotor, one of them tilted, some on dependents."""
    bar = {"joint": "revolute", "axis": (0, 0, 1), "mass": 1.5, "inertia": np.diag([0.01, 0.2, 0.2])}
    bodies = [
        gw.Body("left", "base", com=(0.5, 0, 0), **bar),
        gw.Body("right", "base", com=(0.4, 0, 0), position=(2, 0, 0), **bar),
        gw.Body("top", "left", com=(1, 0.1, 0), position=(1, 0, 0), **bar),
    ]
    spins = [
        gw.Spin("rotor", "base", (0, 0, 1), 1e-3, {"left": 50.0}),
        gw.Spin("wheel", "top", (0, 0.6, 0.8), 2e-2, {"right": 7.0, "top": -3.0}),
    ]
    frames = [gw.BodyFrame("a", "top", position=(2, 0, 0)), gw.BodyFrame("b", "right", position=(1, 0, 0))]
    tree = gw.Mechanism(bodies, spins, gravity=(0, -9.81, 0), frames=frames)
    return gw.contact.ClosedMechanism.from_tree(
        tree, [Loop("pin", ("a", "b"), ("x", "y"))], ["left"], start=[turn, turn, -turn]
    )


# Closed forms


def test_a_parallelogram_has_constant_directions_and_a_mass_matrix_by_hand():
    mech = parallelogram()
    for angle in (0.7, 1.0, 1.4):
        q = mech.closed([angle])
        assert q == pytest.approx([angle, angle, -angle], abs=1e-12)
        assert speed_directions(mech, q)[:, 0] == pytest.approx([1, 1, -1], abs=1e-12)
    left, right = 0.2 + 1.5 * 0.25, 0.2 + 1.5 * 0.16  # about their hinges
    wheel = 2e-2 * (7.0 + 3.0) ** 2  # the bar does not turn: no coupling
    assert gw.mass_matrix(mech, q) == pytest.approx(left + right + 1.5 + 1e-3 * 50**2 + wheel, rel=1e-12)
    assert gw.bias(mech, q, [3.0]) == pytest.approx(9.81 * 1.5 * np.cos(1.4) * (0.5 + 0.4 + 1), rel=1e-12)


def test_the_four_bar_closes_by_its_lengths_and_turns_fully():
    mech = gw.assemble(four_bar("rocker"))
    c, l, r, g = (LENGTHS[name] for name in ("crank", "coupler", "rocker", "ground"))
    theta = np.linspace(-7, 7, 57)
    q = mech.closed(theta[:, None])
    assert np.array_equal(q[:, 0], theta)
    x = c * np.cos(q[:, 0]) + l * np.cos(q[:, 0] + q[:, 1]) - g - r * np.cos(q[:, 2])
    y = c * np.sin(q[:, 0]) + l * np.sin(q[:, 0] + q[:, 1]) - r * np.sin(q[:, 2])
    assert max(np.abs(x).max(), np.abs(y).max()) < 1e-12
    cross = np.sin(q[:, 0] + q[:, 1] - q[:, 2])  # its sign tells the two assembly modes
    assert np.all(cross * cross[0] > 0)


def test_the_other_branch_by_a_configuration_near_it():
    mech = gw.assemble(four_bar("rocker"))
    q = mech.closed([0.7])
    pin = LENGTHS["crank"] * np.array([np.cos(0.7), np.sin(0.7)])
    across = np.arctan2(-pin[1], LENGTHS["ground"] - pin[0])  # coupler and rocker mirrored at this diagonal
    mirrored = np.array([0.7, 2 * across - (0.7 + q[1]) - 0.7, 2 * across - q[2]])
    other = mech.closed([0.8], near=mirrored)
    assert np.abs(other - mech.closed([0.8])).max() > 0.1


def test_assembly_modes_of_a_four_bar_are_mirrored_at_its_diagonal():
    mech = gw.assemble(four_bar("rocker"))
    modes = mech.assembly_modes([0.7])
    assert len(modes) == 2
    one, other = modes.values()
    assert one == pytest.approx(mech.closed([0.7]), abs=1e-9)
    pin = LENGTHS["crank"] * np.array([np.cos(0.7), np.sin(0.7)])
    across = np.arctan2(-pin[1], LENGTHS["ground"] - pin[0])
    mirrored = np.array([0.7, 2 * across - (0.7 + one[1]) - 0.7, 2 * across - one[2]])
    assert np.cos(other - mirrored) == pytest.approx(1.0, abs=1e-12)
    for name, q in modes.items():
        assert mech.closed([0.7], branch=name) == pytest.approx(q, abs=1e-9)
        assert mech.closed([1.1], branch=name) == pytest.approx(mech.closed([1.1], near=q), abs=1e-9)
    with pytest.raises(InputError, match="'left'"):
        mech.closed([0.7], branch="left")
    with pytest.raises(InputError, match="branch="):
        mech.closed([0.7], near=one, branch=next(iter(modes)))
    with pytest.raises(InputError, match="assembly_modes"):
        mech.assembly_modes([[0.7]])


def test_modes_are_counted_by_poses_of_bodies():
    """Two modes of a parallelogram: its bars are parallel, or crossed; full turns of a joint are the same mode."""
    modes = list(gw.assemble(with_parallelogram(gw.load("elbow"), "loop")).assembly_modes().values())
    assert len(modes) == 2
    assert modes[0] == pytest.approx(0.0, abs=1e-9)


def test_the_lost_direction_at_the_dead_centre_of_a_driven_rocker():
    """Crank and coupler are in line: their common end stays where it is while c w1 + l (w1 + w2) = 0."""
    c, l, r, g = (LENGTHS[name] for name in ("crank", "coupler", "rocker", "ground"))
    pin = np.arccos((g * g + (c + l) ** 2 - r * r) / (2 * g * (c + l)))  # direction of the straight crank and coupler
    end = (c + l) * np.array([np.cos(pin), np.sin(pin)]) - [g, 0]
    dead = np.array([pin, 0.0, np.arctan2(end[1], end[0])])
    start = gw.assemble(four_bar("rocker")).closed([0.7])
    mech = gw.assemble(four_bar("rocker"), independent=["rocker_joint"], start=start)
    direction = lost_direction(mech, dead)
    assert direction[1] / direction[0] == pytest.approx(-(c + l) / l, rel=1e-9)
    assert direction[2] == 0
    with pytest.raises(InputError, match=r"crank_joint \(.*coupler_joint .*rocker_joint"):
        mech.closed([mech.reference[2] + 3.0])


# The projected open tree, on random machines with rotors on all links


@pytest.mark.parametrize("seed", SEEDS)
def test_the_projected_tree(seed):
    mech = random_closed_machine(seed)
    q, v, a = closed_state(mech, seed)
    G = speed_directions(mech, q)
    h = 1e-4
    whole, V, A = whole_motion("test", mech, q, v, a)
    assert pytest.approx(G @ v, abs=1e-12) == V
    tau = gw.inverse_dynamics(mech.tree, whole, V, A)
    assert relative(gw.inverse_dynamics(mech, q, v, a), G.T @ tau) < 1e-12
    M = G.T @ gw.mass_matrix(mech.tree, q) @ G
    assert relative(gw.mass_matrix(mech, q), M) < 1e-12
    assert relative(gw.gravity(mech, q), G.T @ gw.gravity(mech.tree, q)) < 1e-12
    assert gw.kinetic_energy(mech, q, v) == pytest.approx(gw.kinetic_energy(mech.tree, q, V), rel=1e-12)
    assert gw.momentum(mech, q, v) == pytest.approx(gw.momentum(mech.tree, q, V), rel=1e-10, abs=1e-10)
    assert relative(gw.forward_dynamics(mech, q, v, gw.inverse_dynamics(mech, q, v, a)), a) < 1e-9
    assert relative(gw.regressor(mech, q, v, a) @ gw.parameters(mech), gw.inverse_dynamics(mech, q, v, a)) < 1e-10
    body = mech.bodies[-1].name
    assert relative(gw.jacobian(mech, q, body), gw.jacobian(mech.tree, q, body) @ G) < 1e-12
    point = gw.jacobian(mech, q, body) @ a + gw.jacobian_rate(mech, q, v, body) @ v
    wanted = gw.jacobian(mech.tree, q, body) @ A + gw.jacobian_rate(mech.tree, q, V, body) @ V
    assert relative(point, wanted) < 1e-10

    def speeds(t):  # accelerations as the slope of all speeds along a motion that stays closed
        at = gw.integrate(mech, q, v * t + 0.5 * a * t * t)
        return speed_directions(mech, at) @ (v + a * t)

    slope = (8 * (speeds(h) - speeds(-h)) - (speeds(2 * h) - speeds(-2 * h))) / (12 * h)
    assert relative(A, slope) < 1e-7


@pytest.mark.parametrize("angles", ["yaw_pitch_roll", "quaternion"])
@pytest.mark.parametrize("seed", SEEDS[:4])
def test_external_coordinates_along_a_closed_motion(seed, angles):
    """Rates and second derivatives against differences of the coordinates along a motion that stays closed."""
    mech = random_closed_machine(seed)
    q, v, a = closed_state(mech, seed)
    body, h = mech.bodies[-1].name, 2e-3
    s = [gw.planning.external_coordinates(mech, gw.integrate(mech, q, v * t + 0.5 * a * t * t), body, angles)
         for t in h * np.arange(-3, 4)]  # fmt: skip
    rates = gw.planning.external_rates(mech, q, v, body, angles)
    J, A = (
        gw.planning.external_jacobian(mech, q, body, angles),
        gw.planning.external_adjoint(mech, q, v, body, angles),
    )
    assert J.shape == (len(s[0]), mech.n)
    assert J @ v == pytest.approx(rates, abs=1e-12)
    assert rates == pytest.approx(np.array([-1, 9, -45, 0, 45, -9, 1]) @ s / (60 * h), rel=1e-6, abs=1e-6)
    second = np.array([2, -27, 270, -490, 270, -27, 2]) @ s / (180 * h * h)
    assert J @ a + A == pytest.approx(second, rel=1e-5, abs=1e-5)


# Backends


def test_kernels_batches_and_independent_coordinates_agree(monkeypatch):
    mech = gw.assemble(four_bar("rocker"))
    theta, v, a = np.linspace(0.2, 1.2, 40)[:, None], np.full((40, 1), 1.3), np.full((40, 1), -0.4)
    q = mech.closed(theta)
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")
    plain = gw.inverse_dynamics(mech, q, v, a)
    assert gw.inverse_dynamics(mech, theta, v, a) == pytest.approx(plain, rel=1e-12)
    kernel = gw.compile(gw.inverse_dynamics, mech)
    assert kernel(q, v, a) == pytest.approx(plain, rel=1e-12)
    assert pickle.loads(pickle.dumps(kernel))(q, v, a) == pytest.approx(plain, rel=1e-12)
    assert gw.inverse_dynamics(mech, q[3], v[3], a[3]) == pytest.approx(plain[3], rel=1e-12)
    casadi = gw.casadi_function(gw.inverse_dynamics, mech)
    assert np.array(casadi(q[3], v[3], a[3])).ravel() == pytest.approx(plain[3], rel=1e-12)


def test_parameters_stay_inputs_of_kernels():
    mech = parallelogram()
    kernel = gw.compile(gw.mass_matrix, mech, parameters=["rotor.inertia"])
    q = mech.closed([0.7])
    assert (kernel(q, parameters=[2e-3]) - gw.mass_matrix(mech, q))[0, 0] == pytest.approx(1e-3 * 50**2, rel=1e-10)


def test_reactions_from_independent_speeds():
    robot = four_bar("rocker")
    mech = gw.assemble(robot)
    q = mech.closed([0.7])
    whole, V, A = whole_motion("test", mech, q, [1.3], [-0.4])
    assert gw.reactions(mech, q, [1.3], [-0.4]) == pytest.approx(gw.reactions(robot, whole, V, A), abs=1e-12)
    assert np.abs(gw.reactions(mech, q, [1.3], [-0.4])[1:, 5]).max() < 1e-9  # pins carry no moment


def test_kernels_of_reactions_are_refused_because_they_lack_the_loop_forces():
    mech = parallelogram()
    with pytest.raises(InputError, match=r"reactions.*mech\.tree"):
        gw.compile(gw.reactions, mech)
    assert gw.compile(gw.reactions, mech.tree).name == "reactions"


def test_approximations_keep_the_loops():
    mech = parallelogram()
    light = gw.approximate(mech, "none")
    q = mech.closed([1.1])
    wheels = 1e-3 * 50**2 + 2e-2 * 100
    assert (gw.mass_matrix(mech, q) - gw.mass_matrix(light, q))[0, 0] == pytest.approx(wheels, rel=1e-12)
    robot = gw.load("palletiser")
    for kind in ("exact", "reflected", "diagonal", "none", "rigid"):
        of_robot, of_machine = (gw.mass_matrix(gw.approximate(x, kind), [0.1] * 4) for x in (robot, gw.assemble(robot)))
        assert of_robot == pytest.approx(of_machine, rel=1e-12)
        assert of_robot.shape == (4, 4)


# Bad input


def test_an_open_configuration_is_refused_by_the_name_of_the_loop():
    mech = gw.assemble(four_bar("rocker"))
    torn = mech.closed([0.7]) + np.array([0, 0.01, 0])
    kernel = gw.compile(gw.mass_matrix, mech)
    for call in (lambda: gw.mass_matrix(mech, torn), lambda: kernel(torn), lambda: kernel(np.tile(torn, (50, 1)))):
        with pytest.raises(InputError, match=r"pin\.[xy]"):
            call()


def test_loops_that_cannot_close_are_named_with_their_joints():
    robot = four_bar("rocker")
    frames = [replace(x, position=(9.0, 0, 0)) if x.name == "coupler_end" else x for x in robot.frames]
    with pytest.raises(InputError, match=r"'pin'.*coupler_joint"):
        gw.assemble(replace(robot, frames=frames))


def test_independent_speeds_that_do_not_determine_the_others():
    tree, loops = gw.assemble(four_bar("rocker"), "tree"), four_bar("rocker").loops
    with pytest.raises(InputError, match="State 1"):
        gw.contact.ClosedMechanism.from_tree(tree, loops, ["crank_joint", "rocker_joint"])
    flat = {"joint": "revolute", "axis": (0, 0, 1), "mass": 1.0, "com": (0.5, 0, 0)}
    places = {"foot": ("base", 0.0), "one": ("foot", 0.0), "two": ("one", 1.0), "three": ("foot", 1.5)}
    bodies = [gw.Body(name, parent, position=(x, 0, 0), **flat) for name, (parent, x) in places.items()]
    frames = [gw.BodyFrame("a", "two", position=(1, 0, 0)), gw.BodyFrame("b", "three", position=(1, 0, 0))]
    tree = gw.Mechanism(bodies, frames=frames)
    pin = Loop("pin", ("a", "b"), ("x", "y"))
    with pytest.raises(InputError, match="Possible"):
        gw.contact.ClosedMechanism.from_tree(tree, [pin], ["one", "two"], start=[0.2, 1.2, -0.8, 1.4])


def test_a_branch_that_ends_is_reported():
    """The crank of a drag-free four-bar whose rocker is too short to let it turn."""
    robot = four_bar("rocker")
    start = gw.assemble(robot).closed([0.7])
    mech = gw.assemble(robot, independent=["rocker_joint"], start=start)
    with pytest.raises(InputError, match=r"singular|open"):
        mech.closed([mech.reference[2] + 3.0])


def test_redundant_equations_are_named():
    robot = four_bar("rocker")
    spatial = gw.assemble(replace(robot, loops=[Loop("pin", robot.loops[0].frames, FRAME[:5])]))
    assert spatial.n == 1
    assert set(spatial.redundant) == {"pin.z", "pin.rx", "pin.ry"}
    q, v = spatial.closed([0.5]), [1.0]
    assert gw.bias(spatial, q, v) == pytest.approx(gw.bias(gw.assemble(robot), q, v), rel=1e-10)
    assert gw.assemble(replace(robot, loops=[Loop("pin", robot.loops[0].frames, POINT)])).redundant == ("pin.z",)


def test_wrong_shapes_and_values():
    mech = gw.assemble(four_bar("rocker"))
    for bad in ([0.1, 0.2], [np.nan], 0.1):
        with pytest.raises(InputError):
            mech.closed(bad)
    with pytest.raises(InputError, match="loops"):
        gw.contact.ClosedMechanism.from_tree(gw.assemble(gw.load("elbow")), [])


def test_loops_that_are_singular_at_zero_start_beside_it():
    """A flat parallelogram, where the branch of the antiparallelogram begins."""
    bar = {"joint": "revolute", "axis": (0, 0, 1), "mass": 1.0, "com": (0.5, 0, 0)}
    bodies = [
        gw.Body("left", "base", **bar),
        gw.Body("top", "left", position=(1, 0, 0), **bar),
        gw.Body("right", "base", position=(2, 0, 0), **bar),
    ]
    frames = [gw.BodyFrame("a", "top", position=(2, 0, 0)), gw.BodyFrame("b", "right", position=(1, 0, 0))]
    tree = gw.Mechanism(bodies, frames=frames)
    pin = Loop("pin", ("a", "b"), ("x", "y"))
    with pytest.warns(GearwrightWarning, match="left"):
        mech = gw.contact.ClosedMechanism.from_tree(tree, [pin])
    assert mech.n == 1
    assert 0 < np.abs(mech.reference).max() < 0.05
    with pytest.raises(InputError, match="rank"):
        gw.contact.ClosedMechanism.from_tree(tree, [pin], start=[0.0, 0.0, 0.0])
