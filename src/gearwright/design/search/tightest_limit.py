"""Which limit stands in the way when no set keeps all of them: that of the set which comes closest."""

from __future__ import annotations

from math import inf, prod

import numpy as np

from gearwright.design.drive_sets import DriveSets, Places
from gearwright.design.enumeration import CHUNK, all_sets, closest
from gearwright.design.evolution import Judged, improved
from gearwright.design.ways_out import way_out
from gearwright.errors import InputError

ROUNDING = 1e-9
"""Sets looked at together or apart differ by so much."""


def nothing_fits(sets: DriveSets, share: float, few: int) -> InputError:
    """The message about an empty set.

    Args:
        sets: all there are, also those that turn too slowly.
        share: of every limit that may be taken.
        few: up to so many sets all are looked at.
    """
    exact = prod(len(some) for some in sets.options) <= few and sets.order is not None
    name, use = sets.tightest(least_worst(sets, share, exact))
    best = "the best choice" if exact else "the best choice found"
    return InputError(
        f"size_drives: no set keeps every limit. The tightest is {name}: {best} takes {use:.0%} of it, {share:.0%} is "
        f"allowed. {way_out(name)}"
    )


def least_worst(sets: DriveSets, share: float, exact: bool) -> Places:
    """The set whose tightest limit is taken least; found joint by joint, and `exact` by all that could be better."""
    found = improved(Judged(sets, "mass", -inf), closest(sets, share))
    if not exact:
        return found
    bound = float(sets.evaluated(found[None]).use[0])
    rows = all_sets(sets, bound * (1 + ROUNDING)) if np.isfinite(bound) else found[None]
    uses = [sets.evaluated(rows[start : start + CHUNK]).use for start in range(0, len(rows), CHUNK)]
    return np.asarray(rows[np.concatenate(uses).argmin()]) if len(rows) else found
