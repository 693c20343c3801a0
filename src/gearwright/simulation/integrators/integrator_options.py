"""Options of the integrators of `simulate`: tolerances, step, event loop."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number

LEAST_RELATIVE_TOLERANCE = 2.3e-14
"""The smallest relative tolerance: a hundred times the rounding of a float."""


@check_arguments
@dataclass(frozen=True, kw_only=True)
class IntegratorOptions:
    """Tolerances and event loop of the adaptive methods of `simulate`, and the step of its fixed-step methods.

    Args:
        rtol: relative tolerance of the adaptive methods, from 2.3e-14 to 1.
        atol: absolute tolerance of the adaptive methods, positive, in the units of the states.
        step: step of the fixed-step methods ("projected", "euler", "rk4", "moreau") [s]; None: 1 ms.
        engine: event loop of adaptive runs: "auto" (in machine code once compiling pays), "compiled" (from the start;
            an error if a law cannot be compiled) or "python" (SciPy's steps, modes in Python). The motion is the same.
        progress: whether to show a progress bar; default: on a terminal, for long runs.

    >>> IntegratorOptions(rtol=1e-10, atol=1e-12).step is None
    True
    """

    rtol: float = 1e-8
    atol: float = 1e-10
    step: float | None = None
    engine: str = "auto"
    progress: bool | None = None

    def __post_init__(self) -> None:
        title = "IntegratorOptions"
        rtol = real_number(title, "rtol", self.rtol, least=LEAST_RELATIVE_TOLERANCE, below=1.0, example=1e-8)
        atol = real_number(title, "atol", self.atol, above=0.0, example=1e-10)
        object.__setattr__(self, "rtol", rtol)
        object.__setattr__(self, "atol", atol)
        if self.step is not None:
            step = real_number(title, "step", self.step, above=0.0, unit="seconds", example=1e-3)
            object.__setattr__(self, "step", step)
