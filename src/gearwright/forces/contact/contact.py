"""Contacts: a point of a machine on a rigid surface, unilateral, with restitution and friction.

A contact acts along the gap to the surface and along the slip on it, which may be curved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from gearwright.algebra import Scalar, Vec, is_zero
from gearwright.algebra.differentiation.taylor_series import Jet
from gearwright.arguments import number
from gearwright.errors import InputError
from gearwright.forces.contact.end_stops import CLEAR
from gearwright.forces.coordinates.angles_and_distances import Displacement, Point, titled
from gearwright.forces.coordinates.configuration import Anchor, Configuration
from gearwright.forces.coordinates.coordinate import Coordinate, Function
from gearwright.forces.friction.stick_slip import RESTING, STICK, onward
from gearwright.forces.law import (
    Action,
    Drag,
    Guard,
    Hold,
    Impact,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
    Stepped,
)
from gearwright.forces.time_stepping_impulses import Cone, Unilateral
from gearwright.parts.environment.surfaces import Plane, Surface


@dataclass(frozen=True)
class Gap:
    """How far a point is from a surface that is fixed in a frame."""

    point: Point
    surface: Surface
    relative_to: Anchor

    def __call__(self, configuration: Configuration) -> Scalar:
        """The gap [m]."""
        place = configuration.seen_from(self.relative_to, self.point.at(configuration))
        return self.surface.gap(place, configuration.ops)


@dataclass(frozen=True)
class Slip:
    """How a point moves along a curved surface: not a place, but its row, rate and speed are those of sliding.

    The tangent is taken where the point is and does not turn with it: what that leaves out of the acceleration is
    zero where the point sticks, and is not asked for where it slides.
    """

    point: Point
    surface: Surface
    relative_to: Anchor
    which: int

    def __call__(self, configuration: Configuration) -> Scalar:
        """The place along the tangent [m]."""
        place = configuration.seen_from(self.relative_to, self.point.at(configuration))
        still = Vec(*(x.c[0] if isinstance(x, Jet) else x for x in place))
        return place.dot(self.surface.tangents_at(still, configuration.ops)[self.which])


FREE, TOUCH, SLIDE = "free", "touch", "slide"

INSIDE = 1e-6
"""How deep [m] a run may start in a surface."""

TURN = 1e-6
"""Speed [m/s] below which friction that slides acts against the remembered direction rather than that of the speed."""

SLOW = 1e-5
"""Speed [m/s] below which something may come to rest; beyond, it only changes its direction."""

MEMORY = 5e-3
"""How long [s] a contact remembers in which direction it slid, or was about to."""

TINY = 1e-12
"""Speeds [m/s] and forces [N] below this have no direction."""


@dataclass(frozen=True)
class Contact(Law):
    r"""A point that touches a rigid surface: unilateral, with Newton's restitution and Coulomb's cone of friction.

    free: the gap $s > 0$. touch (without friction): $\ddot s = 0$ with the force $\lambda \ge 0$, which ends where it
    would pull. stick, slide (with friction): the same and $|f_t| \le \mu \lambda$ at rest, $f_t = -\mu \lambda\,\hat u$
    sliding in the direction $\hat u$: a cone, not a pyramid. Two states remember that direction, so that something that
    lets go knows whither, and something that comes to rest knows whence.

    Meeting the surface is an impact: without friction $\dot s^+ = -e\,\dot s^-$; with friction the impulse follows its
    path through sliding and sticking (Keller) and e is energetic (Stronge). A bounce that would leave with less than
    the `capture` speed ends in contact, so that ever smaller bounces come to rest.

    Series: `<name>.gap` [m], `<name>.force` [N] along the normal; with friction `<name>.force_1`, `<name>.force_2` and
    `<name>.slip_1`, `<name>.slip_2` [m/s] along the tangents of the surface
    (`surface.tangents_at`).

    Args:
        frame: a body or frame of the machine, whose origin touches.
        surface: a Plane, Sphere or Cylinder, in the axes of `relative_to`.
        restitution: e, 0 (plastic) to 1.
        friction: mu.
        relative_to: "base", a body or frame (what is touched then moves, and feels it), or a `MovingFrame`.
        name: its name; `<frame>.contact` unless given.
        capture: speed [m/s] below which it does not bounce any more.

    >>> from gearwright.parts import Plane
    >>> floor = Contact("foot", Plane((0, 0, 0), (0, 0, 1)), friction=0.5)
    >>> floor.name, floor.modes
    ('foot.contact', ('free', 'slide', 'stick'))
    """

    frame: Anchor
    surface: Surface
    restitution: float = 0.0
    friction: float = 0.0
    relative_to: Anchor = "base"
    name: str = ""
    capture: float = 1e-6

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", f"{titled(self.frame)}.contact")
        hint = "0 does not bounce, 1 loses nothing."
        number(self.name, "restitution", self.restitution, least=0.0, most=1.0, example=0.5, hint=hint)
        number(self.name, "friction", self.friction, least=0.0, example=0.3)
        number(self.name, "capture", self.capture, least=0.0, unit="m/s", example=1e-6)
        if not hasattr(self.surface, "gap"):
            raise InputError(f"{self.name}: {self.surface!r} is not a surface. Give a Plane, Sphere or Cylinder.")

    @property
    def rubs(self) -> bool:
        """Whether there is friction."""
        return self.friction > 0

    def lines(self, speeds: tuple[str, ...]) -> dict[str, Coordinate]:
        """Along what its forces act, by their names, on a machine with these speeds."""
        across = {f"{self.name}.force_{k + 1}": line for k, line in enumerate(_tangents(self, speeds))}
        return {f"{self.name}.force": _gap(self, speeds), **across}

    @property
    def keeps_places(self) -> bool:
        """It does."""
        return True

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Gap and force, and what friction does."""
        own = (Quantity(f"{self.name}.gap", "m"), Quantity(f"{self.name}.force", "N"))
        if not self.rubs:
            return own
        felt = (Quantity(f"{self.name}.force_{k}", "N") for k in (1, 2))
        return (*own, *felt, *(Quantity(f"{self.name}.slip_{k}", "m/s") for k in (1, 2)))

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The direction of sliding, remembered."""
        return tuple(Quantity(f"{self.name}.way_{k}", "") for k in (1, 2)) if self.rubs else ()

    @property
    def modes(self) -> tuple[str, ...]:
        """Free or touching; with friction it slides or sticks."""
        return (FREE, SLIDE, STICK) if self.rubs else (FREE, TOUCH)

    def start(self, situation: Situation) -> str:
        """Free; the guards know better where it touches."""
        gap = situation.position(_gap(self, situation.mech.speeds))
        if gap < -INSIDE:
            raise InputError(
                f"{self.name}: it starts {-gap:.4g} m inside the surface. Start outside or on it, or turn the normal "
                "round: it points to the free side."
            )
        return FREE

    def act(self, mode: str, situation: Situation) -> Action:
        """A hold along the normal, and friction."""
        if mode == FREE:
            return Action()
        speeds = situation.mech.speeds
        pressed = Hold(_gap(self, speeds), speed=0.0, place=0.0, port=self.name)
        if mode == TOUCH:
            return Action(holds=(pressed,))
        if mode == STICK:
            stuck = (Hold(line, speed=0.0, firm=False) for line in _tangents(self, speeds))
            return Action(holds=(pressed, *stuck))
        way = self._way(situation)
        none = [0.0] * situation.mech.n
        rubbing = (
            Drag(line, -self.friction * part, none, port=self.name)
            for line, part in zip(_tangents(self, speeds), way, strict=True)
        )
        return Action(holds=(pressed,), drags=tuple(rubbing))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Gap, force, and what friction takes."""
        gap = _gap(self, situation.mech.speeds)
        force = 0.0 if mode == FREE else reaction.multipliers[0]
        values = [situation.position(gap), force]
        lost = -force * situation.speed(gap)
        if self.rubs:
            slip, rubbing = self._slip(situation), self._rubbing(mode, situation, reaction)
            lost = lost - rubbing[0] * slip[0] - rubbing[1] * slip[1]
            values += [*rubbing, *slip]
        names = (signal.name for signal in self.signals)
        rates = self._remembered(mode, situation, reaction) if self.rubs else ()
        return Outcome(rates, dissipated=lost, signals=dict(zip(names, values, strict=True)))

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """It pushes and does not pull; meeting the surface is an impact; friction slides beyond its cone."""
        if mode == FREE:
            return self._meeting(situation, reaction)
        release = Guard(reaction.multipliers[0], FREE)
        if mode == TOUCH:
            return (release,)
        if mode == SLIDE:
            return (release, self._slowing(situation, reaction))
        # What still slides does not stick: the force that would hold it does not tell whether it leaves.
        rests = self._speed(situation) <= SLOW
        release = Guard(situation.ops.where(rests, reaction.multipliers[0], 1.0), FREE)
        return (release, self._slipping(situation, reaction))

    def stepped(self, situation: Situation, step: Scalar) -> Stepped:
        """It does not let the point through within the step; friction follows the impulse along the normal."""
        ops, line = situation.ops, _gap(self, situation.mech.speeds)
        back = -self.restitution * situation.speed(line)
        leaving = 0.0 if is_zero(self.restitution) else ops.where(back > self.capture, back, 0.0)
        pressed = Unilateral(line, situation.position(line), leaving, step)
        if not self.rubs:
            return Stepped(TOUCH, (pressed,))
        return Stepped(STICK, (pressed, Cone(self.friction), Cone(self.friction)))

    def _meeting(self, situation: Situation, reaction: Reaction) -> tuple[Guard, Guard]:
        """Caught or thrown back: both are the gap, which is open for what does not approach."""
        ops, line = situation.ops, _gap(self, situation.mech.speeds)
        gap, speed = situation.position(line), situation.speed(line)
        leaving = onward(speed, situation.acceleration(line, reaction.a), ops)
        clear = ops.where(leaving >= 0, ops.maximum(gap, CLEAR), gap)
        back, caught, thrown = -self.restitution * speed, self.blow(situation, 0.0), self.blow(situation)
        return (
            Guard(clear, self.modes[-1], rate=leaving, impact=caught, when=back <= self.capture),
            Guard(clear, FREE, rate=leaving, impact=thrown, when=back > self.capture),
        )

    def blow(self, situation: Situation, restitution: float | None = None) -> Impact:
        """What an impact on its surface is, with its own restitution unless another one is given."""
        speeds = situation.mech.speeds
        e = self.restitution if restitution is None else restitution
        return Impact(_gap(self, speeds), e, _tangents(self, speeds), self.friction)

    def _slipping(self, situation: Situation, reaction: Reaction) -> Guard:
        """It slides where the force leaves the cone, or a blow elsewhere has set it going."""
        ops = situation.ops
        force, first, second = reaction.multipliers
        held = self.friction * force
        pulled = ops.sqrt(first * first + second * second)
        rests = self._speed(situation) <= SLOW
        return Guard(ops.where(rests, held - pulled, -1.0), SLIDE, scale=ops.maximum(ops.absolute(held), 1e-12))

    def _slowing(self, situation: Situation, reaction: Reaction) -> Guard:
        """It sticks where the speed in the remembered direction comes to an end, not where it only turns."""
        ops, slip, way = situation.ops, self._slip(situation), situation.states
        lines = _tangents(self, situation.mech.speeds)
        a, b = (situation.acceleration(line, reaction.a) for line in lines)
        turning = self._remembered(SLIDE, situation, reaction)
        ahead = slip[0] * way[0] + slip[1] * way[1]
        rate = a * way[0] + b * way[1] + slip[0] * turning[0] + slip[1] * turning[1]
        speed = self._speed(situation)
        slow = ops.where(speed > SLOW, ops.maximum(ahead, SLOW), ahead)
        return Guard(slow, STICK, rate=ops.where(speed > RESTING, rate, 0.0))

    def _remembered(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Scalar, Scalar]:
        """The rates of the remembered direction: towards that of sliding, or against the force that sticks."""
        if mode == FREE:
            return 0.0, 0.0
        a, b = self._slip(situation) if mode == SLIDE else (-reaction.multipliers[1], -reaction.multipliers[2])
        size = situation.ops.sqrt(a * a + b * b + TINY * TINY)
        return (a / size - situation.states[0]) / MEMORY, (b / size - situation.states[1]) / MEMORY

    def _slip(self, situation: Situation) -> tuple[Scalar, Scalar]:
        first, second = _tangents(self, situation.mech.speeds)
        return situation.speed(first), situation.speed(second)

    def _speed(self, situation: Situation) -> Scalar:
        a, b = self._slip(situation)
        return situation.ops.sqrt(a * a + b * b)

    def _way(self, situation: Situation) -> tuple[Scalar, Scalar]:
        """The direction of sliding; at rest the remembered one."""
        (a, b), (c, d) = self._slip(situation), situation.states
        a, b = a + TURN * c, b + TURN * d
        size = situation.ops.sqrt(a * a + b * b + TINY * TINY)
        return a / size, b / size

    def _rubbing(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Scalar, Scalar]:
        if mode == FREE:
            return 0.0, 0.0
        if mode == STICK:
            return reaction.multipliers[1], reaction.multipliers[2]
        way, force = self._way(situation), reaction.multipliers[0]
        return -self.friction * way[0] * force, -self.friction * way[1] * force


@lru_cache(maxsize=256)
def _gap(law: Contact, speeds: tuple[str, ...]) -> Coordinate:
    return Coordinate(f"{law.name}.gap", Gap(Point(law.frame), law.surface, law.relative_to), speeds)


@lru_cache(maxsize=256)
def _tangents(law: Contact, speeds: tuple[str, ...]) -> tuple[Coordinate, ...]:
    """Along the surface, where friction acts; what passes through them is the force along the normal."""
    if not law.rubs:
        return ()
    point, other = Point(law.frame), law.relative_to
    if isinstance(law.surface, Plane):
        places: list[Function] = [Displacement(point, other, axis) for axis in law.surface.tangents]
    else:
        places = [Slip(point, law.surface, other, which) for which in (0, 1)]
    lines = (Coordinate(f"{law.name}.slip_{k + 1}", place, speeds) for k, place in enumerate(places))
    return tuple(replace(line, inlet=_gap(law, speeds)) for line in lines)
