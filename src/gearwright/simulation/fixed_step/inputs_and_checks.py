"""Checked initial states, inputs, parameters and clock of fixed-step motions, and the error when one diverges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import as_floats, number, whole
from gearwright.arrays import Array
from gearwright.dynamics.configuration import quaternions
from gearwright.errors import InputError, SimulationError
from gearwright.mechanism import Mechanism
from gearwright.programs.inputs import checked, not_finite
from gearwright.text import listed


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a motion; `record` has the samples that were computed until then."""

    def __init__(self, record: Array) -> None:
        super().__init__("a fixed-step motion was interrupted")
        self.record = record


def common_batch(shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The batch that all leading axes broadcast to."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        found = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise InputError(f"fixed_step: the leading axes do not broadcast: {found}. Make them equal or 1.") from None


def require_steps(h: Any, steps: Any, every: Any) -> None:
    """A positive duration, and whole numbers of steps that end with a record."""
    number("fixed_step", "step", h, above=0.0, unit="seconds", example=1e-3)
    whole("fixed_step", "steps", steps, least=1, example=1000)
    whole("fixed_step", "every", every, least=1)
    if steps % every:
        raise InputError(
            f"fixed_step: {steps} steps are not a multiple of every={every}. The last step must be recorded: change "
            "one of them."
        )


def diverged(names: Sequence[str], record: Array, start: float, period: float) -> SimulationError:
    """What to say about a motion that left all bounds: when, which state, and what it was."""
    bad = ~np.isfinite(record).all(axis=(1, 2))
    first = int(np.argmax(bad)) if bad.any() else len(record)
    last = np.abs(record[first - 1])
    if bad.any():
        last[np.isfinite(record[first]).all(axis=1)] = -1.0  # only rows that fail are looked at
    row, entry = (int(k) for k in np.unravel_index(np.argmax(last), last.shape))
    where = f" (state {row} of the batch)" if record.shape[1] > 1 else ""
    return SimulationError(
        f"the motion leaves all bounds after t = {start + period * (first - 1):g} s{where}: {names[entry]!r} was "
        f"{record[first - 1, row, entry]:.6g} then. Take a shorter step, or look for a law that feeds on itself.",
        record[:first],
    )


class Clocked(NamedTuple):
    """The inputs of all steps from one on, (steps or 1, states or 1, size) each, and the clock that goes with them."""

    feeds: Sequence[Array]
    start: float
    h: float
    first: int

    def during(self, begin: int, steps: int) -> list[Array]:
        """The feeds of some steps, the clock before them."""
        k = self.first + begin
        clock = np.empty((steps, 1, 2))
        clock[:, 0, 0], clock[:, 0, 1] = self.start + self.h * np.arange(k, k + steps), self.h
        return [clock, *(feed[k : k + steps] if len(feed) > 1 else feed for feed in self.feeds)]


def first_states(mech: Mechanism, names: Sequence[str], x0: ArrayLike) -> Array:
    """The first states, finite and with quaternions of length one."""
    x = as_floats("fixed_step", "x0", x0)
    if x.ndim != 2 or x.shape[-1] != len(names) or not len(x):
        raise InputError(f"fixed_step: x0 has shape {x.shape}; it must be (N, {len(names)}): {listed(names)}.")
    if not np.isfinite(x).all():
        raise InputError(f"fixed_step: {not_finite(names, 'x0', x)} Give finite numbers.")
    if mech.nq != mech.n:
        checked("fixed_step", mech, "q", x[:, : mech.nq], mech.nq)
        x = x.copy()
        for four in quaternions(mech):
            x[:, four] /= np.linalg.norm(x[:, four], axis=1, keepdims=True)
    return x


def input_feeds(names: Sequence[str], inputs: ArrayLike, steps: int, rows: int, moments: Sequence[int]) -> list[Array]:
    """The inputs at each moment of a step that the method looks at."""
    u = np.ascontiguousarray(as_floats("fixed_step", "inputs", inputs))
    lengths = (1, steps, 2 * steps + 1)
    if u.ndim != 3 or len(u) not in lengths or u.shape[1] not in (1, rows) or u.shape[2] != len(names):
        raise InputError(
            f"fixed_step: inputs have shape {u.shape}; they must be (1, {steps} or {2 * steps + 1}, 1 or {rows}, "
            f"{len(names)}): {listed(names)}."
        )
    if not np.isfinite(u).all():
        raise InputError(f"fixed_step: {not_finite(names, 'inputs', u)} Give finite numbers.")
    if len(u) == 2 * steps + 1:
        at = (u[:-1:2], u[1::2], u[2::2])
        return [at[moment] for moment in moments]
    return [u] * len(moments)


def parameter_rows(paths: Sequence[str], parameters: ArrayLike | None, rows: int) -> Array:
    """The parameters, (rows or 1, parameters)."""
    count = len(paths)
    if not count and parameters is None:
        return np.zeros((1, 0))
    p = as_floats("fixed_step", "parameters", np.zeros(0) if parameters is None else parameters)
    if not count or p.ndim != 2 or p.shape[0] not in (1, rows) or p.shape[1] != count or not np.isfinite(p).all():
        wanted = listed(paths) or "none"
        raise InputError(
            f"fixed_step: the parameters that are inputs are: {wanted}. Give parameters= (1 or {rows}, {count}), "
            f"all finite; it has shape {p.shape}."
        )
    return p
