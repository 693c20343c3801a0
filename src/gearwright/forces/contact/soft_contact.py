"""Contacts with a surface that gives way: a massless spring and damper, linear or after Hertz."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from gearwright.algebra import Operations, Scalar
from gearwright.arguments import number
from gearwright.errors import InputError
from gearwright.forces.contact.contact import FREE, INSIDE, Gap
from gearwright.forces.contact.time_stepping import Pushing
from gearwright.forces.coordinates.angles_and_distances import Point, titled
from gearwright.forces.coordinates.configuration import Anchor
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.law import Action, Force, Guard, Hold, Law, Outcome, Quantity, Reaction, Situation, Stepped
from gearwright.parts.environment.surfaces import Surface

PRESS = "press"

FINE = 1e-3
"""What is large for a gap [m] here: the touch is located a billionth of it behind the surface."""

ROUNDING = 1e-9
"""Gap [m] to a surface that is pressed in at which a run starts pressing on it."""

LINEAR, HERTZ = 1.0, 1.5
"""Exponents of the deformation."""


@dataclass(frozen=True)
class SoftContact(Law):
    r"""A point that presses into a surface without mass, $F = k\,\delta^p + d\,\dot\delta \ge 0$: it never pulls.

    press: the deformation $\delta$ is minus the gap, until the force would pull. free: the surface comes back by
    itself, $d\,\dot\delta = -k\,\delta^p$, until it is met again. There is no impact, since there is no mass. Mass
    behind the surface is a link of the robot (`with_wall`) that `relative_to` names, here or in a rigid `Contact`.

    Series: `<name>.gap` [m], `<name>.force` [N]; state `<name>.deformation` [m].

    Args:
        frame: a body or frame of the machine, whose origin touches.
        surface: a Plane, Sphere or Cylinder, in the axes of `relative_to`.
        stiffness: k [N/m], [N/m^1.5] after Hertz.
        damping: d [Ns/m].
        exponent: p, 1 (linear) or 1.5 (Hertz).
        relative_to: "base", a body or frame (which feels it), or a `MovingFrame`.
        name: its name; `<frame>.contact` unless given.

    >>> from gearwright.parts import Plane
    >>> SoftContact("tool", Plane((0.6, 0, 0), (-1, 0, 0)), stiffness=1e4, damping=50.0).states[0].name
    'tool.contact.deformation'
    """

    frame: Anchor
    surface: Surface
    stiffness: float
    damping: float = 0.0
    exponent: float = LINEAR
    relative_to: Anchor = "base"
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", f"{titled(self.frame)}.contact")
        number(self.name, "stiffness", self.stiffness, above=0.0, unit="N/m", example=1e4)
        number(self.name, "damping", self.damping, least=0.0, unit="Ns/m", example=50.0)
        if self.exponent not in (LINEAR, HERTZ):
            raise InputError(f"{self.name}: the exponent is {self.exponent!r}. Give 1 (linear) or 1.5 (Hertz).")
        if not hasattr(self.surface, "gap"):
            raise InputError(f"{self.name}: {self.surface!r} is not a surface. Give a Plane, Sphere or Cylinder.")

    def lines(self, speeds: tuple[str, ...]) -> dict[str, Coordinate]:
        """Along what its force acts, by its name, on a machine with these speeds."""
        return {f"{self.name}.force": _gap(self, speeds)}

    @property
    def states(self) -> tuple[Quantity, ...]:
        """How far the surface is pressed in."""
        return (Quantity(f"{self.name}.deformation", "m"),)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Gap and force."""
        return Quantity(f"{self.name}.gap", "m"), Quantity(f"{self.name}.force", "N")

    @property
    def modes(self) -> tuple[str, ...]:
        """Free or pressed in."""
        return FREE, PRESS

    def start(self, situation: Situation) -> str:
        """By the gap; what starts inside must say how far the surface is pressed in."""
        gap = situation.position(self._line(situation))
        if gap + situation.states[0] < -INSIDE:
            raise InputError(
                f"{self.name}: it starts {-gap:.4g} m inside the surface, whose deformation is "
                f"{situation.states[0]:.4g} m. Start outside, or give the state {self.states[0].name!r}."
            )
        touches = situation.states[0] > 0 and gap + situation.states[0] <= ROUNDING
        return PRESS if touches else FREE

    def act(self, mode: str, situation: Situation) -> Action:
        """A force along the normal."""
        if mode == FREE:
            return Action()
        return Action(forces=(Force(self._line(situation), self._force(situation)),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Rate of the deformation, what it stores and what it takes."""
        line, depth = self._line(situation), situation.states[0]
        pressed = mode == PRESS
        rate = -situation.speed(line) if pressed else self._recovery(depth, situation.ops)
        force = self._force(situation) if pressed else 0.0
        depth = -situation.position(line) if pressed else depth
        signals = {f"{self.name}.gap": situation.position(line), f"{self.name}.force": force}
        stored = self._stored(depth, situation.ops)
        return Outcome((rate,), dissipated=self.damping * rate * rate, stored=stored, signals=signals)

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Pressed in until the force would pull, free until the surface is met where it is."""
        if mode == PRESS:
            return (Guard(self._force(situation), FREE, rate=self._rate(situation, reaction)),)
        line, depth = self._line(situation), situation.states[0]
        opening = situation.speed(line) + self._recovery(depth, situation.ops)
        return (Guard(situation.position(line) + depth, PRESS, rate=opening, scale=FINE),)

    def stepped(self, situation: Situation, step: Scalar) -> Stepped:
        """As it is at the end of the step, its spring straight from the middle on, where the surface is met."""
        ops, line, left, half = situation.ops, self._line(situation), situation.states[0], 0.5 * step
        depth, rate = -situation.position(line), -situation.speed(line)
        met = depth >= self._came_back(left, half, ops)
        inside = ops.maximum(depth, 0.0)
        slope = step * (half * self._slope(inside, ops) + self.damping)
        limit = Pushing(ops.where(met, step * self._spring(inside, ops), 0.0), ops.where(met, slope, 0.0))

        def outcome(then: Situation, reaction: Reaction) -> Outcome:
            pace, force = -then.speed(line), reaction.multipliers[0]
            last, mean = (self._reached(depth + half * u, left, step, ops) for u in (pace, 2.0 * pace - rate))
            gained = self._stored(mean, ops) - self._stored(left, ops)
            signals = {f"{self.name}.gap": then.position(line), f"{self.name}.force": force}
            stored = self._stored(then.states[0], ops)
            return Outcome(
                ((last - left) / step,), dissipated=force * pace - gained / step, stored=stored, signals=signals
            )

        return Stepped(PRESS, (limit,), Action(holds=(Hold(line, speed=0.0),)), outcome)

    def _came_back(self, depth: Scalar, time: Scalar, ops: Operations) -> Scalar:
        """Where the surface is after some time on its own."""
        return ops.maximum(depth + time * self._recovery(depth, ops), 0.0) if self.damping else 0.0

    def _reached(self, depth: Scalar, left: Scalar, step: Scalar, ops: Operations) -> Scalar:
        """How far the surface is pressed in at the end of a step: by what presses, or as far as it came back."""
        return ops.maximum(depth, self._came_back(left, step, ops))

    def _slope(self, depth: Scalar, ops: Operations) -> Scalar:
        return self.stiffness if self.exponent == LINEAR else HERTZ * self.stiffness * ops.sqrt(depth)

    def _stored(self, depth: Scalar, ops: Operations) -> Scalar:
        return self._spring(depth, ops) * depth / (self.exponent + 1.0)

    def _rate(self, situation: Situation, reaction: Reaction) -> Scalar:
        """The sign of the force's rate, which decides where it is zero: at the first touch it grows."""
        line = self._line(situation)
        return -self.stiffness * situation.speed(line) - self.damping * situation.acceleration(line, reaction.a)

    def _line(self, situation: Situation) -> Coordinate:
        return _gap(self, situation.mech.speeds)

    def _force(self, situation: Situation) -> Scalar:
        line = self._line(situation)
        return self._spring(-situation.position(line), situation.ops) - self.damping * situation.speed(line)

    def _spring(self, depth: Scalar, ops: Operations) -> Scalar:
        """What the spring pushes with; beyond its rest a trial step may see it pull."""
        if self.exponent == LINEAR:
            return self.stiffness * depth
        return self.stiffness * depth * ops.sqrt(ops.maximum(depth, 0.0))

    def _recovery(self, depth: Scalar, ops: Operations) -> Scalar:
        """How fast the surface comes back when nothing touches it; without a damper it has come back already."""
        return -self._spring(depth, ops) / self.damping if self.damping else 0.0


@lru_cache(maxsize=256)
def _gap(law: SoftContact, speeds: tuple[str, ...]) -> Coordinate:
    return Coordinate(f"{law.name}.gap", Gap(Point(law.frame), law.surface, law.relative_to), speeds)
