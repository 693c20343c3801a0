"""Runs of the event loop in machine code beside those of SciPy's steps with laws and modes in Python."""

from __future__ import annotations

import numpy as np

import gearwright as gw

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
    quick = gw.simulate(robot, **more, integrator=gw.analysis.IntegratorOptions(engine="compiled"))
    before = gw.simulate(robot, **more, integrator=gw.analysis.IntegratorOptions(engine="python"))
    found = apart(quick, before)
    if found.max() > 10 * RTOL:
        fine = gw.analysis.IntegratorOptions(rtol=1e-12, atol=1e-14, engine="python")
        exact = gw.simulate(robot, **more, integrator=fine)
        parted = np.cumsum(apart(before, exact) > 10 * RTOL) > 0
        found = found[~parted]
    return float(found.max()) / RTOL
