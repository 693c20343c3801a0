"""Elasticity of a transmission: elastic elements in series, and their deviations from a linear spring.

The linear part of every element is a spring of the machine and enters modes, linearisation and regressors. A `Torsion`
is the remainder that force laws add: the nonlinear torque minus the linear one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import PartError, TrainError
from gearwright.parts.checks import checked_parts, require_gear, require_kind

_require_in_range = partial(require_range, error=TrainError)


@check_arguments
@dataclass(frozen=True)
class StiffnessPiece:
    """One straight piece of a torque-twist curve.

    Args:
        stiffness: slope of the piece [Nm/rad].
        until: torque at which the next piece begins [Nm]; None: the last piece.
    """

    stiffness: Scalar
    until: Scalar | None = None

    def __post_init__(self) -> None:
        _require_in_range("piece", "stiffness", self.stiffness, above=0)
        _require_in_range("piece", "until", self.until, above=0)

    def reflected_through(self, ratio: Scalar) -> StiffnessPiece:
        """The piece reflected through gears of this total ratio behind it."""
        return StiffnessPiece(self.stiffness * ratio * ratio, None if self.until is None else self.until * abs(ratio))


@check_arguments
@dataclass(frozen=True)
class Hysteresis:
    """Internal friction of an elastic element: loading and unloading follow different torques.

    Args:
        torque: half the height of the hysteresis loop [Nm]: the saturated friction torque.
        width: twist over which that torque builds up after a reversal [rad].
    """

    torque: Scalar
    width: Scalar

    def __post_init__(self) -> None:
        _require_in_range("hysteresis", "torque", self.torque, least=0)
        _require_in_range("hysteresis", "width", self.width, above=0)


@check_arguments
@dataclass(frozen=True)
class KinematicError:
    r"""A periodic error of the gear's output angle, $e = amplitude \sin(periods \cdot angle + phase)$ [rad].

    Args:
        amplitude: half the peak-to-peak error [rad], at the gear's output.
        periods: number of periods per turn.
        per: which turn is counted, that of the gear's "motor" side (about the motor's axis) or of its "joint" side.
        phase: of the error at angle 0 [rad].
    """

    amplitude: Scalar
    periods: Scalar = 1.0
    per: Literal["motor", "joint"] = "motor"
    phase: Scalar = 0.0

    def __post_init__(self) -> None:
        for name in ("amplitude", "periods", "phase"):
            _require_in_range("kinematic error", name, getattr(self, name))
        if self.per not in ("motor", "joint"):
            raise TrainError(f"kinematic error: per {self.per!r} is unknown. Use motor or joint.")


@check_arguments
@dataclass(frozen=True)
class Torsion:
    r"""Nonlinear properties of an elastic element beyond its linear spring; all at the gear's output.

    Args:
        hardening: cubic stiffness [Nm/rad3]: torque $k x + h x^3$.
        pieces: the torque-twist curve as straight pieces (K1, K2, K3 with T1, T2 as catalogues of harmonic drives give
            it); the first stiffness is that of the linear spring.
        hysteresis: internal friction of the element.
        backlash: total gap [rad]; neither torque nor damping while the twist is within half of it.
        errors: kinematic errors of the gear.

    >>> Torsion(pieces=[StiffnessPiece(1e4, 7), StiffnessPiece(1.4e4, 25), StiffnessPiece(1.6e4)]).initial_stiffness
    10000.0
    """

    hardening: Scalar = 0.0
    pieces: Sequence[StiffnessPiece] = ()
    hysteresis: Hysteresis | None = None
    backlash: Scalar = 0.0
    errors: Sequence[KinematicError] = ()

    def __post_init__(self) -> None:
        for word, kind in (("pieces", StiffnessPiece), ("errors", KinematicError)):
            object.__setattr__(self, word, checked_parts("torsion", word, getattr(self, word), kind))
        if self.hysteresis is not None:
            require_kind("torsion", "hysteresis", self.hysteresis, Hysteresis)
        _require_in_range("torsion", "hardening", self.hardening, least=0)
        _require_in_range("torsion", "backlash", self.backlash, least=0)
        self._require_rising()
        if self.hysteresis is not None and not is_zero(self.hysteresis.torque) and not is_zero(self.backlash):
            raise TrainError(
                f"torsion: hysteresis of {self.hysteresis.torque} Nm and backlash {self.backlash} rad in one element "
                "would act as friction inside the gap. In a series, give the backlash to a stage of type shaft with "
                "inertia."
            )

    def _require_rising(self) -> None:
        ends = [piece.until for piece in self.pieces]
        if None in ends[:-1] or (ends and ends[-1] is not None):
            raise TrainError(f"torsion: its pieces end at {ends} Nm. Give `until` for every piece except the last.")
        steps: list[Any] = [end for end in ends[:-1] if is_number(end)]
        if any(after <= before for before, after in pairwise(steps)):
            raise TrainError(
                f"torsion: its pieces end at {steps} Nm, which is not an increasing sequence. List them "
                "from zero outwards."
            )

    @property
    def initial_stiffness(self) -> Scalar | None:
        """Stiffness of the pieces at zero twist [Nm/rad]; None without pieces."""
        return self.pieces[0].stiffness if self.pieces else None

    @property
    def is_linear(self) -> bool:
        """Whether the element is a linear spring only."""
        bare = len(self.pieces) <= 1 and self.hysteresis is None and not self.errors
        return bare and is_zero(self.hardening) and is_zero(self.backlash)

    def reflected_through(self, ratio: Scalar, gear: Scalar = 1.0) -> Torsion:
        """The torsion reflected through gears of this total ratio behind it (near speed / far speed).

        Angles are divided by |ratio|, torques multiplied. The errors' `periods` are then per turn of the shafts before
        ("motor") and behind ("joint") the element, both counted at the far side; `gear` is the ratio of the gear with
        these errors.
        """
        size = abs(ratio)
        turns = {"motor": ratio * gear, "joint": ratio}
        loop = self.hysteresis
        return Torsion(
            hardening=self.hardening * ratio**4,
            pieces=[piece.reflected_through(ratio) for piece in self.pieces],
            hysteresis=None if loop is None else Hysteresis(loop.torque * size, loop.width / size),
            backlash=self.backlash / size,
            errors=[replace(e, amplitude=e.amplitude / ratio, periods=e.periods * turns[e.per]) for e in self.errors],
        )


LINEAR_TORSION = Torsion()
"""A linear spring only."""


@check_arguments
@dataclass(frozen=True)
class Element:
    """One elastic element of a transmission, with all values at the joint side.

    Args:
        stiffness: of its linear spring [Nm/rad].
        damping: [Nms/rad].
        torsion: its nonlinear properties; the `periods` of its errors are per turn of the element's shafts, counted at
            the joint side.
    """

    stiffness: Scalar
    damping: Scalar = 0.0
    torsion: Torsion = LINEAR_TORSION

    def reflected_through(self, ratio: Scalar) -> Element:
        """The element reflected through gears of this total ratio behind it."""
        square = ratio * ratio
        return Element(self.stiffness * square, self.damping * square, self.torsion.reflected_through(ratio))


def elastic_elements(gear: Any) -> tuple[Element, ...]:
    """Return the elastic elements of a gear from motor to joint; an empty tuple for a rigid gear.

    >>> from gearwright.parts import Gear, Series, Shaft, Spur
    >>> elastic_elements(Gear(100)), elastic_elements(Gear(100, stiffness=8000))[0].stiffness
    ((), 8000)
    >>> stages = [Spur(driver=20, driven=60), Shaft(stiffness=400), Spur(driver=20, driven=80, stiffness=9000)]
    >>> [element.stiffness for element in elastic_elements(Series(stages=stages))]
    [6400.0, 9000.0]
    """
    require_gear("elastic_elements", gear)
    element_method = getattr(gear, "elements", None)
    if element_method is not None:
        elements: tuple[Element, ...] = element_method()
        return elements
    return () if gear.stiffness is None else (Element(gear.stiffness, gear.damping),)


def own_elastic_element(gear: Any) -> tuple[Element, ...]:
    """The element of a gear's stiffness and torsion, at the gear's output."""
    torsion: Torsion = gear.torsion or LINEAR_TORSION
    stiffness = torsion.initial_stiffness if gear.stiffness is None else gear.stiffness
    if stiffness is None:
        return ()
    return (Element(stiffness, gear.damping, torsion.reflected_through(1.0, gear.ratio)),)


def require_valid_elasticity(gear: Any) -> None:
    """Raise unless the stiffness is positive, the damping not negative, and a torsion has a stiffness."""
    k, d, torsion = gear.stiffness, gear.damping, gear.torsion
    _require_in_range("gear", "stiffness", k, above=0, unit="Nm/rad", hint="Leave it out for a rigid gear.")
    _require_in_range("gear", "damping", d, least=0, unit="Nms/rad", hint="Negative damping would add energy.")
    if torsion is None:
        _require_spring(k, d)
        return
    require_kind("gear", "torsion", torsion, Torsion)
    if k is None and torsion.initial_stiffness is None:
        raise TrainError(
            f"gear: {_torsion_without_stiffness(torsion)} without stiffness. Between rigid parts it would cause "
            "impacts instead of torques. Give the contact stiffness, or leave it out."
        )
    if (
        k is not None
        and torsion.initial_stiffness is not None
        and is_number(k)
        and is_number(torsion.initial_stiffness)
        and k != torsion.initial_stiffness
    ):
        raise TrainError(
            f"gear: stiffness {k} Nm/rad differs from that of the first piece, {torsion.initial_stiffness} Nm/rad. "
            "Keep one of them."
        )


def _require_spring(stiffness: Scalar | None, damping: Scalar) -> None:
    """Raise for damping without stiffness: a rigid gear has no twist to damp."""
    if stiffness is None and not is_zero(damping):
        raise TrainError(
            f"gear: damping {damping} Nms/rad without stiffness: a rigid gear does not twist. "
            "Give the stiffness, or state viscous friction."
        )


def _torsion_without_stiffness(torsion: Torsion) -> str:
    words = ("backlash", "hardening", "hysteresis", "errors")
    given_fields = [word for word in words if getattr(torsion, word) not in (None, 0.0, ())]
    return f"{given_fields[0]} {getattr(torsion, given_fields[0])}" if given_fields else "torsion"


@check_arguments
@dataclass(frozen=True)
class JointSpring:
    """A passive spring on a joint: torque -stiffness (q - rest) - damping qd; part of the machine, not a force law.

    Args:
        stiffness: [Nm/rad or N/m].
        damping: of the spring [Nms/rad or Ns/m], in addition to the joint's friction.
        rest: coordinate at which it is relaxed [rad or m].
    """

    stiffness: Scalar
    damping: Scalar = 0.0
    rest: Scalar = 0.0

    def __post_init__(self) -> None:
        _require_in_range("joint spring", "stiffness", self.stiffness, least=0)
        _require_in_range("joint spring", "damping", self.damping, least=0)
        _require_in_range("joint spring", "rest", self.rest)


@check_arguments
@dataclass(frozen=True)
class PassiveSpring:
    """A linear spring along a row of joints: a tendon over several joints, or a support that couples directions.

    Its potential is 1/2 stiffness (sum row_j q_j - rest)^2; its damping force is damping times the rate of that sum.

    Args:
        name: its name.
        row: extension of the spring per unit of each joint's coordinate.
        stiffness: [Nm/rad or N/m].
        damping: [Nms/rad or Ns/m].
        rest: the sum at which it is relaxed.
    """

    name: str
    row: Mapping[str, Scalar]
    stiffness: Scalar = 0.0
    damping: Scalar = 0.0
    rest: Scalar = 0.0

    def __post_init__(self) -> None:
        owner = f"spring {self.name!r}"
        if not isinstance(self.row, Mapping) or not self.row:
            raise PartError(f"{owner}: its row is {self.row!r}. Give a mapping from joints to numbers.")
        for name in ("stiffness", "damping"):
            _require_in_range(owner, name, getattr(self, name), least=0)
        _require_in_range(owner, "rest", self.rest)
