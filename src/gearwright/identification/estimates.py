"""What every fit of base parameters can say of itself."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.equations.independent_parameters import BaseParameters


class Estimates:
    """Names and standard deviations of estimated combinations; subclasses hold `base` and `covariance`."""

    base: BaseParameters
    covariance: Array

    @property
    def names(self) -> tuple[str, ...]:
        """The combinations that were found, as readable sums."""
        return self.base.names

    @cached_property
    def standard_deviations(self) -> Array:
        """Per combination."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
