"""The demands of a motion: joint forces, motor torques, and the inputs of the drive electronics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number, whole_number
from gearwright.errors import InputError
from gearwright.forces import Law, elastic_laws
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.mechanism import Mechanism, tree_of
from gearwright.motion import Motion, Trajectory
from gearwright.motion_demands.actuators import InvertibleActuator
from gearwright.motion_demands.closed_loop_motion import whole_motion_of
from gearwright.motion_demands.follow_motion import DEFAULT_DEMAND_SAMPLES, FollowedMotion, follow_motion
from gearwright.motion_demands.motion_segments.law_states import checked_states
from gearwright.motion_demands.problem import DemandProblem, demand_problem
from gearwright.motion_demands.result import MotionDemands, gather_demands
from gearwright.motion_demands.stated_limits import ignored_data_remarks, stated_limits, stiction_remarks
from gearwright.parts import Robot
from gearwright.text import listed_names


@check_arguments
def demands(
    robot: Robot | Mechanism,
    motion: Trajectory | Motion,
    *,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    contact: Any = None,
    actuators: Sequence[InvertibleActuator] | None = None,
    limits: Mapping[str, float] | None = None,
    samples: int | None = None,
    inputs: Any = None,
    states: Mapping[str, float] | None = None,
) -> MotionDemands:
    r"""Return the joint forces, motor torques, currents and voltages that a motion requires (inverse dynamics).

    Friction, losses and elastic drives are included: a simulation with these inputs reproduces the motion.

    `.tau` are the forces at the joints, `["<motor>.torque"]` the motor torques on the rotors. Where the motor data
    suffice, there are `<motor>.current`, `.voltage` (with $L\, di/dt$), `.heat` ($R i^2$), `.speed` and `.power`,
    at the temperatures of the motor along the motion (`.winding_temperature`). `.peak(name)` and `.rms(name)` return
    the peak and the root mean square.

    The forces follow from the inverse dynamics with friction and losses. Their time derivatives, needed for inductances
    and hydraulic valves, are exact: the recursion is evaluated with Taylor series of time. Each actuator is then
    inverted by its relative degree. States of laws (bristles, temperatures) are integrated along the motion. At rest,
    sticking friction transmits no force. For a machine with elastic drives the motion of the joints suffices: the
    motion of the motors is computed from it (`motor_motion`), through closed loops as well
    (`gw.contact.closed_motion` computes the motion of all joints from that of the independent ones).

    For a joint without a drive, `.tau` has the required joint force; series of the motors then raise an error, because
    the motors alone cannot produce the motion.

    Args:
        robot: a robot (with the motors and laws of its parts unless others are given) or a machine.
        motion: a trajectory of all speeds or of the joints alone, or samples; with closed loops also of the independent
            coordinates (`gw.assemble(robot).independent_coordinates`). Samples are used unchanged where no
            derivatives of forces are needed, otherwise interpolated by a spline of degree 7.
        laws: laws that replace those of the robot; a remark names the excluded ones; () for none.
        extra_laws: additional laws, such as a `Wrench` at the tool, whose forces are given by `inputs`.
        contact: forces of contacts and constraints over time, by the names of their series (`pen.force.z`) or by the
            name of a law with one force: numbers, functions of time or (times, values). The motion must satisfy the
            constraints; contacts that are not named are open. Constraint forces that are not named are computed and
            returned as series where the motion determines them (loops whose other joints have no drives); otherwise
            (the actuators could replace them) they must be named.
        actuators: LinearActuators or SynchronousMotors; the machine's own motors unless given. () computes torques
            only, without electrical quantities.
        limits: largest magnitudes of series by name, in addition to those of actuators, motors and joints (`effort`).
        samples: least number of times; by default 501 for a trajectory and its own times for a Motion.
        inputs: inputs of the laws over time, as for `simulate`; the laws' own initial values unless given.
        states: initial states of the laws and initial temperatures of the motors by name; their own initial values
            unless given.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> lift = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.5)
    >>> result = gw.demands(gw.load("elbow"), lift)
    >>> result.tau.shape, result.names
    ((501, 3), ('j1.torque', 'j2.torque', 'j3.torque'))
    >>> bool(abs(result.peak("tau.j2") / result.peak("j2.torque") - 100.0) < 1e-9)        # the gear ratio
    True
    """
    return solve_demands(
        robot,
        motion,
        None,
        laws=laws,
        extra_laws=extra_laws,
        contact=contact,
        actuators=actuators,
        limits=limits,
        samples=samples,
        inputs=inputs,
        states=states,
    )


def solve_demands(
    robot: Robot | Mechanism,
    motion: Trajectory | Motion,
    start_of: Callable[[MotionDemands], Mapping[str, float]] | None,
    *,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    contact: Any = None,
    actuators: Sequence[InvertibleActuator] | None = None,
    limits: Mapping[str, float] | None = None,
    samples: int | None = None,
    inputs: Any = None,
    states: Mapping[str, float] | None = None,
) -> MotionDemands:
    """Return the demands of a motion, if wanted from initial temperatures that follow from them.

    Motion and forces do not depend on the temperatures of the motors and are computed once.

    Args:
        robot: as in `demands`, like all arguments but the next.
        motion: the motion.
        start_of: from the demands of motors that keep their temperatures to the initial temperatures by name, with
            which the result is computed.
        laws: laws.
        extra_laws: additional laws.
        contact: forces of contacts.
        actuators: actuators.
        limits: limits.
        samples: least number of times.
        inputs: inputs of the laws.
        states: initial states, with which `start_of` is called.
    """
    if samples is not None:
        whole_number("demands", "samples", samples, least=2, example=DEFAULT_DEMAND_SAMPLES)
    mech = tree_of("demands", robot)
    if not mech.n:
        raise InputError("demands: the machine has no joint that moves. Give a robot with joints.")
    chosen = choose_laws("demands", robot, laws, extra_laws, lambda robot_itself: followable_laws(robot_itself, mech))
    conditions = {"contact": contact, "actuators": actuators, "inputs": inputs}
    problem = demand_problem(robot, mech, chosen.laws, states=checked_states(states), **conditions)
    followed = follow_motion(problem, whole_motion_of("demands", robot, motion), samples)
    q, v = (np.concatenate([segment.motion[k] for segment in followed.segments]) for k in range(2))
    bounds = {**stated_limits(robot, mech, own_motors=actuators is None), **_checked_limits(limits)}
    remarks = (
        *ignored_data_remarks(robot, mech, q, own_motors=actuators is None),
        *stiction_remarks(problem.system.laws, v),
        *_smooth_form_remarks(robot, mech, laws),
        *chosen.remarks,
    )
    start: Mapping[str, float] = {}
    if start_of is not None and problem.drives.temperature_states:  # those along the motion do not count
        isothermal = replace(problem, drives=problem.drives.at_initial_temperatures())
        start = start_of(_gather_followed(isothermal, followed, bounds, remarks))
    if start:
        problem = demand_problem(robot, mech, chosen.laws, states={**problem.states, **start}, **conditions)
    return _gather_followed(problem, followed, bounds, remarks)


def _gather_followed(
    problem: DemandProblem, followed: FollowedMotion, bounds: Mapping[str, float], remarks: tuple[str, ...]
) -> MotionDemands:
    """Return the result of a followed motion with the temperatures of a problem."""
    return gather_demands(
        problem,
        followed.segments,
        followed.forces,
        followed.other_lines,
        bounds=bounds,
        remarks=remarks,
        solved_speeds=followed.solved_speeds,
    )


def followable_laws(robot: Robot, mech: Mechanism) -> tuple[Law, ...]:
    """Return a robot's own laws, with hysteresis in its smooth form, whose states a motion determines."""
    smooth = {law.name: law for law in elastic_laws(robot, mech, smooth=True)}
    return tuple(smooth.get(law.name, law) if _has_modes_and_states(law) else law for law in laws_of(robot, mech))


def _has_modes_and_states(law: Law) -> bool:
    """Whether a law has both states and modes, such as hysteresis with slip."""
    return bool(law.states) and len(law.modes) > 1


def _smooth_form_remarks(robot: Robot | Mechanism, mech: Mechanism, laws: Any) -> tuple[str, ...]:
    """Return a remark on the robot's laws that are used in their smooth form."""
    if laws is not None or not isinstance(robot, Robot):
        return ()
    names = [law.name for law in laws_of(robot, mech) if _has_modes_and_states(law)]
    return (f"{listed_names(names)}: smooth form used, with gradual instead of sudden slip.",) if names else ()


def _checked_limits(limits: Any) -> dict[str, float]:
    if limits is not None and not isinstance(limits, Mapping):
        raise InputError(f"demands: limits={limits!r} must be a mapping from names to largest magnitudes.")
    pairs = (limits or {}).items()
    return {name: real_number("demands", f"limits[{name!r}]", x, above=0.0, infinite=True) for name, x in pairs}
