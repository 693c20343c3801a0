"""The first frequency of an elastic machine over its workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.analysis.vibration.vibration_modes import Motors, configuration, natural_frequencies
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import numbers, whole
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.dynamics import neutral, placement
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.plots import saved
from gearwright.plots.contour import Plane, contour
from gearwright.plots.notebook import Shown
from gearwright.text import did_you_mean


@dataclass(frozen=True)
class FrequencyMap(Shown):
    """The first frequency over two joints.

    Args:
        joints: the two joints.
        first: coordinates of the first joint (N,) [rad, m].
        second: coordinates of the second joint (N,).
        values: the first frequency above zero [Hz], (N, N).
        places: where the end of the machine is then [m], (N, N, 3).
    """

    joints: tuple[str, str]
    first: Array
    second: Array
    values: Array
    places: Array

    def plot(self, path: str | Path | None = None) -> Any:
        """Contours over the two joints, and the frequency where the end reaches, by distance and height.

        With `path` (.png, .svg or .pdf) the figure is saved too.
        """
        x, y = np.meshgrid(self.first, self.second, indexing="ij")
        plane = Plane(x, y, *(f"{name} [rad, m]" for name in self.joints))
        distance = np.hypot(self.places[..., 0], self.places[..., 1])
        space = Plane(distance, self.places[..., 2], "distance from the base axis [m]", "height [m]")
        return saved(contour(self.values, "first frequency [Hz]", plane, space), path)


@check_arguments
def frequency_map(
    mech: RobotOrMech,
    joints: Sequence[str],
    ranges: Sequence[tuple[float, float]] = ((-pi, pi), (-pi, pi)),
    q: ArrayLike | None = None,
    motors: Motors = "held",
    count: int = 31,
    body: str | int | None = None,
) -> FrequencyMap:
    """The first frequency [Hz] while two joints go through their ranges and the others rest at q.

    Args:
        mech: the machine, with springs.
        joints: names of two joints.
        ranges: where each goes [rad, m].
        q: where the other joints are, (nq,) or without the shafts; zero unless given.
        motors: "held", as while working at a place, or "free".
        count: points per joint.
        body: body or frame whose place is noted; the last frame, or the last body, unless given.

    >>> import gearwright as gw
    >>> from dataclasses import replace
    >>> arm = gw.load("elbow")
    >>> for drive in arm.drives:
    ...     arm = arm.with_drive(replace(drive, gear=replace(drive.gear, stiffness=8000.0)))
    >>> found = frequency_map(gw.assemble(arm), ("j2", "j3"), count=5)
    >>> bool(found.values[2, 2] < found.values[2, 0])                 # a stretched arm swings slower than a folded one
    True
    """
    mech = machine_of("frequency_map", mech)
    columns = [_column(mech, name) for name in joints]
    whole("frequency_map", "count", count, least=2, example=31)
    spans = numbers("frequency_map", "ranges", ranges, axes=2)
    if len(columns) != 2 or columns[0] == columns[1] or spans.shape != (2, 2):
        raise InputError("frequency_map: give two different joints with a range (from, to) each.")
    rest = configuration(mech, neutral(mech) if q is None else q, "frequency_map")
    first, second = (np.linspace(low, high, count) for low, high in spans)
    states = np.broadcast_to(rest, (count, count, mech.nq)).copy()
    states[..., columns[0]], states[..., columns[1]] = np.meshgrid(first, second, indexing="ij")
    found = natural_frequencies(mech, states, motors)
    lowest = np.where(found > 0, found, np.inf).min(axis=-1)
    end = mech.frames[-1].name if mech.frames else len(mech.bodies) - 1
    places = placement(mech, states, end if body is None else body).position
    return FrequencyMap((joints[0], joints[1]), first, second, lowest, places)


def _column(mech: Mechanism, joint: str) -> int:
    known = mech.coordinates[: mech.nq - len(mech.shafts)]
    if joint not in known:
        raise InputError(f"frequency_map: there is no joint {joint!r}. {did_you_mean(joint, known)}")
    return known.index(joint)
