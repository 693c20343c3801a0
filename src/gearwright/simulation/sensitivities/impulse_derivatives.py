r"""Derivatives of the state after an event: impacts along a line, and holds that begin.

Impulses P along lines W change the speeds: $M (v^+ - v^-) = W' P$ with $W v^+ = s$. An impact has
$s = -e\,w^-$ along its line, a hold its own speed. The derivatives follow from these equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import Operations
from gearwright.arrays import Array
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place_machine
from gearwright.mechanism import Mechanism, dense_row, row_dot
from gearwright.programs.program import Inputs
from gearwright.simulation.fixed_step.batch_program import BatchProgram
from gearwright.simulation.fixed_step.step_program import LAW_NUMBERS
from gearwright.simulation.sensitivities.balance_derivatives import BalanceDerivatives
from gearwright.system.kernels.all_modes import LawTable
from gearwright.system.system import Modes
from gearwright.system.vector_program import vector_program


@dataclass(frozen=True)
class ImpulseDerivatives:
    """The traced impulses of a system with parameters.

    Args:
        balance: the balance of the same system.
    """

    balance: BalanceDerivatives

    @cached_property
    def impact_guards(self) -> tuple[int, ...]:
        """The indices of the guards with an impact."""
        return tuple(k for k, (_, guard) in enumerate(self.balance.table.guards) if guard.impact is not None)

    @cached_property
    def _programs(self) -> tuple[BatchProgram, BatchProgram]:
        n, holds, impacts = self.balance.system.mech.n, len(self.balance.table.holds), len(self.impact_guards)
        known = self.balance.input_sizes
        sizes = {"x": known["x"], "t": 1, "u": known["u"], "dv": n}
        sizes |= {LAW_NUMBERS: known[LAW_NUMBERS]} if LAW_NUMBERS in known else {}
        program = vector_program("impulses", sizes, n + (holds + impacts) * (n + 1), self._formula)
        job = replace(self.balance.parametric.job, program=program)
        varied = tuple(name for name in job.input_sizes() if name != "dv")
        return BatchProgram(job), BatchProgram(replace(job, wrt=varied))

    def _formula(self, mech: Mechanism, ops: Operations, values: Inputs) -> list[Any]:
        table = self.balance.symbolic_table(mech, values)
        x, n = table.system.motion_of(values["x"]), mech.n
        M = mass_matrix(place_machine(mech, x.q, ops))
        arguments = {**values, "chosen": [1.0] * len(table.choices)}
        holds = [hold for action in table.mode_actions(mech, ops, arguments) for hold in action.holds]
        impacts = [impact for impact in _impacts(table, mech, ops, values) if impact is not None]
        return [
            [row_dot(tuple(enumerate(row)), values["dv"]) for row in M],
            [[*dense_row(hold.line.terms, n), 0.0 if hold.speed is None else hold.speed] for hold in holds],
            [[*dense_row(impact.line.terms, n), impact.restitution] for impact in impacts],
        ]

    def state_after(
        self, instant: tuple[Array, float, Array], modes: tuple[Modes, Modes], guard: int | None, opens: bool = False
    ) -> tuple[Array, Array]:
        """The state after an event (L,) and its derivatives (L, K) by [x, t, u, p].

        Args:
            instant: state, time and inputs just before.
            modes: before and after.
            guard: the index of the guard whose impact takes place; None: none.
            opens: whether the impact opens the stops whose mode changes.
        """
        before, after = modes
        size, columns = self.balance.size, self.balance.size + 1 + len(instant[2]) + len(self.balance.parameters)
        x, slopes = instant[0].copy(), np.eye(size, columns)
        if guard is not None:
            firm = self._current_holds(before, after if opens else before, firm=True)
            x, slopes = self._jump((x, *instant[1:]), slopes, firm, self.impact_guards.index(guard))
        holds = self._current_holds(after, after)
        return self._jump((x, *instant[1:]), slopes, holds, None) if holds else (x, slopes)

    def _current_holds(self, modes: Modes, later_modes: Modes, firm: bool = False) -> list[int]:
        return [
            k
            for k, ((law, mode), hold) in enumerate(self.balance.table.holds)
            if modes[law] == later_modes[law] == mode and hold.speed is not None and (hold.is_firm or not firm)
        ]

    def _jump(
        self, instant: tuple[Array, float, Array], slopes: Array, holds: Sequence[int], impact: int | None
    ) -> tuple[Array, Array]:
        """State and derivatives after the impulses of some holds and of an impact."""
        n, system = self.balance.system.mech.n, self.balance.system
        count = len(self.balance.table.holds)
        rows = [*([] if impact is None else [count + impact]), *holds]
        x, v = instant[0], instant[0][system.v]
        values, derivative = self._evaluate(instant, np.zeros(n))
        M = np.stack([self._evaluate(instant, unit, slopes=False)[0][:n] for unit in np.eye(n)], axis=1)
        lines, line_slopes = self._rows(values, derivative, rows)
        W, targets = lines[:, :n], lines[:, n].copy()
        first = [] if impact is None else [0]
        restitution = targets[first]
        targets[first] = -restitution * (W[first] @ v)
        matrix = np.block([[M, -W.T], [W, np.zeros((len(rows), len(rows)))]])
        change = _least(matrix, np.concatenate([np.zeros(n), targets - W @ v]))
        dv, impulses = change[:n], change[n:]
        inertia_slopes = self._evaluate(instant, dv)[1][:n]
        # Derivatives by the direct columns [x, t, u, p] of this stage, then by the chain through x.
        W_slopes, target_slopes = line_slopes[:, :n], line_slopes[:, n].copy()
        speeds = np.zeros((n, derivative.shape[1]))
        speeds[:, system.v] = np.eye(n)
        target_slopes[first] = -(
            line_slopes[first][:, n] * (W[first] @ v)[:, None]
            + restitution[:, None] * (np.einsum("kjc,j->kc", W_slopes[first], v) + W[first] @ speeds)
        )
        right = np.concatenate(
            [
                -inertia_slopes + np.einsum("kjc,k->jc", W_slopes, impulses),
                target_slopes - np.einsum("kjc,j->kc", W_slopes, v + dv) - W @ speeds,
            ]
        )
        after, whole = x.copy(), np.eye(self.balance.size, derivative.shape[1])
        after[system.v] = v + dv
        whole[system.v] += _least(matrix, right)[:n]
        size = self.balance.size
        chained = whole[:, :size] @ slopes
        chained[:, size:] += whole[:, size:]
        return after, chained

    def _rows(self, values: Array, derivative: Array, rows: Sequence[int]) -> tuple[Array, Array]:
        """Lines with their targets (R, n + 1), and the derivatives (R, n + 1, K)."""
        n = self.balance.system.mech.n
        lines = values[n:].reshape(-1, n + 1)
        return lines[list(rows)], derivative[n:].reshape(len(lines), n + 1, -1)[list(rows)]

    def _evaluate(self, instant: tuple[Array, float, Array], dv: Array, slopes: bool = True) -> tuple[Array, Array]:
        x, t, u = instant
        feeds = [x[None], np.array([[t]]), u[None], dv[None], *self.balance.number_feeds()]
        plain, jacobian = self._programs
        values = plain.evaluate(feeds)[0]
        if not slopes:
            return values, np.zeros((0, 0))
        whole = jacobian.evaluate(feeds)[0]
        fixed, law_paths = len(x) + 1 + len(u), self.balance.plan.law_paths
        machine_paths = [path for path in self.balance.parameters if path not in law_paths]
        ordered = [*law_paths, *machine_paths]
        return values, whole[:, [*range(fixed), *(fixed + ordered.index(path) for path in self.balance.parameters)]]


def _impacts(table: LawTable, mech: Mechanism, ops: Operations, values: Inputs) -> list[Any]:
    """The impact of every guard of every mode, with placed lines; None where it has none."""
    situations = table.law_situations(mech, ops, values)
    zeros: list[float] = [0.0] * (len(table.holds) + 2 * len(table.drags))
    impacts = []
    for k, mode in table.choices:
        reaction = table.mode_reaction((k, mode), [0.0] * mech.n, zeros)
        for guard in table.system.laws[k].guards(mode, situations[k], reaction):
            impacts.append(guard.placed_in(situations[k].kinematics).impact)
    return impacts


def _least(matrix: Array, right: Array) -> Array:
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0], dtype=np.float64)
