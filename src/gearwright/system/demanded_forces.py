"""The forces that actuators must give along their lines for a prescribed motion, with time derivatives.

With the known forces f of laws, drags d with their gains g and flows, and unknown forces x_j along actuators' lines b_j

    sum_j (b_j + sum_d g_d s_dj p_d) x_j = M a + h - sum f - sum_d g_d (flow of f - sense . a - offset)_d p_d

where s_dj is the share of an actuator's force that passes a drag's port and p_d the drag's line; everything is a Taylor
series of time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from gearwright.forces.law import Action, Drag, Force, Guard, Reaction
from gearwright.forces.line import Line
from gearwright.forces.scene import Scene
from gearwright.functions.functions import inverse_dynamics as compiled_inverse_dynamics
from gearwright.mechanism.rows import spread
from gearwright.system.mode_changes import ModeChanges
from gearwright.system.motion_pieces import Instant, Piece
from gearwright.system.system import Modes, System, drags_in, flow, inflow, push
from gearwright.text import listed

PATIENCE = 20
"""Changes of mode at one sample before its laws count as contradictory."""


class Push(NamedTuple):
    """An actuator as the machine sees it: the line of its force, and the port it passes."""

    line: Line
    port: str | None


@dataclass(frozen=True)
class DemandedForces:
    """What a machine with laws asks of its actuators.

    Args:
        system: the machine, and what else acts on it: friction, losses.
        pushes: its actuators.
        order: how many time derivatives of the forces are wanted.
    """

    system: System
    pushes: tuple[Push, ...]
    order: int

    def along(self, piece: Piece) -> list[Array]:
        """Forces of the actuators and their derivatives over a smooth piece of motion, each (T, actuators)."""
        n, length = self.system.mech.n, self.order + 1
        left = np.zeros((len(piece.t), length, n, len(self.pushes)))
        right = self._needed(piece)
        modes = piece.likely_modes
        plain = not self.system.laws and all(one.line.constant for one in self.pushes)
        if plain:
            left[:, 0] = np.array([spread(one.line.terms, n) for one in self.pushes]).T
        for k in () if plain else range(len(piece.t)):
            modes = modes if piece.smooth else piece.modes_at(k)
            modes, left[k], right[k] = self._with_laws(piece.instant(k, length), modes, right[k])
        found = _solved(self.system, self.pushes, left, right)
        return Taylor(list(np.moveaxis(found, 1, 0))).derivatives()

    def _needed(self, piece: Piece) -> Array:
        """What the machine alone needs: its inverse dynamics over series of time, (T, order + 1, n)."""
        if not self.order:
            at, speed, acceleration = piece.motion[:3]
            return compiled_inverse_dynamics(self.system.mech, at, speed, acceleration)[:, None]
        q = [Taylor.of_derivatives([x[:, i] for x in piece.motion]) for i in range(self.system.mech.n)]
        v = [x.rate() for x in q]
        needed = inverse_dynamics(place(self.system.mech, q, TaylorOperations(ARRAYS)), v, [x.rate() for x in v])
        return np.stack([_coefficients(x, self.order + 1, len(piece.t)) for x in needed], axis=-1)

    def _with_laws(self, instant: Instant, modes: Modes, needed: Array) -> tuple[Modes, Array, Array]:
        """Modes whose guards hold at one instant, and both sides of the balance with what the laws do in them."""
        changes = ModeChanges(modes)
        for _ in range(PATIENCE):
            left, right = self._balance(instant, changes.modes, needed)
            forces = _solved(self.system, self.pushes, left[None], right[None])[0, 0]
            if changes.obey(self._guards(instant, changes.modes, forces.tolist())) is None:
                return changes.modes, left, right
        named = zip(self.system.laws, changes.modes, strict=True)
        raise InputError(
            f"demands: at t = {instant.numbers.t:g} s the laws find no modes that fit the motion "
            f"({listed(f'{law.name} {mode}' for law, mode in named)}). A self-locking gear may have to be turned by "
            "its joint: no input does that."
        )

    def _balance(self, instant: Instant, modes: Modes, needed: Array) -> tuple[Array, Array]:
        """Both sides at one instant, (order + 1, n, actuators) and (order + 1, n).

        Holds of what rests (sticking friction) carry nothing: any force within their bounds would do as well.
        """
        t, x, u, a = instant.series
        length, ops = self.order + 1, TaylorOperations(FLOATS)
        scene = Scene(self.system.mech, x.q, x.v, ops, t)
        actions = self.system.actions(modes, self.system.situations(ops, t, x, u, scene))
        known = self.system.forces(u, actions)
        for drag, entering in zip(drags_in(actions), self.system.inflows(u, actions), strict=True):
            push(known, drag.push, drag.gain * flow(drag, entering, a))
        pushes = (Force(one.line.placed(scene), 1.0, one.port) for one in self.pushes)
        columns = [self._column(unit, drags_in(actions), length) for unit in pushes]
        return np.stack(columns, axis=-1), needed - np.stack([_coefficients(x, length) for x in known], axis=-1)

    def _column(self, unit: Force, drags: Sequence[Drag], length: int) -> Array:
        """What a unit of an actuator's force is to the machine once the drags have taken theirs, (order + 1, n)."""
        total = [0.0] * self.system.mech.n
        push(total, unit.line, unit.value)
        for drag in drags:
            push(total, drag.push, drag.gain * inflow(drag, [unit]))
        return np.stack([_coefficients(x, length) for x in total], axis=-1)

    def _guards(self, instant: Instant, modes: Modes, given: Sequence[float]) -> Iterator[tuple[int, Guard]]:
        """The guards that forces decide; which way things move is prescribed, and what is held at rest is left so."""
        t, x, u, a = instant.numbers
        scene = Scene(self.system.mech, x.q, x.v, FLOATS, t)
        situations = self.system.situations(FLOATS, t, x, u, scene)
        actions = self.system.actions(modes, situations)
        forces = [Force(one.line.placed(scene), value, one.port) for one, value in zip(self.pushes, given, strict=True)]
        through = iter(self.system.inflows(u, [Action(forces=tuple(forces)), *actions]))
        for k, (law, action) in enumerate(zip(self.system.laws, actions, strict=True)):
            flows = [flow(drag, next(through), a) for drag in action.drags]
            if not action.holds:
                found = law.guards(modes[k], situations[k], Reaction(a, (), flows))
                yield from ((k, guard) for guard in found if guard.rate is None)


def _solved(system: System, pushes: Sequence[Push], left: Array, right: Array) -> Array:
    """Coefficients (T, length, actuators) of the forces x with left x = right as series."""
    inverse = np.linalg.pinv(left[:, 0])
    found = np.zeros((*right.shape[:2], left.shape[-1]))
    for k in range(right.shape[1]):
        rest = right[:, k] - sum(np.einsum("tij,tj->ti", left[:, i], found[:, k - i]) for i in range(1, k + 1))
        found[:, k] = np.einsum("tij,tj->ti", inverse, rest)
        if k == 0:
            _refuse_missing(system, pushes, rest - np.einsum("tij,tj->ti", left[:, 0], found[:, 0]), rest)
    return found


def _refuse_missing(system: System, pushes: Sequence[Push], missing: Array, wanted: Array) -> None:
    worst = int(np.abs(missing).max(axis=0).argmax())
    size = float(np.abs(missing[:, worst]).max())
    if size > 1e-8 * (1 + np.abs(wanted).max()):
        name = system.mech.speeds[worst]
        raise SingularityError(
            f"demands: no forces of the {len(pushes)} actuators give what {name!r} needs for this motion "
            f"(short by {size:.3g}): a gear transmits nothing. Check its efficiency, or leave its losses out."
        )


def _coefficients(value: Scalar, length: int, count: int | None = None) -> Array:
    """The coefficients of a series or of a number, (length,), or (T, length) of a series of arrays."""
    out = np.zeros((length,) if count is None else (length, count))
    for k, c in enumerate((value.c if isinstance(value, Taylor) else (value,))[:length]):
        out[k] = c
    return out if count is None else out.T
