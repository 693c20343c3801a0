"""Properties of every fit of base parameters."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.equations import BaseParameters
from gearwright.plots import NotebookFigure, save_if_path
from gearwright.plots import interval_figure as values_with_intervals


class Estimates(NotebookFigure):
    """Names and standard deviations of estimated combinations; subclasses hold `base`, `values`, `covariance`."""

    base: BaseParameters
    values: Array
    covariance: Array

    @property
    def names(self) -> tuple[str, ...]:
        """The estimated combinations, as readable sums."""
        return self.base.names

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of all parameters with 95 % intervals, normalised; with `path` (.png, .svg, .pdf) it is also saved."""
        half = np.diff(self.intervals(), axis=1)[:, 0] / 2
        return save_if_path(
            values_with_intervals(self.base.leading_parameters, self.values, half, "estimate, 95 %"), path
        )

    def intervals(self, confidence: float = 0.95) -> Array:
        """Lower and upper bounds of the confidence intervals (rank, 2)."""
        from scipy.stats import norm

        real_number("intervals", "confidence", confidence, above=0.0, below=1.0, example=0.95)
        half = float(norm.ppf(0.5 + confidence / 2)) * self.standard_deviations
        return np.column_stack([self.values - half, self.values + half])

    @cached_property
    def standard_deviations(self) -> Array:
        """Standard deviation of each combination."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
