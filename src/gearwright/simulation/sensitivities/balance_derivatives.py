r"""Derivatives of the rates, guards and signals of a machine with its laws by state, time, inputs and parameters.

The accelerations, multipliers and flows z of an instant satisfy a linear balance $r(x, t, u, p, z) = 0$, so
$dz = -r_z^{-1} (r_x dx + r_t dt + r_u du + r_p dp)$, and everything else follows from z. One traced program contains
balance, rates, guards and signals in all modes; the current modes are an input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.pose import place_machine
from gearwright.mechanism import Mechanism, dense_row, row_dot
from gearwright.programs.program import Inputs
from gearwright.simulation.fixed_step.batch_program import BatchProgram
from gearwright.simulation.fixed_step.compiled_rollout import ParametricSystem
from gearwright.simulation.fixed_step.step_program import LAW_NUMBERS, StepPlan
from gearwright.system.kernels.all_modes import LawTable
from gearwright.system.kernels.traced_laws import require_traceable
from gearwright.system.system import Modes, System, add_force, all_drags, line_share
from gearwright.system.vector_program import vector_program
from gearwright.tracing.trace import PARAMETERS_INPUT, TraceJob


class Instants(NamedTuple):
    """N instants: states x (N, L) = [q, v, states of the laws], times (N,), inputs (N, nu) and modes of each."""

    x: Array
    t: Array
    u: Array
    modes: Sequence[Modes]


class Linearisation(NamedTuple):
    """Values of rates (N, L), guards (N, G) and signals (N, S) side by side, and their derivatives (N, L + G + S, K).

    The columns are [x, t, u, p]. `balance` are the accelerations, multipliers and flows z (N, m).
    """

    values: Array
    slopes: Array
    balance: Array


@dataclass(frozen=True)
class BalanceDerivatives:
    """The traced balance of a system with parameters.

    Args:
        parametric: the system with its parameters as inputs.
        parameters: their paths.
        numbers: their values.
    """

    parametric: ParametricSystem
    parameters: tuple[str, ...]
    numbers: tuple[float, ...]

    @property
    def system(self) -> System:
        """The system with its present numbers."""
        return self.parametric.system

    @cached_property
    def table(self) -> LawTable:
        """All laws in all modes."""
        return LawTable(self.system, require_traceable(self.system))

    @cached_property
    def plan(self) -> StepPlan:
        """The parameters that are inputs."""
        return self.parametric.plan("moreau")

    @property
    def size(self) -> int:
        """Number of states, L."""
        return self.system.law_slice.stop

    @cached_property
    def signal_names(self) -> tuple[str, ...]:
        """Names of the signals of all laws."""
        return tuple(signal.name for law in self.system.laws for signal in law.signals)

    @cached_property
    def _unknowns(self) -> int:
        return self.system.mech.n + len(self.table.holds) + len(self.table.drags)

    @cached_property
    def input_sizes(self) -> dict[str, int]:
        """Inputs of the program."""
        sizes = {"x": self.size, "t": 1, "u": self.system.input_size, "chosen": len(self.table.choices)}
        sizes |= {"z": self._unknowns, "responses": max(len(self.table.drags), 1)}
        return sizes | ({LAW_NUMBERS: len(self.plan.law_paths)} if self.plan.law_paths else {})

    @cached_property
    def _programs(self) -> tuple[BatchProgram, BatchProgram]:
        results = self._unknowns + self.size + len(self.table.guards) + len(self.signal_names)
        program = vector_program("balance_of_laws", self.input_sizes, results, self._formula)
        job = replace(self.parametric.job, program=program)
        varied = [name for name in job.input_sizes() if name not in ("chosen", "responses")]
        return BatchProgram(job), BatchProgram(replace(job, wrt=tuple(varied)))

    def symbolic_table(self, mech: Mechanism, values: Inputs) -> LawTable:
        """The laws with symbols for their parameters."""
        symbolic = self.plan.symbolic_system(self.system, mech, values)
        return LawTable(symbolic, require_traceable(self.system))

    def _formula(self, mech: Mechanism, ops: Operations, values: Inputs) -> list[Any]:
        table = self.symbolic_table(mech, values)
        system, n, holds = table.system, mech.n, len(table.holds)
        z, u, x = values["z"], values["u"], table.system.motion_of(values["x"])
        a, multipliers, flows = z[:n], z[n : n + holds], z[n + holds :]
        arguments = {**values, "a": a, "felt": [*multipliers, *flows, *values["responses"]]}
        actions = table.mode_actions(mech, ops, arguments)
        all_holds, drags = [hold for action in actions for hold in action.holds], all_drags(actions)
        forces = system.generalized_forces(u, actions)
        for hold, force in zip(all_holds, multipliers, strict=True):
            add_force(forces, hold.line, force)
        for drag, flow in zip(drags, flows, strict=True):
            add_force(forces, drag.push, drag.gain * flow)
        inertial = inverse_dynamics(place_machine(mech, x.q, ops), x.v, a)
        outcomes = table.law_outcomes(mech, ops, arguments)
        return [
            [need - force for need, force in zip(inertial, forces, strict=True)],
            [
                row_dot(hold.line.terms, a) + hold.compliance * force - hold.row_target
                for hold, force in zip(all_holds, multipliers, strict=True)
            ],
            [
                flow - inflow + drag.offset + _dot(drag.sense, a) - _port_share(drag, all_holds, multipliers)
                for flow, inflow, drag in zip(flows, system.port_inflows(u, actions), drags, strict=True)
            ],
            system.motion_rates(ops, x, a, outcomes),
            table.guard_formula(mech, ops, arguments),
            [
                outcome.signals[signal.name]
                for law, outcome in zip(system.laws, outcomes, strict=True)
                for signal in law.signals
            ],
        ]

    def linearise(self, instants: Instants) -> Linearisation:
        """Rates, guards and signals at N instants, with their derivatives by [x, t, u, p]."""
        values, slopes = self._programs
        count, m = len(instants.t), self._unknowns
        chosen, active = self._mode_flags(instants.modes)
        numbers = self._number_feeds
        responses = np.ones((count, self.input_sizes["responses"]))

        def feeds(z: Array) -> list[Array]:
            return [instants.x, instants.t[:, None], instants.u, chosen, z, responses, *numbers]

        widths = {name: size for name, size in self.parametric_sizes.items() if name not in ("chosen", "responses")}
        starts = dict(zip(widths, np.cumsum([0, *widths.values()]), strict=False))
        at_zero = values.evaluate(feeds(np.zeros((count, m))))
        first = slopes.evaluate(feeds(np.zeros((count, m))))
        columns_z = slice(starts["z"], starts["z"] + m)
        matrix = _restrict_unknowns(first[:, :m, columns_z], active)
        self._set_responses(matrix, active, responses)
        z = -_solve(matrix, np.where(active, at_zero[:, :m], 0.0)[..., None])[..., 0]
        results, whole = values.evaluate(feeds(z)), slopes.evaluate(feeds(z))
        others = [k for name in widths if name != "z" for k in range(starts[name], starts[name] + widths[name])]
        others = self._column_order(others, starts, widths)
        by_others = whole[:, :, others]
        z_slopes = -_solve(matrix, np.where(active[..., None], by_others[:, :m], 0.0))
        total = by_others[:, m:] + whole[:, m:, columns_z] @ z_slopes
        return Linearisation(results[:, m:], total, z)

    def branch_levels(self, instants: Instants, z: Array) -> Array:
        """Numbers at whose zeros a law changes its branch, (N, B); 1 in modes that are not current."""
        owners = self.table.branch_owners
        if not owners:
            return np.ones((len(instants.t), 0))
        chosen, _ = self._mode_flags(instants.modes)
        arguments = [
            instants.x,
            instants.t[:, None],
            instants.u,
            chosen,
            z,
            np.ones((1, self.input_sizes["responses"])),
        ]
        places = {choice: k for k, choice in enumerate(self.table.choices)}
        is_current = chosen[:, [places[owner] for owner in owners]] > 0
        return np.where(is_current, self._branch_program.evaluate(arguments), 1.0)

    @cached_property
    def _branch_program(self) -> BatchProgram:
        sizes = {name: size for name, size in self.input_sizes.items() if name != LAW_NUMBERS}
        n, holds = self.system.mech.n, len(self.table.holds)

        def formula(mech: Mechanism, ops: Operations, values: Inputs) -> list[Scalar]:
            felt = [*values["z"][n : n + holds], *values["z"][n + holds :], *values["responses"]]
            return self.table.branch_formula(mech, ops, {**values, "a": values["z"][:n], "felt": felt})

        program = vector_program("branches_of_laws", sizes, len(self.table.branch_owners), formula)
        return BatchProgram(TraceJob(program, self.system.mech, {}))

    @property
    def parametric_sizes(self) -> dict[str, int]:
        """Inputs of the traced job, with the parameters of the machine."""
        count = self.parametric.job.parameter_count
        return {**self.input_sizes, **({PARAMETERS_INPUT: count} if count else {})}

    def _column_order(self, columns: list[int], starts: dict[str, int], widths: dict[str, int]) -> list[int]:
        """Columns in the order [x, t, u, p], p in the order of the parameters."""
        plain = [k for name in ("x", "t", "u") for k in range(starts[name], starts[name] + widths[name])]
        law_paths = self.plan.law_paths
        machine_paths = [path for path in self.parameters if path not in law_paths]
        return plain + [
            starts[LAW_NUMBERS] + law_paths.index(path)
            if path in law_paths
            else starts[PARAMETERS_INPUT] + machine_paths.index(path)
            for path in self.parameters
        ]

    @cached_property
    def _number_feeds(self) -> list[Array]:
        by_path = dict(zip(self.parameters, self.numbers, strict=True))
        law_paths = self.plan.law_paths
        groups = (law_paths, [path for path in self.parameters if path not in law_paths])
        return [np.array([[by_path[path] for path in group]]) for group in groups if group]

    def number_feeds(self) -> list[Array]:
        """Numbers of laws, then those of the machine, each (1, P)."""
        return list(self._number_feeds)

    def _mode_flags(self, modes: Sequence[Modes]) -> tuple[Array, Any]:
        """Per instant a 1 for each current mode, and which unknowns the balance has."""
        chosen = np.array([[float(now[k] == mode) for k, mode in self.table.choices] for now in modes])
        chosen = chosen.reshape(len(modes), len(self.table.choices))
        places = {choice: k for k, choice in enumerate(self.table.choices)}
        owners = [places[choice] for choice, _ in (*self.table.holds, *self.table.drags)]
        active = np.concatenate([np.ones((len(modes), self.system.mech.n)), chosen[:, owners]], axis=1)
        return chosen, active > 0

    def _set_responses(self, matrix: Array, active: Any, responses: Array) -> None:
        """The change of each flow per unit force along its push."""
        n, first = self.system.mech.n, self.system.mech.n + len(self.table.holds)
        for k, (_, drag) in enumerate(self.table.drags):
            push = np.zeros((len(matrix), matrix.shape[1], 1))
            if drag.push.is_constant:
                push[:, :n, 0] = np.array(dense_row(drag.push.terms, n), dtype=float)
                responses[:, k] = np.where(active[:, first + k], _solve(matrix, push)[:, first + k, 0], 1.0)


def _dot(row: Sequence[Scalar], a: Sequence[Scalar]) -> Scalar:
    return row_dot(tuple(enumerate(row)), a)


def _port_share(drag: Any, holds: Sequence[Any], multipliers: Sequence[Scalar]) -> Scalar:
    """The share of the holds' multipliers that passes through the port of a drag."""
    total: Scalar = 0.0
    for hold, force in zip(holds, multipliers, strict=True):
        if hold.port and hold.port == drag.port:
            total = total + line_share(hold.line, drag.push) * force
    return total


def _restrict_unknowns(matrix: Array, active: Any) -> Array:
    """The matrix with the identity in rows and columns of unknowns that the current modes do not have."""
    both = active[:, :, None] & active[:, None, :]
    return np.where(both, matrix, np.eye(matrix.shape[1]))


def _solve(matrix: Array, right: Array) -> Array:
    """The solutions of N systems; of least norm where constraints are dependent."""
    try:
        solution: Array = np.linalg.solve(matrix, right).astype(np.float64)
        if np.isfinite(solution).all() and np.abs(solution).max(initial=0.0) < 1e100:
            return solution
    except np.linalg.LinAlgError:
        pass
    least = [np.linalg.lstsq(m, r, rcond=None)[0] for m, r in zip(matrix, right, strict=True)]
    return np.asarray(least, dtype=np.float64)
