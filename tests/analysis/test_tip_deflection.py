"""How far the tip of a whole arm gives: statics by hand, the flexible links themselves, elastic drives, advice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import Task, analyse
from gearwright.motion import pause, polynomial
from gearwright.parts import (
    Beam,
    Box,
    Drive,
    Frame,
    Gear,
    Joint,
    Link,
    LinkSection,
    Material,
    Motor,
    Robot,
    Tube,
    with_beam,
)

TUBE, LENGTH = Tube(0.06, 0.05), 0.8
DENSITY, EI, GJ = 7850.0 * TUBE.area, 210e9 * TUBE.second_moments[0], 81e9 * TUBE.torsion_constant


def two_links(angle: float = 0.0, stiffness: float | None = None) -> Robot:
    """Two steel tubes, horizontal, the second turned about the vertical, with a weight at the tip."""
    mass = DENSITY * LENGTH
    tensor = np.diag([1e-6, mass * LENGTH**2 / 12, mass * LENGTH**2 / 12])
    centre, tube = (LENGTH / 2, 0, 0), LinkSection((LENGTH, 0, 0), TUBE, "steel")
    first = Link("upper", "base", Joint("shoulder", axis=(0, 1, 0)), mass, centre, tensor, section=tube)
    seat = Joint("elbow", axis=(0, 0, 1), position=(LENGTH, 0, 0))
    second = Link("fore", "upper", seat, mass, centre, tensor, section=tube)
    gear = Gear(50.0, stiffness=stiffness)
    drives = [Drive("shoulder", Motor(1e-5), gear), Drive("elbow", Motor(1e-5), replace(gear))]
    robot = Robot("two", [first, second], drives, frames=[Frame("tool", "fore", (LENGTH, 0, 0))])
    return robot.with_payload(5.0, (LENGTH, 0, 0))


def hanging(robot: Robot, angle: float):
    """The deflection of the tip at rest."""
    return analyse(robot, Task([pause([0.0, angle], 0.5)]), samples=5)


def test_a_straight_arm_is_one_cantilever():
    """Two tubes in line sag like one of twice the length: P L^3 / 3 EI + w L^4 / 8 EI."""
    found = hanging(two_links(), 0.0)
    P, w, L = 5.0 * 9.81, DENSITY * 9.81, 2 * LENGTH
    assert found.tip.peak_deflection == pytest.approx(P * L**3 / (3 * EI) + w * L**4 / (8 * EI), rel=2e-3)
    assert found.tip.total_deflection[0, 2] < 0
    assert sum(found.tip.peak_contributions().values()) == pytest.approx(found.tip.peak_deflection)


@pytest.mark.parametrize("angle", [0.0, 0.9, 1.57])
def test_the_whole_arm_hangs_as_its_flexible_links_do(angle):
    """The same arm with both links cut into segments that bend and twist, at rest under its weight."""
    rigid = two_links()
    bare = replace(
        rigid, links=[replace(link, mass=0.0, inertia=np.zeros((3, 3)), section=None) for link in rigid.links]
    )
    bare = replace(
        bare,
        drives=(),
        links=[replace(k, joint=replace(k.joint, kind="fixed", rotation=_turned(k.name, angle))) for k in bare.links],
    )
    beam = Beam(LENGTH, DENSITY, bending=(EI, EI), torsion=GJ, polar_inertia=1e-6, segments=10, across=(0, 0, 1))
    flexible = gw.assemble(with_beam(with_beam(bare, "fore", beam), "upper", beam))
    K = sum(spring.stiffness * np.outer(spring.row, spring.row) for spring in flexible.springs)
    bent = np.linalg.solve(K, -gw.gravity(flexible, np.zeros(flexible.n)))
    (_, straight), (_, low) = (gw.placement(flexible, q, "tool") for q in (0 * bent, bent))
    found = hanging(rigid, angle)
    assert found.tip.total_deflection[0] == pytest.approx(
        low - straight, rel=0.02, abs=0.02 * found.tip.peak_deflection
    )


def _turned(name: str, angle: float):
    c, s = (np.cos(angle), np.sin(angle)) if name == "fore" else (1.0, 0.0)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def test_elastic_drives_add_their_twist():
    """At rest the shoulder twists by its torque by its stiffness, and takes the arm along."""
    plain, soft = hanging(two_links(), 0.0), hanging(two_links(stiffness=2e4), 0.0)
    torque = abs(soft.drives["shoulder"].output_torque[0])
    assert soft.tip.parts["shoulder drive"][0, 2] == pytest.approx(-torque / 2e4 * 2 * LENGTH, rel=1e-6)
    assert soft.tip.peak_deflection == pytest.approx(plain.tip.peak_deflection + torque / 2e4 * 2 * LENGTH, rel=1e-4)


def test_a_section_that_is_advised_keeps_the_limit():
    """Stress and deflection: the section in the advice, put into the robot, keeps what was not kept."""
    robot, swing = two_links(), polynomial([0.0, 0.0], [0.5, 0.5], duration=0.6)
    weak = LinkSection((LENGTH, 0, 0), TUBE, Material(210e9, 81e9, 7850.0, 2e7, "soft steel"))
    found = analyse(robot, Task([swing]), sections={"upper": weak}, samples=101)
    check = next(one for one in found.limits if one.name == "upper: stress")
    assert not check.is_satisfied
    (advice,) = check.advice
    assert (advice.kind, advice.part) == ("section", "upper")
    better = Tube(1.001 * advice.section.outer, 1.001 * advice.section.inner)
    heavier = robot.links[0].mass + (better.area - TUBE.area) * 7850 * LENGTH
    grown = replace(robot, links=[replace(robot.links[0], mass=heavier), robot.links[1]])
    again = analyse(grown, Task([swing]), sections={"upper": replace(weak, sections=better)}, samples=101)
    assert 0 <= next(one for one in again.limits if one.name == "upper: stress").margin < 0.01


def test_a_deflection_that_is_too_large_is_advised():
    task = Task([pause([0.0, 0.0], 0.5)], required={"tip_deflection": 1.5e-3})
    check = next(one for one in analyse(two_links(), task, samples=5).limits if one.name == "tip deflection")
    assert not check.is_satisfied
    assert [advice.kind for advice in check.advice] == ["largest contribution", "section"]
    assert check.advice[0].present == check.value
    elastic = analyse(two_links(stiffness=2e4), Task([pause([0.0, 0.0], 0.5)], required={"tip_deflection": 8e-3}))
    advice = next(one for one in elastic.limits if one.name == "tip deflection").advice[-1]
    assert (advice.kind, advice.part) == ("stiffer part", "shoulder drive")
    stiffer = two_links(stiffness=2e4 * advice.factor * 1.01)
    kept = analyse(stiffer, Task([pause([0.0, 0.0], 0.5)], required={"tip_deflection": 8e-3}), samples=5)
    assert next(one for one in kept.limits if one.name == "tip deflection").is_satisfied


def test_natural_frequency_is_a_limit_with_advice():
    task = Task([pause([0.0, 0.0], 0.5)], required={"frequency": 50.0})
    check = next(one for one in analyse(two_links(stiffness=2e4), task, samples=5).limits if "frequency" in one.name)
    assert not check.is_satisfied
    springs, effective = check.advice
    assert (springs.kind, effective.kind) == ("stiffer springs", "rigid spring")
    assert effective.result > check.value
    stiffer = analyse(two_links(stiffness=2e4 * springs.factor * 1.01), task, samples=5)
    assert next(one for one in stiffer.limits if "frequency" in one.name).is_satisfied


def test_the_tip_may_be_named_and_is_where_it_is_said():
    found = analyse(two_links(), Task([pause([0.0, 0.0], 0.1)], tip="fore"), samples=3)
    assert found.tip.tip.body == "fore"
    assert found.tip.peak_deflection < hanging(two_links(), 0.0).tip.peak_deflection
    solid = replace(two_links(), frames=())
    boxed = {name: LinkSection((LENGTH, 0, 0), Box(0.05, 0.05), "steel") for name in ("upper", "fore")}
    assert analyse(solid, Task([pause([0.0, 0.0], 0.1)]), sections=boxed, samples=3).tip.tip.name == "end of fore"
