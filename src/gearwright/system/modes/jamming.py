r"""Jamming of gears by a contact: the Painleve paradox, where no finite contact force is consistent.

A force along a contact's row W that grows beyond all others changes the speeds by

$$(M + \sum_d p_d g_d S_d)\,dv = W' dP,$$

with the gear flanks that this impulse alone loads. Through self-locking gears $W\,dv / dP$ may be negative: a larger
contact force presses the contact further in. The impulse then grows until gears come to rest in sequence and hold; from
there on the contact separates again, until the speed along W has its initial value. It is an impact without collision,
as friction causes them (Genot and Brogliato, 1999), and the limit of increasingly stiff surfaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.forces import Action, Hold, Reaction
from gearwright.forces.contact.contact import FREE_MODE, Contact
from gearwright.forces.event_tolerances import BREAKAWAY_SPEED, IMPACT_DURATION
from gearwright.forces.transmission.gear_losses import STUCK_MODE, GearLoss
from gearwright.functions import kinetic_energy
from gearwright.system.evaluation import Evaluation
from gearwright.system.force_balance import ConstraintArrays
from gearwright.system.modes.mode_changes import IndexedGuards, ModeChanges, most_violated, with_mode
from gearwright.system.system import Modes, all_drags

JAM_REST_RATIO = 1e-12
"""Approach speed, relative to the largest speed, up to which a contact counts as stopped (rounding)."""

MAX_JAM_FLANK_CHANGES = 40
"""Largest number of flank changes under one growing impulse."""


def is_jam(evaluation: Evaluation, index: int, mode: str) -> bool:
    """Whether a mode would stop a turning gear instantaneously."""
    law = evaluation.system.laws[index]
    return (
        isinstance(law, GearLoss)
        and mode == STUCK_MODE
        and abs(evaluation.situations[index].speed(law.line)) > BREAKAWAY_SPEED
    )


def jam_by_itself(evaluation: Evaluation) -> int | None:
    """The index of the gear law that jams by its own guard; None if there is none."""
    jams = [(k, guard) for k, guard in evaluation.guards if is_jam(evaluation, k, guard.to)]
    worst = most_violated(jams, {})
    return None if worst is None else worst[0]


def jam_by_contact(x: Array, evaluation: Evaluation) -> tuple[Modes, Array] | None:
    """The modes and the state after a closed contact has jammed gears; None if no contact is pressed in.

    The state includes the work of a moving surface and the energy loss.
    """
    system = evaluation.system
    M = system.compiled_machine.mass_matrix(x[system.q])
    for index, law in enumerate(system.laws):
        if isinstance(law, Contact) and evaluation.modes[index] != FREE_MODE:
            jam = _ContactPressing(evaluation, M, index).follow_impulse(x[system.v])
            if jam is not None:
                return jam.modes, _with_impact_energy(x, evaluation, index, jam)
    return None


class _JamResult(NamedTuple):
    """Modes and speeds after gears have jammed, and the impulse of the contact."""

    modes: Modes
    v: Array
    impulse: float


def _with_impact_energy(x: Array, evaluation: Evaluation, contact: int, jam: _JamResult) -> Array:
    system, changed_state = evaluation.system, x.copy()
    law, situation = system.laws[contact], evaluation.situations[contact]
    assert isinstance(law, Contact)
    changed_state[system.v] = jam.v
    energies = (kinetic_energy(system.mech, x[system.q], v) for v in (x[system.v], jam.v))
    lost_energy = float(np.subtract(*energies))
    supplied_work = -jam.impulse * float(law.surface_impact(situation).line.placed_in(situation.kinematics).time_rate)
    changed_state[system.supplied_index] += supplied_work
    changed_state[system.dissipated_index] += lost_energy + supplied_work
    return changed_state


class _ImpulsePhase(NamedTuple):
    """Modes with the flanks that an impulse loads, the contact's row, and the speeds per unit impulse."""

    modes: Modes
    row: Array
    change: Array

    @property
    def normal_rate(self) -> float:
        """The contact's separation speed per unit impulse."""
        return float(self.row @ self.change)


@dataclass(frozen=True)
class _ContactPressing:
    """A contact whose impulse dominates all other forces.

    Args:
        evaluation: the evaluation with the contact closed.
        M: mass matrix.
        contact: the index of the contact's law.
    """

    evaluation: Evaluation
    M: Array
    contact: int

    def follow_impulse(self, v: Array) -> _JamResult | None:
        """The result after the impulse has stopped the approach; None if there is none, or if it does not stop."""
        phase = self._impulse_phase(self.evaluation.modes)
        if phase is None or phase.normal_rate >= 0:
            return None
        penetration_speed, impulse, rest_speed = 0.0, 0.0, JAM_REST_RATIO * float(np.abs(v).max())
        while phase is not None:
            release_impulse = -penetration_speed / phase.normal_rate if phase.normal_rate > 0 else np.inf
            gear, until = self._next_at_rest(phase, v)
            added_impulse = min(release_impulse, until)
            if not np.isfinite(added_impulse):
                return None
            v, penetration_speed, impulse = (
                v + added_impulse * phase.change,
                penetration_speed + added_impulse * phase.normal_rate,
                impulse + added_impulse,
            )
            modes = with_mode(phase.modes, gear, STUCK_MODE) if until < release_impulse else phase.modes
            if release_impulse <= until or penetration_speed > -rest_speed:
                return _JamResult(modes, v, impulse)
            phase = self._impulse_phase(modes)
        return None

    def _next_at_rest(self, phase: _ImpulsePhase, v: Array) -> tuple[int, float]:
        """The index of the gear law that comes to rest next, and the impulse at that point."""
        ends = {-1: np.inf}
        for k, law in enumerate(self.evaluation.system.laws):
            if isinstance(law, GearLoss) and phase.modes[k] != STUCK_MODE:
                speed, rate = (float(law.line.speed(x.tolist())) for x in (v, phase.change))
                if speed * rate < 0:
                    ends[k] = -speed / rate
        return min(ends.items(), key=lambda end: end[1])

    def _impulse_phase(self, modes: Modes) -> _ImpulsePhase | None:
        """The phase with the flanks that the impulse loads; None if no flanks are consistent."""
        changes = ModeChanges(modes)
        for _ in range(MAX_JAM_FLANK_CHANGES):
            actions = self.evaluation.system.law_actions(changes.modes, self.evaluation.situations)
            row, change, flows = self._speeds_per_impulse(actions)
            if changes.apply_worst_guard(self._flank_guards(changes.modes, actions, change, flows)) is None:
                return _ImpulsePhase(changes.modes, row, change)
        return None

    def _speeds_per_impulse(self, actions: Sequence[Action]) -> tuple[Array, Array, Array]:
        """The contact's row, the speeds per unit impulse along it, and the flows through the drags."""
        n, drags = self.evaluation.system.mech.n, all_drags(actions)
        constraints = ConstraintArrays.from_holds_and_drags(n, list(_firm_holds(actions)), drags, [0.0] * len(drags))
        pull = constraints.pushes.T * constraints.gains
        responses = np.linalg.solve(self.M + pull @ constraints.senses, constraints.rows.T + pull @ constraints.shares)
        contact_index = len(list(_firm_holds(actions[: self.contact])))
        other_indices = [k for k in range(len(constraints.rows)) if k != contact_index]
        impulses = np.zeros(len(constraints.rows))
        impulses[contact_index] = 1.0
        if other_indices:
            held = constraints.rows[other_indices]
            impulses[other_indices] = -np.linalg.lstsq(
                held @ responses[:, other_indices], held @ responses[:, contact_index], rcond=None
            )[0]
        change = responses @ impulses
        return constraints.rows[contact_index], change, constraints.shares @ impulses - constraints.senses @ change

    def _flank_guards(self, modes: Modes, actions: Sequence[Action], change: Array, flows: Array) -> IndexedGuards:
        """The guards of flanks, evaluated with the impulse as a force."""
        through, a = iter((flows / IMPACT_DURATION).tolist()), (change / IMPACT_DURATION).tolist()
        for k, (law, action) in enumerate(zip(self.evaluation.system.laws, actions, strict=True)):
            law_flows = [next(through) for _ in action.drags]
            if isinstance(law, GearLoss) and not action.holds:
                guards = law.guards(modes[k], self.evaluation.situations[k], Reaction(a, (), law_flows))
                yield from ((k, guard) for guard in guards if guard.rate is None)


def _firm_holds(actions: Sequence[Action]) -> Iterator[Hold]:
    """The firm holds, which resist any impulse."""
    return (hold for action in actions for hold in action.holds if hold.is_firm)
