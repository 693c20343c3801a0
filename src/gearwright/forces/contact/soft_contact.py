"""Contacts with a compliant surface: a massless spring and damper, linear or Hertzian."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces.contact.contact import FREE_MODE, MAX_START_DEPTH, SurfaceGap
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

    Series: `<name>.gap` [m], `<name>.force` [N]; state `<name>.deformation` [m].

    Args:
        frame: a body or frame of the machine, whose origin is the contact point.
        surface: a Plane, Sphere or Cylinder, in the axes of `relative_to`.
        stiffness: k [N/m], [N/m^1.5] after Hertz.
        damping: d [Ns/m].
        exponent: p, 1 (linear) or 1.5 (Hertz).
        relative_to: "base", a body or frame (the reaction acts on it), or a `MovingFrame`.
        name: its name; default: `<frame>.contact`.

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

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", f"{anchor_name(self.frame)}.contact")
        real_number(self.name, "stiffness", self.stiffness, above=0.0, unit="N/m", example=1e4)
        real_number(self.name, "damping", self.damping, least=0.0, unit="Ns/m", example=50.0)
        if self.exponent not in (LINEAR_EXPONENT, HERTZ_EXPONENT):
            raise InputError(f"{self.name}: the exponent is {self.exponent!r}. Give 1 (linear) or 1.5 (Hertz).")
        if not hasattr(self.surface, "gap"):
            raise InputError(f"{self.name}: {self.surface!r} is not a surface. Give a Plane, Sphere or Cylinder.")

    def force_lines(self, speeds: tuple[str, ...]) -> dict[str, Coordinate]:
        """The line of its force, by force name, on a machine with these speeds."""
        return {f"{self.name}.force": _gap_coordinate(self, speeds)}

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The deformation of the surface."""
        return (Quantity(f"{self.name}.deformation", "m"),)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Gap and force."""
        return Quantity(f"{self.name}.gap", "m"), Quantity(f"{self.name}.force", "N")

    @property
    def modes(self) -> tuple[str, ...]:
        """Free or pressed."""
        return FREE_MODE, PRESS_MODE

    def initial_mode(self, situation: Situation) -> str:
        """Free or pressed by the gap; a start inside requires the initial deformation."""
        gap = situation.position(self._gap_line(situation))
        if gap + situation.states[0] < -MAX_START_DEPTH:
            raise InputError(
                f"{self.name}: it starts {-gap:.4g} m inside the surface, whose deformation is "
                f"{situation.states[0]:.4g} m. Start outside, or give the state {self.states[0].name!r}."
            )
        is_touching = situation.states[0] > 0 and gap + situation.states[0] <= PRESSED_GAP_TOLERANCE
        return PRESS_MODE if is_touching else FREE_MODE

    def act(self, mode: str, situation: Situation) -> Action:
        """A force along the normal."""
        if mode == FREE_MODE:
            return Action()
        return Action(forces=(Force(self._gap_line(situation), self._contact_force(situation)),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Rate of the deformation, stored energy and dissipated power."""
        line, depth = self._gap_line(situation), situation.states[0]
        is_pressed = mode == PRESS_MODE
        rate = -situation.speed(line) if is_pressed else self._recovery_rate(depth, situation.ops)
        force = self._contact_force(situation) if is_pressed else 0.0
        depth = -situation.position(line) if is_pressed else depth
        signals = {f"{self.name}.gap": situation.position(line), f"{self.name}.force": force}
        stored = self._stored_energy(depth, situation.ops)
        return Outcome((rate,), dissipated=self.damping * rate * rate, stored=stored, signals=signals)

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

        def step_outcome(middle: Situation, reaction: Reaction) -> Outcome:
            closing_speed, force = -middle.speed(line), reaction.multipliers[0]
            end_depth, mean_depth = (
                self._depth_after_step(depth + half * u, deformation, step, ops)
                for u in (closing_speed, 2.0 * closing_speed - rate)
            )
            gained_energy = self._stored_energy(mean_depth, ops) - self._stored_energy(deformation, ops)
            signals = {f"{self.name}.gap": middle.position(line), f"{self.name}.force": force}
            stored = self._stored_energy(middle.states[0], ops)
            return Outcome(
                ((end_depth - deformation) / step,),
                dissipated=force * closing_speed - gained_energy / step,
                stored=stored,
                signals=signals,
            )

        return FixedStepModel(PRESS_MODE, (limit,), Action(holds=(Hold(line, speed=0.0),)), step_outcome)

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
