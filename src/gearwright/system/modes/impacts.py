r"""Impacts: instantaneous changes of speeds by impulses along lines, with gear losses.

During an impact only impulses act. A drag with the gain g and the sense S contributes in proportion to the inertial
impulse of the wheels before a gear, $p\,g\,(-S\,\Delta v)$, so $(M + \sum_d p_d g_d S_d)\,\Delta v = W' P$.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gearwright.arrays import Array
from gearwright.forces import Action, Drag, Guard, Hold, Impact, Line, Reaction, Situation
from gearwright.forces.event_tolerances import BREAKAWAY_SPEED, HELD_SPEED_ROUNDING, IMPACT_DURATION, MAX_FLANK_CHANGES
from gearwright.functions import kinetic_energy
from gearwright.functions.constrained.impulse_path import impulse_of_impact
from gearwright.system.evaluation import Evaluation
from gearwright.system.force_balance import line_rows
from gearwright.system.modes.mode_changes import ModeChanges
from gearwright.system.system import Modes, System, all_drags


def with_held_speeds(system: System, x: Array, evaluation: Evaluation) -> Array:
    """The state with the speeds of all holds, as after a simultaneous plastic impact."""
    holds = [hold for hold in evaluation.holds if hold.speed is not None]
    if not holds:
        return x
    v = x[system.v].tolist()
    speed_errors = np.array([_missing_speed(hold, v) for hold in holds])
    if not np.abs(speed_errors).max() > HELD_SPEED_ROUNDING * (1.0 + max(map(abs, v))):
        return x
    impact = ImpulsiveMotion(system, evaluation, x[system.v])
    return impact.apply_jump(x, [hold.line for hold in holds], speed_errors)


def after_impact(system: System, x: Array, impact: Impact, evaluation: Evaluation, lossy: bool = True) -> Array:
    """The state after an impact along a line; firm holds keep their speeds.

    Compression stops the speed along the line, then restitution reverses it: gears turn in one direction, then in the
    other. `lossy` selects whether gear losses act.
    """
    holds = [hold for hold in evaluation.holds if hold.speed is not None and hold.is_firm]
    if impact.across:
        return _after_frictional_impact(system, x, impact, evaluation, holds, lossy)
    v, restitution = x[system.v], float(impact.restitution)
    lines = [impact.line, *(hold.line for hold in holds)]
    arriving = float(impact.line.speed(v.tolist()))
    stopping_jump = np.array([-arriving, *(_missing_speed(hold, v.tolist()) for hold in holds)])
    stopped = ImpulsiveMotion(system, evaluation, v, lossy).apply_jump(x, lines, stopping_jump)
    if not restitution:
        return stopped
    leaving = stopped[system.v] + restitution * (stopped[system.v] - v)
    rebound_jump = np.array([-restitution * arriving, *[0.0] * len(holds)])
    return ImpulsiveMotion(system, evaluation, leaving, lossy).apply_jump(stopped, lines, rebound_jump)


def _after_frictional_impact(
    system: System, x: Array, impact: Impact, evaluation: Evaluation, holds: Sequence[Hold], lossy: bool
) -> Array:
    """The state after an impact with friction; firm holds keep their speeds.

    The separation speed is that of lossless gears.
    """
    v, lines = x[system.v], [impact.line, *impact.across]
    inertia_inverse = inverse_inertia_along(system, x, lines, holds)
    before = np.array([line.speed(v.tolist()) for line in lines], dtype=float)
    impulse = impulse_of_impact(inertia_inverse, before, float(impact.friction), float(impact.restitution), impact.law)
    jump = np.concatenate([inertia_inverse @ impulse, np.zeros(len(holds))])
    return ImpulsiveMotion(system, evaluation, v, lossy).apply_jump(x, [*lines, *(hold.line for hold in holds)], jump)


def inverse_inertia_along(system: System, x: Array, lines: Sequence[Line], holds: Sequence[Hold]) -> Array:
    """J M^-1 J' along lines under constraints: speeds per unit impulse, (lines, lines)."""
    W, held_rows = line_rows(lines, system.mech.n), line_rows([hold.line for hold in holds], system.mech.n)
    spread = np.linalg.solve(system.compiled_machine.mass_matrix(x[system.q]), np.vstack([W, held_rows]).T)
    whole, k = np.vstack([W, held_rows]) @ spread, len(lines)
    reaction = -np.linalg.lstsq(whole[k:, k:], whole[k:, :k], rcond=None)[0] if len(holds) else np.zeros((0, k))
    return np.asarray(whole[:k, :k] + whole[:k, k:] @ reaction, dtype=np.float64)


def _missing_speed(hold: Hold, v: Sequence[float]) -> float:
    """The speed error of a hold."""
    return float(hold.speed) - float(hold.line.speed(v))  # type: ignore[arg-type]


@dataclass(frozen=True)
class ImpulsiveMotion:
    """An impact during which gears turn in the direction of given speeds.

    Args:
        system: the machine with its laws.
        before: the evaluation just before.
        v: speeds (n,) whose signs are used.
        lossy: whether gear losses act.
    """

    system: System
    before: Evaluation
    v: Array
    lossy: bool = True

    def apply_jump(self, x: Array, lines: Sequence[Line], jump: Array) -> Array:
        """The state with v+ = v + dv and W v+ = W v + jump, with the energy loss and the work of moving frames."""
        system, changed_state, W = self.system, x.copy(), line_rows(lines, self.system.mech.n)
        q, v = x[system.q], x[system.v]
        change, impulses = self._speed_change(system.compiled_machine.mass_matrix(q), W, jump)
        changed_state[system.v] = v + change
        lost_energy = kinetic_energy(system.mech, q, v) - kinetic_energy(system.mech, q, changed_state[system.v])
        supplied_work = -float(impulses @ np.array([line.time_rate for line in lines], dtype=float))
        changed_state[system.supplied_index] += supplied_work
        changed_state[system.dissipated_index] += float(lost_energy) + supplied_work
        return changed_state

    def impulses(self, x: Array, lines: Sequence[Line], jump: Array) -> Array:
        """The impulses along the lines that change the speeds along them by `jump`."""
        M = self.system.compiled_machine.mass_matrix(x[self.system.q])
        return self._speed_change(M, line_rows(lines, self.system.mech.n), jump)[1]

    def _speed_change(self, M: Array, W: Array, jump: Array) -> tuple[Array, Array]:
        """The change of speeds and the impulses with consistent gear flanks; lossless if none are consistent."""
        situations = [replace(situation, v=self.v.tolist()) for situation in self.before.situations]
        changes = ModeChanges(self._initial_modes(situations))
        lossless_change = _solve_jump(M, W, jump)
        for _ in range(MAX_FLANK_CHANGES * self.lossy):
            actions = self.system.law_actions(changes.modes, situations)
            drags = all_drags(actions)
            if not any(self._gear_gain(drag) for drag in drags):
                return lossless_change
            pushes = line_rows([drag.push for drag in drags], self.system.mech.n)
            senses = np.array([drag.sense for drag in drags], dtype=float)
            gains = np.array([self._gear_gain(drag) for drag in drags])
            change = _solve_jump(M + (pushes.T * gains) @ senses, W, jump)
            flows = -senses @ change[0]
            if (
                changes.apply_worst_guard(self._impulse_guards(changes.modes, situations, actions, change[0], flows))
                is None
            ):
                return change
        return lossless_change

    def _gear_gain(self, drag: Drag) -> float:
        """The gain of a turning gear; zero for a gear at rest and for a self-locking gear, which would jam."""
        return float(drag.gain) if self._is_turning(drag) and float(drag.gain) > -1 else 0.0

    def _is_turning(self, drag: Drag) -> bool:
        return abs(float(drag.push.speed(self.v.tolist()))) > BREAKAWAY_SPEED

    def _initial_modes(self, situations: Sequence[Situation]) -> Modes:
        """The modes of gears by the signs of the speeds, all other laws unchanged: sticking friction has no loss."""
        actions = self.system.law_actions(self.before.modes, situations)
        law_states = zip(self.system.laws, self.before.modes, situations, actions, strict=True)
        return tuple(
            law.initial_mode(situation) if action.drags and not action.holds else mode
            for law, mode, situation, action in law_states
        )

    def _impulse_guards(
        self, modes: Modes, situations: Sequence[Situation], actions: Sequence[Action], change: Array, flows: Array
    ) -> Iterator[tuple[int, Guard]]:
        """The guards of turning gears that depend on impulses, evaluated with the impulses as forces.

        Gears at rest transmit no impulse, and the sign of their speed is rounding.
        """
        through = iter((flows / IMPACT_DURATION).tolist())
        a = (change / IMPACT_DURATION).tolist()
        for k, (law, action) in enumerate(zip(self.system.laws, actions, strict=True)):
            law_flows = [next(through) for _ in action.drags]
            if law_flows and not action.holds and all(map(self._is_turning, action.drags)):
                guards = law.guards(modes[k], situations[k], Reaction(a, (), law_flows))
                yield from ((k, guard) for guard in guards if guard.rate is None)


def _solve_jump(M: Array, W: Array, jump: Array) -> tuple[Array, Array]:
    """The solution dv and P of M dv = W' P with W dv = jump."""
    responses = np.linalg.solve(M, W.T)
    impulses = np.asarray(np.linalg.lstsq(W @ responses, jump, rcond=None)[0], dtype=np.float64)
    return responses @ impulses, impulses
