"""The laws of elastic drives: what their torsion does beside the machine's linear springs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gearwright.argument_kinds import check_arguments
from gearwright.forces.law import Law
from gearwright.forces.line import Line
from gearwright.forces.robot_lines import force_unit
from gearwright.forces.transmission.backlash import Backlash
from gearwright.forces.transmission.hysteresis import BoucWen, MaxwellSlip
from gearwright.forces.transmission.kinematic_error import Ripple, Twist
from gearwright.forces.transmission.nonlinear_spring import Curve, LinearSpring, NonlinearSpring
from gearwright.mechanism import Mechanism, Spring
from gearwright.mechanism.assembly.drives import drive_sense
from gearwright.mechanism.assembly.link_geometry import Links
from gearwright.parts import Drive, Element, Robot, elements_of


@check_arguments
def elastic_laws(robot: Robot, mech: Mechanism, *, smooth: bool = False) -> tuple[Law, ...]:
    """What the elastic elements of a robot's drives do beside their linear springs, as laws named after the springs.

    Hardening, bent curves, backlash and kinematic errors become one law `<drive>.spring` that stands in for the linear
    spring; hysteresis a law `<drive>.spring.hysteresis` beside it.

    Args:
        robot: the robot.
        mech: its machine.
        smooth: laws without modes, for compiled fixed-step runs.

    >>> import gearwright as gw
    >>> from gearwright.parts import Drive, Gear, Link, Motor, Robot, Torsion
    >>> gear = Gear(100, stiffness=8000.0, torsion=Torsion(backlash=1e-3))
    >>> robot = Robot("arm", [Link("arm", mass=2, com=(0.3, 0, 0))], [Drive("arm", Motor(1e-4), gear)])
    >>> [(law.name, law.modes) for law in elastic_laws(robot, gw.assemble(robot))]
    [('arm.spring', ('gap', 'upper', 'lower'))]
    """
    found = []
    for drive in robot.drives:
        unit, sense = force_unit(robot.link_of_joint(drive.joint)), drive_sense(Links(robot.links), drive)
        for element, spring in zip(elements_of(drive.gear), _springs(mech, drive), strict=True):
            if not element.torsion.linear:
                found += list(_laws(mech, _turned(element, sense), spring, unit, smooth))
    return tuple(found)


def _turned(element: Element, sense: int) -> Element:
    """The element with the errors of its motor's side counted about the motor's own axis."""
    if sense == 1 or not element.torsion.errors:
        return element
    errors = [replace(e, periods=-e.periods) if e.per == "motor" else e for e in element.torsion.errors]
    return replace(element, torsion=replace(element.torsion, errors=errors))


def _springs(mech: Mechanism, drive: Drive) -> list[Spring]:
    """The springs of a drive from motor to joint: `<drive>.spring`, or numbered from 1."""
    begin = f"{drive.title}.spring"
    ends = {spring.name.removeprefix(begin): spring for spring in mech.springs if spring.name.startswith(begin)}
    return [spring for end, spring in ends.items() if end == "" or end.isdigit()]


def _laws(mech: Mechanism, element: Element, spring: Spring, unit: str, smooth: bool) -> Iterator[Law]:
    torsion = element.torsion
    twist = _twist(mech, element, spring)
    if len(torsion.pieces) > 1 or torsion.hardening or torsion.backlash or torsion.errors:
        curve = (
            Curve.of_pieces(torsion.pieces, torsion.hardening)
            if torsion.pieces
            else Curve(element.stiffness, torsion.hardening)
        )
        kind = Backlash if torsion.backlash and not smooth else NonlinearSpring
        linear = LinearSpring.of(mech, spring.name)
        yield kind(spring.name, twist, curve, element.damping, torsion.backlash, linear, unit)
    if torsion.hysteresis is not None and torsion.hysteresis.torque:
        loop = BoucWen if smooth else MaxwellSlip
        yield loop(f"{spring.name}.hysteresis", twist, torsion.hysteresis.torque, torsion.hysteresis.width, unit)


def _twist(mech: Mechanism, element: Element, spring: Spring) -> Twist:
    """Joint side less motor side, less the errors of the gear; of the two, the motor's side has the factor -1."""
    line = Line.of(mech, spring.row)
    shaft = max(index for index, _ in line.terms if mech.speeds[index] in mech.shafts and dict(line.terms)[index] == -1)
    sides = {
        "motor": Line.of(mech, {mech.speeds[shaft]: 1.0}),
        "joint": Line.of(mech, {mech.speeds[index]: factor for index, factor in line.terms if index != shaft}),
    }
    ripples = tuple(Ripple(sides[e.per], e.amplitude, e.periods, e.phase) for e in element.torsion.errors)
    return Twist(line, ripples=ripples)
