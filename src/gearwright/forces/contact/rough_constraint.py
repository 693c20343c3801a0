"""Bilateral constraints with friction along their free directions: guides, keyways, tools on a rail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces.contact.constraint import Constraint, pose_coordinates
from gearwright.forces.contact.contact_shear import ContactShear, force_size
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.coordinates.relative_pose import TRANSLATION_NAMES
from gearwright.forces.friction.stick_slip import STICK_MODE
from gearwright.forces.impulse_limits import ImpulseRequest, PortInflow, clip_between
from gearwright.forces.law import (
    Action,
    Drag,
    FixedStepModel,
    Force,
    Guard,
    Hold,
    Outcome,
    Quantity,
    Reaction,
    Situation,
)
from gearwright.forces.time_stepping_impulses import UnlimitedImpulse, resisting_impulse

SLIP_MODE = "slip"


@dataclass(frozen=True)
class GuideFrictionImpulse:
    """Friction of a guide over a step: a spring and damper, -(push + slope w), limited by the normal impulse.

    Args:
        push: impulse against the line at zero speed [Ns].
        slope: its increase per unit speed.
        limit_ratio: largest impulse per normal impulse: mu times the share of the slip in this direction.
        inflow: the normal impulse.
    """

    push: Scalar
    slope: Scalar
    limit_ratio: Scalar
    inflow: PortInflow | None

    def limited_impulse(self, request: ImpulseRequest) -> Scalar:
        """The projection on the bounds."""
        limit = self.limit_ratio * request.ops.absolute(request.inflow)
        return clip_between(-limit, -resisting_impulse(self.push, self.slope, request), limit, request.ops)


GUIDE_FORCE_SCALE = 1e-3
"""Scale [N] of forces and friction limits: 1e-9 of it counts as zero."""


@check_arguments
@dataclass(frozen=True)
class RoughConstraint(Constraint):
    r"""A bilateral constraint with Coulomb friction along its free translations.

    The constrained translations carry the reactions $\lambda_i$, as the faces of a guide do; the friction limit is
    $\mu N$ with $N = \sum |\lambda_i|$. On a surface there is one reaction; a rectangular guide or a keyway has two.
    Before it slips, the contact deforms by z against a spring and a damper. With the velocity u along the free
    translations and the force $w = k z + d\,u$ of a contact that sticks,

    $$f = -\min(1, \mu N / |w|)\,w, \qquad d\,\dot z = -f - k z.$$

    The reactions and the friction are solved together. Moments do not add to N: constrain a long guide by its two ends,
    each with a RoughConstraint.

    Series in addition to those of `Constraint`: `<name>.friction.<x>` [N] and the slip velocity `<name>.slip.<x>`
    [m/s] along the free translations; states `<name>.shear.<x>` [m].

    Args:
        friction: mu.
        stiffness: k [N/m] of the contact before it slips.
        damping: d [Ns/m] of the contact.

    >>> pen = RoughConstraint("pen", "tool", "base", held=("z",), friction=0.2, stiffness=1e5, damping=200.0)
    >>> pen.modes
    ('stick', 'slip+', 'slip-')
    """

    friction: float = field(kw_only=True)
    stiffness: float = field(kw_only=True)
    damping: float = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        real_number(self.name, "friction", self.friction, above=0.0, example=0.3)
        real_number(self.name, "stiffness", self.stiffness, above=0.0, unit="N/m", example=1e5)
        real_number(self.name, "damping", self.damping, above=0.0, unit="Ns/m", example=200.0)
        if self.frame is None or not self._normal_words or not self._free_words:
            raise InputError(
                f"{self.name}: held={self.held!r} leaves no friction. Constrain one or two of {TRANSLATION_NAMES} of a "
                "frame; friction acts along the others."
            )

    @property
    def _normal_words(self) -> tuple[str, ...]:
        """The constrained translations, which carry the reactions."""
        return tuple(word for word in self.held if word in TRANSLATION_NAMES)

    @property
    def _free_words(self) -> tuple[str, ...]:
        """The free translations, along which friction acts."""
        return tuple(word for word in TRANSLATION_NAMES if word not in self.held)

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The deformation along the free translations."""
        return tuple(Quantity(f"{self.name}.shear.{word}", "m") for word in self._free_words)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Those of the constraint, friction forces and slip velocities."""
        friction = (Quantity(f"{self.name}.friction.{word}", "N") for word in self._free_words)
        slips = (Quantity(f"{self.name}.slip.{word}", "m/s") for word in self._free_words)
        return (*super().signals, *friction, *slips)

    @property
    def modes(self) -> tuple[str, ...]:
        """Stick, and slip for each sign of the reactions."""
        return STICK_MODE, *(SLIP_MODE + "".join(signs) for signs in product("+-", repeat=len(self._normal_words)))

    def act(self, mode: str, situation: Situation) -> Action:
        """The constraint, and friction along the free translations."""
        holds = tuple(
            replace(hold, port=self._port(word)) if word in self._normal_words else hold
            for word, hold in zip(
                (*self.held, *("" for _ in self.stated)), super().act(mode, situation).holds, strict=True
            )
        )
        sticking_forces, lines = self._sticking_forces(situation), self._free_lines(situation)
        if mode == STICK_MODE:
            friction = tuple(Force(line, -w) for line, w in zip(lines, sticking_forces, strict=True))
            return Action(forces=friction, holds=holds)
        coordinates, no_sense = pose_coordinates(self, situation.mech.speeds), [0.0] * situation.mech.n
        size = force_size(sticking_forces, situation.ops)
        drags = tuple(
            Drag(
                replace(line, inlet=coordinates[word]),
                -self.friction * sign * w / size,
                no_sense,
                port=self._port(word),
            )
            for word, sign in zip(self._normal_words, _mode_signs(mode), strict=True)
            for line, w in zip(lines, sticking_forces, strict=True)
        )
        return Action(holds=holds, drags=drags)

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Those of the constraint, the rates of the deformation, and the power of friction."""
        outcome, friction = super().follow(mode, situation, reaction), self._friction(mode, situation, reaction)
        shear, rates = situation.states, self._shear.rates(friction, situation.states)
        power = self._shear.dissipated_power(friction, self._velocity(situation), shear, rates)
        stored = outcome.stored + self._shear.stored_energy(shear)
        return replace(outcome, rates=tuple(rates), dissipated=outcome.dissipated + power, stored=stored)

    def signal_values(self, mode: str, situation: Situation, reaction: Reaction) -> list[Scalar]:
        """Those of the constraint, friction forces and slip velocities."""
        friction, velocity = self._friction(mode, situation, reaction), self._velocity(situation)
        rates = self._shear.rates(friction, situation.states)
        slips = [u - rate for u, rate in zip(velocity, rates, strict=True)]
        return [*super().signal_values(mode, situation, reaction), *friction, *slips]

    @property
    def _shear(self) -> ContactShear:
        return ContactShear(self.stiffness, self.damping)

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """It slips at the friction limit, sticks within it, and the signs follow those of the reactions."""
        ops, normals = situation.ops, self._normal_forces(reaction)
        size = force_size(self._sticking_forces(situation), ops)
        if mode == STICK_MODE:
            limit = self.friction * _total([ops.absolute(x) for x in normals])
            scale = ops.maximum(limit, GUIDE_FORCE_SCALE)
            return tuple(
                Guard(limit - size, to, scale=scale, when=self._has_signs(to, normals, situation))
                for to in self.modes[1:]
            )
        signs = _mode_signs(mode)
        signed = [sign * x for sign, x in zip(signs, normals, strict=True)]
        limit = self.friction * _total(signed)
        changes = (
            Guard(x, _mode_with_signs([-s if j == k else s for j, s in enumerate(signs)]), scale=GUIDE_FORCE_SCALE)
            for k, x in enumerate(signed)
        )
        return Guard(size - limit, STICK_MODE, scale=ops.maximum(size, GUIDE_FORCE_SCALE)), *changes

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """The constraint, and friction limited by its impulse, in the direction of slip at the beginning of the step.

        Raises:
            InputError: there are two reactions.
        """
        if len(self._normal_words) > 1:
            raise InputError(
                f"{self.name}: time stepping supports friction of one constrained translation; {self.held!r} has two. "
                "Use an event-driven method (simulate)."
            )
        ops, shear, compliance = situation.ops, situation.states, self._shear
        middle_forces = compliance.middle_forces(shear, self._velocity(situation), step)
        size = force_size(middle_forces, ops)
        lines, action = self._free_lines(situation), super().act(STICK_MODE, situation)
        weights = [1.0 if word in self._normal_words else 0.0 for word in (*self.held, *("" for _ in self.stated))]
        inflow = PortInflow(impulses=(*weights, *(0.0 for _ in lines)))
        slope = compliance.impulse_slope(step)
        limits = [
            GuideFrictionImpulse(step * self.stiffness * z, slope, self.friction * ops.absolute(w) / size, inflow)
            for z, w in zip(shear, middle_forces, strict=True)
        ]
        holds = (*action.holds, *(Hold(line, speed=0.0) for line in lines))

        def step_outcome(middle: Situation, reaction: Reaction) -> Outcome:
            count = len(action.holds)
            outcome = super(RoughConstraint, self).follow(
                STICK_MODE, middle, replace(reaction, multipliers=reaction.multipliers[:count])
            )
            friction, speeds = reaction.multipliers[count:], self._velocity(middle)
            rates = compliance.rates(friction, shear, step)
            mean_shear = [z + 0.5 * step * rate for z, rate in zip(shear, rates, strict=True)]
            dissipated = outcome.dissipated + compliance.dissipated_power(friction, speeds, mean_shear, rates)
            stored = outcome.stored + compliance.stored_energy(middle.states)
            slips = [u - rate for u, rate in zip(speeds, rates, strict=True)]
            names = [signal.name for signal in self.signals]
            values = [*self._constraint_values(middle, reaction.multipliers[:count]), *friction, *slips]
            return Outcome(
                tuple(rates), dissipated=dissipated, stored=stored, signals=dict(zip(names, values, strict=True))
            )

        return FixedStepModel(
            STICK_MODE, (*(UnlimitedImpulse() for _ in action.holds), *limits), Action(holds=holds), step_outcome
        )

    def _constraint_values(self, situation: Situation, multipliers: Sequence[Scalar]) -> list[Scalar]:
        return super().signal_values(STICK_MODE, situation, Reaction((), multipliers))

    def require_no_friction(self, function: str) -> None:
        """Raise an error: the function cannot account for its friction."""
        raise InputError(
            f"{function}: constraint {self.name!r} has friction {self.friction:g}, which is not part of this function. "
            "Give a gw.contact.Constraint, and the friction as a load."
        )

    def _port(self, word: str) -> str:
        return f"{self.name}.{word}"

    def _free_lines(self, situation: Situation) -> tuple[Coordinate, ...]:
        return _free_coordinates(self, situation.mech.speeds)

    def _velocity(self, situation: Situation) -> list[Scalar]:
        return [situation.speed(line) for line in self._free_lines(situation)]

    def _sticking_forces(self, situation: Situation) -> list[Scalar]:
        """The forces w along the free translations if the contact does not slip."""
        return self._shear.sticking_forces(situation.states, self._velocity(situation))

    def _normal_forces(self, reaction: Reaction) -> list[Scalar]:
        return [x for word, x in zip(self.held, reaction.multipliers, strict=False) if word in self._normal_words]

    def _friction(self, mode: str, situation: Situation, reaction: Reaction) -> list[Scalar]:
        """The friction forces along the free translations."""
        sticking_forces = self._sticking_forces(situation)
        if mode == STICK_MODE:
            return [-w for w in sticking_forces]
        normals = zip(_mode_signs(mode), self._normal_forces(reaction), strict=True)
        limit = self.friction * _total([sign * x for sign, x in normals])
        size = force_size(sticking_forces, situation.ops)
        return [-limit * w / size for w in sticking_forces]

    def _has_signs(self, mode: str, normals: Sequence[Scalar], situation: Situation) -> Scalar:
        """Whether the reactions have the signs of a slipping mode."""
        ops, agreement = situation.ops, 1.0
        for sign, x in zip(_mode_signs(mode), normals, strict=True):
            agreement = ops.minimum(agreement, sign * ops.where(x >= 0, 1.0, -1.0))
        return agreement > 0


def _mode_signs(mode: str) -> list[float]:
    return [1.0 if sign == "+" else -1.0 for sign in mode.removeprefix(SLIP_MODE)]


def _mode_with_signs(signs: Sequence[float]) -> str:
    return SLIP_MODE + "".join("+" if sign > 0 else "-" for sign in signs)


def _total(values: Sequence[Scalar]) -> Scalar:
    return sum(values[1:], values[0])


@lru_cache(maxsize=256)
def _free_coordinates(law: RoughConstraint, speeds: tuple[str, ...]) -> tuple[Coordinate, ...]:
    coordinates = pose_coordinates(law, speeds)
    return tuple(coordinates[word] for word in law._free_words)
