r"""Deflection of the tip of a whole arm: by bending and torsion of links, and by elastic drives.

A displacement u and a rotation $\theta$ of the far end of a link move the tip by $u + \theta \times (p - p_{end})$. A
deflection $q - \theta_m$ of an elastic drive rotates it about the joint axis. Deflections are quasi-static and small:
the parts add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import ZERO, Scalar, Vec
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.analysis.links.beam import BeamDeflection, LinkBeam
from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.analysis.parametric_series import SERIES_OPERATIONS, column_series
from gearwright.analysis.task.task import Task
from gearwright.arrays import Array
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.dynamics.task_space.jacobian import jacobian
from gearwright.errors import InputError
from gearwright.functions import placement
from gearwright.mechanism import BASE, Mechanism
from gearwright.motion import Motion
from gearwright.parts import Robot
from gearwright.plots import NotebookFigure, RankingPanel, ranking_figure, save_if_path
from gearwright.text import listed_names

MOTOR_SHAFT_SUFFIX = ".motor"


class TipPoint(NamedTuple):
    """A point of the arm.

    Args:
        body: the link on which it is fixed.
        position: in its frame [m]; scalars of any kind.
        name: of the point.
    """

    body: str
    position: tuple[Scalar, ...]
    name: str


@dataclass(frozen=True)
class TipDeflection(NotebookFigure):
    """Deflection of the tip relative to a rigid arm, over a cycle.

    Args:
        tip: the point.
        parts: contribution of each link ("upper") and elastic drive ("elbow drive"), world axes [m], (T, 3).
    """

    tip: TipPoint
    parts: Mapping[str, Array]

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of the contributions to the largest deflection; with `path` (.png, .svg, .pdf) it is also saved."""
        values = {name: 1e3 * x for name, x in self.peak_contributions().items()}
        title = f"deflection of {self.tip.name}: {1e3 * self.peak_deflection:.3g} mm"
        return save_if_path(
            ranking_figure([RankingPanel("share of the deflection [mm]", values, title)], len(values)), path
        )

    @cached_property
    def total_deflection(self) -> Array:
        """Total deflection, world axes [m], (T, 3)."""
        return np.asarray(sum(self.parts.values()))

    @property
    def worst_index(self) -> int:
        """Index of the time of the largest deflection."""
        return int(np.linalg.norm(self.total_deflection, axis=1).argmax())

    @property
    def peak_deflection(self) -> float:
        """The largest deflection [m]."""
        return float(np.linalg.norm(self.total_deflection[self.worst_index]))

    def peak_contributions(self) -> dict[str, float]:
        """Contribution of each part to the largest deflection [m], the largest first; their sum is the deflection."""
        direction = self.total_deflection[self.worst_index] / (self.peak_deflection or 1.0)
        contributions = {name: float(part[self.worst_index] @ direction) for name, part in self.parts.items()}
        return dict(sorted(contributions.items(), key=lambda item: -abs(item[1])))


def last_links(robot: Robot) -> list[str]:
    """Links without child links."""
    parents = {link.parent for link in robot.links}
    return [link.name for link in robot.links if link.name not in parents]


def require_tip(robot: Robot, task: Task) -> None:
    """Raise an error if a task states requirements of a tip that is ambiguous."""
    requirements, ends = [word for word in ("accuracy", "tip_deflection") if word in task.required], last_links(robot)
    if requirements and task.tip is None and len(ends) > 1:
        raise InputError(
            f"task {task.name!r}: {listed_names(requirements)} is required, but robot {robot.name!r} ends in "
            f"{listed_names(ends[:4])}"
            f"{' and more' if len(ends) > 4 else ''}. Name the frame or link of the tip: `tip`."
        )


def tip_point(robot: Robot, mech: Mechanism, tip_name: str | None, beams: Mapping[str, LinkBeam]) -> TipPoint | None:
    """The tip: a frame by name, else the first frame on the last link, the end of its beam or its payload.

    None if the robot has several last links and none is named.
    """
    if tip_name is not None:
        body, _, position = mech.place_of(tip_name)
        if body == BASE:
            raise InputError(f"tip {tip_name!r} is fixed to the base, which does not deflect. Name a frame on a link.")
        return TipPoint(mech.bodies[body].name, tuple(position or ZERO), tip_name)
    ends = last_links(robot)
    if len(ends) != 1:
        return None
    last = ends[0]
    for frame in robot.frames:
        if frame.link == last:
            return TipPoint(last, tuple(frame.position), frame.name)
    if last in beams:
        return TipPoint(last, tuple(beams[last].far_end), f"end of {last}")
    load = robot.payload
    if load is not None and load.link in (None, last):
        return TipPoint(last, tuple(load.position), "payload")
    return TipPoint(last, (0.0, 0.0, 0.0), f"origin of {last}")


def tip_deflection(
    mech: Mechanism, motion: Motion, tip: TipPoint, links: Mapping[str, LinkAnalysis]
) -> TipDeflection | None:
    """Deflection of the tip over a motion; None if no link or drive on the path to the tip is elastic."""
    q = column_series(motion.q)
    deflections = tip_contributions(
        place_machine(mech, q, SERIES_OPERATIONS),
        q,
        tip,
        {name: _link_deflection(link) for name, link in links.items()},
    )
    parts = {name: _vector_series(part, len(motion.t)) for name, part in deflections.items()}
    return TipDeflection(tip, parts) if parts else None


def tip_contributions(
    pose: Pose, q: Sequence[Scalar], tip: TipPoint, links: Mapping[str, tuple[LinkBeam, BeamDeflection]]
) -> dict[str, Vec]:
    """Contributions of links and elastic drives to the displacement of the tip, world axes [m], over series (T, 1)."""
    return link_contributions(pose, tip, links) | _drive_contributions(pose, q, tip)


def _link_deflection(link: LinkAnalysis) -> tuple[LinkBeam, BeamDeflection]:
    """The beam of a link and the deflection of its end, over series."""
    return LinkBeam.from_section(link.loads.section), BeamDeflection(
        Vec(*column_series(link.end_rotation)), Vec(0.0, *column_series(link.deflection))
    )


def link_contributions(
    pose: Pose, tip: TipPoint, links: Mapping[str, tuple[LinkBeam, BeamDeflection]]
) -> dict[str, Vec]:
    """Contribution of the bending and torsion of every link to the displacement of the tip, world axes [m]."""
    mech = pose.mech
    last = mech.body_index(tip.body)
    rotation, origin = pose.world_placements[last]
    at = origin + rotation @ Vec.from_values(tip.position)
    below = {mech.bodies[i].name: i for i in mech.body_paths[last]}
    contributions = {}
    for name, (beam, (turn, shift)) in links.items():
        if name in below:
            rotation, origin = pose.world_placements[below[name]]
            moved, rotated = (rotation @ _in_link_frame(beam, vector) for vector in (shift, turn))
            contributions[name] = moved + rotated.cross(at - origin - rotation @ beam.far_end)
    return contributions


def _in_link_frame(beam: LinkBeam, vector: Vec) -> Vec:
    """Components in the link's frame of a vector in the axes of the beam."""
    x, y, z = beam.axes
    return x * vector.x + y * vector.y + z * vector.z


def _vector_series(vector: Vec, times: int) -> Array:
    """(T, 3)."""
    return np.hstack([np.broadcast_to(x, (times, 1)) for x in vector])


def tip_position(mech: Mechanism, q: Array, tip: TipPoint) -> Array:
    """Position of the tip of the rigid arm, (T, 3)."""
    turned, origin = placement(mech, q, tip.body)
    return np.asarray(origin + turned @ np.array([float(x) for x in tip.position]))


def _drive_contributions(pose: Pose, q: Sequence[Scalar], tip: TipPoint) -> dict[str, Vec]:
    """Contribution of every elastic drive: the angle between joint and motor."""
    mech = pose.mech
    J = jacobian(pose, mech.body_index(tip.body), Vec.from_values(tip.position))
    contributions = {}
    for shaft in mech.shafts:
        joint = shaft.removesuffix(MOTOR_SHAFT_SUFFIX)
        if not shaft.endswith(MOTOR_SHAFT_SUFFIX) or joint not in mech.speeds:
            continue
        k = mech.speeds.index(joint)
        turned = Vec(*(row[k] for row in J[:3]))
        if any(np.any(primal_value(x)) for x in turned):
            lag = q[mech.coordinates.index(joint)] - q[mech.coordinates.index(shaft)]
            contributions[f"{joint} drive"] = turned * lag
    return contributions
