"""The first natural frequency of an elastic machine over its workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.analysis.vibration.vibration_modes import MotorCondition, full_configuration, natural_frequencies
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import neutral, placement
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.plots import NotebookFigure, PlotPlane, contour_figure, save_if_path
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.text import did_you_mean


@dataclass(frozen=True)
class FrequencyMap(NotebookFigure):
    """The first natural frequency over two joints.

    Args:
        joints: the two joints.
        first: coordinates of the first joint (N,) [rad, m].
        second: coordinates of the second joint (N,).
        values: the first natural frequency above zero [Hz], (N, N).
        places: positions of the end of the machine [m], (N, N, 3).
    """

    joints: tuple[str, str]
    first: Array
    second: Array
    values: Array
    places: Array

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of contours over the two joints, and over distance and height of the end of the machine.

        With `path` (.png, .svg or .pdf) the figure is also saved.
        """
        x, y = np.meshgrid(self.first, self.second, indexing="ij")
        plane = PlotPlane(x, y, *(f"{name} [rad, m]" for name in self.joints))
        distance = np.hypot(self.places[..., 0], self.places[..., 1])
        space = PlotPlane(distance, self.places[..., 2], "distance from the base axis [m]", "height [m]")
        return save_if_path(contour_figure(self.values, "first frequency [Hz]", plane, space), path)


@check_arguments
def frequency_map(
    mech: RobotOrMech,
    joints: Sequence[str],
    ranges: Sequence[tuple[float, float]] = ((-pi, pi), (-pi, pi)),
    q: ArrayLike | None = None,
    motors: MotorCondition = "held",
    count: int = 31,
    body: str | int | None = None,
) -> FrequencyMap:
    """Return the first natural frequency [Hz] over the ranges of two joints, with the other joints at q.

    Args:
        mech: the machine, with springs.
        joints: names of two joints.
        ranges: of each joint [rad, m].
        q: positions of the other joints, (nq,) or without the shafts; zero by default.
        motors: "held" or "free".
        count: points per joint.
        body: body or frame whose position is recorded; by default the last frame, or the last body.

    >>> import gearwright as gw
    >>> from dataclasses import replace
    >>> arm = gw.load("elbow")
    >>> for drive in arm.drives:
    ...     arm = arm.with_drive(replace(drive, gear=replace(drive.gear, stiffness=8000.0)))
    >>> found = frequency_map(gw.assemble(arm), ("j2", "j3"), count=5)
    >>> bool(found.values[2, 2] < found.values[2, 0])                 # lower for an extended arm than for a folded one
    True
    """
    mech = machine_of("frequency_map", mech)
    columns = [_joint_column(mech, name) for name in joints]
    whole_number("frequency_map", "count", count, least=2, example=31)
    spans = number_array("frequency_map", "ranges", ranges, axes=2)
    if len(columns) != 2 or columns[0] == columns[1] or spans.shape != (2, 2):
        raise InputError("frequency_map: two different joints are needed. Give each a range (from, to).")
    start = full_configuration(mech, neutral(mech) if q is None else q, "frequency_map")
    first, second = (np.linspace(low, high, count) for low, high in spans)
    states = np.broadcast_to(start, (count, count, mech.nq)).copy()
    states[..., columns[0]], states[..., columns[1]] = np.meshgrid(first, second, indexing="ij")
    if isinstance(mech, ClosedMechanism):
        states = mech.closed(states[..., list(mech.independent_indices)], near=start)
    frequencies = natural_frequencies(mech, states.reshape(-1, mech.nq), motors).reshape(count, count, -1)
    lowest = np.where(frequencies > 0, frequencies, np.inf).min(axis=-1)
    end = mech.frames[-1].name if mech.frames else len(mech.bodies) - 1
    places = placement(mech, states, end if body is None else body).position
    return FrequencyMap((joints[0], joints[1]), first, second, lowest, places)


def _joint_column(mech: Mechanism, joint: str) -> int:
    shafts = mech.coordinates[mech.nq - len(mech.shafts) :]
    joints = [name for name in mech.independent_coordinates if name not in shafts]
    if joint not in joints:
        raise InputError(f"frequency_map: joint {joint!r} is unknown. {did_you_mean(joint, joints)}")
    return mech.coordinates.index(joint)
