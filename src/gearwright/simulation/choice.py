"""Which integrator suits a problem, found by looking at its rates near the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.simulation.decay import fastest_decay
from gearwright.simulation.integrators import PROJECTED, has_sundials
from gearwright.simulation.step_program import MOREAU
from gearwright.text import did_you_mean

if TYPE_CHECKING:
    from gearwright.simulation.simulation import Simulation

SMOOTHED = ("euler", "rk4")
"""The methods of fixed steps that take laws without modes."""

FIXED = (*SMOOTHED, MOREAU)
UNCONTROLLED = (*FIXED, PROJECTED)
"""The methods whose error is the choice of whoever gives the step."""

METHODS = ("adaptive", "stiff", PROJECTED, *FIXED)

MANY = 5e3
"""An explicit method takes about one step per three over the fastest decay rate; more than this many are too many."""


def choose(work: Simulation, x: Array, method: str | None) -> tuple[str, str]:
    """The method, and a sentence that says why."""
    if method is not None:
        if method not in METHODS:
            raise InputError(f"simulate: there is no method {method!r}. {did_you_mean(method, METHODS)}")
        return method, f"method: {_title(method)}, as asked."
    decay, span = fastest_decay(work.smooth_rates(x), x), float(work.times[-1] - work.times[0])
    if decay * span / 3 > MANY:
        return "stiff", (
            f"method: {_title('stiff')}, because something decays at {decay:.3g} 1/s, within "
            f"{1 / (decay * span):.0e} of the run."
        )
    return "adaptive", f"method: {_title('adaptive')}; tolerances {work.rtol:g} relative, {work.atol:g} absolute."


def _title(method: str) -> str:
    stiff = "BDF of SUNDIALS" if has_sundials() else "Radau of SciPy"
    return {
        "adaptive": "adaptive (Dormand-Prince 8(5,3))",
        "stiff": f"stiff ({stiff})",
        PROJECTED: "fixed-step Dormand-Prince 5, what is held is put back after each step",
        "euler": "fixed-step semi-implicit Euler, compiled",
        "rk4": "fixed-step Runge-Kutta 4, compiled",
        MOREAU: "fixed-step time stepping (Moreau's midpoint rule), compiled",
    }[method]
