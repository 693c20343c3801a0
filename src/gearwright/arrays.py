"""The array type that every package uses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""Real numbers in double precision; the last axis is the coordinate, leading axes are a batch."""
