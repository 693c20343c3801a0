"""The laws of elastic drives that replace or complement the machine's linear springs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gearwright.argument_kinds import check_arguments
from gearwright.forces.law import Law
from gearwright.forces.line import Line
from gearwright.forces.robot_lines import force_unit
from gearwright.forces.transmission.backlash import Backlash
from gearwright.forces.transmission.hysteresis import BoucWen, MaxwellSlip
from gearwright.forces.transmission.kinematic_error import ElementDeflection, TransmissionRipple
from gearwright.forces.transmission.nonlinear_spring import LinearSpring, NonlinearSpring, TorqueCurve
from gearwright.mechanism import Mechanism, Spring
from gearwright.mechanism.assembly.drives import drive_sense
from gearwright.mechanism.assembly.link_geometry import LinkGeometry
from gearwright.parts import Drive, Element, Robot, elastic_elements


@check_arguments
def elastic_laws(robot: Robot, mech: Mechanism, *, smooth: bool = False) -> tuple[Law, ...]:
    """Return the laws of the elastic elements of a robot's drives, named after their linear springs.

    Hardening, nonlinear curves, backlash and kinematic errors become one law `<drive>.spring` that replaces the linear
    spring; hysteresis is an additional law `<drive>.spring.hysteresis`.

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
    laws = []
    for drive in robot.drives:
        unit, sense = force_unit(robot.link_of_joint(drive.joint)), drive_sense(LinkGeometry(robot.links), drive)
        for element, spring in zip(elastic_elements(drive.gear), _drive_springs(mech, drive), strict=True):
            if not element.torsion.is_linear:
                laws += list(_element_laws(mech, _element_about_motor_axis(element, sense), spring, unit, smooth))
    return tuple(laws)


def _element_about_motor_axis(element: Element, sense: int) -> Element:
    """The element with the errors of its motor side expressed about the motor's own axis."""
    if sense == 1 or not element.torsion.errors:
        return element
    errors = [replace(e, periods=-e.periods) if e.per == "motor" else e for e in element.torsion.errors]
    return replace(element, torsion=replace(element.torsion, errors=errors))


def _drive_springs(mech: Mechanism, drive: Drive) -> list[Spring]:
    """The springs of a drive from motor to joint: `<drive>.spring`, or numbered from 1."""
    prefix = f"{drive.title}.spring"
    springs = {spring.name.removeprefix(prefix): spring for spring in mech.springs if spring.name.startswith(prefix)}
    return [spring for suffix, spring in springs.items() if suffix == "" or suffix.isdigit()]


def _element_laws(mech: Mechanism, element: Element, spring: Spring, unit: str, smooth: bool) -> Iterator[Law]:
    torsion = element.torsion
    twist = _element_deflection(mech, element, spring)
    if len(torsion.pieces) > 1 or torsion.hardening or torsion.backlash or torsion.errors:
        curve = (
            TorqueCurve.from_pieces(torsion.pieces, torsion.hardening)
            if torsion.pieces
            else TorqueCurve(element.stiffness, torsion.hardening)
        )
        kind = Backlash if torsion.backlash and not smooth else NonlinearSpring
        linear = LinearSpring.from_machine(mech, spring.name)
        yield kind(spring.name, twist, curve, element.damping, torsion.backlash, linear, unit)
    if torsion.hysteresis is not None and torsion.hysteresis.torque:
        loop = BoucWen if smooth else MaxwellSlip
        yield loop(f"{spring.name}.hysteresis", twist, torsion.hysteresis.torque, torsion.hysteresis.width, unit)


def _element_deflection(mech: Mechanism, element: Element, spring: Spring) -> ElementDeflection:
    """The deflection: joint side minus motor side, minus the gear errors; the motor side has the factor -1."""
    line = Line.for_machine(mech, spring.row)
    shaft = max(index for index, _ in line.terms if mech.speeds[index] in mech.shafts and dict(line.terms)[index] == -1)
    sides = {
        "motor": Line.for_machine(mech, {mech.speeds[shaft]: 1.0}),
        "joint": Line.for_machine(mech, {mech.speeds[index]: factor for index, factor in line.terms if index != shaft}),
    }
    ripples = tuple(TransmissionRipple(sides[e.per], e.amplitude, e.periods, e.phase) for e in element.torsion.errors)
    return ElementDeflection(line, ripples=ripples)
