"""Agreement with what nobody on this project wrote: asserted, and noted for the manual's page on validation.

`make validation` runs the tests that compare with a `Reference` and writes down how closely each reference is met.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

NOTES = "GEARWRIGHT_VALIDATION"
"""Environment variable: the folder where agreements are noted, one file per process."""


@dataclass(frozen=True)
class Reference:
    """What is compared with, as the manual calls it."""

    name: str

    def agrees(self, what: str, deviation: ArrayLike, bound: float) -> None:
        """Assert that a deviation is below its bound, and note how large it is.

        Args:
            what: the quantity, and in which measure.
            deviation: its largest entry counts.
            bound: what it must stay below.
        """
        largest = float(np.max(np.abs(deviation)))
        assert largest < bound, f"{self.name}: {what} deviates by {largest:.3g}, which must be below {bound:g}"
        folder = os.environ.get(NOTES)
        if folder:
            test = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
            row = {"reference": self.name, "what": what, "deviation": largest, "bound": bound, "test": test}
            with (Path(folder) / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
