r"""Impacts: speeds that change at once, by impulses along lines, with what gears lose of them.

During a blow only impulses count. A drag with the gain g and the sense S takes its part of what the wheels before a
gear give back, $p\,g\,(-S\,\Delta v)$, so that $(M + \sum_d p_d g_d S_d)\,\Delta v = W' P$.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.friction.stick_slip import CREEP
from gearwright.forces.law import Action, Drag, Guard, Hold, Impact, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.functions.constrained.impulse_path import impulse_of_impact
from gearwright.functions.dynamics import kinetic_energy
from gearwright.system.evaluation import Evaluation
from gearwright.system.force_balance import rows_of
from gearwright.system.modes.mode_changes import ModeChanges
from gearwright.system.system import Modes, System, drags_in

MOMENT = 1e-9
"""How long a blow takes [s]: what else acts meanwhile does not count beside it."""

ROUNDS = 8
"""Changes of flanks within one blow."""


def kept(system: System, x: Array, evaluation: Evaluation) -> Array:
    """Speeds along held lines as the holds want them, as after a plastic impact of all at once."""
    holds = [hold for hold in evaluation.holds if hold.speed is not None]
    if not holds:
        return x
    v = x[system.v].tolist()
    missing = np.array([_missing(hold, v) for hold in holds])
    if not np.abs(missing).max() > 1e-14 * (1.0 + max(map(abs, v))):
        return x
    blow = Blow(system, evaluation, x[system.v])
    return blow.changed(x, [hold.line for hold in holds], missing)


def after_impact(system: System, x: Array, impact: Impact, evaluation: Evaluation, lossy: bool = True) -> Array:
    """The state after an impact along a line; lines that are held firmly get the speed of their holds.

    First everything comes to rest along the line, then it is thrown back: gears turn one way, then the other. `lossy`
    says whether they take their part.
    """
    holds = [hold for hold in evaluation.holds if hold.speed is not None and hold.firm]
    if impact.across:
        return _rubbed(system, x, impact, evaluation, holds, lossy)
    v, restitution = x[system.v], float(impact.restitution)
    lines = [impact.line, *(hold.line for hold in holds)]
    arriving = float(impact.line.speed(v.tolist()))
    stopping = np.array([-arriving, *(_missing(hold, v.tolist()) for hold in holds)])
    stopped = Blow(system, evaluation, v, lossy).changed(x, lines, stopping)
    if not restitution:
        return stopped
    leaving = stopped[system.v] + restitution * (stopped[system.v] - v)
    back = np.array([-restitution * arriving, *[0.0] * len(holds)])
    return Blow(system, evaluation, leaving, lossy).changed(stopped, lines, back)


def _rubbed(
    system: System, x: Array, impact: Impact, evaluation: Evaluation, holds: Sequence[Hold], lossy: bool
) -> Array:
    """After an impact with friction; lines that are held firmly keep their speeds.

    The speed with which the contact is left is that of lossless gears.
    """
    v, lines = x[system.v], [impact.line, *impact.across]
    felt = felt_along(system, x, lines, holds)
    before = np.array([line.speed(v.tolist()) for line in lines], dtype=float)
    impulse = impulse_of_impact(felt, before, float(impact.friction), float(impact.restitution), impact.law)
    jump = np.concatenate([felt @ impulse, np.zeros(len(holds))])
    return Blow(system, evaluation, v, lossy).changed(x, [*lines, *(hold.line for hold in holds)], jump)


def felt_along(system: System, x: Array, lines: Sequence[Line], holds: Sequence[Hold]) -> Array:
    """J M^-1 J' along lines while others are held: what speeds impulses leave, (lines, lines)."""
    W, kept = rows_of(lines, system.mech.n), rows_of([hold.line for hold in holds], system.mech.n)
    spread = np.linalg.solve(system.compiled.mass_matrix(x[system.q]), np.vstack([W, kept]).T)
    whole, k = np.vstack([W, kept]) @ spread, len(lines)
    answer = -np.linalg.lstsq(whole[k:, k:], whole[k:, :k], rcond=None)[0] if len(holds) else np.zeros((0, k))
    return np.asarray(whole[:k, :k] + whole[:k, k:] @ answer, dtype=np.float64)


def _missing(hold: Hold, v: Sequence[float]) -> float:
    """What is missing of the speed that a hold keeps."""
    return float(hold.speed) - float(hold.line.speed(v))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Blow:
    """A blow during which gears turn in the sense of given speeds.

    Args:
        system: the machine with its laws.
        before: what was known just before.
        v: speeds whose sense counts (n,).
        lossy: whether gears take their part.
    """

    system: System
    before: Evaluation
    v: Array
    lossy: bool = True

    def changed(self, x: Array, lines: Sequence[Line], jump: Array) -> Array:
        """The state with v+ = v + dv and W v+ = W v + jump. What is lost, and what moving frames bring, is booked."""
        system, out, W = self.system, x.copy(), rows_of(lines, self.system.mech.n)
        q, v = x[system.q], x[system.v]
        change, impulses = self._change(system.compiled.mass_matrix(q), W, jump)
        out[system.v] = v + change
        lost = kinetic_energy(system.mech, q, v) - kinetic_energy(system.mech, q, out[system.v])
        brought = -float(impulses @ np.array([line.rate for line in lines], dtype=float))
        out[system.supplied] += brought
        out[system.dissipated] += float(lost) + brought
        return out

    def _change(self, M: Array, W: Array, jump: Array) -> tuple[Array, Array]:
        """The change of speeds and the impulses, with gears on the flanks that it presses; lossless where none fit."""
        situations = [replace(situation, v=self.v.tolist()) for situation in self.before.situations]
        changes = ModeChanges(self._first_modes(situations))
        plain = _moved(M, W, jump)
        for _ in range(ROUNDS * self.lossy):
            actions = self.system.actions(changes.modes, situations)
            drags = drags_in(actions)
            if not any(self._gain(drag) for drag in drags):
                return plain
            pushes = rows_of([drag.push for drag in drags], self.system.mech.n)
            senses = np.array([drag.sense for drag in drags], dtype=float)
            gains = np.array([self._gain(drag) for drag in drags])
            change = _moved(M + (pushes.T * gains) @ senses, W, jump)
            flows = -senses @ change[0]
            if changes.obey(self._guards(changes.modes, situations, actions, change[0], flows)) is None:
                return change
        return plain

    def _gain(self, drag: Drag) -> float:
        """The gain of a gear that turns; one that rests takes nothing, nor does one that locks itself: it would jam."""
        turns = abs(float(drag.push.speed(self.v.tolist()))) > CREEP
        return float(drag.gain) if turns and float(drag.gain) > -1 else 0.0

    def _first_modes(self, situations: Sequence[Situation]) -> Modes:
        """Gears that turn in the sense of the speeds, all other laws as they were: what sticks takes nothing."""
        now = self.system.actions(self.before.modes, situations)
        asked = zip(self.system.laws, self.before.modes, situations, now, strict=True)
        return tuple(
            law.start(situation) if action.drags and not action.holds else mode
            for law, mode, situation, action in asked
        )

    def _guards(
        self, modes: Modes, situations: Sequence[Situation], actions: Sequence[Action], change: Array, flows: Array
    ) -> Iterator[tuple[int, Guard]]:
        """The guards that impulses decide, as if these were forces for a moment."""
        through = iter((flows / MOMENT).tolist())
        a = (change / MOMENT).tolist()
        for k, (law, action) in enumerate(zip(self.system.laws, actions, strict=True)):
            mine = [next(through) for _ in action.drags]
            if mine and not action.holds:
                found = law.guards(modes[k], situations[k], Reaction(a, (), mine))
                yield from ((k, guard) for guard in found if guard.rate is None)


def _moved(M: Array, W: Array, jump: Array) -> tuple[Array, Array]:
    """Dv and P of M dv = W' P with W dv = jump."""
    across = np.linalg.solve(M, W.T)
    impulses = np.asarray(np.linalg.lstsq(W @ across, jump, rcond=None)[0], dtype=np.float64)
    return across @ impulses, impulses
