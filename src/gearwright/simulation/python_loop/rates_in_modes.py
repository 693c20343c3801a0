"""Rates and guards of laws with modes: law by law, or from kernels with the balance of forces in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.branch_points import kinks_of
from gearwright.forces.line import Line
from gearwright.simulation.compiled_loop.loop_choice import WORTHWHILE, LoopChoice
from gearwright.simulation.integrators.rates import InputsAt, is_lost, rates_by_laws
from gearwright.system.contact_cones import Cones
from gearwright.system.evaluation import evaluate
from gearwright.system.force_balance import NONE, Ties, balanced, rows_of, shares_of
from gearwright.system.kernels.all_modes import LawTable, NotInMachineCodeError, law_table
from gearwright.system.system import Modes, System
from gearwright.system.vector_program import NoKernelError

Remark = Callable[[str], None]


class Rows:
    """Rows of some lines, of which those that depend on the configuration are filled in.

    Args:
        numbers: of the lines at hand, among all.
        lines: those lines.
        bent: numbers of all lines that depend on the configuration.
        n: number of speeds.
    """

    def __init__(self, numbers: Sequence[int], lines: Sequence[Line], bent: Sequence[int], n: int) -> None:
        self._known = np.zeros((len(lines), n))
        for k, line in enumerate(lines):
            if line.constant:
                self._known[k] = rows_of([line], n)[0]
        self._mine = [k for k, line in enumerate(lines) if not line.constant]
        self._theirs = [bent.index(numbers[k]) for k in self._mine]

    def at(self, bent: Array) -> Array:
        """All rows, from those that depend on the configuration, one after the other."""
        if self._mine:
            self._known[self._mine] = bent.reshape(-1, self._known.shape[1])[self._theirs]
        return self._known


class ModedRates:
    """(t, x, u) -> rates of [q, v, states of the laws, supplied work, dissipated work] in given modes."""

    def __init__(self, system: System, modes: Modes, table: LawTable) -> None:
        self._system, self._modes, self._table = system, modes, table
        chosen = [modes[k] == mode for k, mode in table.choices]
        self._chosen, self._clock = np.array(chosen, dtype=float), np.empty(1)
        at_hand = {choice for choice, is_chosen in zip(table.choices, chosen, strict=True) if is_chosen}
        self._held = [k for k, (choice, _) in enumerate(table.holds) if choice in at_hand]
        self._flowing = [k for k, (choice, _) in enumerate(table.drags) if choice in at_hand]
        self._guarding = [k for k, (choice, _) in enumerate(table.guards) if choice in at_hand]
        holds, drags = [table.holds[k][1] for k in self._held], [table.drags[k][1] for k in self._flowing]
        self._lines, n = tuple(hold.line for hold in holds), system.mech.n
        self._rows = Rows(self._held, [hold.line for hold in holds], table.bent_holds, n)
        self._pushes = Rows(self._flowing, [drag.push for drag in drags], table.bent_drags, n)
        self._shares, self._cones = shares_of(holds, drags), Cones.of(holds)
        sizes = [n, len(table.holds), len(table.holds), len(table.drags), len(table.drags), n * len(table.drags)]
        sizes += [n * len(table.bent_holds)]
        self._cuts = np.cumsum(sizes).tolist()
        self._felt = np.zeros(max(len(table.holds) + 2 * len(table.drags), 1))

    def __call__(self, t: float, x: Array, u: Array) -> Array:
        """The rates; NotInMachineCodeError where machine code does not take the state."""
        return self._table.follow(*self._known(t, x, u))

    def levels(self, t: float, x: Array, u: Array) -> Array:
        """The values of the guards of the modes at hand, each in its own scale."""
        return self._table.levels(*self._known(t, x, u))[self._guarding]

    def kinks(self, t: float, x: Array, u: Array) -> Array:
        """The numbers at whose zeros a law bends within its mode."""
        return self._table.kinks(*self._known(t, x, u))[self._bending] if self._bending else NONE

    @cached_property
    def _bending(self) -> list[int]:
        return [k for k, (law, mode) in enumerate(self._table.kink_owners) if self._modes[law] == mode]

    def _known(self, t: float, x: Array, u: Array) -> tuple[Array, ...]:
        """What the kernels take at an instant once its balance of forces is solved."""
        self._clock[0] = t
        given = x[: self._system.own.stop], self._clock, u, self._chosen
        return *given, self._balanced(x, self._table.act(*given)), self._felt

    def _balanced(self, x: Array, acting: Array) -> Array:
        """Accelerations; multipliers, flows and answers are put to where the laws expect them."""
        system, table, (n, *cuts) = self._system, self._table, self._cuts
        q, v, tau = x[system.q], x[system.v], acting[:n]
        if not self._held and not self._flowing:
            return system.compiled.forward_dynamics(q, v, tau)
        targets, compliances, gains, inflows, senses, bent_holds, bent_drags = (
            acting[begin:end] for begin, end in zip((n, *cuts), (*cuts, None), strict=True)
        )
        held, flowing = self._held, self._flowing
        ties = Ties(
            self._lines,
            self._rows.at(bent_holds),
            targets[held],
            compliances[held],
            self._pushes.at(bent_drags),
            gains[flowing],
            inflows[flowing],
            senses.reshape(-1, n)[flowing],
            self._shares,
            self._cones,
        )
        a, multipliers, flows, answers = balanced(
            system.compiled.mass_matrix(q), tau - system.compiled.bias(q, v), ties
        )
        after = len(table.holds) + np.array(flowing, dtype=int)
        self._felt[held], self._felt[after], self._felt[after + len(table.drags)] = multipliers, flows, answers
        return np.ascontiguousarray(a)


class WorthwhileTable:
    """The kernels of all laws of a run for Python to call, made once they pay and the event loop does not do it.

    Args:
        system: the machine with its laws.
        loop: whether there is, or will be, an event loop in machine code.
        remark: takes a sentence about why there are none, once.
    """

    def __init__(self, system: System, loop: LoopChoice, uses_loop: Callable[[], bool], remark: Remark) -> None:
        self._system, self._loop, self._uses_loop, self._remark = system, loop, uses_loop, remark
        self._asked, self._refused = 0, False
        self._made: LawTable | None = None

    def asked(self) -> LawTable | None:
        """The kernels, if they pay by now and can be made."""
        self._asked += 1
        self._loop.evaluated()
        if self._made is None and self._asked > WORTHWHILE and self._may_be_made():
            self._make()
        return self._made

    def _may_be_made(self) -> bool:
        by_loop = self._uses_loop() and not self._loop.refused
        return not by_loop and not self._refused and self._loop.traceable

    def _make(self) -> None:
        try:
            self._made = law_table(self._system)
        except NoKernelError as reason:
            self._refused = True
            self._remark(str(reason))


class InModes:
    """A machine with its laws in given modes: law by law at first, from kernels once a run is long enough to pay."""

    def __init__(self, system: System, modes: Modes, inputs: InputsAt, table: WorthwhileTable) -> None:
        self._system, self._modes, self._inputs, self._table = system, modes, inputs, table
        self._slowly = rates_by_laws(system, modes, inputs)
        self._quick: ModedRates | None = None

    def rates(self, t: float, x: Array) -> Array:
        """The rates of the state vector."""
        quick, end = self._kernels(), self._system.own.stop
        if quick is None or is_lost(self._system, x):
            return self._slowly(t, x)
        u, controlled = self._inputs(t, x)
        try:
            found = quick(t, x, u)
        except NotInMachineCodeError:
            return self._slowly(t, x)
        return np.concatenate((found[:end], controlled, found[end:])) if controlled.size else found

    def levels(self, t: float, x: Array) -> Array:
        """The values of all guards, each in its own scale."""
        u, quick = self._inputs(t, x)[0], self._kernels()
        if quick is not None:
            try:
                return quick.levels(t, x, u)
            except NotInMachineCodeError:
                pass
        guards = evaluate(self._system, t, x, u, self._modes).guards
        return np.array([guard.value / guard.scale for _, guard in guards], dtype=float)

    def kinks(self, t: float, x: Array) -> Array:
        """The numbers at whose zeros a law bends within its mode; of laws that are smooth there are none."""
        u, quick = self._inputs(t, x)[0], self._kernels()
        if quick is not None:
            try:
                return quick.kinks(t, x, u)
            except NotInMachineCodeError:
                pass
        now = evaluate(self._system, t, x, u, self._modes)
        asked = zip(self._system.laws, self._modes, now.situations, now.reactions, strict=True)
        return np.array([kink for one in asked for kink in kinks_of(*one)], dtype=float)

    def _kernels(self) -> ModedRates | None:
        """The kernels, once they pay and if they can be made."""
        if self._quick is None:
            table = self._table.asked()
            self._quick = None if table is None else ModedRates(self._system, self._modes, table)
        return self._quick
