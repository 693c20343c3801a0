"""The first problem of a driven robot: the inputs of its actuators (voltages, valves) for a prescribed motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gearwright.arguments import number, whole
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.actuator_inverse import Answer, Demand
from gearwright.forces.dc_motor import dc_motors
from gearwright.forces.law import Law, Quantity
from gearwright.forces.line import Line
from gearwright.forces.of_robot import laws as laws_of
from gearwright.forces.places import motors_of
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion import Motion, Trajectory
from gearwright.parts import Robot
from gearwright.system.demanded_forces import Demands, Push
from gearwright.system.law_states import first_states, refuse_moded_states
from gearwright.system.motion_inputs import MotionInputs, excess, jumps
from gearwright.system.motion_pieces import Piece, pieces_of
from gearwright.system.signals import gathered
from gearwright.system.smooth_pieces import trajectory_of
from gearwright.system.state import State
from gearwright.system.system import System
from gearwright.text import did_you_mean, listed


class Inverse(Protocol):
    """What inverts an actuator over smooth pieces of a motion, one after the other."""

    @property
    def degree(self) -> int:
        """One more than the number of derivatives of its force that it needs."""
        ...

    def solve(self, demand: Demand, inner: Array | None = None) -> tuple[Answer, Array]:
        """States and inputs, and what it must know at the start of the next piece."""
        ...


class Invertible(Protocol):
    """An actuator whose inputs follow from motion and force, such as a LinearActuator."""

    name: str
    line: Line
    port: str | None

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its states."""
        ...

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Its inputs."""
        ...

    @property
    def limits(self) -> tuple[float | None, ...]:
        """Per input the largest magnitude."""
        ...

    @property
    def inverse(self) -> Inverse:
        """Its inverse."""
        ...


def inputs_for_motion(
    robot_or_mech: Robot | Mechanism,
    motion: Trajectory | Motion,
    actuators: Sequence[Invertible] | None = None,
    *,
    laws: Sequence[Law] | None = None,
    inputs: Any = None,
    states: Mapping[str, float] | None = None,
    limits: Mapping[str, float] | None = None,
    samples: int = 501,
) -> MotionInputs:
    r"""Inputs u(t) with which actuators make a machine follow a motion: voltages with $L\, di/dt$, valve openings.

    The forces along the actuators' lines follow from the inverse dynamics with friction and losses; their time
    derivatives, which inductances, oil and spools ask for, are exact: the recursion runs over Taylor series of time.
    Each actuator is then inverted by its relative degree. States of laws (bristles, temperatures) are integrated along
    the motion. Where the machine rests, sticking friction carries nothing.

    Args:
        robot_or_mech: a robot (with the motors and laws of its parts unless others are given) or a machine.
        motion: a trajectory of all speeds, or samples, which are joined by a spline of degree 7.
        actuators: LinearActuators or SynchronousMotors; of a robot its DC motors unless given.
        laws: friction and losses; of a robot its own unless given, of a machine none.
        inputs: inputs of the laws over time, as `simulate` takes them; the laws' own initial values unless given.
        states: states of the laws at the start by name; their own initial values unless given.
        limits: largest magnitudes of states and forces by name, beside those of the actuators' inputs.
        samples: how many times at least.

    >>> import gearwright as gw
    >>> from gearwright.forces.dc_motor import dc_motor
    >>> from gearwright.motion import polynomial
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> data = dict(torque_constant=0.05, resistance=0.5, inductance=1e-3, max_voltage=24.0)
    >>> motors = [dc_motor(arm, name, **data) for name in ("j1", "j2", "j3")]
    >>> found = inputs_for_motion(arm, polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.5), motors)
    >>> [(x.name, round(x.largest, 1)) for x in found.excesses], len(found.jumps)
    ([], 0)
    """
    whole("inputs_for_motion", "samples", samples, least=2, example=501)
    mech, chosen, acting, remarks = _given(robot_or_mech, actuators, laws)
    system, trajectory = System(mech, acting), trajectory_of(mech, motion)
    refuse_moded_states(system)
    given = gathered(mech, {one.name: one.initial for one in system.inputs.values()}, inputs)
    drives = Drives(chosen)
    demands = Demands(system, drives.pushes, drives.order)
    pieces = pieces_of(system, trajectory, given, first_states(system, states or {}), drives.order, samples)
    blocks = [_block(piece, demands, drives) for piece in pieces]
    more = _limits(limits)
    if isinstance(robot_or_mech, Robot) and actuators is None:
        more = {**_part_limits(robot_or_mech), **more}
    return _gathered(system, trajectory, chosen, blocks, more, remarks)


class Drives:
    """Actuators that are inverted piece by piece, and what each must know of the piece before."""

    def __init__(self, actuators: Sequence[Invertible]) -> None:
        self.actuators = tuple(actuators)
        self._inverses = [one.inverse for one in actuators]
        self._inner: list[Array | None] = [None] * len(self.actuators)

    @property
    def pushes(self) -> tuple[Push, ...]:
        """Their lines and ports."""
        return tuple(Push(one.line, one.port) for one in self.actuators)

    @property
    def order(self) -> int:
        """How many derivatives of their forces they need."""
        return max(inverse.degree for inverse in self._inverses) - 1

    def inverted(self, piece: Piece, forces: Sequence[Array]) -> dict[str, Array]:
        """Inputs, states and forces by name, for forces and their derivatives, each (T, actuators)."""
        found: dict[str, Array] = {}
        for j, (one, inverse) in enumerate(zip(self.actuators, self._inverses, strict=True)):
            way = [np.asarray(one.line.speed(list(x.T))) for x in piece.motion]
            demand = Demand(piece.t, way, [force[:, j] for force in forces])
            answer, self._inner[j] = inverse.solve(demand, self._inner[j])
            found |= _named(one, forces[0][:, j], answer)
        return found


def _block(piece: Piece, demands: Demands, drives: Drives) -> dict[str, Array]:
    """All series over one piece."""
    laws = {name: piece.states[:, k] for k, name in enumerate(piece.system.states)}
    return {"t": piece.t, **drives.inverted(piece, demands.along(piece)), **laws}


def _limits(given: Any) -> dict[str, float]:
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"inputs_for_motion: limits={given!r} must be a mapping from names to the largest magnitudes.")
    pairs = (given or {}).items()
    return {name: number("inputs_for_motion", f"limits[{name!r}]", x, above=0.0, infinite=True) for name, x in pairs}


def _given(given: Any, actuators: Any, laws: Any) -> tuple[Mechanism, list[Any], tuple[Law, ...], tuple[str, ...]]:
    """Machine, actuators, laws and remarks from what a user gives."""
    if isinstance(given, Robot):
        mech = machine_of("inputs_for_motion", given)
        chosen = dc_motors(given, mech) if actuators is None else list(actuators)
        acting = laws_of(given, mech) if laws is None else tuple(laws)
        return mech, _checked(chosen), acting, _left_out(given) if actuators is None else ()
    mech = machine_of("inputs_for_motion", given)
    if actuators is None:
        raise InputError("inputs_for_motion: a machine has no electrical data. Give `actuators`, or the robot itself.")
    return mech, _checked(list(actuators)), tuple(laws or ()), ()


def _checked(actuators: list[Any]) -> list[Any]:
    strange = [x for x in actuators if not hasattr(x, "inverse")]
    if strange or not actuators:
        what = f"{strange[0]!r} cannot be inverted" if strange else "there are none"
        raise InputError(f"inputs_for_motion: actuators: {what}. Give LinearActuators, such as dc_motor(mech, ...).")
    return actuators


def _part_limits(robot: Robot) -> dict[str, float]:
    """Largest torques of a robot's motors, by torque or by current."""
    found = {}
    for title, motor in motors_of(robot):
        by_current = None if motor.max_current is None else motor.max_current * motor.torque_constant
        stated = [float(x) for x in (motor.max_torque, by_current) if x is not None]
        if stated:
            found[f"{title}.motor.force"] = min(stated)
    return found


def _left_out(robot: Robot) -> tuple[str, ...]:
    words = ("cogging", "ripple", "heat")
    motors = motors_of(robot)
    found = [f"{title}: {word}" for title, motor in motors for word in words if getattr(motor, word) is not None]
    supplies = [robot.supply, *(drive.supply for drive in robot.drives)]
    found += [f"sagging of {x.name!r}" for x in dict.fromkeys(supplies) if x is not None and x.resistance]
    return (f"left out: {listed(found)}; the motors are cold and smooth.",) if found else ()


def _named(actuator: Any, force: Array, answer: Answer) -> dict[str, Array]:
    states = {x.name: answer.states[:, k] for k, x in enumerate(actuator.states)}
    inputs = {x.name: answer.inputs[:, k] for k, x in enumerate(actuator.inputs)}
    return {**inputs, **states, f"{actuator.name}.force": force}


def _gathered(
    system: System,
    trajectory: Trajectory,
    chosen: Sequence[Any],
    blocks: Sequence[dict[str, Array]],
    more: Mapping[str, float],
    remarks: tuple[str, ...],
) -> MotionInputs:
    series = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    t = series.pop("t")
    own = {
        x.name: limit for one in chosen for x, limit in zip(one.inputs, one.limits, strict=True) if limit is not None
    }
    unknown = [name for name in more if name not in series]
    if unknown:
        raise InputError(f"inputs_for_motion: limit of {unknown[0]!r}: {did_you_mean(unknown[0], series)}")
    states = [*(x.name for one in chosen for x in one.states), *system.states]
    begin = State(trajectory.at(0.0), trajectory.at(0.0, 1), {name: float(series[name][0]) for name in states})
    return MotionInputs(
        t,
        series,
        tuple(x.name for one in chosen for x in one.inputs),
        tuple(e for name, limit in {**own, **more}.items() if (e := excess(name, limit, t, series[name]))),
        tuple(jumps(states, blocks)),
        begin,
        remarks,
    )
