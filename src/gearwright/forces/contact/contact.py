"""Unilateral contacts of a point of a machine with a rigid surface, with restitution and friction.

A contact acts along the gap to the surface and along the slip on it; the surface may be curved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from gearwright.algebra import Operations, Scalar, Vec, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces.contact.end_stops import STOP_CLEARANCE
from gearwright.forces.coordinates.angles_and_distances import Displacement, Point, anchor_name
from gearwright.forces.coordinates.configuration import Anchor, Configuration
from gearwright.forces.coordinates.coordinate import Coordinate, CoordinateFunction
from gearwright.forces.coordinates.perturbed_configuration import without_displacement
from gearwright.forces.event_tolerances import (
    CONTACT_REST_SPEED,
    DIRECTION_THRESHOLD,
    LIMIT_REST_SPEED,
    ZERO_LENGTH_SQUARE,
)
from gearwright.forces.friction.stick_slip import STICK_MODE, departure_rate
from gearwright.forces.impulse_limits import PortInflow
from gearwright.forces.law import (
    Action,
    Drag,
    FixedStepModel,
    Guard,
    Hold,
    Impact,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
)
from gearwright.forces.line import Line
from gearwright.forces.time_stepping_impulses import FrictionCone, UnilateralImpulse
from gearwright.parts.environment.loops_and_contacts import ENERGETIC, NEWTON, RESTITUTION_MODELS
from gearwright.parts.environment.surfaces import Plane, Surface


@dataclass(frozen=True)
class SurfaceGap:
    """The distance of a point from a surface that is fixed in a frame."""

    point: Point
    surface: Surface
    relative_to: Anchor

    def __call__(self, configuration: Configuration) -> Scalar:
        """The gap [m]."""
        local_point = configuration.point_in_frame(self.relative_to, self.point.world_position(configuration))
        return self.surface.gap(local_point, configuration.ops)


@dataclass(frozen=True)
class TangentialSlip:
    """Slip of a point along a curved surface: not a position, but row, rate and speed are those of sliding.

    The tangent at the current point is kept fixed in the derivative. The neglected term of the acceleration is zero
    while the point sticks, and is not used while it slides.
    """

    point: Point
    surface: Surface
    relative_to: Anchor
    tangent_index: int

    def __call__(self, configuration: Configuration) -> Scalar:
        """The position along the tangent [m]."""
        local_point = configuration.point_in_frame(self.relative_to, self.point.world_position(configuration))
        reference = Vec(*map(without_displacement, local_point))
        return local_point.dot(self.surface.tangents_at(reference, configuration.ops)[self.tangent_index])


def slip_functions(point: Point, surface: Surface, relative_to: Anchor) -> tuple[CoordinateFunction, ...]:
    """The slips of a point along both tangents of a surface that is fixed in a frame."""
    if isinstance(surface, Plane):
        return tuple(Displacement(point, relative_to, axis) for axis in surface.tangent_axes)
    return tuple(TangentialSlip(point, surface, relative_to, which) for which in (0, 1))


FREE_MODE, TOUCH_MODE, SLIDE_MODE = "free", "touch", "slide"

MAX_START_DEPTH = 1e-6
"""Largest penetration [m] at the start of a run."""

SLIP_MEMORY_SPEED = 1e-5
"""Slip speed [m/s] below which sliding friction opposes the stored direction instead of that of the slip."""

REVERSAL_ACCELERATION = 1e-6
"""Acceleration [m/s^2] in the stored direction up to which a slip against it does not turn back by itself."""

SLIP_MEMORY_TIME = 5e-3
"""Time constant [s] of the stored direction of sliding."""

FRICTION_FORCE_SCALE = 1e-3
"""Scale [N] of the friction limit: limits below 1e-9 of it count as rounding."""


@check_arguments
@dataclass(frozen=True)
class Contact(Law):
    r"""A unilateral contact of a point with a rigid surface, with restitution and Coulomb's friction cone.

    free: the gap $s > 0$. touch (without friction): $\ddot s = 0$ with the force $\lambda \ge 0$; it opens where the
    force would be tensile. stick, slide (with friction): the same and $|f_t| \le \mu \lambda$ at rest,
    $f_t = -\mu \lambda\,\hat u$ sliding in the direction $\hat u$: a cone, not a pyramid. States store that direction
    for the transition to sticking. Contacts may be redundant, as the legs of a table are: among the possible forces
    those inside the cones are used.

    Closing is an impact: without friction $\dot s^+ = -e\,\dot s^-$; with friction `impact` selects the meaning of e:

    - "energetic": the impulse follows its path through sliding and sticking (Keller); the part $e^2$ of the work of
      compression along the normal is returned (Stronge). Energy is never gained.
    - "poisson": the same path; the normal impulse of restitution is e times that of compression.
    - "newton": $\dot s^+ \ge -e\,\dot s^-$, with friction against the final slip (Moreau). Where the slip reverses,
      energy may be gained; a remark reports where.

    Without restitution (e = 0) all three are one law, that of several contacts and of time stepping: $\dot s^+ \ge 0$,
    with friction that opposes the final slip (Moreau). It never gains energy.

    Time stepping always uses Newton's law; a remark or warning reports it where `impact` selects another law.

    A bounce with a separation speed below `capture` ends in closed contact, so an infinite sequence of bounces
    terminates; while other contacts rest, the threshold is 1000 times that, and at least 1 mm/s.

    Series: `<name>.gap` [m], `<name>.force` [N] along the normal; with friction `<name>.force_1`, `<name>.force_2` and
    `<name>.slip_1`, `<name>.slip_2` [m/s] along the tangents of the surface
    (`surface.tangents_at`).

    Args:
        frame: a body or frame of the machine, whose origin is the contact point; None for a coordinate, see
            `Contact.along_coordinate`.
        surface: a Plane, Sphere or Cylinder, in the axes of `relative_to`.
        restitution: e, 0 (plastic) to 1.
        friction: mu.
        relative_to: "base", a body or frame (the reaction acts on it), or a `MovingFrame`.
        name: its name; default: `<frame>.contact`.
        capture: separation speed [m/s] below which it does not bounce; 1000 times that, at least 1 mm/s, while other
            contacts rest.
        impact: "energetic", "poisson" or "newton".
        stated: the gap as a coordinate of the machine instead of a frame and a surface.
        across: one or two slip coordinates of such a contact.

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
    stated: Line | CoordinateFunction | None = None
    across: tuple[Line | CoordinateFunction, ...] = ()

    @staticmethod
    def along_coordinate(
        name: str, gap: Line | CoordinateFunction, across: Sequence[Line | CoordinateFunction] = (), **settings: Any
    ) -> Contact:
        """A contact along a given coordinate s(q, t), with the gap s >= 0.

        Args:
            name: its name.
            gap: a Coordinate or another line of the machine, or a function of its `Configuration`.
            across: one or two orthogonal slip coordinates of the same kind, for friction.
            settings: restitution, friction, capture, impact.

        A wheel of radius 0.1 m on a road:

        >>> road = Contact.along_coordinate("road", lambda c: c.coordinate("z") - 0.1,
        ...                   [lambda c: c.coordinate("x") - 0.1 * c.coordinate("turn")], friction=0.5)
        >>> road.modes
        ('free', 'slide', 'stick')
        """
        return Contact(None, None, name=name, stated=gap, across=tuple(across), **settings)

    def __post_init__(self) -> None:
        self._check_geometry()
        if self.impact not in RESTITUTION_MODELS:
            raise InputError(
                f"{self.name}: impact={self.impact!r} is unknown. Give one of {', '.join(RESTITUTION_MODELS)}."
            )
        hint = "0 is a plastic impact, 1 an elastic one."
        real_number(self.name, "restitution", self.restitution, least=0.0, most=1.0, example=0.5, hint=hint)
        real_number(self.name, "friction", self.friction, least=0.0, example=0.3)
        real_number(self.name, "capture", self.capture, least=0.0, unit="m/s", example=1e-6)

    def _check_geometry(self) -> None:
        """Raise an error for a contact without a valid location."""
        if self.stated is not None:
            lines = (self.stated, *self.across)
            has_surface = self.frame is not None or self.surface is not None
            if has_surface or not all(isinstance(x, Line) or callable(x) for x in lines):
                raise InputError(
                    f"contact {self.name!r}: a contact along a coordinate takes lines or functions for its gap and its "
                    "slips, and neither frame nor surface. Create it with Contact.along_coordinate(name, gap, across)."
                )
            if self.friction and len(self.across) not in (1, 2):
                raise InputError(
                    f"contact {self.name!r}: friction={self.friction} requires one or two slip coordinates, but "
                    f"{len(self.across)} are given. Give across=[...], or leave out friction."
                )
            return
        if not self.name and self.frame is not None:
            object.__setattr__(self, "name", f"{anchor_name(self.frame)}.contact")
        if self.across:
            raise InputError(f"{self.name}: the slip coordinates follow from the surface. Leave out across=.")
        if not hasattr(self.surface, "gap"):
            raise InputError(f"{self.name}: {self.surface!r} is not a surface. Give a Plane, Sphere or Cylinder.")

    @property
    def has_friction(self) -> bool:
        """Whether there is friction."""
        return not is_zero(self.friction)

    @property
    def may_gain_energy(self) -> bool:
        """Whether an impact may gain energy: with friction and Newton's law of restitution."""
        return self.has_friction and not is_zero(self.restitution) and self.impact == NEWTON

    def force_lines(self, speeds: tuple[str, ...]) -> dict[str, Line]:
        """The lines of its forces, by force name, on a machine with these speeds."""
        across = {f"{self.name}.force_{k + 1}": line for k, line in enumerate(_tangent_lines(self, speeds))}
        return {f"{self.name}.force": _gap_line(self, speeds), **across}

    @property
    def _tangent_numbers(self) -> range:
        """The indices of its tangents."""
        return range(1, 1 + (len(self.across) or 2))

    @property
    def has_position_holds(self) -> bool:
        """True: its positions are projected."""
        return True

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Gap, normal force, friction forces and slips."""
        normal_quantities = (Quantity(f"{self.name}.gap", "m"), Quantity(f"{self.name}.force", "N"))
        if not self.has_friction:
            return normal_quantities
        friction_quantities = (Quantity(f"{self.name}.force_{k}", "N") for k in self._tangent_numbers)
        return (
            *normal_quantities,
            *friction_quantities,
            *(Quantity(f"{self.name}.slip_{k}", "m/s") for k in self._tangent_numbers),
        )

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The stored direction of sliding."""
        return tuple(Quantity(f"{self.name}.way_{k}", "") for k in self._tangent_numbers) if self.has_friction else ()

    @property
    def modes(self) -> tuple[str, ...]:
        """Free or touching; with friction free, sliding or sticking."""
        return (FREE_MODE, SLIDE_MODE, STICK_MODE) if self.has_friction else (FREE_MODE, TOUCH_MODE)

    def initial_mode(self, situation: Situation) -> str:
        """Free; the guards close it where it touches."""
        gap = situation.position(_gap_line(self, situation.mech.speeds))
        if gap < -MAX_START_DEPTH:
            raise InputError(
                f"contact {self.name!r} starts {-gap:.4g} m inside its surface. Start outside or on the surface, or "
                "reverse the normal: it must point to the free side."
            )
        return FREE_MODE

    def act(self, mode: str, situation: Situation) -> Action:
        """A unilateral constraint along the normal, and friction."""
        if mode == FREE_MODE:
            return Action()
        speeds = situation.mech.speeds
        normal_hold = Hold(_gap_line(self, speeds), speed=0.0, position=0.0, port=self.name, is_unilateral=True)
        if mode == TOUCH_MODE:
            return Action(holds=(normal_hold,))
        if mode == STICK_MODE:
            tangent_holds = (
                Hold(line, speed=0.0, is_firm=False, friction_ratio=self.friction)
                for line in _tangent_lines(self, speeds)
            )
            return Action(holds=(normal_hold, *tangent_holds))
        direction = self._slip_direction(situation)
        no_sense = [0.0] * situation.mech.n
        friction_drags = (
            Drag(line, -self.friction * part, no_sense, port=self.name)
            for line, part in zip(_tangent_lines(self, speeds), direction, strict=True)
        )
        return Action(holds=(normal_hold,), drags=tuple(friction_drags))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Gap, forces, and the power of friction."""
        gap = _gap_line(self, situation.mech.speeds)
        force = 0.0 if mode == FREE_MODE else reaction.multipliers[0]
        values = [situation.position(gap), force]
        dissipated = -force * situation.speed(gap)
        if self.has_friction:
            slip, friction_forces = self._slip_velocity(situation), self._friction_forces(mode, situation, reaction)
            dissipated = dissipated - _dot_product(friction_forces, slip)
            values += [*friction_forces, *slip]
        names = (signal.name for signal in self.signals)
        rates: tuple[Scalar, ...] = tuple(0.0 for _ in self.states)
        if mode == SLIDE_MODE:
            rates = self._direction_rates(self._slip_direction(situation), situation)
        return Outcome(rates, dissipated=dissipated, signals=dict(zip(names, values, strict=True)))

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """It opens where its force would be tensile, closes in an impact, and slides at the cone."""
        if mode == FREE_MODE:
            return self._impact_guards(situation, reaction)
        release = Guard(reaction.multipliers[0], FREE_MODE)
        if mode == TOUCH_MODE:
            return (release,)
        if mode == SLIDE_MODE:
            return (release, self._stick_guard(situation, reaction))
        # A sliding contact does not stick yet: the sticking force does not decide whether it opens.
        is_at_rest = self._slip_speed(situation) <= CONTACT_REST_SPEED
        release = Guard(situation.ops.where(is_at_rest, reaction.multipliers[0], 1.0), FREE_MODE)
        return (release, self._slip_guard(situation, reaction))

    @property
    def fixed_step_remark(self) -> str:
        """A remark if time stepping replaces its law of restitution by Newton's."""
        if not (self.has_friction and self.restitution > 0) or self.impact == NEWTON:
            return ""
        return (
            f"time stepping uses Newton's restitution with friction instead of impact={self.impact!r}. Give "
            f"impact={NEWTON!r}, or use an event-driven method."
        )

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """It prevents penetration within the step; friction is limited by the normal impulse."""
        ops, line = situation.ops, _gap_line(self, situation.mech.speeds)
        rebound_speed = -self.restitution * situation.speed(line)
        leaving_speed = (
            0.0 if is_zero(self.restitution) else ops.where(rebound_speed > self.capture, rebound_speed, 0.0)
        )
        gap_line = line.placed_in(situation.kinematics)
        normal_limit = UnilateralImpulse(line, situation.position(line), gap_line.drift, leaving_speed, step)
        if not self.has_friction:
            return FixedStepModel(TOUCH_MODE, (normal_limit,))
        tangents = len(_tangent_lines(self, situation.mech.speeds))
        cone = FrictionCone(self.friction, PortInflow(impulses=(1.0, *(0.0 for _ in range(tangents)))))
        return FixedStepModel(STICK_MODE, (normal_limit, *(cone for _ in range(tangents))))

    def _impact_guards(self, situation: Situation, reaction: Reaction) -> tuple[Guard, Guard]:
        """The guards of closing, captured or bouncing: both watch the gap, which counts as open without approach."""
        ops, line = situation.ops, _gap_line(self, situation.mech.speeds)
        gap, speed = situation.position(line), situation.speed(line)
        departure = departure_rate(speed, situation.acceleration(line, reaction.a), ops)
        guarded_gap = ops.where(departure >= 0, ops.maximum(gap, STOP_CLEARANCE), gap)
        rebound_speed, plastic_impact, elastic_impact = (
            -self.restitution * speed,
            self.surface_impact(situation, 0.0),
            self.surface_impact(situation),
        )
        return (
            Guard(
                guarded_gap, self.modes[-1], rate=departure, impact=plastic_impact, when=rebound_speed <= self.capture
            ),
            Guard(guarded_gap, FREE_MODE, rate=departure, impact=elastic_impact, when=rebound_speed > self.capture),
        )

    def surface_impact(self, situation: Situation, restitution: float | None = None) -> Impact:
        """The impact on its surface, with its own restitution unless another one is given."""
        speeds = situation.mech.speeds
        e = self.restitution if restitution is None else restitution
        return Impact(_gap_line(self, speeds), e, _tangent_lines(self, speeds), self.friction, self.impact)

    def _slip_guard(self, situation: Situation, reaction: Reaction) -> Guard:
        """It slides where the force leaves the cone, or where an impact elsewhere has set it in motion."""
        ops = situation.ops
        force, *across = reaction.multipliers
        holding_force = self.friction * force
        tangential_force = _length(across, ops)
        is_at_rest = self._slip_speed(situation) <= CONTACT_REST_SPEED
        return Guard(
            ops.where(is_at_rest, holding_force - tangential_force, -1.0),
            SLIDE_MODE,
            scale=ops.maximum(ops.absolute(holding_force), FRICTION_FORCE_SCALE),
        )

    def _stick_guard(self, situation: Situation, reaction: Reaction) -> Guard:
        """It sticks where the speed in the stored direction reaches zero, not where only the direction changes."""
        ops, slip, direction = situation.ops, self._slip_velocity(situation), situation.states
        lines = _tangent_lines(self, situation.mech.speeds)
        accelerations = [situation.acceleration(line, reaction.a) for line in lines]
        direction_rate = self._direction_rates(self._slip_direction(situation), situation)
        forward_speed, rate = (
            _dot_product(slip, direction),
            _dot_product(accelerations, direction) + _dot_product(slip, direction_rate),
        )
        rate = ops.where(forward_speed < 0, rate - REVERSAL_ACCELERATION, rate)
        speed = self._slip_speed(situation)
        guarded_speed = ops.where(
            speed > CONTACT_REST_SPEED, ops.maximum(forward_speed, CONTACT_REST_SPEED), forward_speed
        )
        return Guard(guarded_speed, STICK_MODE, rate=ops.where(speed > LIMIT_REST_SPEED, rate, 0.0))

    def _direction_rates(self, direction: Sequence[Scalar], situation: Situation) -> tuple[Scalar, ...]:
        """The rates of the stored direction, towards another one."""
        target_direction = _unit_direction(direction, situation.ops)
        return tuple((a - b) / SLIP_MEMORY_TIME for a, b in zip(target_direction, situation.states, strict=True))

    def _slip_velocity(self, situation: Situation) -> list[Scalar]:
        return [situation.speed(line) for line in _tangent_lines(self, situation.mech.speeds)]

    def _slip_speed(self, situation: Situation) -> Scalar:
        return _length(self._slip_velocity(situation), situation.ops)

    def _slip_direction(self, situation: Situation) -> list[Scalar]:
        """The direction of sliding; at rest the stored one."""
        slip = self._slip_velocity(situation)
        memory_weight = SLIP_MEMORY_SPEED / (
            1.0 + _dot_product(slip, slip) / SLIP_MEMORY_SPEED**2
        )  # vanishes for fast sliding
        return _unit_direction(
            [a + memory_weight * b for a, b in zip(slip, situation.states, strict=True)], situation.ops
        )

    def _friction_forces(self, mode: str, situation: Situation, reaction: Reaction) -> Sequence[Scalar]:
        if mode == FREE_MODE:
            return [0.0 for _ in self.states]
        if mode == STICK_MODE:
            return reaction.multipliers[1:]
        return [-self.friction * part * reaction.multipliers[0] for part in self._slip_direction(situation)]


def _dot_product(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def _length(vector: Sequence[Scalar], ops: Operations) -> Scalar:
    """The length of a vector, with finite derivatives at zero."""
    return ops.sqrt(_dot_product(vector, vector) + ZERO_LENGTH_SQUARE)


def _unit_direction(vector: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """The unit vector of a direction; zero if it is rounding."""
    size = ops.sqrt(_dot_product(vector, vector) + DIRECTION_THRESHOLD * DIRECTION_THRESHOLD)
    return [part / size for part in vector]


def _gap_line(law: Contact, speeds: tuple[str, ...]) -> Line:
    return _lines(law, speeds)[0]


def _tangent_lines(law: Contact, speeds: tuple[str, ...]) -> tuple[Line, ...]:
    """Along the surface, where friction acts; what passes through them is the force along the normal."""
    return _lines(law, speeds)[1:]


def _lines(law: Contact, speeds: tuple[str, ...]) -> tuple[Line, ...]:
    """The gap, then the slips along the tangents where there is friction."""
    try:
        return _known_lines(law, speeds)
    except TypeError:  # a batch varies a number of it: arrays cannot be a key
        return _known_lines.__wrapped__(law, speeds)


@lru_cache(maxsize=256)
def _known_lines(law: Contact, speeds: tuple[str, ...]) -> tuple[Line, ...]:
    if law.stated is not None:
        gap, slips = law.stated, law.across
    else:
        assert law.frame is not None
        assert law.surface is not None
        gap = SurfaceGap(Point(law.frame), law.surface, law.relative_to)
        slips = slip_functions(Point(law.frame), law.surface, law.relative_to)
    normal = _line_of(f"{law.name}.gap", gap, speeds)
    if not law.has_friction:
        return (normal,)
    lines = (_line_of(f"{law.name}.slip_{k + 1}", slip, speeds) for k, slip in enumerate(slips))
    return normal, *(replace(line, inlet=normal) for line in lines)  # type: ignore[type-var]


def _line_of(title: str, stated: Line | CoordinateFunction, speeds: tuple[str, ...]) -> Line:
    """The given line or function as a line of a machine."""
    return stated if isinstance(stated, Line) else Coordinate(title, stated, speeds)
