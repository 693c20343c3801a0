"""Checked initial states, inputs, parameters and clock of fixed-step motions, and the error when one diverges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import as_float_array, real_number, whole_number
from gearwright.arrays import Array
from gearwright.dynamics.configuration import quaternion_slices
from gearwright.errors import InputError, SimulationError
from gearwright.forces import Law
from gearwright.mechanism import Mechanism
from gearwright.programs.inputs import checked_array, non_finite_text
from gearwright.text import listed_names

LIMIT_EXCESS_RATIO = 1e-6
"""Share of a limit by which a force may exceed it without a remark."""


class RolloutInterrupted(KeyboardInterrupt):
    """Ctrl-C during a motion; `record` has the samples computed so far."""

    def __init__(self, record: Array) -> None:
        super().__init__("a fixed-step simulation was interrupted")
        self.record = record


def common_batch(shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The batch that all leading axes broadcast to."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        described = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise InputError(f"fixed_step: the leading axes do not broadcast: {described}. Make them equal or 1.") from None


def require_steps(h: Any, steps: Any, every: Any) -> None:
    """Require a positive step, and whole numbers of steps that end with a record."""
    real_number("fixed_step", "step", h, above=0.0, unit="seconds", example=1e-3)
    whole_number("fixed_step", "steps", steps, least=1, example=1000)
    whole_number("fixed_step", "every", every, least=1)
    if steps % every:
        raise InputError(
            f"fixed_step: {steps} steps are not a multiple of every={every}. The last step must be recorded: change "
            "one of them."
        )


def divergence_error(names: Sequence[str], record: Array, start: float, period: float) -> SimulationError:
    """The error of a motion that diverged: its time, the state and its last value."""
    bad = ~np.isfinite(record).all(axis=(1, 2))
    first = int(np.argmax(bad)) if bad.any() else len(record)
    last = np.abs(record[first - 1])
    if bad.any():
        last[np.isfinite(record[first]).all(axis=1)] = -1.0  # only rows that fail count
    row, entry = (int(k) for k in np.unravel_index(np.argmax(last), last.shape))
    which_state = f" (state {row} of the batch)" if record.shape[1] > 1 else ""
    return SimulationError(
        f"the motion diverges after t = {start + period * (first - 1):g} s{which_state}: {names[entry]!r} was "
        f"{record[first - 1, row, entry]:.6g} then. Take a shorter step, or look for a law with positive feedback.",
        record[:first],
    )


class TimedFeeds(NamedTuple):
    """The inputs of all steps from one on, (steps or 1, states or 1, size) each, and their clock."""

    feeds: Sequence[Array]
    start: float
    h: float
    first: int

    def feeds_during(self, begin: int, steps: int) -> list[Array]:
        """The feeds of some steps, the clock before them."""
        k = self.first + begin
        clock = np.empty((steps, 1, 2))
        clock[:, 0, 0], clock[:, 0, 1] = self.start + self.h * np.arange(k, k + steps), self.h
        return [clock, *(feed[k : k + steps] if len(feed) > 1 else feed for feed in self.feeds)]


def first_states(mech: Mechanism, names: Sequence[str], x0: ArrayLike) -> Array:
    """The first states, finite and with quaternions of length one."""
    x = as_float_array("fixed_step", "x0", x0)
    if x.ndim != 2 or x.shape[-1] != len(names) or not len(x):
        raise InputError(f"fixed_step: x0 has shape {x.shape}; it must be (N, {len(names)}): {listed_names(names)}.")
    if not np.isfinite(x).all():
        raise InputError(f"fixed_step: {non_finite_text(names, 'x0', x)} Give finite numbers.")
    if mech.nq != mech.n:
        checked_array("fixed_step", mech, "q", x[:, : mech.nq], mech.nq)
        x = x.copy()
        for four in quaternion_slices(mech):
            x[:, four] /= np.linalg.norm(x[:, four], axis=1, keepdims=True)
    return x


def input_feeds(names: Sequence[str], inputs: ArrayLike, steps: int, rows: int, moments: Sequence[int]) -> list[Array]:
    """The inputs at each time of a step that the method uses."""
    u = np.ascontiguousarray(as_float_array("fixed_step", "inputs", inputs))
    lengths = (1, steps, 2 * steps + 1)
    if u.ndim != 3 or len(u) not in lengths or u.shape[1] not in (1, rows) or u.shape[2] != len(names):
        raise InputError(
            f"fixed_step: inputs have shape {u.shape}; they must be (1, {steps} or {2 * steps + 1}, 1 or {rows}, "
            f"{len(names)}): {listed_names(names)}."
        )
    if not np.isfinite(u).all():
        raise InputError(f"fixed_step: {non_finite_text(names, 'inputs', u)} Give finite numbers.")
    if len(u) == 2 * steps + 1:
        by_moment = (u[:-1:2], u[1::2], u[2::2])
        return [by_moment[moment] for moment in moments]
    return [u] * len(moments)


def parameter_rows(paths: Sequence[str], parameters: ArrayLike | None, rows: int) -> Array:
    """The parameters, (rows or 1, parameters)."""
    count = len(paths)
    if not count and parameters is None:
        return np.zeros((1, 0))
    p = as_float_array("fixed_step", "parameters", np.zeros(0) if parameters is None else parameters)
    if not count or p.ndim != 2 or p.shape[0] not in (1, rows) or p.shape[1] != count or not np.isfinite(p).all():
        names = listed_names(paths) or "none"
        raise InputError(
            f"fixed_step: the parameters that are inputs are: {names}. Give parameters= (1 or {rows}, {count}), "
            f"all finite; it has shape {p.shape}."
        )
    return p


def clipped_input_remarks(laws: Sequence[Law], inputs: Mapping[str, Array], t: Array) -> Iterator[str]:
    """Remarks on the inputs (T, N) of a batch at times t (T,) that exceed the limits of the drive electronics."""
    for law in laws:
        for quantity in law.inputs:
            limit, values = law.saturations.get(quantity.name, np.inf), inputs.get(quantity.name)
            if values is None or not (np.abs(values) > limit * (1 + LIMIT_EXCESS_RATIO)).any():
                continue
            beyond = np.abs(values) > limit * (1 + LIMIT_EXCESS_RATIO)
            time, member = (int(k) for k in np.unravel_index(np.abs(values).argmax(), values.shape))
            which_state = f" (state {member} of the batch)" if values.shape[1] > 1 else ""
            yield (
                f"{quantity.name} was clipped at {limit:.4g} {quantity.unit}, the limit of the electronics, at "
                f"{float(beyond.mean()):.0%} of its values: {values[time, member]:.4g} {quantity.unit} were commanded "
                f"at t = {t[time]:g} s{which_state}."
            )
