"""What laws that track a motion of the joints share: measured joints, errors, gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gearwright.algebra import Scalar
from gearwright.arguments import one_or_each
from gearwright.control.joint_side import JointSide, JointSideLaw
from gearwright.control.references import WORDS, entries
from gearwright.dynamics.configuration import difference
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, RobotOrMech, approximate, machine_of
from gearwright.parts import Robot
from gearwright.system.controllers.control_law import Measurement
from gearwright.text import listed

Gains = tuple[float, ...]
"""One number per joint."""


class Errors(NamedTuple):
    """Where the joints are measured to be, how they move, and what is missing to the reference."""

    q: list[Scalar]
    v: list[Scalar]
    position: list[Scalar]
    speed: list[Scalar]


@dataclass(frozen=True)
class Tracking(JointSideLaw):
    """A law that tracks q_ref, v_ref, a_ref of the joints by joint-side forces.

    Args:
        mech: the controlled machine.
        feedback: where elastic drives are measured, "joint", "motor" or "both".
    """

    mech: Mechanism
    feedback: str

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Position, speed and acceleration of the joints."""
        return entries(self.mech, self.side.count, 3)

    @property
    def model(self) -> Mechanism:
        """The machine with stiff springs."""
        return self.side.rigid

    def errors(self, measured: Measurement) -> Errors:
        """The errors of position and speed; of joints that turn freely, in their own axes."""
        q, v = self.side.position(measured.q, self.feedback), self.side.speed(measured.v, self.feedback)
        wanted, pace = (measured.reference[word] for word in WORDS[:2])
        return Errors(q, v, difference(measured.model, q, wanted, measured.ops), minus(pace, v))


def minus(x: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    """X - y."""
    return [a - b for a, b in zip(x, y, strict=True)]


def plus(*terms: Sequence[Scalar]) -> list[Scalar]:
    """The sum of vectors."""
    total = list(terms[0])
    for term in terms[1:]:
        total = [a + b for a, b in zip(total, term, strict=True)]
    return total


def scaled(gains: Gains, x: Sequence[Scalar]) -> list[Scalar]:
    """Entry by entry."""
    return [gain * value for gain, value in zip(gains, x, strict=True)]


def per_joint(caller: str, name: str, value: Any, side: JointSide, *, above: float | None = None) -> Gains:
    """One finite number per joint; a single one serves all."""
    least = 0.0 if above is None else None
    return tuple(one_or_each(caller, name, value, side.names, above=above, least=least).tolist())


def frequency_gains(frequency: Gains, damping: Gains) -> tuple[Gains, Gains]:
    r"""Gains of $\ddot e + 2 \zeta \omega \dot e + \omega^2 e = 0$: $\omega^2$ and $2 \zeta \omega$.

    >>> frequency_gains((10.0,), (1.0,))
    ((100.0,), (20.0,))
    """
    pairs = list(zip(frequency, damping, strict=True))
    return tuple(w * w for w, _ in pairs), tuple(2 * d * w for w, d in pairs)


def model_of(caller: str, model: RobotOrMech | str | None, side: JointSide) -> Mechanism | None:
    """The machine a controller computes with: an approximation by name, another machine, or None for its own."""
    if model is None:
        return None
    found = approximate(side.rigid, model) if isinstance(model, str) else machine_of(caller, model)
    if isinstance(model, Robot) or not isinstance(model, str):
        found = JointSide(found).rigid
    if tuple(found.speeds) != side.names:
        raise InputError(
            f"{caller}: the model has the joints {listed(found.speeds)}, the controlled machine {listed(side.names)}. "
            "Give a model of the same joints."
        )
    return found
