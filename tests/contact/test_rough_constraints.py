"""Friction of constrained coordinates: closed forms, both signs of the reaction, the unilateral contact, energy."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Constraint, Contact, Plane, RoughConstraint, fixed_frame
from gearwright.errors import InputError
from gearwright.parts import Joint, Link, Robot

G, MASS, MU, K, D = 9.81, 2.0, 0.3, 1e6, 2e3
TIGHT = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def carriage() -> Robot:
    """A mass on slides along x, y and z."""
    links = [Link("x", joint=Joint(kind="prismatic", axis=AXES["x"]), mass=0.0)]
    links.append(Link("y", "x", Joint(kind="prismatic", axis=AXES["y"]), 0.0))
    links.append(Link("z", "y", Joint(kind="prismatic", axis=AXES["z"]), MASS))
    return Robot("carriage", links)


def guide(held=("z",), **settings) -> RoughConstraint:
    values = {"friction": MU, "stiffness": K, "damping": D} | settings
    return RoughConstraint("guide", "z", "base", held, **values)


@pytest.mark.parametrize("lift", [0.0, 3.0])
def test_a_carriage_is_braked_by_the_reaction_of_either_sign(lift):
    """a = -mu |g - F/m|: lifted by three times its weight, the reaction pulls, and friction is twice as large."""
    v0 = 1.0
    brake = MU * G * abs(1 - lift)
    inputs = {"tau.z": lambda t: lift * MASS * G}
    run = gw.simulate(
        carriage(), ([0.0] * 3, [v0, 0, 0]), until=1.6 * v0 / brake, laws=[guide()], inputs=inputs, samples=321
    )
    sliding = (run.t > 0.1 * v0 / brake) & (run.t < 0.9 * v0 / brake)
    np.testing.assert_allclose(np.diff(run.v[sliding, 0]) / np.diff(run.t[sliding]), -brake, rtol=1e-6)
    np.testing.assert_allclose(run["guide.friction.x"][sliding], -brake * MASS, rtol=1e-6)
    np.testing.assert_allclose(run["guide.force.z"][sliding], MASS * G * (1 - lift), rtol=1e-6)
    assert np.abs(run.v[-1]).max() < 1e-6
    assert run["energy.dissipated"][-1] == pytest.approx(0.5 * MASS * v0**2, rel=1e-4)
    assert run.drift < 1e-6


def test_the_reaction_passes_through_zero_while_it_slips():
    """The load turns from pressing to lifting: dv/dt = -mu |g - F(t)/m|, integrated in closed form."""
    inputs = {"tau.z": lambda t: 2 * MASS * G * t}
    run = gw.simulate(
        carriage(), ([0.0] * 3, [4.0, 0, 0]), until=1.0, laws=[guide()], inputs=inputs, samples=101, integrator=TIGHT
    )
    t = run.t
    exact = 4.0 - MU * G * np.where(t < 0.5, t - t**2, 0.5 - t + t**2)
    np.testing.assert_allclose(run.v[:, 0], exact, atol=2e-3)  # the shear follows with d / k = 2 ms
    assert {mode for mode in run.modes["guide"]} >= {"slip+", "slip-"}
    assert run.drift < 1e-6


def test_friction_of_two_faces_adds():
    """A rectangular guide along x: mu (|Fy| + |Fz|)."""
    inputs = {"tau.y": lambda t: -12.0, "tau.x": lambda t: 30.0}
    run = gw.simulate(
        carriage(), [0.0] * 3, until=0.5, laws=[guide(("y", "z", "rx"))], inputs=inputs, samples=51, integrator=TIGHT
    )
    assert run["guide.friction.x"][-1] == pytest.approx(-MU * (12.0 + MASS * G), rel=1e-9)
    assert run.v[-1, 0] == pytest.approx(0.5 * (30.0 - MU * (12.0 + MASS * G)) / MASS, rel=2e-3)


def test_below_the_limit_it_sticks():
    inputs = {
        "tau.x": lambda t: 0.6 * MU * MASS * G * np.cos(0.7),
        "tau.y": lambda t: 0.6 * MU * MASS * G * np.sin(0.7),
    }
    run = gw.simulate(carriage(), [0.0] * 3, until=0.4, laws=[guide()], inputs=inputs, samples=41)
    assert set(run.modes["guide"]) == {"stick"}
    np.testing.assert_allclose(run["guide.slip.x"], 0.0, atol=1e-9)
    assert run["q.x"][-1] * K == pytest.approx(0.6 * MU * MASS * G * np.cos(0.7), rel=1e-3)


def test_a_pressed_arm_moves_as_on_a_rough_contact():
    """An arm that presses on a desk: the stiffer the constraint with friction, the closer to the unilateral contact."""
    mech, q = gw.assemble(gw.load("elbow")), [0.2, -0.5, 1.0]
    height, errors = gw.placement(mech, q, "link3")[1][2], []
    inputs = {"tau.j1": lambda t: 40.0 * np.sin(6 * t)}
    contact = Contact("link3", Plane((0, 0, height), (0, 0, 1)), friction=0.2, name="pen")
    rigid = gw.simulate(mech, q, until=0.3, laws=[contact], inputs=inputs, samples=31)
    for k in (1e7, 1e8):
        desk = fixed_frame("desk", (0, 0, height))
        law = RoughConstraint("pen", "link3", desk, ("z",), friction=0.2, stiffness=k, damping=2e4)
        run = gw.simulate(mech, q, until=0.3, laws=[law], inputs=inputs, samples=31)
        errors.append(np.abs(run.q - rigid.q).max())
        assert run.drift < 1e-6
    assert np.abs(rigid.q - rigid.q[0]).max() > 0.05
    np.testing.assert_allclose(run["pen.force.z"][2:], rigid["pen.force"][2:], rtol=1e-2)
    assert errors[1] < 0.3 * errors[0]
    assert errors[1] < 1e-5


def test_time_stepping_converges_to_the_event_driven_run():
    """Sliding to rest in the plane; two reactions are refused by name."""
    law, q, v, errors = guide(stiffness=1e5, damping=600.0), [0.0] * 3, [0.8, -0.4, 0.0], []
    exact = gw.simulate(carriage(), (q, v), until=0.5, laws=[law], samples=2, integrator=TIGHT)
    for step in (5e-4, 1e-4):
        run = gw.rollout(carriage(), q, v, round(0.5 / step), step, method="moreau", laws=[law])
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
    assert np.abs(exact.q[-1]).max() > 0.05
    assert errors[1] < 0.4 * errors[0]
    assert errors[1] < 1e-4
    with pytest.raises(InputError, match=r"guide.*'y', 'z'"):
        gw.rollout(carriage(), q, v, 10, 1e-3, method="moreau", laws=[guide(("y", "z"))])


def test_functions_without_friction_refuse_it():
    robot, motion = carriage(), gw.motion.polynomial([0, 0, 0], [0.2, 0.1, 0.0], 1.0)
    with pytest.raises(InputError, match=r"demands.*'guide'.*0\.3"):
        gw.demands(robot, motion, laws=[guide()])
    with pytest.raises(InputError, match=r"linearise.*'guide'.*0\.3"):
        gw.linearise(robot, [0.0] * 3, [0.0] * 3, [0.0, 0.0, MASS * G], laws=[guide()])


@pytest.mark.parametrize("held", [("rx", "ry"), ("x", "y", "z")])
def test_a_constraint_without_a_face_or_without_a_free_direction_is_refused(held):
    with pytest.raises(InputError, match=r"guide: held"):
        guide(held)


@pytest.mark.parametrize("word", ["friction", "stiffness", "damping"])
def test_numbers_that_are_not_positive_are_refused(word):
    with pytest.raises(InputError, match=rf"guide.*{word}.*-1"):
        guide(**{word: -1.0})
    assert isinstance(guide(), Constraint)
