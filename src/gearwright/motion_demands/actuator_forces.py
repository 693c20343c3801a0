"""The actuator forces that a prescribed motion requires, with their time derivatives.

With the known forces f of laws, drags d with their gains g and flows, and unknown forces x_j along actuators' lines b_j

    sum_j (b_j + sum_d g_d s_dj p_d) x_j = M a + h - sum f - sum_d g_d (flow of f - sense . a - offset)_d p_d

where s_dj is the share of an actuator's force through a drag's port and p_d the drag's line; all quantities are Taylor
series of time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import array_item, concatenate_arrays, stack_arrays
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.algebra.differentiation.taylor_series import Taylor
from gearwright.arrays import Array
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.pose import place_machine
from gearwright.errors import InputError, SingularityError
from gearwright.forces import Action, Drag, Force, Guard, Line, Reaction
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.functions import inverse_dynamics as compiled_inverse_dynamics
from gearwright.mechanism import dense_row
from gearwright.motion_demands.motion_segments.smooth_segments import (
    SegmentSamples,
    SmoothSegment,
    times_by_modes,
)
from gearwright.motion_demands.motion_segments.time_series import series_coefficients, solve_series
from gearwright.system.kernels.traced_laws import law_survey
from gearwright.system.modes.mode_changes import ModeChanges, samples_with_violations
from gearwright.system.system import Modes, System, add_force, all_drags, drag_flow, port_inflow
from gearwright.text import listed_names

MAX_MODE_CHANGES = 20
"""Number of mode changes at one time, in addition to two per law, after which the laws are contradictory."""

UNDRIVEN_FORCE_RATIO = 1e-8
"""Force without an actuator, relative to the largest force at that time, up to which it is a rounding error."""


class ForceLine(NamedTuple):
    """The line of an actuator's force, and the gear port that the force passes."""

    line: Line
    port: str | None


@dataclass(frozen=True)
class ActuatorForces:
    """The actuator forces that a motion of a machine with laws requires.

    Args:
        system: the machine with the laws that act on it: friction, losses.
        force_lines: force lines of its actuators.
        order: number of time derivatives of the forces.
    """

    system: System
    force_lines: tuple[ForceLine, ...]
    order: int

    def forces_along(self, segment: SmoothSegment, first_modes: Sequence[Modes] | None = None) -> list[Array]:
        """Return the actuator forces and their derivatives over a smooth segment of motion, each (T, actuators).

        Args:
            segment: the segment.
            first_modes: initial guess of the laws' modes at each time; by default those consistent with the speeds.
        """
        return self.forces_and_modes(segment, first_modes)[0]

    def forces_and_modes(
        self, segment: SmoothSegment, first_modes: Sequence[Modes] | None = None
    ) -> tuple[list[Array], list[Modes]]:
        """Return the forces as `forces_along` does, and the modes of the laws at every time."""
        required = self._required_forces(segment)
        if not self.system.laws and all(line.line.is_constant for line in self.force_lines):
            series = _solve_forces(self.system, self.force_lines, self._constant_matrix(required), required)
            modes: list[Modes] = [()] * len(segment.t)
        else:
            series, modes = self._forces_in_consistent_modes(
                segment, required, segment.first_modes if first_modes is None else first_modes
            )
        return Taylor(list(np.moveaxis(series, 1, 0))).derivatives(), modes

    def dual_forces(self, segment: SmoothSegment, modes: Sequence[Modes]) -> list[Scalar]:
        """Return the forces as `forces_along` does, with partial derivatives by parameters, in known modes."""
        required = self._required_series(segment)
        groups = times_by_modes(range(len(segment.t)), modes)
        series = concatenate_arrays(
            [self._series_in_modes(segment, indices, group, required) for group, indices in groups.items()]
        )
        back = np.argsort([k for indices in groups.values() for k in indices])
        return [factorial(k) * array_item(series, np.s_[back, k]) for k in range(self.order + 1)]

    def _series_in_modes(self, segment: SmoothSegment, indices: list[int], modes: Modes, required: Scalar) -> Scalar:
        """Return the force series at some times, (T, order + 1, actuators)."""
        samples = segment.samples_at(indices, self.order + 1)
        return solve_series(*self._force_balance(samples, modes, array_item(required, indices)))

    def _constant_matrix(self, required: Array) -> Array:
        """Return the matrix of the actuator lines where they do not depend on the configuration."""
        left = np.zeros((*required.shape, len(self.force_lines)))
        left[:, 0] = np.array([dense_row(line.line.terms, self.system.mech.n) for line in self.force_lines]).T
        return left

    def _required_forces(self, segment: SmoothSegment) -> Array:
        """Return the inverse dynamics of the machine without laws as series of time, (T, order + 1, n)."""
        if self.order:
            return self._required_series(segment)
        position, speed, acceleration = segment.motion[:3]
        return compiled_inverse_dynamics(self.system.mech, position, speed, acceleration)[:, None]

    def _required_series(self, segment: SmoothSegment) -> Scalar:
        samples = segment.samples_at(range(len(segment.t)), self.order + 1)
        _, x, _, a = samples.time_series
        required = inverse_dynamics(place_machine(self.system.mech, x.q, samples.series_ops), x.v, a)
        return series_coefficients(required, (len(segment.t), self.order + 1, len(required)))

    def _forces_in_consistent_modes(
        self, segment: SmoothSegment, required: Array, first_modes: Sequence[Modes]
    ) -> tuple[Array, list[Modes]]:
        """Return the force series at all times, (T, order + 1, actuators), in consistent modes, and these modes.

        Times with the same modes are computed together as arrays. Where a guard is violated, the modes of that time
        change and the time moves to another group.
        """
        forces = np.zeros((*required.shape[:2], len(self.force_lines)))
        modes, changes = list(first_modes), dict[int, ModeChanges]()
        inconsistent = list(range(len(segment.t)))
        for _ in range(MAX_MODE_CHANGES + 2 * len(self.system.laws)):
            candidates, inconsistent = inconsistent, []
            for trial in self._mode_trials(segment, times_by_modes(candidates, modes), required):
                forces[trial.indices] = trial.forces
                for k, guards in samples_with_violations(trial.guards, len(trial.indices)):
                    time = trial.indices[k]
                    change = changes.setdefault(time, ModeChanges(modes[time]))
                    change.apply_worst_guard(guards)
                    modes[time] = change.modes
                    inconsistent.append(time)
            if not inconsistent:
                return forces, modes
        first = min(inconsistent)
        raise _contradiction_error(self.system, float(segment.t[first]), modes[first])

    def _mode_trials(
        self, segment: SmoothSegment, groups: Mapping[Modes, list[int]], required: Array
    ) -> Iterator[ModeTrial]:
        """Yield the forces and violated guards for each group of times with the same modes.

        Times are computed one by one where a law does not support arrays, and in halves down to one where one of them
        divides by zero, so an error names its time.
        """
        together = not law_survey(self.system).obstacles
        for modes, indices in groups.items():
            blocks = [indices] if together else [[k] for k in indices]
            while blocks:
                block = blocks.pop(0)
                trial = self._trial_in_arrays(segment, block, modes, required) if len(block) > 1 else None
                if trial is not None or len(block) == 1:
                    yield trial or self._trial_in_modes(segment, block, modes, required)
                else:
                    blocks = [block[: len(block) // 2], block[len(block) // 2 :], *blocks]

    def _trial_in_arrays(
        self, segment: SmoothSegment, indices: list[int], modes: Modes, required: Array
    ) -> ModeTrial | None:
        """Return the trial of several times together; None where one of them cannot be computed."""
        try:
            with np.errstate(divide="raise", over="raise", invalid="raise"):
                return self._trial_in_modes(segment, indices, modes, required)
        except (FloatingPointError, SingularityError):  # computed one by one, the error names its time
            return None

    def _trial_in_modes(self, segment: SmoothSegment, indices: list[int], modes: Modes, required: Array) -> ModeTrial:
        samples = segment.samples_at(indices, self.order + 1)
        forces = _solve_forces(self.system, self.force_lines, *self._force_balance(samples, modes, required[indices]))
        first_forces = forces[0, 0].tolist() if len(indices) == 1 else list(forces[:, 0].T)
        return ModeTrial(indices, forces, list(self._force_guards(samples, modes, first_forces)))

    def _force_balance(self, samples: SegmentSamples, modes: Modes, required: Scalar) -> tuple[Scalar, Scalar]:
        """Return both sides of the force balance, (T, order + 1, n, actuators) and (T, order + 1, n).

        Sticking friction at rest transmits no force: any force within its bounds would be consistent.
        """
        (t, x, u, a), ops = samples.time_series, samples.series_ops
        kinematics = SharedKinematics(self.system.mech, x.q, x.v, ops, t)
        actions = self.system.law_actions(modes, self.system.law_situations(ops, t, x, u, kinematics))
        law_forces = self.system.generalized_forces(u, actions)
        for drag, entering in zip(all_drags(actions), self.system.port_inflows(u, actions), strict=True):
            add_force(law_forces, drag.push, drag.gain * drag_flow(drag, entering, a))
        pushes = (Force(force_line.line.placed_in(kinematics), 1.0, force_line.port) for force_line in self.force_lines)
        shape = primal_value(required).shape
        columns = [series_coefficients(self._unit_column(unit, all_drags(actions)), shape) for unit in pushes]
        return stack_arrays(columns, shape), required - series_coefficients(law_forces, shape)

    def _unit_column(self, unit: Force, drags: Sequence[Drag]) -> list[Scalar]:
        """Return the generalized forces of a unit actuator force, after the forces of the drags, (n,)."""
        total: list[Scalar] = [0.0] * self.system.mech.n
        add_force(total, unit.line, unit.value)
        for drag in drags:
            add_force(total, drag.push, drag.gain * port_inflow(drag, [unit]))
        return total

    def _force_guards(
        self, samples: SegmentSamples, modes: Modes, actuator_forces: Sequence[Scalar]
    ) -> Iterator[tuple[int, Guard]]:
        """Yield the guards that depend on forces; directions of motion are prescribed, and held laws stay held."""
        t, x, u, a = samples.values
        kinematics = SharedKinematics(self.system.mech, x.q, x.v, samples.ops, t)
        situations = self.system.law_situations(samples.ops, t, x, u, kinematics)
        actions = self.system.law_actions(modes, situations)
        forces = [
            Force(force_line.line.placed_in(kinematics), value, force_line.port)
            for force_line, value in zip(self.force_lines, actuator_forces, strict=True)
        ]
        through = iter(self.system.port_inflows(u, [Action(forces=tuple(forces)), *actions]))
        for k, (law, action) in enumerate(zip(self.system.laws, actions, strict=True)):
            flows = [drag_flow(drag, next(through), a) for drag in action.drags]
            if not action.holds:
                guards = law.guards(modes[k], situations[k], Reaction(a, (), flows))
                yield from ((k, guard) for guard in guards if guard.rate is None)


class ModeTrial(NamedTuple):
    """Force series for given modes at some times of a segment, and the violated guards."""

    indices: list[int]
    forces: Array
    guards: list[tuple[int, Guard]]


def _contradiction_error(system: System, t: float, modes: Modes) -> InputError:
    named = zip(system.laws, modes, strict=True)
    return InputError(
        f"demands: no consistent set of friction and contact modes was found at t = {t:g} s (last tried: "
        f"{listed_names(f'{law.name} {mode}' for law, mode in named)}). Check whether the motion requires the joint to "
        "back-drive a self-locking gear, which no input can do."
    )


def _solve_forces(system: System, pushes: Sequence[ForceLine], left: Array, right: Array) -> Array:
    """Solve left x = right for the force series x, (T, length, actuators)."""
    forces = solve_series(left, right)
    _raise_if_missing(system, pushes, right[:, 0] - np.einsum("tij,tj->ti", left[:, 0], forces[:, 0]), right[:, 0])
    return forces


def _raise_if_missing(system: System, pushes: Sequence[ForceLine], missing: Array, wanted: Array) -> None:
    """Raise an error if a force is missing, relative to the forces at the same time."""
    beyond = np.abs(missing) / (1 + np.abs(wanted).max(axis=1, keepdims=True))
    k, worst = np.unravel_index(int(beyond.argmax()), beyond.shape)
    if beyond[k, worst] > UNDRIVEN_FORCE_RATIO:
        name, size = system.mech.speeds[worst], abs(missing[k, worst])
        raise SingularityError(
            f"demands: {name!r} needs a force that the {len(pushes)} actuators cannot produce "
            f"(missing: {size:.3g} N or Nm): neither a drive nor a loop constraint acts on it, or a gear transmits no "
            "torque. Add a drive to that joint, check the gear's efficiency, or exclude its losses."
        )
