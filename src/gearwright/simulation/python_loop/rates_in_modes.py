"""Rates and guards of laws with modes: law by law, or from kernels with the balance of forces in between."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.forces import Line
from gearwright.forces.branch_points import law_branch_levels
from gearwright.simulation.engine_choice import EngineChoice
from gearwright.simulation.integrators.rates import InputsAt, is_diverged, rates_by_laws
from gearwright.system.contact_cones import ContactCones
from gearwright.system.evaluation import evaluate_system
from gearwright.system.force_balance import EMPTY_ARRAY, ConstraintArrays, hold_shares, line_rows, solve_balance
from gearwright.system.kernels.all_modes import LawTable, NotInMachineCodeError
from gearwright.system.system import Modes, System


class ConstraintRows:
    """Rows of some lines; those that depend on the configuration are filled in.

    Args:
        numbers: indices of these lines among all lines.
        lines: those lines.
        bent: indices of all lines that depend on the configuration.
        n: number of speeds.
    """

    def __init__(self, numbers: Sequence[int], lines: Sequence[Line], bent: Sequence[int], n: int) -> None:
        self._known = np.zeros((len(lines), n))
        for k, line in enumerate(lines):
            if line.is_constant:
                self._known[k] = line_rows([line], n)[0]
        self._mine = [k for k, line in enumerate(lines) if not line.is_constant]
        self._theirs = [bent.index(numbers[k]) for k in self._mine]

    def rows_at(self, bent: Array) -> Array:
        """All rows, from the concatenated rows that depend on the configuration."""
        if self._mine:
            self._known[self._mine] = bent.reshape(-1, self._known.shape[1])[self._theirs]
        return self._known


class KernelRatesInModes:
    """(t, x, u) -> rates of [q, v, states of the laws, supplied work, dissipated work] in given modes."""

    def __init__(self, system: System, modes: Modes, table: LawTable) -> None:
        self._system, self._modes, self._table = system, modes, table
        chosen = [modes[k] == mode for k, mode in table.choices]
        self._chosen, self._clock = np.array(chosen, dtype=float), np.empty(1)
        active = {choice for choice, is_chosen in zip(table.choices, chosen, strict=True) if is_chosen}
        self._held = [k for k, (choice, _) in enumerate(table.holds) if choice in active]
        self._flowing = [k for k, (choice, _) in enumerate(table.drags) if choice in active]
        self._guarding = [k for k, (choice, _) in enumerate(table.guards) if choice in active]
        holds, drags = [table.holds[k][1] for k in self._held], [table.drags[k][1] for k in self._flowing]
        self._lines, n = tuple(hold.line for hold in holds), system.mech.n
        self._rows = ConstraintRows(self._held, [hold.line for hold in holds], table.coordinate_holds, n)
        self._pushes = ConstraintRows(self._flowing, [drag.push for drag in drags], table.coordinate_drags, n)
        self._shares, self._cones = hold_shares(holds, drags), ContactCones.from_holds(holds)
        sizes = [n, len(table.holds), len(table.holds), len(table.drags), len(table.drags), n * len(table.drags)]
        sizes += [n * len(table.coordinate_holds)]
        self._cuts = np.cumsum(sizes).tolist()
        self._felt = np.zeros(max(len(table.holds) + 2 * len(table.drags), 1))

    def __call__(self, t: float, x: Array, u: Array) -> Array:
        """The rates; NotInMachineCodeError if the state is outside the range of machine code."""
        return self._table.follow(*self._kernel_arguments(t, x, u))

    def guard_levels(self, t: float, x: Array, u: Array) -> Array:
        """The values of the guards of the current modes, each in its own scale."""
        return self._table.guard_levels(*self._kernel_arguments(t, x, u))[self._guarding]

    def branch_levels(self, t: float, x: Array, u: Array) -> Array:
        """The branch functions of the laws within their modes."""
        return (
            self._table.branch_levels(*self._kernel_arguments(t, x, u))[self._branch_columns]
            if self._branch_columns
            else EMPTY_ARRAY
        )

    @cached_property
    def _branch_columns(self) -> list[int]:
        return [k for k, (law, mode) in enumerate(self._table.branch_owners) if self._modes[law] == mode]

    def _kernel_arguments(self, t: float, x: Array, u: Array) -> tuple[Array, ...]:
        """The inputs of the kernels at an instant, with the solution of the balance of forces."""
        self._clock[0] = t
        state_arguments = x[: self._system.law_slice.stop], self._clock, u, self._chosen
        return *state_arguments, self._balanced_accelerations(x, self._table.act(*state_arguments)), self._felt

    def _balanced_accelerations(self, x: Array, acting: Array) -> Array:
        """The accelerations; multipliers, flows and responses are written to the inputs of the laws."""
        system, table, (n, *cuts) = self._system, self._table, self._cuts
        q, v, tau = x[system.q], x[system.v], acting[:n]
        if not self._held and not self._flowing:
            return system.compiled_machine.forward_dynamics(q, v, tau)
        targets, compliances, gains, inflows, senses, bent_holds, bent_drags = (
            acting[begin:end] for begin, end in zip((n, *cuts), (*cuts, None), strict=True)
        )
        held, flowing = self._held, self._flowing
        ties = ConstraintArrays(
            self._lines,
            self._rows.rows_at(bent_holds),
            targets[held],
            compliances[held],
            self._pushes.rows_at(bent_drags),
            gains[flowing],
            inflows[flowing],
            senses.reshape(-1, n)[flowing],
            self._shares,
            self._cones,
        )
        a, multipliers, flows, answers = solve_balance(
            system.compiled_machine.mass_matrix(q), tau - system.compiled_machine.bias_forces(q, v), ties
        )
        flow_places = len(table.holds) + np.array(flowing, dtype=int)
        self._felt[held], self._felt[flow_places], self._felt[flow_places + len(table.drags)] = (
            multipliers,
            flows,
            answers,
        )
        return np.ascontiguousarray(a)


class RatesInModes:
    """A machine with its laws in given modes: law by law at first, from kernels once these pay.

    Args:
        modes: of the laws.
        inputs: inputs and controller.
        engine: decides when kernels are made.
        uses_loop: whether the event loop in machine code may take over.
    """

    def __init__(self, modes: Modes, inputs: InputsAt, engine: EngineChoice, uses_loop: bool) -> None:
        self._system, self._modes, self._inputs = engine.system, modes, inputs
        self._engine, self._uses_loop = engine, uses_loop
        self._rates_by_laws = rates_by_laws(engine.system, modes, inputs)
        self._rates_by_kernels: KernelRatesInModes | None = None

    def state_rates(self, t: float, x: Array) -> Array:
        """The rates of the state vector."""
        quick, end = self._kernels_if_ready(), self._system.law_slice.stop
        if quick is None or is_diverged(self._system, x):
            return self._rates_by_laws(t, x)
        u, controlled = self._inputs(t, x)
        try:
            rates = quick(t, x, u)
        except NotInMachineCodeError:
            return self._rates_by_laws(t, x)
        return np.concatenate((rates[:end], controlled, rates[end:])) if controlled.size else rates

    def guard_levels(self, t: float, x: Array) -> Array:
        """The values of all guards, each in its own scale."""
        u, quick = self._inputs(t, x)[0], self._kernels_if_ready()
        if quick is not None:
            try:
                return quick.guard_levels(t, x, u)
            except NotInMachineCodeError:
                pass
        guards = evaluate_system(self._system, t, x, u, self._modes).guards
        return np.array([guard.value / guard.scale for _, guard in guards], dtype=float)

    def branch_levels(self, t: float, x: Array) -> Array:
        """The branch functions of the laws within their modes; smooth laws have none."""
        u, quick = self._inputs(t, x)[0], self._kernels_if_ready()
        if quick is not None:
            try:
                return quick.branch_levels(t, x, u)
            except NotInMachineCodeError:
                pass
        now = evaluate_system(self._system, t, x, u, self._modes)
        instants = zip(self._system.laws, self._modes, now.situations, now.reactions, strict=True)
        return np.array([level for instant in instants for level in law_branch_levels(*instant)], dtype=float)

    def _kernels_if_ready(self) -> KernelRatesInModes | None:
        """The kernels, if they pay and can be made."""
        if self._rates_by_kernels is None:
            table = self._engine.law_kernels(self._uses_loop)
            self._rates_by_kernels = None if table is None else KernelRatesInModes(self._system, self._modes, table)
        return self._rates_by_kernels
