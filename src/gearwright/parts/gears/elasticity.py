"""How a transmission twists: elastic elements in a row, and what a linear spring does not say about them.

The linear part of every element is a spring of the machine, so that modes, linearisation and regressors see a
stiffness. What is stated here as `Torsion` is the remainder, which force laws add: the true torque less the linear one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.arguments import require_range
from gearwright.errors import PartError, TrainError
from gearwright.parts.checks import require_gear, require_kind, sequence_of

_require = partial(require_range, error=TrainError)


@dataclass(frozen=True)
class StiffnessPiece:
    """One straight piece of a torque-twist curve.

    Args:
        stiffness: slope of the piece [Nm/rad].
        until: torque at which the next piece begins [Nm]; None: there is none.
    """

    stiffness: Scalar
    until: Scalar | None = None

    def __post_init__(self) -> None:
        _require("piece", "stiffness", self.stiffness, above=0)
        _require("piece", "until", self.until, above=0)

    def seen_through(self, ratio: Scalar) -> StiffnessPiece:
        """The same at the far side of gears of that whole ratio behind it."""
        return StiffnessPiece(self.stiffness * ratio * ratio, None if self.until is None else self.until * abs(ratio))


@dataclass(frozen=True)
class Hysteresis:
    """Friction inside a twisting element: going there and back takes different torques.

    Args:
        torque: half the height of the loop [Nm]: the friction torque once the twist has gone far enough one way.
        width: twist over which that torque builds up after a reversal [rad].
    """

    torque: Scalar
    width: Scalar

    def __post_init__(self) -> None:
        _require("hysteresis", "torque", self.torque, least=0)
        _require("hysteresis", "width", self.width, above=0)


@dataclass(frozen=True)
class KinematicError:
    r"""A periodic error of the gear's output angle, $e = amplitude \sin(periods \cdot angle + phase)$ [rad].

    Args:
        amplitude: half of what peak to peak measures [rad], at the gear's output.
        periods: how often it repeats per turn.
        per: of what turn: that of the gear's "motor" side (about the motor's axis) or of its "joint" side.
        phase: of the error at angle 0 [rad].
    """

    amplitude: Scalar
    periods: Scalar = 1.0
    per: Literal["motor", "joint"] = "motor"
    phase: Scalar = 0.0

    def __post_init__(self) -> None:
        for name in ("amplitude", "periods", "phase"):
            _require("kinematic error", name, getattr(self, name))
        if self.per not in ("motor", "joint"):
            raise TrainError(f"kinematic error: per {self.per!r} is unknown. Use motor or joint.")


@dataclass(frozen=True)
class Torsion:
    r"""What an elastic element does beside its linear spring; everything at the gear's output.

    Args:
        hardening: cubic stiffness [Nm/rad3]: torque $k x + h x^3$.
        pieces: the torque-twist curve as straight pieces (K1, K2, K3 with T1, T2 as catalogues of harmonic drives give
            it); the first one's stiffness is that of the linear spring.
        hysteresis: friction inside the element.
        backlash: the whole gap [rad]; no torque, and no damping, while the twist is within half of it.
        errors: kinematic errors of the gear.

    >>> Torsion(pieces=[StiffnessPiece(1e4, 7), StiffnessPiece(1.4e4, 25), StiffnessPiece(1.6e4)]).slope
    10000.0
    """

    hardening: Scalar = 0.0
    pieces: Sequence[StiffnessPiece] = ()
    hysteresis: Hysteresis | None = None
    backlash: Scalar = 0.0
    errors: Sequence[KinematicError] = ()

    def __post_init__(self) -> None:
        for word, kind in (("pieces", StiffnessPiece), ("errors", KinematicError)):
            object.__setattr__(self, word, sequence_of("torsion", word, getattr(self, word), kind))
        if self.hysteresis is not None:
            require_kind("torsion", "hysteresis", self.hysteresis, Hysteresis)
        _require("torsion", "hardening", self.hardening, least=0)
        _require("torsion", "backlash", self.backlash, least=0)
        self._require_rising()
        if self.hysteresis is not None and not is_zero(self.hysteresis.torque) and not is_zero(self.backlash):
            raise TrainError(
                f"torsion: hysteresis of {self.hysteresis.torque} Nm and backlash {self.backlash} rad in one element "
                "would rub inside the gap. In a series give the backlash to a stage of type shaft with inertia."
            )

    def _require_rising(self) -> None:
        ends = [piece.until for piece in self.pieces]
        if None in ends[:-1] or (ends and ends[-1] is not None):
            raise TrainError(
                f"torsion: its pieces end at {ends} Nm. Give `until` to every piece but the last, which has no end."
            )
        steps: list[Any] = [end for end in ends[:-1] if is_number(end)]
        if any(after <= before for before, after in pairwise(steps)):
            raise TrainError(f"torsion: its pieces end at {steps} Nm, which do not rise. List them from zero outwards.")

    @property
    def slope(self) -> Scalar | None:
        """Stiffness at zero twist that the pieces give [Nm/rad]; None without pieces."""
        return self.pieces[0].stiffness if self.pieces else None

    @property
    def linear(self) -> bool:
        """Whether it adds nothing to a linear spring."""
        bare = len(self.pieces) <= 1 and self.hysteresis is None and not self.errors
        return bare and is_zero(self.hardening) and is_zero(self.backlash)

    def seen_through(self, ratio: Scalar, gear: Scalar = 1.0) -> Torsion:
        """The same at the far side of gears of that whole ratio behind it (near speed / far speed).

        Angles are divided by |ratio|, torques multiplied. The errors' `periods` are then per radian-side turn of the
        shafts before ("motor") and behind ("joint") the element, both counted at the far side; `gear` is the ratio of
        the gear that the errors belong to.
        """
        size = abs(ratio)
        turns = {"motor": ratio * gear, "joint": ratio}
        loop = self.hysteresis
        return Torsion(
            hardening=self.hardening * ratio**4,
            pieces=[piece.seen_through(ratio) for piece in self.pieces],
            hysteresis=None if loop is None else Hysteresis(loop.torque * size, loop.width / size),
            backlash=self.backlash / size,
            errors=[replace(e, amplitude=e.amplitude / ratio, periods=e.periods * turns[e.per]) for e in self.errors],
        )


LINEAR = Torsion()
"""A linear spring and nothing else."""


@dataclass(frozen=True)
class Element:
    """One elastic element of a transmission, everything counted at the joint side.

    Args:
        stiffness: of its linear spring [Nm/rad].
        damping: [Nms/rad].
        torsion: what it does beside; its errors' `periods` are per turn of the element's shafts, which count at the
            joint side.
    """

    stiffness: Scalar
    damping: Scalar = 0.0
    torsion: Torsion = LINEAR

    def seen_through(self, ratio: Scalar) -> Element:
        """The element at the far side of gears of that whole ratio behind it."""
        square = ratio * ratio
        return Element(self.stiffness * square, self.damping * square, self.torsion.seen_through(ratio))


def elements_of(gear: Any) -> tuple[Element, ...]:
    """The elastic elements of a gear from motor to joint; none: it is rigid.

    >>> from gearwright.parts import Gear, Series, Shaft, Spur
    >>> elements_of(Gear(100)), elements_of(Gear(100, stiffness=8000))[0].stiffness
    ((), 8000)
    >>> stages = [Spur(driver=20, driven=60), Shaft(stiffness=400), Spur(driver=20, driven=80, stiffness=9000)]
    >>> [element.stiffness for element in elements_of(Series(stages=stages))]
    [6400.0, 9000.0]
    """
    require_gear("elements_of", gear)
    own_elements = getattr(gear, "elements", None)
    if own_elements is not None:
        found: tuple[Element, ...] = own_elements()
        return found
    return () if gear.stiffness is None else (Element(gear.stiffness, gear.damping),)


def own_element(gear: Any) -> tuple[Element, ...]:
    """The element that a gear's own stiffness and torsion make, at the gear's output."""
    torsion: Torsion = gear.torsion or LINEAR
    stiffness = torsion.slope if gear.stiffness is None else gear.stiffness
    if stiffness is None:
        return ()
    return (Element(stiffness, gear.damping, torsion.seen_through(1.0, gear.ratio)),)


def refuse_impossible_twist(gear: Any) -> None:
    """Stiffness positive, damping not negative, and nothing that needs a spring without one."""
    k, d, torsion = gear.stiffness, gear.damping, gear.torsion
    _require("gear", "stiffness", k, above=0, unit="Nm/rad", hint="Leave it out for a rigid gear.")
    _require("gear", "damping", d, least=0, unit="Nms/rad", hint="A negative one would feed the motion.")
    if torsion is None:
        _require_spring(k, d)
        return
    require_kind("gear", "torsion", torsion, Torsion)
    if k is None and torsion.slope is None:
        raise TrainError(
            f"gear: {_unfounded(torsion)} without stiffness: between stiff parts it would be a blow, not a torque. "
            "Give the stiffness in contact, or leave it out."
        )
    if k is not None and torsion.slope is not None and is_number(k) and is_number(torsion.slope) and k != torsion.slope:
        raise TrainError(
            f"gear: stiffness {k} Nm/rad is not that of the first piece, {torsion.slope} Nm/rad. Keep one of them."
        )


def _require_spring(stiffness: Scalar | None, damping: Scalar) -> None:
    """A damper needs a spring beside it: between parts that do not twist it has nothing to damp."""
    if stiffness is None and not is_zero(damping):
        raise TrainError(
            f"gear: damping {damping} Nms/rad without stiffness: a rigid gear does not twist. "
            "Give the stiffness, or state viscous friction."
        )


def _unfounded(torsion: Torsion) -> str:
    words = ("backlash", "hardening", "hysteresis", "errors")
    given = [word for word in words if getattr(torsion, word) not in (None, 0.0, ())]
    return f"{given[0]} {getattr(torsion, given[0])}" if given else "torsion"


@dataclass(frozen=True)
class JointSpring:
    """A passive spring on a joint: torque -stiffness (q - rest) - damping qd; part of the machine, not a force law.

    Args:
        stiffness: [Nm/rad or N/m].
        damping: of the spring [Nms/rad or Ns/m], beside the joint's own friction.
        rest: coordinate at which it is relaxed [rad or m].
    """

    stiffness: Scalar
    damping: Scalar = 0.0
    rest: Scalar = 0.0

    def __post_init__(self) -> None:
        _require("joint spring", "stiffness", self.stiffness, least=0)
        _require("joint spring", "damping", self.damping, least=0)
        _require("joint spring", "rest", self.rest)


@dataclass(frozen=True)
class PassiveSpring:
    """A linear spring along a row over joints: a tendon over several of them, a support that couples directions.

    Its potential is 1/2 stiffness (sum row_j q_j - rest)^2, its damper takes damping times the rate of that sum.

    Args:
        name: its name.
        row: per joint how far the spring is stretched per unit of the joint's coordinate.
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
            _require(owner, name, getattr(self, name), least=0)
        _require(owner, "rest", self.rest)
