"""The forces that actuators must give along their lines for a prescribed motion, with time derivatives.

With the known forces f of laws, drags d with their gains g and flows, and unknown forces x_j along actuators' lines b_j

    sum_j (b_j + sum_d g_d s_dj p_d) x_j = M a + h - sum f - sum_d g_d (flow of f - sense . a - offset)_d p_d

where s_dj is the share of an actuator's force that passes a drag's port and p_d the drag's line; everything is a Taylor
series of time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import chained, item, stacked
from gearwright.algebra.differentiation.dual_numbers import value_of
from gearwright.algebra.differentiation.taylor_series import Taylor
from gearwright.arrays import Array
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.pose import place
from gearwright.errors import InputError, SingularityError
from gearwright.forces.law import Action, Drag, Force, Guard, Reaction
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import Scene
from gearwright.functions.dynamics import inverse_dynamics as compiled_inverse_dynamics
from gearwright.mechanism.rows import spread
from gearwright.motion_demands.motion_segments.smooth_segments import Piece, Samples
from gearwright.motion_demands.motion_segments.time_series import coefficients, solved
from gearwright.system.kernels.traced_laws import surveyed
from gearwright.system.modes.mode_changes import ModeChanges, violated
from gearwright.system.system import Modes, System, drags_in, flow, inflow, push
from gearwright.text import listed

PATIENCE = 20
"""Changes of mode at one time, beside two per law, before its laws count as contradictory."""

SHORT = 1e-8
"""Share of the largest force at a time up to which a force that no actuator gives is rounding."""


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

    def along(self, piece: Piece, first_modes: Sequence[Modes] | None = None) -> list[Array]:
        """Forces of the actuators and their derivatives over a smooth piece of motion, each (T, actuators).

        Args:
            piece: the motion.
            first_modes: the modes that laws try first at each time; those that fit its speeds unless given.
        """
        return self.settled(piece, first_modes).forces

    def settled(self, piece: Piece, first_modes: Sequence[Modes] | None = None) -> Settled:
        """As `along`, and the modes of the laws at every time."""
        needed = self._needed(piece)
        if not self.system.laws and all(one.line.constant for one in self.pushes):
            found = _solved(self.system, self.pushes, self._constant(needed), needed)
            modes: list[Modes] = [()] * len(piece.t)
        else:
            found, modes = self._settled(piece, needed, piece.first_modes if first_modes is None else first_modes)
        return Settled(Taylor(list(np.moveaxis(found, 1, 0))).derivatives(), modes)

    def varied(self, piece: Piece, modes: Sequence[Modes]) -> list[Scalar]:
        """As `along` where machine, laws and motion depend on parameters, in modes that are known."""
        needed = self._series_needed(piece)
        groups = _grouped(range(len(piece.t)), modes)
        found = chained([self._in_modes(piece, which, group, needed) for group, which in groups.items()])
        back = np.argsort([k for which in groups.values() for k in which])
        return [factorial(k) * item(found, np.s_[back, k]) for k in range(self.order + 1)]

    def _in_modes(self, piece: Piece, which: list[int], modes: Modes, needed: Scalar) -> Scalar:
        """Series of the forces at some times, (T, order + 1, actuators)."""
        samples = piece.some(which, self.order + 1)
        return solved(*self._balance(samples, modes, item(needed, which)))

    def _constant(self, needed: Array) -> Array:
        """The lines of the actuators alone, where they are the same everywhere."""
        left = np.zeros((*needed.shape, len(self.pushes)))
        left[:, 0] = np.array([spread(one.line.terms, self.system.mech.n) for one in self.pushes]).T
        return left

    def _needed(self, piece: Piece) -> Array:
        """What the machine alone needs: its inverse dynamics over series of time, (T, order + 1, n)."""
        if self.order:
            return self._series_needed(piece)
        at, speed, acceleration = piece.motion[:3]
        return compiled_inverse_dynamics(self.system.mech, at, speed, acceleration)[:, None]

    def _series_needed(self, piece: Piece) -> Scalar:
        samples = piece.some(range(len(piece.t)), self.order + 1)
        _, x, _, a = samples.series
        needed = inverse_dynamics(place(self.system.mech, x.q, samples.series_ops), x.v, a)
        return coefficients(needed, (len(piece.t), self.order + 1, len(needed)))

    def _settled(self, piece: Piece, needed: Array, first_modes: Sequence[Modes]) -> tuple[Array, list[Modes]]:
        """Series of the forces at all times, (T, order + 1, actuators), with the laws in modes whose guards hold.

        Times whose laws are in the same modes are looked at together, as arrays; where a guard is violated, the modes
        of that time change, and it joins others.
        """
        found = np.zeros((*needed.shape[:2], len(self.pushes)))
        modes, changes = list(first_modes), dict[int, ModeChanges]()
        unsettled = list(range(len(piece.t)))
        for _ in range(PATIENCE + 2 * len(self.system.laws)):
            looked_at, unsettled = unsettled, []
            for trial in self._trials(piece, _grouped(looked_at, modes), needed):
                found[trial.which] = trial.forces
                for k, guards in violated(trial.guards, len(trial.which)):
                    time = trial.which[k]
                    change = changes.setdefault(time, ModeChanges(modes[time]))
                    change.obey(guards)
                    modes[time] = change.modes
                    unsettled.append(time)
            if not unsettled:
                return found, modes
        first = min(unsettled)
        raise _contradiction(self.system, float(piece.t[first]), modes[first])

    def _trials(self, piece: Piece, groups: Mapping[Modes, list[int]], needed: Array) -> Iterator[Trial]:
        """What follows from modes at the times that have them.

        One by one where a law is not written over arrays, or divides by zero: the error is then that of its time.
        """
        together = not surveyed(self.system).obstacles
        for modes, which in groups.items():
            trial = self._in_arrays(piece, which, modes, needed) if together and len(which) > 1 else None
            if trial is not None:
                yield trial
            else:
                yield from (self._tried(piece, [k], modes, needed) for k in which)

    def _in_arrays(self, piece: Piece, which: list[int], modes: Modes, needed: Array) -> Trial | None:
        """Several times together; None where one of them is not to be computed."""
        try:
            with np.errstate(divide="raise", over="raise", invalid="raise"):
                return self._tried(piece, which, modes, needed)
        except (FloatingPointError, SingularityError):  # one of them alone says where
            return None

    def _tried(self, piece: Piece, which: list[int], modes: Modes, needed: Array) -> Trial:
        samples = piece.some(which, self.order + 1)
        forces = _solved(self.system, self.pushes, *self._balance(samples, modes, needed[which]))
        given = forces[0, 0].tolist() if len(which) == 1 else list(forces[:, 0].T)
        return Trial(which, forces, list(self._guards(samples, modes, given)))

    def _balance(self, samples: Samples, modes: Modes, needed: Scalar) -> tuple[Scalar, Scalar]:
        """Both sides at some times, (T, order + 1, n, actuators) and (T, order + 1, n).

        Holds of what rests (sticking friction) carry nothing: any force within their bounds would do as well.
        """
        (t, x, u, a), ops = samples.series, samples.series_ops
        scene = Scene(self.system.mech, x.q, x.v, ops, t)
        actions = self.system.actions(modes, self.system.situations(ops, t, x, u, scene))
        known = self.system.forces(u, actions)
        for drag, entering in zip(drags_in(actions), self.system.inflows(u, actions), strict=True):
            push(known, drag.push, drag.gain * flow(drag, entering, a))
        pushes = (Force(one.line.placed(scene), 1.0, one.port) for one in self.pushes)
        shape = value_of(needed).shape
        columns = [coefficients(self._column(unit, drags_in(actions)), shape) for unit in pushes]
        return stacked(columns, shape), needed - coefficients(known, shape)

    def _column(self, unit: Force, drags: Sequence[Drag]) -> list[Scalar]:
        """What a unit of an actuator's force is to the machine once the drags have taken theirs, (n,)."""
        total: list[Scalar] = [0.0] * self.system.mech.n
        push(total, unit.line, unit.value)
        for drag in drags:
            push(total, drag.push, drag.gain * inflow(drag, [unit]))
        return total

    def _guards(self, samples: Samples, modes: Modes, given: Sequence[Scalar]) -> Iterator[tuple[int, Guard]]:
        """The guards that forces decide; which way things move is prescribed, and what is held at rest is left so."""
        t, x, u, a = samples.numbers
        scene = Scene(self.system.mech, x.q, x.v, samples.ops, t)
        situations = self.system.situations(samples.ops, t, x, u, scene)
        actions = self.system.actions(modes, situations)
        forces = [Force(one.line.placed(scene), value, one.port) for one, value in zip(self.pushes, given, strict=True)]
        through = iter(self.system.inflows(u, [Action(forces=tuple(forces)), *actions]))
        for k, (law, action) in enumerate(zip(self.system.laws, actions, strict=True)):
            flows = [flow(drag, next(through), a) for drag in action.drags]
            if not action.holds:
                found = law.guards(modes[k], situations[k], Reaction(a, (), flows))
                yield from ((k, guard) for guard in found if guard.rate is None)


class Settled(NamedTuple):
    """Forces of the actuators and their derivatives, each (T, actuators), and the modes of the laws at every time."""

    forces: list[Array]
    modes: list[Modes]


class Trial(NamedTuple):
    """What follows from modes at some times of a piece: series of the forces there, and what ends the modes."""

    which: list[int]
    forces: Array
    guards: list[tuple[int, Guard]]


def _grouped(which: Iterable[int], modes: Sequence[Modes]) -> dict[Modes, list[int]]:
    """The times by their modes."""
    groups: dict[Modes, list[int]] = {}
    for k in which:
        groups.setdefault(modes[k], []).append(k)
    return groups


def _contradiction(system: System, t: float, modes: Modes) -> InputError:
    named = zip(system.laws, modes, strict=True)
    return InputError(
        f"the laws find no modes that fit the motion at t = {t:g} s "
        f"({listed(f'{law.name} {mode}' for law, mode in named)}). A self-locking gear may have to be turned by "
        "its joint: no input does that."
    )


def _solved(system: System, pushes: Sequence[Push], left: Array, right: Array) -> Array:
    """Coefficients (T, length, actuators) of the forces x with left x = right as series."""
    found = solved(left, right)
    _refuse_missing(system, pushes, right[:, 0] - np.einsum("tij,tj->ti", left[:, 0], found[:, 0]), right[:, 0])
    return found


def _refuse_missing(system: System, pushes: Sequence[Push], missing: Array, wanted: Array) -> None:
    """Every time is measured by what it needs itself, whichever others it came with."""
    beyond = np.abs(missing) / (1 + np.abs(wanted).max(axis=1, keepdims=True))
    k, worst = np.unravel_index(int(beyond.argmax()), beyond.shape)
    if beyond[k, worst] > SHORT:
        name, size = system.mech.speeds[worst], abs(missing[k, worst])
        raise SingularityError(
            f"demands: no forces of the {len(pushes)} actuators give what {name!r} needs for this motion "
            f"(short by {size:.3g}): neither a drive nor what closes a loop acts on it there, or a gear transmits "
            "nothing. Drive that joint, check the gear's efficiency, or leave its losses out."
        )
