"""Catching: an object that meets a hand moves with it from then on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from gearwright.algebra import Rot, Scalar, Vec
from gearwright.algebra.differentiation.taylor_series import Jet
from gearwright.errors import InputError
from gearwright.forces.contact.contact import FREE, Gap
from gearwright.forces.coordinates.angles_and_distances import Displacement, Point, titled
from gearwright.forces.coordinates.configuration import Anchor, Configuration
from gearwright.forces.coordinates.coordinate import Coordinate, Function
from gearwright.forces.coordinates.relative_pose import AXES, PLACES, SIX, TURNS, checked_held
from gearwright.forces.law import Action, Guard, Hold, Law, Outcome, Quantity, Reaction, Situation, Stepped
from gearwright.forces.time_stepping_impulses import UNBOUNDED, Bounded
from gearwright.parts.environment.surfaces import Surface

CAUGHT = "caught"

SETTLING = 100.0
"""Rate [1/s] at which what is left of the relative speed of something caught dies away."""


@dataclass(frozen=True)
class Turning:
    """How a frame turns as another one sees it, about one of that one's axes: not an angle, but its rate is exact.

    It is a component of the small turn from where the frame is, so that it is as good at every attitude.
    """

    frame: Anchor
    relative_to: Anchor
    axis: int

    def __call__(self, configuration: Configuration) -> Scalar:
        """The component of the small turn [rad]."""
        R = configuration.turn_between(self.frame, self.relative_to)
        still = Rot.of([[x.c[0] if isinstance(x, Jet) else x for x in row] for row in R.rows()])
        small = R.after(still.T)
        across = Vec(small.c.y - small.b.z, small.a.z - small.c.x, small.b.x - small.a.y)
        return 0.5 * across.dot(Vec(*AXES["xyz"[self.axis]]))


@dataclass(frozen=True)
class Catch(Law):
    r"""An object that is caught where it meets a surface of a hand, and moves with the hand from then on.

    free: the gap between the origin of the object and the surface, which is fixed in the hand, is positive. caught:
    the velocities that are held, of the object as the hand sees it, are zero: what is left of them when it is caught is
    taken away as by a plastic impact of both, $H\,dv = J' P$, with momentum kept and energy lost. The object stays
    in the place and attitude in which it was caught.

    Series: `<name>.gap` [m], and the forces and torques that hold it, `<name>.force.x` [N] to `<name>.torque.rz` [Nm],
    acting on the object, in the axes of the hand. State: `<name>.since` [s], how long it has been caught; a run that
    starts with more than zero starts caught.

    Args:
        object: the body or frame that is caught, such as a link with a free joint (`with_object`).
        hand: the body or frame that catches it.
        surface: where it is caught, in the axes of the hand: a Sphere about the hand, a Plane (its palm).
        held: which of x, y, z, rx, ry, rz are held; all of them unless given: a ball joint holds x, y, z.
        name: its name; `<object>.catch` unless given.

    >>> from gearwright.parts import Sphere
    >>> catch = Catch("ball", "tool", Sphere((0, 0, 0), 0.05))
    >>> catch.name, catch.modes
    ('ball.catch', ('free', 'caught'))
    """

    object: Anchor
    hand: Anchor
    surface: Surface
    held: Sequence[str] = SIX
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", f"{titled(self.object)}.catch")
        object.__setattr__(self, "held", checked_held(self.name, self.held))
        if not hasattr(self.surface, "gap"):
            raise InputError(f"{self.name}: {self.surface!r} is not a surface. Give a Plane, Sphere or Cylinder.")
        if self.object == self.hand:
            raise InputError(f"{self.name}: {self.object!r} cannot catch itself. Name the hand that catches it.")

    @property
    def states(self) -> tuple[Quantity, ...]:
        """How long it has been caught."""
        return (Quantity(f"{self.name}.since", "s"),)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Gap, and what holds it."""
        felt = (Quantity(self._reaction(word), "N" if word in PLACES else "Nm") for word in self.held)
        return Quantity(f"{self.name}.gap", "m"), *felt

    def _reaction(self, word: str) -> str:
        return f"{self.name}.{'force' if word in PLACES else 'torque'}.{word}"

    @property
    def modes(self) -> tuple[str, ...]:
        """Free, then caught."""
        return FREE, CAUGHT

    def start(self, situation: Situation) -> str:
        """Free, unless it has been caught before."""
        return CAUGHT if situation.states[0] > 0 else FREE

    def act(self, mode: str, situation: Situation) -> Action:
        """Held in every direction that is to be, once caught."""
        if mode == FREE:
            return Action()
        lines = _lines(self, situation.mech.speeds)
        return Action(holds=tuple(Hold(x, target=-SETTLING * situation.speed(x), speed=0.0) for x in lines))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Gap and forces; what the rest of a relative speed takes."""
        lines = _lines(self, situation.mech.speeds)
        felt = [0.0] * len(lines) if mode == FREE else list(reaction.multipliers)
        work = sum((f * situation.speed(line) for f, line in zip(felt, lines, strict=True)), 0.0)
        values = [situation.position(_gap(self, situation.mech.speeds)), *felt]
        names = (signal.name for signal in self.signals)
        rates = (float(mode == CAUGHT),)
        return Outcome(rates, dissipated=-work, signals=dict(zip(names, values, strict=True)))

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Caught where the gap closes; nothing ends that."""
        if mode != FREE:
            return ()
        line = _gap(self, situation.mech.speeds)
        return (Guard(situation.position(line), CAUGHT, rate=situation.speed(line)),)

    def stepped(self, situation: Situation, step: Scalar) -> Stepped:
        """Caught from the step on in whose middle it is at the surface: impulses take away what is held."""
        ops, gap = situation.ops, situation.position(_gap(self, situation.mech.speeds))
        caught = ops.where(situation.states[0] > 0, 1.0, ops.where(gap <= 0, 1.0, 0.0))
        most = UNBOUNDED * caught
        holds = tuple(Hold(line, speed=0.0) for line in _lines(self, situation.mech.speeds))

        def outcome(then: Situation, reaction: Reaction) -> Outcome:
            return replace(self.follow(CAUGHT, then, reaction), rates=(caught,))

        return Stepped(CAUGHT, tuple(Bounded(-most, most) for _ in holds), Action(holds=holds), outcome)


@lru_cache(maxsize=256)
def _gap(law: Catch, speeds: tuple[str, ...]) -> Coordinate:
    return Coordinate(f"{law.name}.gap", Gap(Point(law.object), law.surface, law.hand), speeds)


@lru_cache(maxsize=256)
def _lines(law: Catch, speeds: tuple[str, ...]) -> tuple[Coordinate, ...]:
    """Along what it is held, seen from the hand."""
    found = []
    for word in law.held:
        if word in PLACES:
            function: Function = Displacement(Point(law.object), law.hand, AXES[word])
        else:
            function = Turning(law.object, law.hand, TURNS.index(word))
        found.append(Coordinate(f"{law.name}.{word}", function, speeds))
    return tuple(found)
