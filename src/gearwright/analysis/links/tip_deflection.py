r"""How far the tip of a whole arm gives: by links that bend and twist, and by drives that are elastic.

A link whose far end moves by u and turns by $\theta$ takes along what it carries, $u + \theta \times (p - p_{end})$; a
drive whose joint lags $q - \theta_m$ behind its motor turns it about the joint's axis. All of it is quasi-static and
small, so that the parts add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import ZERO, Scalar, Vec
from gearwright.algebra.differentiation.dual_numbers import value_of
from gearwright.analysis.links.beam import Bending, LinkBeam
from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.analysis.parametric_series import OF_SERIES, columns
from gearwright.analysis.task.task import Task
from gearwright.arrays import Array
from gearwright.dynamics.pose import Pose, place
from gearwright.dynamics.task_space.jacobian import jacobian
from gearwright.errors import InputError
from gearwright.functions.dynamics import placement
from gearwright.mechanism import BASE, Mechanism
from gearwright.motion_demands.sensitivity import AnyMotion
from gearwright.parts import Robot
from gearwright.plots import saved
from gearwright.plots.bars import Ranking, rankings
from gearwright.plots.notebook import Shown
from gearwright.text import listed

MOTOR = ".motor"


class Tip(NamedTuple):
    """A point of the arm.

    Args:
        body: the link it is fixed to.
        position: in its frame [m]; scalars of any kind.
        name: what it is called.
    """

    body: str
    position: tuple[Scalar, ...]
    name: str


@dataclass(frozen=True)
class TipDeflection(Shown):
    """Where the tip is against a stiff arm, over a cycle.

    Args:
        tip: the point.
        parts: per link that bends ("upper") and drive that gives ("elbow drive") its share, world axes [m], (T, 3).
    """

    tip: Tip
    parts: Mapping[str, Array]

    def plot(self, path: str | Path | None = None) -> Any:
        """What links and drives add to the largest deflection; with `path` (.png, .svg, .pdf) it is saved too."""
        values = {name: 1e3 * x for name, x in self.shares().items()}
        title = f"{self.tip.name} gives by {1e3 * self.peak:.3g} mm"
        return saved(rankings([Ranking("share of the deflection [mm]", values, title)], len(values)), path)

    @cached_property
    def total(self) -> Array:
        """All parts together, world axes [m], (T, 3)."""
        return np.asarray(sum(self.parts.values()))

    @property
    def worst(self) -> int:
        """The instant at which it is largest."""
        return int(np.linalg.norm(self.total, axis=1).argmax())

    @property
    def peak(self) -> float:
        """Its largest size [m]."""
        return float(np.linalg.norm(self.total[self.worst]))

    def shares(self) -> dict[str, float]:
        """How much each part adds to the largest deflection [m], the largest first; they sum up to it."""
        way = self.total[self.worst] / (self.peak or 1.0)
        found = {name: float(part[self.worst] @ way) for name, part in self.parts.items()}
        return dict(sorted(found.items(), key=lambda item: -abs(item[1])))


def last_links(robot: Robot) -> list[str]:
    """Links that carry no other."""
    parents = {link.parent for link in robot.links}
    return [link.name for link in robot.links if link.name not in parents]


def require_tip(robot: Robot, task: Task) -> None:
    """Refuse what a task requires of a tip where nobody knows which is meant."""
    asked, ends = [word for word in ("accuracy", "tip_deflection") if word in task.required], last_links(robot)
    if asked and task.tip is None and len(ends) > 1:
        raise InputError(
            f"task {task.name!r}: {listed(asked)} is required, but robot {robot.name!r} ends in {listed(ends[:4])}"
            f"{' and more' if len(ends) > 4 else ''}. Name the frame or link that is meant: `tip`."
        )


def tip_of(robot: Robot, mech: Mechanism, asked: str | None, beams: Mapping[str, LinkBeam]) -> Tip | None:
    """The point that is meant: a frame by name, else the first on the last link, its beam's end or its payload.

    None where the robot has several last links and none is asked for.
    """
    if asked is not None:
        body, _, position = mech.place_of(asked)
        if body == BASE:
            raise InputError(f"tip {asked!r} is fixed to the base, which does not deflect. Name a frame on a link.")
        return Tip(mech.bodies[body].name, tuple(position or ZERO), asked)
    ends = last_links(robot)
    if len(ends) != 1:
        return None
    last = ends[0]
    for frame in robot.frames:
        if frame.link == last:
            return Tip(last, tuple(frame.position), frame.name)
    if last in beams:
        return Tip(last, tuple(beams[last].end), f"end of {last}")
    load = robot.payload
    if load is not None and load.link in (None, last):
        return Tip(last, tuple(load.position), "payload")
    return Tip(last, (0.0, 0.0, 0.0), f"origin of {last}")


def tip_deflection(
    mech: Mechanism, motion: AnyMotion, tip: Tip, links: Mapping[str, LinkAnalysis]
) -> TipDeflection | None:
    """How far the tip gives over a motion; None when nothing on its way bends or is elastic."""
    q = columns(motion.q)
    found = tip_parts(place(mech, q, OF_SERIES), q, tip, {name: _bent(link) for name, link in links.items()})
    parts = {name: _stacked(part, len(motion.t)) for name, part in found.items()}
    return TipDeflection(tip, parts) if parts else None


def tip_parts(
    pose: Pose, q: Sequence[Scalar], tip: Tip, links: Mapping[str, tuple[LinkBeam, Bending]]
) -> dict[str, Vec]:
    """What links that bend and drives that give add to the tip's displacement, world axes [m], over series (T, 1)."""
    return bent_parts(pose, tip, links) | _given(pose, q, tip)


def _bent(link: LinkAnalysis) -> tuple[LinkBeam, Bending]:
    """The beam of a link, and how far its end gives, over series."""
    return LinkBeam.of(link.loads.section), Bending(Vec(*columns(link.turn)), Vec(0.0, *columns(link.deflection)))


def bent_parts(pose: Pose, tip: Tip, links: Mapping[str, tuple[LinkBeam, Bending]]) -> dict[str, Vec]:
    """What every link on the way to the tip adds to its displacement by bending and twisting, world axes [m]."""
    mech = pose.mech
    last = mech.index(tip.body)
    turned, origin = pose.world[last]
    at = origin + turned @ Vec.of(tip.position)
    below = {mech.bodies[i].name: i for i in mech.paths[last]}
    found = {}
    for name, (beam, (turn, shift)) in links.items():
        if name in below:
            turned, origin = pose.world[below[name]]
            moved, rotated = (turned @ _in_link(beam, one) for one in (shift, turn))
            found[name] = moved + rotated.cross(at - origin - turned @ beam.end)
    return found


def _in_link(beam: LinkBeam, vector: Vec) -> Vec:
    """A vector along the beam's axes in the link's frame."""
    x, y, z = beam.axes
    return x * vector.x + y * vector.y + z * vector.z


def _stacked(vector: Vec, times: int) -> Array:
    """(T, 3)."""
    return np.hstack([np.broadcast_to(x, (times, 1)) for x in vector])


def where(mech: Mechanism, q: Array, tip: Tip) -> Array:
    """Where the tip of the stiff arm is, (T, 3)."""
    turned, origin = placement(mech, q, tip.body)
    return np.asarray(origin + turned @ np.array([float(x) for x in tip.position]))


def _given(pose: Pose, q: Sequence[Scalar], tip: Tip) -> dict[str, Vec]:
    """What every elastic drive adds: its joint lags behind its motor."""
    mech = pose.mech
    J = jacobian(pose, mech.index(tip.body), Vec.of(tip.position))
    found = {}
    for shaft in mech.shafts:
        joint = shaft.removesuffix(MOTOR)
        if not shaft.endswith(MOTOR) or joint not in mech.speeds:
            continue
        k = mech.speeds.index(joint)
        turned = Vec(*(row[k] for row in J[:3]))
        if any(np.any(value_of(x)) for x in turned):
            lag = q[mech.coordinates.index(joint)] - q[mech.coordinates.index(shaft)]
            found[f"{joint} drive"] = turned * lag
    return found
