"""The forces that actuators must give along their lines for a prescribed motion, with time derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.algebra.taylor import Taylor, TaylorOperations
from gearwright.arrays import Array
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.pose import place
from gearwright.errors import InputError, SingularityError
from gearwright.forces.law import Action, Drag, Force, Law, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.mechanism import Mechanism
from gearwright.text import listed

PATIENCE = 20
"""Changes of mode at one sample before its laws count as contradictory."""


class Push(NamedTuple):
    """An actuator as the machine sees it: the line of its force, and the port it passes."""

    line: Line
    port: str | None


@dataclass(frozen=True)
class Demands:
    """What a machine with laws asks of its actuators.

    Args:
        mech: the machine.
        pushes: its actuators.
        laws: what else acts: friction, losses. Laws with states of their own are refused.
        order: how many time derivatives of the forces are wanted.
    """

    mech: Mechanism
    pushes: tuple[Push, ...]
    laws: tuple[Law, ...]
    order: int

    def __post_init__(self) -> None:
        for law in self.laws:
            if law.states or law.inputs:
                raise InputError(
                    f"inputs_for_motion: law {law.name!r} has states or inputs of its own "
                    f"({listed(x.name for x in (*law.states, *law.inputs))}), which a motion does not tell. Use dry "
                    "or smooth friction instead of bristles, and leave motors to `actuators`."
                )

    def along(self, t: Array, motion: Sequence[Array]) -> list[Array]:
        """Forces of the actuators and their derivatives, each (T, actuators).

        Args:
            t: times of a smooth piece (T,).
            motion: q and its derivatives up to order + 2, each (T, n).
        """
        series = [Taylor.of_derivatives([x[:, i] for x in motion]) for i in range(self.mech.n)]
        rates = [x.rate() for x in series]
        needed = inverse_dynamics(place(self.mech, series, TaylorOperations(ARRAYS)), rates, [x.rate() for x in rates])
        right = _coefficients(needed, len(t), self.order + 1)
        left = np.zeros((len(t), self.order + 1, self.mech.n, len(self.pushes)))
        left[:, 0] = np.array([_full(push.line, self.mech.n) for push in self.pushes]).T
        middle = self._situation(t, motion, len(t) // 2, FLOATS, 1)
        modes = tuple(law.start(middle) for law in self.laws)
        for k in range(len(t)) if self.laws else ():
            modes = self._with_laws(t, motion, k, modes, left[k], right[k])
        found = _solved(self.mech, self.pushes, left, right)
        return [Taylor(list(np.moveaxis(found, 1, 0))).derivatives()[k] for k in range(self.order + 1)]

    def _with_laws(
        self, t: Array, motion: Sequence[Array], k: int, modes: tuple[str, ...], left: Array, right: Array
    ) -> tuple[str, ...]:
        """Add what the laws do at one sample, in modes whose guards hold there; these modes."""
        seen = self._situation(t, motion, k, TaylorOperations(FLOATS), self.order + 1)
        now = self._situation(t, motion, k, FLOATS, 1)
        a = motion[2][k].tolist()
        for _ in range(PATIENCE):
            actions = [law.act(mode, seen) for law, mode in zip(self.laws, modes, strict=True)]
            new_left, new_right = left.copy(), right.copy()
            self._add(actions, a, motion, k, new_left, new_right)
            forces = _solved(self.mech, self.pushes, new_left[None], new_right[None])[0, 0]
            changed = self._changed(actions, modes, now, a, forces)
            if changed == modes:
                left[:], right[:] = new_left, new_right
                return modes
            modes = changed
        raise InputError(
            f"inputs_for_motion: at t = {t[k]:g} s the laws find no modes that fit the motion "
            f"({listed(f'{law.name} {mode}' for law, mode in zip(self.laws, modes, strict=True))}). A self-locking "
            "gear may have to be turned by its joint: no input does that."
        )

    def _situation(self, t: Array, motion: Sequence[Array], k: int, ops: object, length: int) -> Situation:
        """What laws see at a sample: numbers, or series of a length."""
        if length == 1 and ops is FLOATS:
            return Situation(float(t[k]), motion[0][k].tolist(), motion[1][k].tolist(), (), (), FLOATS, self.mech)
        q = [Taylor.of_derivatives([float(x[k, i]) for x in motion[:length]]) for i in range(self.mech.n)]
        v = [Taylor.of_derivatives([float(x[k, i]) for x in motion[1 : length + 1]]) for i in range(self.mech.n)]
        return Situation(Taylor([float(t[k]), 1.0, *[0.0] * length]).cut(length), q, v, (), (), ops, self.mech)  # type: ignore[arg-type]

    def _add(
        self, actions: Sequence[Action], a: Sequence[float], motion: Sequence[Array], k: int, left: Array, right: Array
    ) -> None:
        """Forces and drags go to the right, the shares of drags in the actuators' forces to the left.

        Holds of what rests (sticking friction) carry nothing: any force within their bounds would do as well.
        """
        length = self.order + 1
        accelerations = [Taylor.of_derivatives([float(x[k, i]) for x in motion[2 : 2 + length]]) for i in range(len(a))]
        for action in actions:
            for force in action.forces:
                right -= np.outer(_series(force.value, length), _full(force.line, self.mech.n))
        for drag in (drag for action in actions for drag in action.drags):
            row = _full(drag.push, self.mech.n)
            through = _inflow(drag, [f for action in actions for f in action.forces]) - drag.offset
            for sensed, x in zip(drag.sense, accelerations, strict=True):
                through = through - sensed * x
            right -= np.outer(_series(drag.gain * through, length), row)
            for j, push in enumerate(self.pushes):
                if push.port is not None and push.port == drag.port:
                    left[:, :, j] += np.outer(_series(drag.gain * push.line.share_of(drag.push), length), row)

    def _changed(
        self, actions: Sequence[Action], modes: tuple[str, ...], now: Situation, a: Sequence[float], forces: Array
    ) -> tuple[str, ...]:
        """The modes once the first violated guard is obeyed; what is held at rest is left at rest."""
        at_rest = [law.act(mode, now) for law, mode in zip(self.laws, modes, strict=True)]
        flat = [f for action in at_rest for f in action.forces]
        for j, (law, mode, action) in enumerate(zip(self.laws, modes, at_rest, strict=True)):
            if action.holds:
                continue
            flows = [self._flow(drag, flat, a, forces) for drag in action.drags]
            for guard in law.guards(mode, now, Reaction(a, (), flows)):
                if guard.rate is None and guard.value < -1e-9 * guard.scale:
                    return (*modes[:j], guard.to, *modes[j + 1 :])
        return modes

    def _flow(self, drag: Drag, forces: Sequence[Force], a: Sequence[float], given: Array) -> Scalar:
        own = sum(
            x * push.line.share_of(drag.push)
            for x, push in zip(given, self.pushes, strict=True)
            if push.port is not None and push.port == drag.port
        )
        sensed = sum(s * x for s, x in zip(drag.sense, a, strict=True))
        return own + _inflow(drag, forces) - sensed - drag.offset


def _inflow(drag: Drag, forces: Sequence[Force]) -> Scalar:
    """What forces of laws bring through a drag's port, along its line."""
    total: Scalar = 0.0
    for force in forces:
        if force.port is not None and force.port == drag.port:
            total = total + force.value * force.line.share_of(drag.push)
    return total


def _solved(mech: Mechanism, pushes: Sequence[Push], left: Array, right: Array) -> Array:
    """Coefficients (T, length, actuators) of the forces x with left x = right as series."""
    inverse = np.linalg.pinv(left[:, 0])
    found = np.zeros((*right.shape[:2], left.shape[-1]))
    for k in range(right.shape[1]):
        rest = right[:, k] - sum(np.einsum("tij,tj->ti", left[:, i], found[:, k - i]) for i in range(1, k + 1))
        found[:, k] = np.einsum("tij,tj->ti", inverse, rest)
        if k == 0:
            _refuse_missing(mech, pushes, rest - np.einsum("tij,tj->ti", left[:, 0], found[:, 0]), rest)
    return found


def _refuse_missing(mech: Mechanism, pushes: Sequence[Push], missing: Array, wanted: Array) -> None:
    worst = int(np.abs(missing).max(axis=0).argmax())
    size = float(np.abs(missing[:, worst]).max())
    if size > 1e-8 * (1 + np.abs(wanted).max()):
        raise SingularityError(
            f"inputs_for_motion: no forces of the {len(pushes)} actuators give what {mech.speeds[worst]!r} needs for "
            f"this motion (short by {size:.3g}). Add an actuator, or prescribe a motion that they can make; behind a "
            "spring motor and joint must move as it lets them (motor_motion)."
        )


def _coefficients(values: Sequence[Scalar], count: int, length: int) -> Array:
    """Series of arrays as (T, length, n)."""
    out = np.zeros((count, length, len(values)))
    for i, value in enumerate(values):
        if isinstance(value, Taylor):
            for k, c in enumerate(value.c[:length]):
                out[:, k, i] = c
        else:
            out[:, 0, i] = value
    return out


def _series(value: Scalar, length: int) -> Array:
    """The coefficients of a number or of a series of numbers."""
    c = value.c if isinstance(value, Taylor) else (value,)
    return np.array([float(x) for x in [*c, *[0.0] * length][:length]])


def _full(line: Line, n: int) -> Array:
    row = np.zeros(n)
    for index, factor in line.terms:
        row[index] = factor
    return row
