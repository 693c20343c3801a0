"""An approach that is planned without impact, and one that goes wrong and meets the surface all the same."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra import Vec
from gearwright.algebra.operations import FLOATS
from gearwright.contact import Contact, Cylinder, Plane, Sphere
from gearwright.errors import InputError

ROBOT = gw.load("elbow")
ARM = gw.assemble(ROBOT)
START = [0.3, 0.2, 0.6]
SURFACES = {
    "plane": Plane((0, 0, 0.1), (0.2, 0.1, 1.0)),
    "sphere": Sphere((0.5, 0.3, -0.2), 0.3),
    "hole": Sphere((0.6, 0.2, 0.6), 0.6, hollow=True),
    "cylinder": Cylinder((0.4, 0.0, 0.0), (0, 1, 0), 0.15),
}


@pytest.mark.parametrize("name", SURFACES)
def test_a_planned_approach_ends_at_rest_on_the_surface(name):
    surface = SURFACES[name]
    way = gw.planning.approach(ROBOT, "tool", START, surface, limits=gw.planning.PathLimits(speed=0.3))
    t = np.linspace(0, way.duration, 101)
    places = gw.placement(ARM, way.at(t), "tool").position
    gap = np.array([surface.gap(Vec(*p), FLOATS) for p in places])
    assert np.all(gap[:-1] > 0)
    assert abs(gap[-1]) < 1e-6
    assert np.abs(way.at(way.duration, 1)).max() < 1e-9
    assert np.abs(way.at(way.duration, 2)).max() < 1e-6
    foot = places[0] - places[-1]
    np.testing.assert_allclose(np.linalg.norm(foot), gap[0], atol=1e-6)  # the shortest way


def run_onto(height):
    """The planned approach of a desk at 0.1 m, onto a desk that is at another height."""
    way = gw.planning.approach(ROBOT, "tool", START, Plane((0, 0, 0.1)), limits=gw.planning.PathLimits(speed=0.4))
    control = gw.control.computed_torque(ARM, way, 30.0)
    desk = Contact("tool", Plane((0, 0, height)), name="desk")
    until = way.duration + 0.1
    return gw.simulate(ARM, START, until=until, laws=[desk], controller=control, samples=101), way


def test_without_a_perturbation_there_is_no_impact():
    run, _ = run_onto(0.1)
    assert run["energy.dissipated"][-1] < 1e-9 * run["energy.kinetic"].max()
    assert abs(run["desk.gap"][-1]) < 1e-6


def test_a_perturbed_approach_meets_the_surface_all_the_same():
    """The desk is 8 mm higher than planned: the impact takes what the mass at the tip has at that speed."""
    run, way = run_onto(0.108)
    touch = run.events[0]
    assert touch.kind == "touch"
    assert touch.t < way.duration
    q, v = way.at(touch.t), way.at(touch.t, 1)
    J = gw.jacobian(ARM, q, "tool")[2]
    mass = 1.0 / (J @ np.linalg.solve(gw.mass_matrix(ARM, q), J))
    speed = J @ v
    assert speed < -0.01
    assert run["energy.dissipated"][-1] == pytest.approx(0.5 * mass * speed**2, rel=1e-4)
    assert run["desk.force"][-1] > 0


def test_what_cannot_be_approached_is_refused():
    with pytest.raises(InputError, match=r"'tool'.* 0\.2305 m"):
        gw.planning.approach(
            ROBOT, "tool", START, Plane((0, 0, 0.1), (0, 0, -1)), limits=gw.planning.PathLimits(speed=0.3)
        )
    with pytest.raises(InputError, match="surface='desk'"):
        gw.planning.approach(ROBOT, "tool", START, "desk", limits=gw.planning.PathLimits(speed=0.3))
    with pytest.raises(InputError, match=r"\[0\.0, 0\.0, 0\.0\].*Sphere"):
        gw.planning.approach(
            ROBOT, "tool", START, Sphere((0, 0, 0), 0.1), to=(0, 0, 0), limits=gw.planning.PathLimits(speed=0.3)
        )
    with pytest.raises(InputError, match=r"speed=-1\.0"):
        gw.planning.approach(ROBOT, "tool", START, Plane((0, 0, 0.1)), limits=gw.planning.PathLimits(speed=-1.0))
