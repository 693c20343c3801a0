"""Contacts: a point of a machine on a rigid surface, unilateral, with restitution and friction.

A contact acts along the gap to the surface and along the slip on it, which may be curved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from gearwright.algebra import Operations, Scalar, Vec, is_zero
from gearwright.algebra.differentiation.taylor_series import Jet
from gearwright.arguments import number
from gearwright.errors import InputError
from gearwright.forces.contact.end_stops import CLEAR
from gearwright.forces.coordinates.angles_and_distances import Displacement, Point, titled
from gearwright.forces.coordinates.configuration import Anchor, Configuration
from gearwright.forces.coordinates.coordinate import Coordinate, Function
from gearwright.forces.friction.stick_slip import RESTING, STICK, onward
from gearwright.forces.impulse_limits import Entering
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
from gearwright.forces.line import Line
from gearwright.forces.time_stepping_impulses import Cone, Unilateral
from gearwright.parts.environment.loops_and_contacts import ENERGETIC, IMPACTS, NEWTON
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

TURN = 1e-5
"""Speed [m/s] below which friction that slides acts against the remembered direction rather than that of the speed."""

SLOW = 1e-5
"""Speed [m/s] below which something may come to rest; beyond, it only changes its direction."""

MEMORY = 5e-3
"""How long [s] a contact remembers in which direction it slid, or was about to."""

TINY = 1e-12
"""Speeds [m/s] and forces [N] below this have no direction."""

LEAST = 1e-3
"""Force [N] beside which the force that friction may hold is seen: below a billionth of it there is rounding alone."""


@dataclass(frozen=True)
class Contact(Law):
    r"""A point that touches a rigid surface: unilateral, with restitution and Coulomb's cone of friction.

    free: the gap $s > 0$. touch (without friction): $\ddot s = 0$ with the force $\lambda \ge 0$, which ends where it
    would pull. stick, slide (with friction): the same and $|f_t| \le \mu \lambda$ at rest, $f_t = -\mu \lambda\,\hat u$
    sliding in the direction $\hat u$: a cone, not a pyramid. States remember that direction, so that something that
    slows down knows whence. Contacts may repeat each other, as the legs of a table do: of the forces that are possible
    then, those inside the cones are taken.

    Meeting the surface is an impact: without friction $\dot s^+ = -e\,\dot s^-$; with friction `impact` says what e is:

    - "energetic": the impulse follows its path through sliding and sticking (Keller); the part $e^2$ of the work that
      compression took along the normal is given back (Stronge). Energy is never gained.
    - "poisson": the same path; restitution has e times the normal impulse of compression.
    - "newton": $\dot s^+ \ge -e\,\dot s^-$, with friction against the slip that is left (Moreau). Where sliding turns
      round energy may be gained; a remark says where.

    Time stepping takes Newton's law whatever `impact` says; a remark or warning says so where it says another one.

    A bounce that would leave with less than the `capture` speed ends in contact, so that ever smaller bounces come to
    rest.

    Series: `<name>.gap` [m], `<name>.force` [N] along the normal; with friction `<name>.force_1`, `<name>.force_2` and
    `<name>.slip_1`, `<name>.slip_2` [m/s] along the tangents of the surface
    (`surface.tangents_at`).

    Args:
        frame: a body or frame of the machine, whose origin touches; None for a stated coordinate, see `Contact.of`.
        surface: a Plane, Sphere or Cylinder, in the axes of `relative_to`.
        restitution: e, 0 (plastic) to 1.
        friction: mu.
        relative_to: "base", a body or frame (what is touched then moves, and feels it), or a `MovingFrame`.
        name: its name; `<frame>.contact` unless given.
        capture: speed [m/s] below which it does not bounce any more.
        impact: "energetic", "poisson" or "newton".
        stated: the gap as a coordinate of the machine instead of a frame and a surface.
        across: one or two coordinates along which a stated contact slips.

    >>> from gearwright.parts import Plane
    >>> floor = Contact("foot", Plane((0, 0, 0), (0, 0, 1)), friction=0.5)
    >>> floor.name, floor.modes
    ('foot.contact', ('free', 'slide', 'stick'))
    """

    frame: Anchor | None
    surface: Surface | None
    restitution: float = 0.0
    friction: float = 0.0
    relative_to: Anchor = "base"
    name: str = ""
    capture: float = 1e-6
    impact: str = ENERGETIC
    stated: Line | Function | None = None
    across: tuple[Line | Function, ...] = ()

    @staticmethod
    def of(name: str, gap: Line | Function, across: Sequence[Line | Function] = (), **settings: Any) -> Contact:
        """A contact along a coordinate s(q, t) that a user states, with the gap s >= 0.

        Args:
            name: its name.
            gap: a Coordinate or another line of the machine, or a function of its `Configuration`.
            across: one or two of the same along which it slips, at right angles; for friction.
            settings: restitution, friction, capture, impact.

        A wheel of radius 0.1 m on a road:

        >>> road = Contact.of("road", lambda c: c.coordinate("z") - 0.1,
        ...                   [lambda c: c.coordinate("x") - 0.1 * c.coordinate("turn")], friction=0.5)
        >>> road.modes
        ('free', 'slide', 'stick')
        """
        return Contact(None, None, name=name, stated=gap, across=tuple(across), **settings)

    def __post_init__(self) -> None:
        self._check_place()
        if self.impact not in IMPACTS:
            raise InputError(f"{self.name}: impact={self.impact!r} is unknown. Give one of {', '.join(IMPACTS)}.")
        hint = "0 does not bounce, 1 loses nothing."
        number(self.name, "restitution", self.restitution, least=0.0, most=1.0, example=0.5, hint=hint)
        number(self.name, "friction", self.friction, least=0.0, example=0.3)
        number(self.name, "capture", self.capture, least=0.0, unit="m/s", example=1e-6)

    def _check_place(self) -> None:
        """Refuse a contact of which nobody knows where it is."""
        if self.stated is not None:
            lines = (self.stated, *self.across)
            placed = self.frame is not None or self.surface is not None
            if placed or not all(isinstance(x, Line) or callable(x) for x in lines):
                raise InputError(
                    f"contact {self.name!r}: a stated contact has coordinates (lines or functions) for its gap and its "
                    "slips, and neither frame nor surface. Make it by Contact.of(name, gap, across)."
                )
            if self.friction and len(self.across) not in (1, 2):
                raise InputError(
                    f"contact {self.name!r}: friction={self.friction} acts along one or two stated coordinates, and "
                    f"{len(self.across)} are given. Give across=[...], or leave out friction."
                )
            return
        if not self.name and self.frame is not None:
            object.__setattr__(self, "name", f"{titled(self.frame)}.contact")
        if self.across:
            raise InputError(f"{self.name}: a contact with a surface slips along its tangents. Leave out across=.")
        if not hasattr(self.surface, "gap"):
            raise InputError(f"{self.name}: {self.surface!r} is not a surface. Give a Plane, Sphere or Cylinder.")

    @property
    def rubs(self) -> bool:
        """Whether there is friction."""
        return self.friction > 0

    def lines(self, speeds: tuple[str, ...]) -> dict[str, Line]:
        """Along what its forces act, by their names, on a machine with these speeds."""
        across = {f"{self.name}.force_{k + 1}": line for k, line in enumerate(_tangents(self, speeds))}
        return {f"{self.name}.force": _gap(self, speeds), **across}

    @property
    def _tangential(self) -> range:
        """The numbers of its tangents."""
        return range(1, 1 + (len(self.across) or 2))

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
        felt = (Quantity(f"{self.name}.force_{k}", "N") for k in self._tangential)
        return (*own, *felt, *(Quantity(f"{self.name}.slip_{k}", "m/s") for k in self._tangential))

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The direction of sliding, remembered."""
        return tuple(Quantity(f"{self.name}.way_{k}", "") for k in self._tangential) if self.rubs else ()

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
        pressed = Hold(_gap(self, speeds), speed=0.0, place=0.0, port=self.name, pushes=True)
        if mode == TOUCH:
            return Action(holds=(pressed,))
        if mode == STICK:
            stuck = (Hold(line, speed=0.0, firm=False, cone=self.friction) for line in _tangents(self, speeds))
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
            lost = lost - _dot(rubbing, slip)
            values += [*rubbing, *slip]
        names = (signal.name for signal in self.signals)
        rates: tuple[Scalar, ...] = tuple(0.0 for _ in self.states)
        if mode == SLIDE:
            rates = self._remembered(self._way(situation), situation)
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

    @property
    def approximation(self) -> str:
        """Restitution beside friction is Newton's over a fixed step."""
        if not (self.rubs and self.restitution > 0) or self.impact == NEWTON:
            return ""
        return (
            f"time stepping takes Newton's restitution beside friction, not the one of impact={self.impact!r}. Give "
            f"impact={NEWTON!r}, or use an event-driven method."
        )

    def stepped(self, situation: Situation, step: Scalar) -> Stepped:
        """It does not let the point through within the step; friction follows the impulse along the normal."""
        ops, line = situation.ops, _gap(self, situation.mech.speeds)
        back = -self.restitution * situation.speed(line)
        leaving = 0.0 if is_zero(self.restitution) else ops.where(back > self.capture, back, 0.0)
        pressed = Unilateral(line, situation.position(line), leaving, step)
        if not self.rubs:
            return Stepped(TOUCH, (pressed,))
        tangents = len(_tangents(self, situation.mech.speeds))
        cone = Cone(self.friction, Entering(impulses=(1.0, *(0.0 for _ in range(tangents)))))
        return Stepped(STICK, (pressed, *(cone for _ in range(tangents))))

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
        return Impact(_gap(self, speeds), e, _tangents(self, speeds), self.friction, self.impact)

    def _slipping(self, situation: Situation, reaction: Reaction) -> Guard:
        """It slides where the force leaves the cone, or a blow elsewhere has set it going."""
        ops = situation.ops
        force, *across = reaction.multipliers
        held = self.friction * force
        pulled = ops.sqrt(_dot(across, across))
        rests = self._speed(situation) <= SLOW
        return Guard(ops.where(rests, held - pulled, -1.0), SLIDE, scale=ops.maximum(ops.absolute(held), LEAST))

    def _slowing(self, situation: Situation, reaction: Reaction) -> Guard:
        """It sticks where the speed in the remembered direction comes to an end, not where it only turns."""
        ops, slip, way = situation.ops, self._slip(situation), situation.states
        lines = _tangents(self, situation.mech.speeds)
        faster = [situation.acceleration(line, reaction.a) for line in lines]
        turning = self._remembered(self._way(situation), situation)
        ahead, rate = _dot(slip, way), _dot(faster, way) + _dot(slip, turning)
        speed = self._speed(situation)
        slow = ops.where(speed > SLOW, ops.maximum(ahead, SLOW), ahead)
        return Guard(slow, STICK, rate=ops.where(speed > RESTING, rate, 0.0))

    def _remembered(self, way: Sequence[Scalar], situation: Situation) -> tuple[Scalar, ...]:
        """The rates of the remembered direction, towards another one."""
        towards = _direction(way, situation.ops)
        return tuple((a - b) / MEMORY for a, b in zip(towards, situation.states, strict=True))

    def _slip(self, situation: Situation) -> list[Scalar]:
        return [situation.speed(line) for line in _tangents(self, situation.mech.speeds)]

    def _speed(self, situation: Situation) -> Scalar:
        slip = self._slip(situation)
        return situation.ops.sqrt(_dot(slip, slip))

    def _way(self, situation: Situation) -> list[Scalar]:
        """The direction of sliding; at rest the remembered one."""
        slip = self._slip(situation)
        part = TURN / (1.0 + _dot(slip, slip) / TURN**2)  # of fast sliding nothing is left of it
        return _direction([a + part * b for a, b in zip(slip, situation.states, strict=True)], situation.ops)

    def _rubbing(self, mode: str, situation: Situation, reaction: Reaction) -> Sequence[Scalar]:
        if mode == FREE:
            return [0.0 for _ in self.states]
        if mode == STICK:
            return reaction.multipliers[1:]
        return [-self.friction * part * reaction.multipliers[0] for part in self._way(situation)]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def _direction(way: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """A direction of length 1; none of what is rounding."""
    size = ops.sqrt(_dot(way, way) + TINY * TINY)
    return [part / size for part in way]


@lru_cache(maxsize=256)
def _gap(law: Contact, speeds: tuple[str, ...]) -> Line:
    if law.stated is not None:
        return _line(f"{law.name}.gap", law.stated, speeds)
    assert law.frame is not None
    assert law.surface is not None
    return Coordinate(f"{law.name}.gap", Gap(Point(law.frame), law.surface, law.relative_to), speeds)


def _line(title: str, stated: Line | Function, speeds: tuple[str, ...]) -> Line:
    """What a user states as a line of a machine."""
    return stated if isinstance(stated, Line) else Coordinate(title, stated, speeds)


@lru_cache(maxsize=256)
def _tangents(law: Contact, speeds: tuple[str, ...]) -> tuple[Line, ...]:
    """Along the surface, where friction acts; what passes through them is the force along the normal."""
    if not law.rubs:
        return ()
    if law.stated is not None:
        stated = (_line(f"{law.name}.slip_{k + 1}", line, speeds) for k, line in enumerate(law.across))
        return tuple(replace(line, inlet=_gap(law, speeds)) for line in stated)  # type: ignore[type-var]
    assert law.frame is not None
    assert law.surface is not None
    point, other = Point(law.frame), law.relative_to
    if isinstance(law.surface, Plane):
        places: list[Function] = [Displacement(point, other, axis) for axis in law.surface.tangents]
    else:
        places = [Slip(point, law.surface, other, which) for which in (0, 1)]
    lines = (Coordinate(f"{law.name}.slip_{k + 1}", place, speeds) for k, place in enumerate(places))
    return tuple(replace(line, inlet=_gap(law, speeds)) for line in lines)  # type: ignore[arg-type]
