"""Forces, stress and deflection of links: statics by hand, both ends, and the flexible link in motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import simpson

import gearwright as gw
from gearwright.analysis import LinkAnalysis, Task, analyse, link_loads
from gearwright.errors import PartError
from gearwright.motion import Motion, polynomial
from gearwright.parts import (
    Beam,
    Box,
    Drive,
    Gear,
    Joint,
    Link,
    LinkSection,
    Material,
    Motor,
    Payload,
    Robot,
    Tube,
    with_beam,
)

TUBE, STEEL = Tube(0.06, 0.05), "steel"
LENGTH, G = 0.8, 9.81
DENSITY = 7850.0 * TUBE.area
"""Mass per length [kg/m]."""


def cantilever(tip: float = 0.0, axis=(0.0, 1.0, 0.0)) -> Robot:
    """A horizontal steel tube on a joint that stays where it is."""
    mass = DENSITY * LENGTH
    across = mass * LENGTH**2 / 12
    link = Link("arm", "base", Joint("j", axis=axis), mass, (LENGTH / 2, 0, 0), np.diag([1e-6, across, across]))
    robot = Robot("cantilever", [link], [Drive("j", Motor(1e-6), Gear(50))])
    return robot if not tip else robot.with_payload(tip, (LENGTH, 0, 0))


def at_rest(mech) -> Motion:
    zero = np.zeros((2, mech.n))
    return Motion(np.array([0.0, 1.0]), zero, zero, zero)


def loads(robot: Robot, points=(), motion=None):
    mech = gw.assemble(robot)
    section = LinkSection((LENGTH, 0, 0), TUBE, STEEL)
    return link_loads(mech, at_rest(mech) if motion is None else motion, "arm", section, points)


def test_a_cantilever_under_its_own_weight_by_hand():
    """w L^2/2 at the root, w (L - x)^2/2 along it, and w L^4 / (8 E I) at the tip."""
    found = loads(cantilever())
    w = DENSITY * G
    assert found.moments[0, :, 1] == pytest.approx(-w * (LENGTH - found.stations) ** 2 / 2, abs=1e-9)
    assert found.forces[0, :, 2] == pytest.approx(w * (LENGTH - found.stations), abs=1e-9)
    link = LinkAnalysis("arm", found)
    stiffness = 210e9 * TUBE.second_moments[0]
    assert link.peak_deflection == pytest.approx(w * LENGTH**4 / (8 * stiffness), rel=1e-3)
    assert link.deflection[0, 1] < 0  # it hangs
    assert link.peak_stress == pytest.approx(w * LENGTH**2 / 2 * 0.03 / TUBE.second_moments[0], rel=1e-9)


def test_a_load_at_the_tip_by_hand():
    """P L at the root, P L^3 / (3 E I) at the tip, beside the tube's own weight."""
    found = loads(cantilever(5.0), points=[(5.0, (LENGTH, 0, 0))])
    w, P = DENSITY * G, 5.0 * G
    expected = -(P * (LENGTH - found.stations) + w * (LENGTH - found.stations) ** 2 / 2)
    assert found.moments[0, :, 1] == pytest.approx(expected, abs=1e-8)
    stiffness = 210e9 * TUBE.second_moments[0]
    expected = P * LENGTH**3 / (3 * stiffness) + w * LENGTH**4 / (8 * stiffness)
    assert LinkAnalysis("arm", found).peak_deflection == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("edge", [0.5, 0.51, 0.524, 0.976, 0.012])
def test_a_beam_that_gets_thinner_by_hand(edge):
    """The thin part bears the most where it begins; both parts bend as beams of one section each do."""
    thick, thin = Tube(0.06, 0.05), Tube(0.02, 0.0)
    areas, shares = np.array([thick.area, thin.area]), np.array([edge, 1 - edge])
    weights = 7850.0 * areas * shares * LENGTH
    mass, centres = weights.sum(), LENGTH * np.array([edge / 2, (1 + edge) / 2])
    link = Link("arm", "base", Joint("j", axis=(0, 1, 0)), mass, (weights @ centres / mass, 0, 0), np.diag([1, 1, 1]))
    robot = Robot("stepped", [link]).with_payload(5.0, (LENGTH, 0, 0))
    section, mech = LinkSection((LENGTH, 0, 0), [(0.0, thick), (edge, thin)], STEEL), gw.assemble(robot)
    found = LinkAnalysis("arm", link_loads(mech, at_rest(mech), "arm", section, [(5.0, (LENGTH, 0, 0))]))

    def moment(x, part):
        """Of the load and of the weight beyond: the thin part, and before the edge what is left of the thick one."""
        first, second = 7850.0 * areas * G
        beyond = second * ((LENGTH - x) ** 2 / 2 if part else (1 - edge) * LENGTH * (LENGTH * (1 + edge) / 2 - x))
        return 5.0 * G * (LENGTH - x) + beyond + (0.0 if part else first * (edge * LENGTH - x) ** 2 / 2)

    def bent(a, b, part, tube):
        x = np.linspace(a, b, 2001)
        return simpson(moment(x, part) * (LENGTH - x), x=x) / (210e9 * tube.second_moments[0])

    stress = [
        moment(0.0, 0) * 0.03 / thick.second_moments[0],
        moment(edge * LENGTH, 1) * 0.01 / thin.second_moments[0],
    ]
    assert found.peak_stress == pytest.approx(max(stress), rel=1e-6)
    deflection = bent(0.0, edge * LENGTH, 0, thick) + bent(edge * LENGTH, LENGTH, 1, thin)
    assert found.peak_deflection == pytest.approx(deflection, rel=2e-4)


def test_a_heavy_flange_acts_at_its_own_place():
    """2 kg at a quarter of the tube that nobody names: the payload at the tip does not pull them outwards."""
    tube, w, P, flange = DENSITY * LENGTH, DENSITY * G, 5.0 * G, 2.0 * G
    mass, place = tube + 2.0, LENGTH / 4
    centre = (tube * LENGTH / 2 + 2.0 * place) / mass
    link = Link("arm", "base", Joint("j", axis=(0.0, 1.0, 0.0)), mass, (centre, 0, 0), np.eye(3))
    robot = Robot("flanged", [link], [Drive("j", Motor(1e-6), Gear(50))]).with_payload(5.0, (LENGTH, 0, 0))
    found = loads(robot, points=[(5.0, (LENGTH, 0, 0))])
    beyond = LENGTH - found.stations
    expected = P * beyond + w * beyond**2 / 2 + flange * np.maximum(place - found.stations, 0.0)
    assert -found.moments[0, :, 1] == pytest.approx(expected, abs=1e-8)


def test_torsion_of_a_bent_load():
    """A load beside the beam twists it: T = P b, T L / (G J) at the tip."""
    robot = cantilever().with_payload(2.0, (LENGTH, 0.3, 0))
    found = loads(robot, points=[(2.0, (LENGTH, 0.3, 0))])
    assert np.abs(found.moments[0, :-1, 0]) == pytest.approx(2.0 * G * 0.3, rel=1e-9)
    twist = 2.0 * G * 0.3 * LENGTH / (81e9 * TUBE.torsion_constant)
    assert abs(LinkAnalysis("arm", found).end_rotation[0, 0]) == pytest.approx(twist, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_both_ends_in_motion(seed):
    """At the root the section carries the joint's reaction, at the far end what the next link needs."""
    robot = gw.load("elbow")
    mech = gw.assemble(robot)
    random = np.random.default_rng(seed)
    q, v, a = (random.uniform(-1, 1, (5, mech.n)) for _ in range(3))
    motion = Motion(np.linspace(0, 1, 5), q, v, a)
    link, after = mech.bodies[1], mech.bodies[2]
    to = np.array([float(x) for x in after.position])
    found = link_loads(mech, motion, link.name, LinkSection(to, Tube(0.03, 0.029), "aluminium"))
    across = gw.reactions(mech, q, v, a)
    assert found.forces[:, 0] @ found.axes == pytest.approx(across[:, 1, :3], abs=1e-9)
    assert found.moments[:, 0] @ found.axes == pytest.approx(across[:, 1, 3:], abs=1e-9)
    (own, _), (turned, _) = gw.placement(mech, q, link.name), gw.placement(mech, q, after.name)
    handed_on = np.einsum("tji,tjk,tk->ti", own, turned, across[:, 2, :3])
    assert found.forces[:, -1] @ found.axes == pytest.approx(handed_on, abs=1e-9)
    turning = np.einsum("tji,tjk,tk->ti", own, turned, across[:, 2, 3:])
    assert np.abs(turning).max() > 0.01
    assert found.moments[:, -1] @ found.axes == pytest.approx(turning, abs=1e-9)


def test_the_quasi_static_tip_is_that_of_the_flexible_link():
    """The same tube as a beam of segments that vibrates: at rest it hangs as far."""
    stiffness = 210e9 * TUBE.second_moments[0]
    beam = Beam(LENGTH, DENSITY, bending=(None, stiffness), segments=20, across=(0, 0, 1))
    hub = Link("arm", "base", Joint("j", kind="fixed"))
    flexible = gw.assemble(with_beam(Robot("beam", [hub]), "arm", beam))
    K = sum(spring.stiffness * np.outer(spring.row, spring.row) for spring in flexible.springs)
    hanging = np.linalg.solve(K, -gw.gravity(flexible, np.zeros(flexible.n)))
    (_, straight), (_, bent) = (gw.placement(flexible, q, flexible.bodies[-1].name) for q in (0 * hanging, hanging))
    sag = LinkAnalysis("arm", loads(cantilever())).peak_deflection
    last = LENGTH - beam.segment_origin(20).x  # the last half segment hangs on by its slope
    assert straight[2] - bent[2] + last * np.abs(hanging.sum()) == pytest.approx(sag, rel=0.01)


@pytest.mark.parametrize(("duration", "least", "most"), [(0.4, 0.0, 0.01), (0.05, 0.05, 0.5)])
def test_the_flexible_link_in_motion(duration, least, most):
    """Swung by a torque about a vertical axis, its tip lags as the quasi-static one does: the slower, the more so.

    The tube rings at 88 Hz: 0.4 s are slow, in 0.05 s vibration adds what the quasi-static value leaves out.
    """
    segments = 10
    beam = Beam(LENGTH, DENSITY, bending=(210e9 * TUBE.second_moments[0], None), segments=segments, across=(0, 0, 1))
    mech = gw.assemble(with_beam(Robot("beam", [Link("arm", "base", Joint("j", axis=(0, 0, 1)))]), "arm", beam))
    way = polynomial([0.0], [duration], duration=duration, order=7)
    inertia = DENSITY * LENGTH**3 / 3
    torque = {"tau.j": lambda now: float(inertia * way.at(now, 2)[0])}
    run = gw.simulate(mech, until=duration, inputs=torque, samples=41)
    bends = run.q[:, 1:]
    _, ends = gw.placement(mech, np.hstack([0 * bends[:, :1], bends]), mech.bodies[-1].name)
    tip = ends[:, 1] + (LENGTH - beam.segment_origin(segments).x) * np.sin(bends.sum(axis=1))
    joint = Motion(run.t, *(x[:, :1] for x in (run.q, run.v, run.a)))
    lag = LinkAnalysis("arm", loads(cantilever(axis=(0, 0, 1)), motion=joint)).deflection[:, 0]
    assert least < np.abs(tip - lag).max() / np.abs(lag).max() < most


def test_links_are_part_of_an_analysis():
    swing = polynomial([0.0], [0.5], duration=0.6, order=7)
    weak = Material(70e9, 26e9, 2700.0, 1e6, "cheese")
    section = {"arm": LinkSection((LENGTH, 0, 0), [(0.0, TUBE), (0.5, Box(0.05, 0.05, 0.002))], weak)}
    task = Task([swing], payload=Payload(3.0, (LENGTH, 0, 0)), required={"tip_deflection": 1e-5})
    found = analyse(cantilever(), task, sections=section)
    checks = {check.name: check for check in found.limits}
    assert not checks["arm: stress"].is_satisfied
    assert not checks["tip deflection"].is_satisfied
    assert checks["arm: stress"].value == found.links["arm"].peak_stress


def test_known_sections():
    """A thin square tube against Bredt; a solid square's torsion constant, 0.1406 a^4."""
    box = Box(0.05, 0.05, 0.001)
    assert box.torsion_constant == pytest.approx(0.001 * 0.049**3, rel=1e-12)
    assert Box(0.02, 0.02).torsion_constant == pytest.approx(0.1406 * 0.02**4, rel=2e-3)
    assert Tube(0.05).torsion_constant == pytest.approx(np.pi / 32 * 0.05**4)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Tube(0.05, 0.06),
        lambda: Box(0.05, 0.02, 0.01),
        lambda: LinkSection((0, 0, 0), TUBE),
        lambda: LinkSection((1, 0, 0), TUBE, "cheese"),
        lambda: LinkSection((1, 0, 0), [(0.5, TUBE)]),
        lambda: Material(-1.0, 1.0, 1.0, 1.0),
    ],
)
def test_impossible_sections_are_refused(wrong):
    with pytest.raises(PartError):
        wrong()
