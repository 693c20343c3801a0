"""What a fixed-step motion may be asked for and is fed with, and what to say when it leaves all bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gearwright.arguments import number, whole
from gearwright.arrays import Array
from gearwright.errors import InputError, SimulationError


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
