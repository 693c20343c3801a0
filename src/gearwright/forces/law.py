"""The law: one interface for everything that pushes, holds, has states of its own, or changes its mode.

A law sees a `Situation` and says how it acts (`act`): forces along lines, holds (constraints on accelerations with a
multiplier) and drags (forces that depend on accelerations). Once the accelerations and multipliers of all laws are
solved together, it says what follows from them (`follow`): the rates of its states, the power it supplies or
dissipates, and signals; and what ends its mode (`guards`), possibly with an impact. All of it is written over scalars
of any kind: which forces, holds, drags and guards there are depends on the mode alone, and branches are taken by the
operations (`ops.where`, `minimum`, `maximum`, `absolute`), so that they are found (`forces.branch_points`). A law may
use `if` all the same; it then runs in Python, and its runs say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.pose import Pose
from gearwright.forces.impulse_limits import Limit
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import Mechanism
from gearwright.parts.environment.loops_and_contacts import ENERGETIC


@dataclass(frozen=True)
class Impact:
    """A sudden stop of the speed along a line: afterwards it is -restitution times what it was.

    With friction along one or two other lines at right angles, the restitution is a share of energy, impulse or speed,
    as `law` says ("energetic", "poisson", "newton").
    """

    line: Line
    restitution: Scalar = 0.0
    across: tuple[Line, ...] = ()
    friction: float = 0.0
    law: str = ENERGETIC

    def placed(self, scene: Scene) -> Impact:
        """The same along placed lines."""
        across = tuple(line.placed(scene) for line in self.across)
        return replace(self, line=self.line.placed(scene), across=across)


@dataclass(frozen=True)
class Guard:
    """A mode lasts while `value` is positive; then comes the mode `to`.

    Args:
        value: what must stay positive.
        to: the next mode.
        rate: its rate, which decides when the value is zero at a start; None: zero is allowed. Modes that lead to each
            other must decide by the same: where a speed may be rounding, by `sticking.onward`.
        scale: what is large for the value; a billionth of it counts as zero.
        impact: the speed jump that comes with the change.
        when: whether this is the guard that counts. Where the next mode depends on numbers, there is a guard for each,
            all of one value; a run stops where the value ends, and only then looks which of them counts.
    """

    value: Scalar
    to: str
    rate: Scalar | None = None
    scale: Scalar = 1.0
    impact: Impact | None = None
    when: Scalar = True

    def placed(self, scene: Scene) -> Guard:
        """The same with the line of its impact placed."""
        if self.impact is None:
            return self
        return replace(self, impact=self.impact.placed(scene))


ON = "on"
"""The mode of a law that has only one."""


@dataclass(frozen=True)
class Quantity:
    """A state, input or signal of a law: its name, unit and value at the start."""

    name: str
    unit: str
    initial: float = 0.0


@dataclass(frozen=True)
class Situation:
    """What a law sees: time [s], the machine's q and v, and its own states and inputs, in its own order.

    Laws of the same instant share a `scene`, where they find the placed machine.
    """

    t: Scalar
    q: Sequence[Scalar]
    v: Sequence[Scalar]
    states: Sequence[Scalar]
    inputs: Sequence[Scalar]
    ops: Operations
    mech: Mechanism
    shared: Scene | None = None

    @cached_property
    def scene(self) -> Scene:
        """What the laws of this instant share."""
        return self.shared if self.shared is not None else Scene(self.mech, self.q, self.v, self.ops, self.t)

    @property
    def pose(self) -> Pose:
        """The placed machine, for laws that need to know where things are."""
        return self.scene.pose

    def position(self, line: Line) -> Scalar:
        """Where the machine is along a line [rad, m]."""
        return line.placed(self.scene).position(self.q)

    def speed(self, line: Line) -> Scalar:
        """How fast it moves along a line."""
        return line.placed(self.scene).speed(self.v)

    def acceleration(self, line: Line, a: Sequence[Scalar]) -> Scalar:
        """The acceleration along a line for accelerations a of the speeds."""
        return line.placed(self.scene).acceleration(a)


@dataclass(frozen=True)
class Force:
    """A force along a line [Nm, N]; with a port it passes through that drive's gear on its way to the joint."""

    line: Line
    value: Scalar
    port: str | None = None


@dataclass(frozen=True)
class Hold:
    """A constraint on the acceleration along a line, acceleration + compliance * multiplier = target.

    The multiplier is the force along the line. Where the line is a coordinate, its acceleration is row . a + drift.

    `speed` is the speed along the line that the hold keeps: when the hold begins, what is left of another one is taken
    away as by a plastic impact. None: the speed is left as it is. A hold that is not `firm` (friction that sticks) has
    a bounded force, so an impact elsewhere sets it going.

    `place` is the position along the line that the hold keeps: runs project position and speed onto it after every
    accepted step, so that nothing drifts. A law with such a hold says so (`keeps_places`). None: the position is left
    as it is.

    A hold that `pushes` has a multiplier that may not be negative; the holds of the same law that follow it with a
    `cone` are friction at most that many times as large. Where multipliers are not unique, those that obey are taken.
    """

    line: Line
    target: Scalar = 0.0
    compliance: Scalar = 0.0
    port: str | None = None
    speed: Scalar | None = None
    firm: bool = True
    place: Scalar | None = None
    pushes: bool = False
    cone: float | None = None

    @property
    def wanted(self) -> Scalar:
        """What row . a + compliance * multiplier must be along a placed line: the target less the drift."""
        return self.target - self.line.drift


@dataclass(frozen=True)
class Drag:
    """A force along `push` in proportion to a flow, which depends on the accelerations.

        flow = (forces of all laws through the port, along push) - sense . a - offset,     force = gain * flow

    The flow is what goes through a gear once the wheels before it are accelerated: the loss of a gear is a drag with
    gain eta - 1 or 1/eta - 1; the inertia that a law models itself is a drag that takes it off the machine's.

    Args:
        push: line of the force, usually the motor's row.
        gain: force per flow.
        sense: one number per speed.
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
    """How a law acts in a situation."""

    forces: tuple[Force, ...] = ()
    holds: tuple[Hold, ...] = ()
    drags: tuple[Drag, ...] = ()

    def placed(self, scene: Scene) -> Action:
        """The same along placed lines; constant ones are where they always are."""
        if all(line.constant for line in self.lines):
            return self
        return Action(
            tuple(replace(x, line=x.line.placed(scene)) for x in self.forces),
            tuple(replace(x, line=x.line.placed(scene)) for x in self.holds),
            tuple(replace(x, push=x.push.placed(scene)) for x in self.drags),
        )

    @property
    def lines(self) -> tuple[Line, ...]:
        """Along what it acts: forces, holds, pushes of drags."""
        ties = [*(x.line for x in self.forces), *(x.line for x in self.holds), *(x.push for x in self.drags)]
        return tuple(ties)


@dataclass(frozen=True)
class Reaction:
    """What all laws together led to: accelerations, and this law's multipliers and flows in the order of its action.

    `answers` says per drag how its flow changes with one more unit of force along its push, everything else being held
    or dragged as it is.
    """

    a: Sequence[Scalar]
    multipliers: Sequence[Scalar] = ()
    flows: Sequence[Scalar] = ()
    answers: Sequence[Scalar] = ()


@dataclass(frozen=True)
class Outcome:
    """What follows from the solved motion.

    Args:
        rates: rate per state.
        supplied: power that the law brings from outside the book-keeping [W].
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
class Stepped:
    """How a law with modes acts over a fixed step: its holds as impulses, each within a limit.

    Args:
        mode: the mode in which it is asked how it acts and what follows: one in which all that may hold holds.
        limits: per hold of that mode its limit.
        action: how it acts, where no mode says so.
        outcome: what follows, where no mode says so: from the middle of the step with the speeds that count, and the
            reaction to the mean forces over the step.
        penetration: how far something is where it cannot be [rad, m]; 0 or less where all is well.
    """

    mode: str
    limits: tuple[Limit, ...] = ()
    action: Action | None = None
    outcome: Callable[[Situation, Reaction], Outcome] | None = None
    penetration: Scalar | None = None


class Law:
    """The base of all laws; a law is a frozen dataclass with a `name` that overrides what it needs.

    The whole power balance must hold: what the law's forces do to the machine, plus what it stores, is `supplied`
    less `dissipated`. A law with one mode and no holds or drags can be compiled into fixed-step kernels.
    """

    name: str

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its states, named `<law>.<state>`."""
        return ()

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """What it needs from outside, such as a voltage; `initial` is the value when nobody gives one."""
        return ()

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """What it reports, in every mode."""
        return ()

    @property
    def saturations(self) -> Mapping[str, float]:
        """Largest magnitudes that its electronics pass on, by name: of inputs, and of signals that stay there."""
        return {}

    @property
    def keeps_places(self) -> bool:
        """Whether it has a hold that keeps a place, so that runs project onto it."""
        return False

    @property
    def modes(self) -> tuple[str, ...]:
        """Its modes; the first is tried first unless `start` knows better."""
        return (ON,)

    def start(self, situation: Situation) -> str:
        """The mode to try first in a situation; guards correct a wrong guess."""
        return self.modes[0]

    def act(self, mode: str, situation: Situation) -> Action:
        """How it acts."""
        return Action()

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """What follows once accelerations and multipliers are known."""
        return Outcome()

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """What ends the mode: as many guards as the mode has, whatever the numbers are."""
        return ()

    @property
    def approximation(self) -> str:
        """What `stepped` does otherwise than the modes do, and the remedy: sentences of a remark; "" where nothing."""
        return ""

    def stepped(self, situation: Situation, step: Scalar) -> Stepped | None:
        """How a law with modes acts over a fixed step [s] from the speeds of a situation; None: it cannot say."""
        return None
