"""What every fit of base parameters can say of itself."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.equations.base_parameters_numeric import BaseParameters
from gearwright.plots import saved
from gearwright.plots.distributions import intervals as values_with_intervals
from gearwright.plots.notebook import Shown


class Estimates(Shown):
    """Names and standard deviations of estimated combinations; subclasses hold `base`, `values`, `covariance`."""

    base: BaseParameters
    values: Array
    covariance: Array

    @property
    def names(self) -> tuple[str, ...]:
        """The combinations that were found, as readable sums."""
        return self.base.names

    def plot(self, path: str | Path | None = None) -> Any:
        """Every parameter with its 95 % interval, each divided by its size; also into a file (.png, .svg, .pdf)."""
        half = np.diff(self.intervals(), axis=1)[:, 0] / 2
        return saved(values_with_intervals(self.base.leaders, self.values, half, "found, 95 %"), path)

    def intervals(self, confidence: float = 0.95) -> Array:
        """Lower and upper bounds (rank, 2)."""
        from scipy.stats import norm

        number("intervals", "confidence", confidence, above=0.0, below=1.0, example=0.95)
        half = float(norm.ppf(0.5 + confidence / 2)) * self.standard_deviations
        return np.column_stack([self.values - half, self.values + half])

    @cached_property
    def standard_deviations(self) -> Array:
        """Per combination."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
