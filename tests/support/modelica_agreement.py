"""How long each signal of each Modelica example agrees with our run, and the table of it in the manual."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from support.modelica import WITHIN, Model, extent, read, simulated, span

PAGE = Path(__file__).parents[2] / "docs" / "modelica_agreement.md"

COARSE, FINE = 1e-8, 1e-11
"""Tolerances of our two runs."""

OWN = 1e-5
"""Part of a signal's range by which our two runs may differ while they count as agreeing. A reference that was computed
with a tolerance a hundred times that of our coarse run is then off by about `WITHIN`."""

ENOUGH = 0.8
"""Part of the time that must agree, except for signals named with the reason."""


@dataclass(frozen=True)
class Agreement:
    """Of one signal: which part of the time our runs agree, and the reference agrees, and the largest deviation."""

    file: str
    signal: str
    end: float
    own: float
    theirs: float
    deviation: float

    @property
    def span(self) -> float:
        return min(self.own, self.theirs)


def agreements(model: Model, reference: Path) -> list[Agreement]:
    """Two runs of one model against its reference file."""
    columns = read(reference, model.file)
    t = columns["time"]
    coarse, fine = (simulated(model, t, tolerance) for tolerance in (COARSE, FINE))
    found = []
    for title in (column for column in columns if column in model.signals):
        signal, theirs = model.signals[title], columns[title]
        ours, check = signal(fine), signal(coarse)
        scale = extent(theirs) or 1.0
        own, agrees = span(t, check, ours, OWN, scale), span(t, ours, theirs, WITHIN, scale)
        inside = t - t[0] <= min(own, agrees) * (t[-1] - t[0]) + 1e-12
        deviation = float(np.nanmax(np.abs(ours - theirs)[inside]) / scale)
        found.append(Agreement(model.file, title, float(t[-1]), own, agrees, deviation))
    return found


def excuse(excuses: dict[str, str], signal: str) -> str | None:
    """The reason why a signal need not agree longer, if there is one."""
    return next((reason for pattern, reason in excuses.items() if re.fullmatch(pattern, signal)), None)
