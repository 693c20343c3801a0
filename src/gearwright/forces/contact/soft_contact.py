"""Contacts with a compliant surface: a massless spring and damper, linear or Hertzian, with friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gearwright.algebra import Operations, Scalar, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces.contact.contact import FREE_MODE, MAX_START_DEPTH, SurfaceGap, slip_functions
from gearwright.forces.contact.contact_shear import ContactShear, force_size
from gearwright.forces.contact.time_stepping import CompliantContactImpulse
from gearwright.forces.coordinates.angles_and_distances import Point, anchor_name
from gearwright.forces.coordinates.configuration import Anchor
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.law import (
    Action,
    FixedStepModel,
    Force,
    Guard,
    Hold,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
)
from gearwright.forces.time_stepping_impulses import UNBOUNDED_IMPULSE, SlidingSpringImpulse
from gearwright.parts.environment.surfaces import Surface

PRESS_MODE = "press"

GAP_SCALE = 1e-3
"""Scale of the gap [m]: closing is located 1e-9 of it beyond zero."""

PRESSED_GAP_TOLERANCE = 1e-9
"""Gap [m] to a deformed surface below which a run starts in contact."""

LINEAR_EXPONENT, HERTZ_EXPONENT = 1.0, 1.5
"""Exponents of the deformation."""


@check_arguments
@dataclass(frozen=True)
class SoftContact(Law):
    r"""A contact of a point with a compliant massless surface, $F = k\,\delta^p + d\,\dot\delta \ge 0$.

    press: the deformation $\delta$ is minus the gap, until the force would be tensile. free: the surface recovers,
    $d\,\dot\delta = -k\,\delta^p$, until the next contact. Without mass there is no impact. A mass behind the surface
    is a link of the robot (`with_wall`) that `relative_to` names, here or in a rigid `Contact`.

    With friction the surface also deforms along its tangents, by z, until the point slips on it. With the slip velocity
    u of the point and the force $w = k_t z + d\,u$ of a point that sticks,

    $$f = -\min(1, \mu F / |w|)\,w, \qquad d\,\dot z = -f - k_t z.$$

    The friction force is in Coulomb's cone, $|f| \le \mu F$, equal to it while the point slips, and opposes the slip.
    Without contact z recovers, $d\,\dot z = -k_t z$.

    Series: `<name>.gap` [m], `<name>.force` [N]; state `<name>.deformation` [m]. With friction also `<name>.force_1`,
    `<name>.force_2` [N], `<name>.slip_1`, `<name>.slip_2` [m/s], the slip velocity $u - \dot z$ of the point on the
    surface, along its tangents, and the states `<name>.shear_1`, `<name>.shear_2` [m].

    Args:
        frame: a body or frame of the machine, whose origin is the contact point.
        surface: a Plane, Sphere or Cylinder, in the axes of `relative_to`.
        stiffness: k [N/m], [N/m^1.5] after Hertz.
        damping: d [Ns/m].
        exponent: p, 1 (linear) or 1.5 (Hertz).
        relative_to: "base", a body or frame (the reaction acts on it), or a `MovingFrame`.
        name: its name; default: `<frame>.contact`.
        friction: mu; it requires damping.
        tangential_stiffness: k_t [N/m]; None: that along the normal, k, of a linear surface.

    >>> from gearwright.parts import Plane
    >>> SoftContact("tool", Plane((0.6, 0, 0), (-1, 0, 0)), stiffness=1e4, damping=50.0).states[0].name
    'tool.contact.deformation'
    """

    frame: Anchor
    surface: Surface
    stiffness: float
    damping: float = 0.0
    exponent: float = LINEAR_EXPONENT
    relative_to: Anchor = "base"
    name: str = ""
    friction: float = 0.0
    tangential_stiffness: float | None = None

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", f"{anchor_name(self.frame)}.contact")
        real_number(self.name, "stiffness", self.stiffness, above=0.0, unit="N/m", example=1e4)
        real_number(self.name, "damping", self.damping, least=0.0, unit="Ns/m", example=50.0)
        if self.exponent not in (LINEAR_EXPONENT, HERTZ_EXPONENT):
            raise InputError(f"{self.name}: the exponent is {self.exponent!r}. Give 1 (linear) or 1.5 (Hertz).")
        if not hasattr(self.surface, "gap"):
            raise InputError(f"{self.name}: {self.surface!r} is not a surface. Give a Plane, Sphere or Cylinder.")
        self._check_friction()

    def _check_friction(self) -> None:
        """Raise an error for friction without the compliance along the tangents that it requires."""
        real_number(self.name, "friction", self.friction, least=0.0, example=0.3)
        if self.tangential_stiffness is not None:
            real_number(
                self.name, "tangential_stiffness", self.tangential_stiffness, above=0.0, unit="N/m", example=1e4
            )
        if not self.has_friction:
            return
        if is_zero(self.damping):
            raise InputError(
                f"{self.name}: friction={self.friction} requires damping > 0 Ns/m, with which the surface follows the "
                "sliding point. Give damping, or use a rigid Contact."
            )
        if self.exponent != LINEAR_EXPONENT and self.tangential_stiffness is None:
            raise InputError(
                f"{self.name}: friction={self.friction} on a surface with exponent={self.exponent} requires its "
                "stiffness along the tangents. Give tangential_stiffness [N/m]."
            )

    @property
    def has_friction(self) -> bool:
        """Whether there is friction."""
        return not is_zero(self.friction)

    def force_lines(self, speeds: tuple[str, ...]) -> dict[str, Coordinate]:
        """The lines of its forces, by force name, on a machine with these speeds."""
        tangents = {
            f"{self.name}.force_{k}": line for k, line in enumerate(_tangent_coordinates(self, speeds), start=1)
        }
        return {f"{self.name}.force": _gap_coordinate(self, speeds), **tangents}

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The deformation of the surface, with friction also along its tangents."""
        return tuple(Quantity(f"{self.name}.{word}", "m") for word in ("deformation", *self._tangent_names("shear")))

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Gap and force; with friction its forces and the slip velocities."""
        forces = (Quantity(f"{self.name}.{word}", "N") for word in ("force", *self._tangent_names("force")))
        slips = (Quantity(f"{self.name}.{word}", "m/s") for word in self._tangent_names("slip"))
        return Quantity(f"{self.name}.gap", "m"), *forces, *slips

    def _tangent_names(self, word: str) -> tuple[str, ...]:
        return tuple(f"{word}_{k}" for k in (1, 2)) if self.has_friction else ()

    @property
    def modes(self) -> tuple[str, ...]:
        """Free or pressed."""
        return FREE_MODE, PRESS_MODE

    def initial_mode(self, situation: Situation) -> str:
        """Free or pressed by the gap; a start inside requires the initial deformation."""
        gap = situation.position(self._gap_line(situation))
        if gap + situation.states[0] < -MAX_START_DEPTH:
            raise InputError(
                f"contact {self.name!r} starts {-gap:.4g} m inside its surface, whose deformation is "
                f"{situation.states[0]:.4g} m. Start outside, or give the state {self.states[0].name!r}."
            )
        is_touching = situation.states[0] > 0 and gap + situation.states[0] <= PRESSED_GAP_TOLERANCE
        return PRESS_MODE if is_touching else FREE_MODE

    def act(self, mode: str, situation: Situation) -> Action:
        """A force along the normal, and friction along the tangents."""
        if mode == FREE_MODE:
            return Action()
        force = self._contact_force(situation)
        lines = _tangent_coordinates(self, situation.mech.speeds)
        friction = (Force(line, f) for line, f in zip(lines, self._friction_forces(situation, force), strict=True))
        return Action(forces=(Force(self._gap_line(situation), force), *friction))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Rates of the deformations, stored energy and dissipated power."""
        line, depth = self._gap_line(situation), situation.states[0]
        is_pressed = mode == PRESS_MODE
        rate = -situation.speed(line) if is_pressed else self._recovery_rate(depth, situation.ops)
        force = self._contact_force(situation) if is_pressed else 0.0
        depth = -situation.position(line) if is_pressed else depth
        shear = situation.states[1:]
        friction = self._friction_forces(situation, force) if is_pressed else [0.0 for _ in shear]
        shear_rates = self._shear.rates(friction, shear) if shear else []
        dissipated, stored = self.damping * rate * rate, self._stored_energy(depth, situation.ops)
        velocities = self._tangential_velocity(situation) if is_pressed else shear_rates
        return self._outcome(
            (rate, *shear_rates),
            dissipated + self._shear.dissipated_power(friction, velocities, shear, shear_rates),
            stored + self._shear.stored_energy(shear),
            [situation.position(line), force, *friction],
            [u - w for u, w in zip(velocities, shear_rates, strict=True)],
        )

    def _outcome(
        self,
        rates: tuple[Scalar, ...],
        dissipated: Scalar,
        stored: Scalar,
        gap_and_forces: Sequence[Scalar],
        slips: Sequence[Scalar],
    ) -> Outcome:
        values = zip((signal.name for signal in self.signals), (*gap_and_forces, *slips), strict=True)
        return Outcome(rates, dissipated=dissipated, stored=stored, signals=dict(values))

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Pressed until the force would be tensile, free until the point meets the deformed surface."""
        if mode == PRESS_MODE:
            return (Guard(self._contact_force(situation), FREE_MODE, rate=self._force_rate(situation, reaction)),)
        line, depth = self._gap_line(situation), situation.states[0]
        opening = situation.speed(line) + self._recovery_rate(depth, situation.ops)
        return (Guard(situation.position(line) + depth, PRESS_MODE, rate=opening, scale=GAP_SCALE),)

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """The force at the end of the step, with the spring linearised about the middle of the step."""
        ops, line, deformation, half = situation.ops, self._gap_line(situation), situation.states[0], 0.5 * step
        depth, rate = -situation.position(line), -situation.speed(line)
        is_touching = depth >= self._recovered_depth(deformation, half, ops)
        penetration = ops.maximum(depth, 0.0)
        slope = step * (half * self._spring_slope(penetration, ops) + self.damping)
        limit = CompliantContactImpulse(
            ops.where(is_touching, step * self._spring_force(penetration, ops), 0.0), ops.where(is_touching, slope, 0.0)
        )
        tangents, shear = _tangent_coordinates(self, situation.mech.speeds), situation.states[1:]
        friction_limits = self._friction_limits(situation, step, is_touching) if self.has_friction else ()

        def step_outcome(middle: Situation, reaction: Reaction) -> Outcome:
            closing_speed, (force, *friction) = -middle.speed(line), reaction.multipliers
            end_depth, mean_depth = (
                self._depth_after_step(depth + half * u, deformation, step, ops)
                for u in (closing_speed, 2.0 * closing_speed - rate)
            )
            gained_energy = self._stored_energy(mean_depth, ops) - self._stored_energy(deformation, ops)
            shear_rates = self._shear.rates(friction, shear, step) if shear else []
            mean_shear = [z + half * rate for z, rate in zip(shear, shear_rates, strict=True)]
            velocities = [middle.speed(tangent) for tangent in tangents]
            return self._outcome(
                ((end_depth - deformation) / step, *shear_rates),
                force * closing_speed
                - gained_energy / step
                + self._shear.dissipated_power(friction, velocities, mean_shear, shear_rates),
                self._stored_energy(middle.states[0], ops) + self._shear.stored_energy(middle.states[1:]),
                [middle.position(line), force, *friction],
                [u - rate for u, rate in zip(velocities, shear_rates, strict=True)],
            )

        holds = tuple(Hold(x, speed=0.0) for x in (line, *tangents))
        return FixedStepModel(PRESS_MODE, (limit, *friction_limits), Action(holds=holds), step_outcome)

    @property
    def _shear(self) -> ContactShear:
        stiffness = self.stiffness if self.tangential_stiffness is None else self.tangential_stiffness
        return ContactShear(stiffness, self.damping)

    def _tangential_velocity(self, situation: Situation) -> list[Scalar]:
        return [situation.speed(line) for line in _tangent_coordinates(self, situation.mech.speeds)]

    def _friction_ratio(self, sticking_forces: Sequence[Scalar], force: Scalar, ops: Operations) -> Scalar:
        """The share of the forces of a sticking point that Coulomb's cone allows, for a force along the normal."""
        return ops.minimum(1.0, self.friction * ops.maximum(force, 0.0) / force_size(sticking_forces, ops))

    def _friction_forces(self, situation: Situation, force: Scalar) -> list[Scalar]:
        """The friction forces on the point along the tangents, for a force along the normal."""
        if not self.has_friction:
            return []
        sticking_forces = self._shear.sticking_forces(situation.states[1:], self._tangential_velocity(situation))
        ratio = self._friction_ratio(sticking_forces, force, situation.ops)
        return [-ratio * w for w in sticking_forces]

    def _friction_limits(
        self, situation: Situation, step: Scalar, is_touching: Scalar
    ) -> tuple[SlidingSpringImpulse, ...]:
        """Springs and dampers along the tangents, reduced by the friction ratio at the beginning of the step."""
        ops, shear, compliance = situation.ops, situation.states[1:], self._shear
        force = ops.where(is_touching, self._contact_force(situation), 0.0)
        forces = compliance.middle_forces(shear, self._tangential_velocity(situation), step)
        ratio = self._friction_ratio(forces, force, ops)
        slope = ratio * compliance.impulse_slope(step)
        pushes = (ratio * step * compliance.stiffness * z for z in shear)
        return tuple(SlidingSpringImpulse(push, slope, UNBOUNDED_IMPULSE) for push in pushes)

    def _recovered_depth(self, depth: Scalar, time: Scalar, ops: Operations) -> Scalar:
        """The deformation after a time of free recovery."""
        return ops.maximum(depth + time * self._recovery_rate(depth, ops), 0.0) if self.damping else 0.0

    def _depth_after_step(self, depth: Scalar, deformation: Scalar, step: Scalar, ops: Operations) -> Scalar:
        """The deformation at the end of a step: that of the contact, or that of the free recovery."""
        return ops.maximum(depth, self._recovered_depth(deformation, step, ops))

    def _spring_slope(self, depth: Scalar, ops: Operations) -> Scalar:
        return self.stiffness if self.exponent == LINEAR_EXPONENT else HERTZ_EXPONENT * self.stiffness * ops.sqrt(depth)

    def _stored_energy(self, depth: Scalar, ops: Operations) -> Scalar:
        return self._spring_force(depth, ops) * depth / (self.exponent + 1.0)

    def _force_rate(self, situation: Situation, reaction: Reaction) -> Scalar:
        """The sign of the force's rate, which decides at zero force: at the first touch it grows."""
        line = self._gap_line(situation)
        return -self.stiffness * situation.speed(line) - self.damping * situation.acceleration(line, reaction.a)

    def _gap_line(self, situation: Situation) -> Coordinate:
        return _gap_coordinate(self, situation.mech.speeds)

    def _contact_force(self, situation: Situation) -> Scalar:
        line = self._gap_line(situation)
        return self._spring_force(-situation.position(line), situation.ops) - self.damping * situation.speed(line)

    def _spring_force(self, depth: Scalar, ops: Operations) -> Scalar:
        """The spring force; it may be tensile in a trial step beyond the rest position."""
        if self.exponent == LINEAR_EXPONENT:
            return self.stiffness * depth
        return self.stiffness * depth * ops.sqrt(ops.maximum(depth, 0.0))

    def _recovery_rate(self, depth: Scalar, ops: Operations) -> Scalar:
        """The rate of free recovery of the surface; without a damper it recovers instantaneously."""
        return -self._spring_force(depth, ops) / self.damping if self.damping else 0.0


@lru_cache(maxsize=256)
def _gap_coordinate(law: SoftContact, speeds: tuple[str, ...]) -> Coordinate:
    return Coordinate(f"{law.name}.gap", SurfaceGap(Point(law.frame), law.surface, law.relative_to), speeds)


@lru_cache(maxsize=256)
def _tangent_coordinates(law: SoftContact, speeds: tuple[str, ...]) -> tuple[Coordinate, ...]:
    """The slips along the surface, where there is friction."""
    if not law.has_friction:
        return ()
    slips = slip_functions(Point(law.frame), law.surface, law.relative_to)
    return tuple(Coordinate(f"{law.name}.slip_{k}", slip, speeds) for k, slip in enumerate(slips, start=1))
