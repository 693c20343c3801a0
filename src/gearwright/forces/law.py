"""The law: one interface for forces, constraints, losses, internal states and modes.

A law gets a `Situation` and returns its `Action` (`act`): forces along lines, holds (constraints on accelerations with
a multiplier) and drags (forces that depend on accelerations). After the accelerations and multipliers of all laws are
solved together, it returns the results (`follow`): the rates of its states, the supplied and dissipated power, and
signals; and the conditions that end its mode (`guards`), possibly with an impact. It is written over scalars of any
kind: the number of forces, holds, drags and guards depends on the mode alone, and branches use the operations
(`ops.where`, `minimum`, `maximum`, `absolute`), which makes the branch points known (`forces.branch_points`). A law
that uses `if` still runs, but in Python; a remark of the run says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.dynamics.pose import Pose
from gearwright.forces.impulse_limits import ImpulseLimit
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism
from gearwright.parts.environment.loops_and_contacts import ENERGETIC


@dataclass(frozen=True)
class Impact:
    """An impact along a line: the speed after it is -restitution times the speed before.

    With friction along one or two orthogonal lines, `law` selects the law of restitution ("energetic",
    "poisson", "newton").
    """

    line: Line
    restitution: Scalar = 0.0
    across: tuple[Line, ...] = ()
    friction: float = 0.0
    law: str = ENERGETIC

    def placed_in(self, kinematics: SharedKinematics) -> Impact:
        """The impact along placed lines."""
        across = tuple(line.placed_in(kinematics) for line in self.across)
        return replace(self, line=self.line.placed_in(kinematics), across=across)


@dataclass(frozen=True)
class Guard:
    """A condition of a mode: the mode lasts while `value` is positive, then the mode `to` follows.

    Args:
        value: the guard function, positive within the mode.
        to: the next mode.
        rate: its rate, which decides where the value is zero at a start; None: zero is allowed. Modes that lead to each
            other must use the same rate: where a speed may be rounding, that of `stick_slip.departure_rate`.
        scale: scale of the value; 1e-9 of it counts as zero.
        impact: the impact at the mode change.
        when: whether this guard applies. Where the next mode depends on values, there is a guard for each next mode,
            all with the same value; the event is located by the value, and then the applicable guard is selected.
    """

    value: Scalar
    to: str
    rate: Scalar | None = None
    scale: Scalar = 1.0
    impact: Impact | None = None
    when: Scalar = True

    def placed_in(self, kinematics: SharedKinematics) -> Guard:
        """The guard with the lines of its impact placed."""
        if self.impact is None:
            return self
        return replace(self, impact=self.impact.placed_in(kinematics))


ACTIVE_MODE = "on"
"""The mode of a law with a single mode."""


@check_arguments
@dataclass(frozen=True)
class Quantity:
    """A state, input or signal of a law: its name, unit and initial value."""

    name: str
    unit: str
    initial: float = 0.0


@dataclass(frozen=True)
class Situation:
    """The argument of a law: time [s], the machine's q and v, and the law's own states and inputs, in its own order.

    Laws of the same instant share a `kinematics` with the kinematics of the machine.
    """

    t: Scalar
    q: Sequence[Scalar]
    v: Sequence[Scalar]
    states: Sequence[Scalar]
    inputs: Sequence[Scalar]
    ops: Operations
    mech: Mechanism
    shared_kinematics: SharedKinematics | None = None

    @cached_property
    def kinematics(self) -> SharedKinematics:
        """The kinematics that the laws of this instant share."""
        return (
            self.shared_kinematics
            if self.shared_kinematics is not None
            else SharedKinematics(self.mech, self.q, self.v, self.ops, self.t)
        )

    @property
    def pose(self) -> Pose:
        """The placements of all bodies."""
        return self.kinematics.pose

    def position(self, line: Line) -> Scalar:
        """The position along a line [rad, m]."""
        return line.placed_in(self.kinematics).position(self.q)

    def speed(self, line: Line) -> Scalar:
        """The speed along a line [rad/s, m/s]."""
        return line.placed_in(self.kinematics).speed(self.v)

    def acceleration(self, line: Line, a: Sequence[Scalar]) -> Scalar:
        """The acceleration along a line for accelerations a of the speeds."""
        return line.placed_in(self.kinematics).acceleration(a)


@dataclass(frozen=True)
class Force:
    """A force along a line [Nm, N]; with a port it acts through the gear losses of that drive."""

    line: Line
    value: Scalar
    port: str | None = None


@dataclass(frozen=True)
class Hold:
    """A constraint on the acceleration along a line, acceleration + compliance * multiplier = target.

    The multiplier is the force along the line. Where the line is a coordinate, its acceleration is row . a + drift.

    `speed` is the speed along the line that the hold keeps: when the hold begins, a plastic impact removes a different
    speed. None: the speed is not changed. A hold that is not `is_firm` (sticking friction) has a bounded force, so an
    impact elsewhere can end it.

    `position` is the position along the line that the hold keeps: runs project position and speed onto it after every
    accepted step, which prevents drift. A law with such a hold sets `has_position_holds`. None: no projection.

    A hold with `is_unilateral` is unilateral: its multiplier must not be negative. The holds of the same law that
    follow it with a `friction_ratio` are friction of at most `friction_ratio` times its multiplier. Where multipliers
    are not unique, admissible ones are chosen.
    """

    line: Line
    target: Scalar = 0.0
    compliance: Scalar = 0.0
    port: str | None = None
    speed: Scalar | None = None
    is_firm: bool = True
    position: Scalar | None = None
    is_unilateral: bool = False
    friction_ratio: float | None = None

    @property
    def row_target(self) -> Scalar:
        """The required value of row . a + compliance * multiplier along a placed line: the target minus the drift."""
        return self.target - self.line.drift


@dataclass(frozen=True)
class Drag:
    """A load-dependent force along `push`, proportional to a flow that depends on the accelerations.

        flow = (forces of all laws through the port, along push) - sense . a - offset,     force = gain * flow

    The flow is the torque through a gear after acceleration of the wheels before it. The loss of a gear is a drag with
    gain eta - 1 or 1/eta - 1; a law that models an inertia itself removes it from the machine by a drag.

    Args:
        push: line of the force, usually the motor's row.
        gain: force per flow.
        sense: one value per speed.
        offset: the part of the inertial torque that does not depend on a.
        port: name of the drive whose motor-side forces join the flow.
    """

    push: Line
    gain: Scalar
    sense: Sequence[Scalar]
    offset: Scalar = 0.0
    port: str | None = None


@dataclass(frozen=True)
class Action:
    """The forces, constraints (holds) and load-dependent forces (drags) of a law in a situation."""

    forces: tuple[Force, ...] = ()
    holds: tuple[Hold, ...] = ()
    drags: tuple[Drag, ...] = ()

    def placed_in(self, kinematics: SharedKinematics) -> Action:
        """The action along placed lines."""
        if all(line.is_constant for line in self.acting_lines):
            return self
        return Action(
            tuple(replace(element, line=element.line.placed_in(kinematics)) for element in self.forces),
            tuple(replace(element, line=element.line.placed_in(kinematics)) for element in self.holds),
            tuple(replace(element, push=element.push.placed_in(kinematics)) for element in self.drags),
        )

    @property
    def acting_lines(self) -> tuple[Line, ...]:
        """The lines of its forces, holds and drags."""
        lines_of_action = [*(x.line for x in self.forces), *(x.line for x in self.holds), *(x.push for x in self.drags)]
        return tuple(lines_of_action)


@dataclass(frozen=True)
class Reaction:
    """The solution for a law: accelerations, and its own multipliers and flows in the order of its action.

    `flow_responses` is, per drag, the change of its flow per unit force along its push, with all holds and drags
    active.
    """

    a: Sequence[Scalar]
    multipliers: Sequence[Scalar] = ()
    flows: Sequence[Scalar] = ()
    flow_responses: Sequence[Scalar] = ()


@dataclass(frozen=True)
class Outcome:
    """The results of a law for the solved motion.

    Args:
        rates: rate per state.
        supplied: external power that the law supplies to the machine [W].
        dissipated: power that it turns into heat [W].
        stored: energy in its own states [J].
        signals: per signal name its value; `Law.signals` has the units.
    """

    rates: tuple[Scalar, ...] = ()
    supplied: Scalar = 0.0
    dissipated: Scalar = 0.0
    stored: Scalar = 0.0
    signals: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True)
class FixedStepModel:
    """The fixed-step form of a law with modes: its holds as impulses, each within a limit.

    Args:
        mode: the mode for `act` and `follow`: the one in which all holds are present.
        limits: the limit of each hold of that mode.
        action: its action, where no mode defines it.
        outcome: its outcome, where no mode defines it: a function of the situation in the middle of the step and of the
            reaction to the mean forces over the step.
        penetration: penetration [rad, m]; at most 0 where the gap is open.
    """

    mode: str
    limits: tuple[ImpulseLimit, ...] = ()
    action: Action | None = None
    outcome: Callable[[Situation, Reaction], Outcome] | None = None
    penetration: Scalar | None = None


class Law:
    """The base class of laws; a law is a frozen dataclass with a `name` that overrides the methods it needs.

    The power balance must hold: the power of the law's forces on the machine plus the rate of its stored energy is
    `supplied` minus `dissipated`. A law with one mode and no holds or drags can be compiled into fixed-step kernels.
    """

    name: str

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its states, named `<law>.<state>`."""
        return ()

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Its inputs, such as a voltage; `initial` is the default value."""
        return ()

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its signals, the same in every mode."""
        return ()

    @property
    def saturations(self) -> Mapping[str, float]:
        """Saturation limits of its electronics by name: of inputs, and of signals that stay within them."""
        return {}

    @property
    def has_position_holds(self) -> bool:
        """Whether it has a hold that keeps a position, onto which runs project."""
        return False

    @property
    def modes(self) -> tuple[str, ...]:
        """Its modes; the first is the default of `start`."""
        return (ACTIVE_MODE,)

    def initial_mode(self, situation: Situation) -> str:
        """The initial mode in a situation; guards correct it if necessary."""
        return self.modes[0]

    def act(self, mode: str, situation: Situation) -> Action:
        """Its forces, holds and drags in a situation."""
        return Action()

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Its rates, powers and signals for known accelerations and multipliers."""
        return Outcome()

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """The conditions that end the mode; their number depends on the mode alone."""
        return ()

    @property
    def fixed_step_remark(self) -> str:
        """A remark on how `stepped` differs from the modes, with the remedy; "" if it does not."""
        return ""

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel | None:
        """Its fixed-step form for a step [s] from the speeds of a situation; None: not supported."""
        return None
