r"""Gears that a contact jams: the paradox of Painleve, where no finite force of the contact is consistent.

A force along a contact's row W that grows beyond all others changes the speeds by

$$(M + \sum_d p_d g_d S_d)\,dv = W' dP,$$

with the flanks of all gears as this impulse alone presses them. Through gears that lock themselves $W\,dv / dP$ may be
negative: the more the contact pushes, the more it is pressed in. Then the impulse grows until gears come to rest, one
after the other, where they hold; from there on the contact pushes itself out of the surface again, until the speed
along W is what it was. It is an impact without collision, as friction makes them (Genot and Brogliato, 1999), and the
limit of ever stiffer surfaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.contact.contact import FREE, Contact
from gearwright.forces.friction.stick_slip import CREEP
from gearwright.forces.law import Action, Hold, Reaction
from gearwright.forces.transmission.gear_losses import STUCK, GearLoss
from gearwright.functions.dynamics import kinetic_energy
from gearwright.system.evaluation import Evaluation
from gearwright.system.force_balance import Ties
from gearwright.system.modes.impacts import MOMENT
from gearwright.system.modes.mode_changes import Guards, ModeChanges, most_violated, with_mode
from gearwright.system.system import Modes, drags_in

STILL = 1e-12
"""Share of the largest speed up to which a contact is pressed in no more: where all has stopped, rounding is left."""

ROUNDS = 40
"""Changes of flanks under one growing impulse."""


def is_jam(evaluation: Evaluation, index: int, mode: str) -> bool:
    """Whether a mode would stop a gear that turns at once."""
    law = evaluation.system.laws[index]
    return isinstance(law, GearLoss) and mode == STUCK and abs(evaluation.situations[index].speed(law.line)) > CREEP


def own_jam(evaluation: Evaluation) -> int | None:
    """The law of the gear that jams by what its own guard says; None where none does."""
    jams = [(k, guard) for k, guard in evaluation.guards if is_jam(evaluation, k, guard.to)]
    worst = most_violated(jams, {})
    return None if worst is None else worst[0]


def pressed_until_jammed(x: Array, evaluation: Evaluation) -> tuple[Modes, Array] | None:
    """The modes and the state after a contact that touches has jammed gears; None where none is pressed in.

    The work that a surface that moves brings, and the energy lost, are booked.
    """
    system = evaluation.system
    M = system.compiled.mass_matrix(x[system.q])
    for index, law in enumerate(system.laws):
        if isinstance(law, Contact) and evaluation.modes[index] != FREE:
            found = _Pressing(evaluation, M, index).followed(x[system.v])
            if found is not None:
                return found.modes, _booked(x, evaluation, index, found)
    return None


class _Jammed(NamedTuple):
    """Modes and speeds after gears have jammed, and the impulse of the contact."""

    modes: Modes
    v: Array
    impulse: float


def _booked(x: Array, evaluation: Evaluation, contact: int, found: _Jammed) -> Array:
    system, out = evaluation.system, x.copy()
    law, situation = system.laws[contact], evaluation.situations[contact]
    assert isinstance(law, Contact)
    out[system.v] = found.v
    energies = (kinetic_energy(system.mech, x[system.q], v) for v in (x[system.v], found.v))
    lost = float(np.subtract(*energies))
    brought = -found.impulse * float(law.blow(situation).line.placed(situation.scene).rate)
    out[system.supplied] += brought
    out[system.dissipated] += lost + brought
    return out


class _Phase(NamedTuple):
    """Modes whose flanks an impulse presses, the contact's row, and the speeds per impulse."""

    modes: Modes
    row: Array
    change: Array

    @property
    def rate(self) -> float:
        """The contact's speed out of the surface, per impulse."""
        return float(self.row @ self.change)


@dataclass(frozen=True)
class _Pressing:
    """A contact that presses harder than everything else acts.

    Args:
        evaluation: what is known with the contact touching.
        M: mass matrix.
        contact: the law of the contact.
    """

    evaluation: Evaluation
    M: Array
    contact: int

    def followed(self, v: Array) -> _Jammed | None:
        """After the impulse has grown until the contact is pressed in no more; None where it never is, or always."""
        phase = self._phase(self.evaluation.modes)
        if phase is None or phase.rate >= 0:
            return None
        inward, impulse, still = 0.0, 0.0, STILL * float(np.abs(v).max())
        while phase is not None:
            out = -inward / phase.rate if phase.rate > 0 else np.inf
            gear, until = self._next_at_rest(phase, v)
            more = min(out, until)
            if not np.isfinite(more):
                return None
            v, inward, impulse = v + more * phase.change, inward + more * phase.rate, impulse + more
            modes = with_mode(phase.modes, gear, STUCK) if until < out else phase.modes
            if out <= until or inward > -still:
                return _Jammed(modes, v, impulse)
            phase = self._phase(modes)
        return None

    def _next_at_rest(self, phase: _Phase, v: Array) -> tuple[int, float]:
        """The law of the gear that is at rest next, and after which impulse."""
        ends = {-1: np.inf}
        for k, law in enumerate(self.evaluation.system.laws):
            if isinstance(law, GearLoss) and phase.modes[k] != STUCK:
                speed, rate = (float(law.line.speed(x.tolist())) for x in (v, phase.change))
                if speed * rate < 0:
                    ends[k] = -speed / rate
        return min(ends.items(), key=lambda end: end[1])

    def _phase(self, modes: Modes) -> _Phase | None:
        """With gears on the flanks that the impulse presses; None where none fit."""
        changes = ModeChanges(modes)
        for _ in range(ROUNDS):
            actions = self.evaluation.system.actions(changes.modes, self.evaluation.situations)
            row, change, flows = self._moved(actions)
            if changes.obey(self._guards(changes.modes, actions, change, flows)) is None:
                return _Phase(changes.modes, row, change)
        return None

    def _moved(self, actions: Sequence[Action]) -> tuple[Array, Array, Array]:
        """The contact's row, speeds per impulse along it, and what then goes through the drags."""
        n, drags = self.evaluation.system.mech.n, drags_in(actions)
        ties = Ties.of(n, list(_firm(actions)), drags, [0.0] * len(drags))
        pull = ties.pushes.T * ties.gains
        across = np.linalg.solve(self.M + pull @ ties.senses, ties.rows.T + pull @ ties.shares)
        own = len(list(_firm(actions[: self.contact])))
        others = [k for k in range(len(ties.rows)) if k != own]
        impulses = np.zeros(len(ties.rows))
        impulses[own] = 1.0
        if others:
            held = ties.rows[others]
            impulses[others] = -np.linalg.lstsq(held @ across[:, others], held @ across[:, own], rcond=None)[0]
        change = across @ impulses
        return ties.rows[own], change, ties.shares @ impulses - ties.senses @ change

    def _guards(self, modes: Modes, actions: Sequence[Action], change: Array, flows: Array) -> Guards:
        """The guards of flanks, which the impulse decides as if it were a force for a moment."""
        through, a = iter((flows / MOMENT).tolist()), (change / MOMENT).tolist()
        for k, (law, action) in enumerate(zip(self.evaluation.system.laws, actions, strict=True)):
            mine = [next(through) for _ in action.drags]
            if isinstance(law, GearLoss) and not action.holds:
                found = law.guards(modes[k], self.evaluation.situations[k], Reaction(a, (), mine))
                yield from ((k, guard) for guard in found if guard.rate is None)


def _firm(actions: Sequence[Action]) -> Iterator[Hold]:
    """What holds against any impulse."""
    return (hold for action in actions for hold in action.holds if hold.firm)
