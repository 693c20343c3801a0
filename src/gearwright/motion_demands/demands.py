"""What a motion asks for: forces at the joints, torques of the motors, and the inputs of their electronics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, whole
from gearwright.errors import InputError
from gearwright.forces.law import Law
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.forces.transmission.elastic_drives import elastic_laws
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion import Motion, Trajectory
from gearwright.motion_demands.actuators import Invertible
from gearwright.motion_demands.follow_motion import SAMPLES, Given, pursued
from gearwright.motion_demands.motion_segments.law_states import given_states
from gearwright.motion_demands.result import MotionDemands, gathered_demands
from gearwright.motion_demands.stated_limits import breaks_away, left_out, stated_limits
from gearwright.parts import Robot
from gearwright.text import listed


@check_arguments
def demands(
    robot: Robot | Mechanism,
    motion: Trajectory | Motion,
    *,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    contact: Any = None,
    actuators: Sequence[Invertible] | None = None,
    limits: Mapping[str, float] | None = None,
    samples: int | None = None,
    inputs: Any = None,
    states: Mapping[str, float] | None = None,
) -> MotionDemands:
    r"""What a motion asks of a robot, with friction, losses and elastic drives: fed with it, the robot moves that way.

    `.tau` are the forces at the joints; `["<motor>.torque"]` the torques of the motors on their rotors; where a motor's
    data allow, there are `<motor>.current`, `.voltage` (with $L\, di/dt$), `.heat` ($R i^2$), `.speed` and `.power`,
    at the temperatures that the motor reaches on its way (`.winding_temperature`).
    `.peak(name)` and `.rms(name)` sum up. The forces follow from the inverse dynamics with friction and losses; their
    time derivatives, which inductances, oil and spools ask for, are exact: the recursion runs over Taylor series of
    time. Each actuator is then inverted by its relative degree. States of laws (bristles, temperatures) are integrated
    along the motion. Where the machine rests, sticking friction carries nothing. Of a machine with elastic drives the
    motion of the joints is enough: that of the motors follows (`motor_motion`), through closed loops as well
    (`gw.contact.closed_motion` makes the motion of all joints from that of the free ones).

    A joint without a drive gets its joint force in `.tau`; what belongs to the motors is then refused, since they alone
    do not make the motion.

    Args:
        robot: a robot (with the motors and laws of its parts unless others are given) or a machine.
        motion: a trajectory of all speeds or of the joints alone, or samples. Samples are taken as they are where no
            derivatives of forces are needed, else joined by a spline of degree 7.
        laws: laws instead of those of the robot, of which a remark names what is left out; () for none.
        extra_laws: laws beside those of the robot, such as a `Wrench` at the tool, whose forces `inputs` give.
        contact: forces of contacts and constraints over time, by the names of their series (`pen.force.z`) or, where
            there is one, of the law: numbers, functions of time or (times, values). The motion must keep to what they
            hold; contacts that are not named do not touch. The forces of constraints that are not named are found
            where they follow from the motion, as those of loops whose other joints have no drives, and are series of
            the answer; where they do not (actuators could do without them), they must be named.
        actuators: LinearActuators or SynchronousMotors; the machine's own motors unless given. () asks for torques
            alone, without what electrical data say.
        limits: largest magnitudes of series by name, beside those of actuators, motors and joints (`effort`).
        samples: how many times at least; 501 for a trajectory and its own times for a Motion unless given.
        inputs: inputs of the laws over time, as `simulate` takes them; the laws' own initial values unless given.
        states: states of the laws and temperatures of the motors at the start by name; their own initial values unless
            given.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> lift = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.5)
    >>> found = gw.demands(gw.load("elbow"), lift)
    >>> found.tau.shape, found.names
    ((501, 3), ('j1.torque', 'j2.torque', 'j3.torque'))
    >>> bool(abs(found.peak("tau.j2") / found.peak("j2.torque") - 100.0) < 1e-9)        # the gear's ratio
    True
    """
    if samples is not None:
        whole("demands", "samples", samples, least=2, example=SAMPLES)
    mech = machine_of("demands", robot)
    if not mech.n:
        raise InputError("demands: the machine has no joint that moves. Give a robot with joints.")
    chosen = choose_laws("demands", robot, laws, extra_laws, lambda own: followable_laws(own, mech))
    given = Given(chosen.laws, contact, actuators, inputs, given_states(states))
    found = pursued(robot, mech, motion, given, samples)
    blocks = found.blocks()
    bounds = {**stated_limits(robot, mech, own=actuators is None), **_limits(limits)}
    remarks = (*left_out(robot, mech, blocks, own=actuators is None), *breaks_away(found.case.system.laws, blocks))
    remarks += (*_smoothed(robot, mech, laws), *chosen.remarks)
    return gathered_demands(found.case, blocks, bounds, remarks, found.solved)


def followable_laws(robot: Robot, mech: Mechanism) -> tuple[Law, ...]:
    """A robot's own laws, of which hysteresis takes its smooth form: its states follow a motion alone."""
    smooth = {law.name: law for law in elastic_laws(robot, mech, smooth=True)}
    return tuple(smooth.get(law.name, law) if _remembers(law) else law for law in laws_of(robot, mech))


def _remembers(law: Law) -> bool:
    """Whether a law has both states and modes, as hysteresis that slips has."""
    return bool(law.states) and len(law.modes) > 1


def _smoothed(robot: Robot | Mechanism, mech: Mechanism, laws: Any) -> tuple[str, ...]:
    """Which of the robot's own laws take their smooth form."""
    if laws is not None or not isinstance(robot, Robot):
        return ()
    names = [law.name for law in laws_of(robot, mech) if _remembers(law)]
    return (f"smooth forms are taken of {listed(names)}: they slip gradually instead of at once.",) if names else ()


def _limits(given: Any) -> dict[str, float]:
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"demands: limits={given!r} must be a mapping from names to the largest magnitudes.")
    pairs = (given or {}).items()
    return {name: number("demands", f"limits[{name!r}]", x, above=0.0, infinite=True) for name, x in pairs}
