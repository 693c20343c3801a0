"""Runs as they were before the event loop in machine code: marched by SciPy, their laws and settling in Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import gearwright as gw
from gearwright.simulation.compiled_loop import loop_choice
from gearwright.simulation.python_loop import rates_in_modes
from gearwright.system.kernels.event_structure import TooLargeError


@contextmanager
def in_python() -> Iterator[None]:
    """Runs marched by SciPy, with settling in Python."""
    with pytest.MonkeyPatch.context() as patch:

        def refuse(*_):
            raise TooLargeError("not here")

        patch.setattr(loop_choice, "COMPILE_AFTER_EVALUATIONS", 10**9)
        patch.setattr(loop_choice.LoopPolicy, "_kernel_source", refuse)
        patch.setattr(
            rates_in_modes, "COMPILE_AFTER_EVALUATIONS", 20
        )  # kernels for single laws take less time than these runs without
        yield


@contextmanager
def in_machine_code() -> Iterator[None]:
    """Machine code from the start, however short the run is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop_choice, "COMPILE_AFTER_EVALUATIONS", -1)
        yield


RTOL = 1e-8
"""The relative tolerance of `simulate`."""


def apart(run: gw.Run, other: gw.Run) -> np.ndarray:
    """Per sample how far two runs are apart in q and v, relative to 1 and the largest number of each kind."""
    kinds = []
    for letter in ("q.", "v."):
        mine, its = (np.array([x.series[n] for n in x.series if n.startswith(letter)]) for x in (run, other))
        kinds.append(np.abs(mine - its).max(axis=0) / (1.0 + np.abs(its).max()))
    return np.max(kinds, axis=0)


def worst_beside_before(robot: gw.Robot, **more: object) -> float:
    """How far a run in machine code is from the one before, in relative tolerances.

    Where that is more than ten, only samples count up to which the run before agrees with its own at 1e-12: motions
    that part are not compared any further.
    """
    more = {"samples": 11, "method": "adaptive", **more}
    with in_machine_code():
        quick = gw.simulate(robot, **more)
    assert not [remark for remark in quick.remarks if "runs in Python" in remark]
    with in_python():
        before = gw.simulate(robot, **more)
    found = apart(quick, before)
    if found.max() > 10 * RTOL:
        with in_python():
            exact = gw.simulate(robot, **more, integrator=gw.analysis.IntegratorOptions(rtol=1e-12, atol=1e-14))
        parted = np.cumsum(apart(before, exact) > 10 * RTOL) > 0
        found = found[~parted]
    return float(found.max()) / RTOL
