"""Forces of contacts and constraints that a task states, as wrenches on bodies: for reactions and section forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gearwright.algebra import ZERO, Rot, Vec
from gearwright.algebra.operations import FLOATS
from gearwright.analysis.task.process_forces import AppliedWrench
from gearwright.arrays import Array
from gearwright.dynamics.configuration import neutral
from gearwright.dynamics.pose import place
from gearwright.forces.contact.constraint import Constraint
from gearwright.forces.contact.contact import Contact
from gearwright.forces.contact.force_sensor import Measured
from gearwright.forces.contact.soft_contact import SoftContact
from gearwright.forces.coordinates.configuration import Anchor, MovingFrame
from gearwright.forces.coordinates.relative_pose import AXES, PLACES
from gearwright.forces.law import Law
from gearwright.mechanism import BASE, Mechanism
from gearwright.parts import Plane
from gearwright.system.inputs import signal


def contact_wrenches(
    mech: Mechanism, laws: Sequence[Law], contact: Mapping[str, Any], t: Array
) -> tuple[list[AppliedWrench], list[str]]:
    """Wrenches of the forces that are given, and the names of those whose direction is not fixed in the world."""
    known = world_forces(mech, laws)
    found, left_out = [], []
    for given, force in contact.items():
        name = given if given in known else next((one for one in known if one.startswith(f"{given}.")), None)
        if name is None:
            left_out.append(given)
            continue
        frame, way = known[name]
        body, _, position = mech.place_of(frame)
        over_time = signal(given, force)
        sizes = np.array([over_time.at(float(now)) for now in t])
        force, moment = (Vec(*(float(x) * sizes[:, None] for x in part)) for part in (way[:3], way[3:]))
        found.append(AppliedWrench(body, ZERO if position is None else position, force, moment))
    return found, left_out


def world_forces(mech: Mechanism, laws: Sequence[Law]) -> dict[str, tuple[str, Array]]:
    """Per force that acts against the world along a fixed direction its frame and its unit wrench, (6,)."""
    bare = [law.law if isinstance(law, Measured) else law for law in laws]
    return {name: (law.frame, way) for law in bare for name, way in _ways(mech, law).items()}  # type: ignore[attr-defined]


def turning_contacts(mech: Mechanism, laws: Sequence[Law]) -> list[str]:
    """Names of contacts and constraints that have no such force: they touch what moves, or along what turns."""
    bare = [law.law if isinstance(law, Measured) else law for law in laws]
    return [law.name for law in bare if isinstance(law, Contact | SoftContact | Constraint) and not _ways(mech, law)]


def _ways(mech: Mechanism, law: Law) -> dict[str, Array]:
    """Per force of a law that acts against the world its unit wrench in world axes, (6,)."""
    turned = _still_axes(mech, getattr(law, "relative_to", None))
    if turned is None or getattr(law, "frame", None) is None:
        return {}
    if isinstance(law, Constraint):
        names = [one.name for one in law.signals][-len(law.held) :]
        return {name: _unit(word, turned) for name, word in zip(names, law.held, strict=True)}
    if isinstance(law, Contact | SoftContact) and isinstance(law.surface, Plane):
        ways = (law.surface.normal, *law.surface.tangents)
        words = ("force", "force_1", "force_2")
        return {
            f"{law.name}.{word}": np.array([*(turned @ Vec.of(way)), 0.0, 0.0, 0.0])
            for word, way in zip(words, ways, strict=True)
        }
    return {}


def _still_axes(mech: Mechanism, anchor: Anchor | None) -> Rot | None:
    """The axes in the world of what no joint moves: the base, and frames and links that are fixed to it; else None."""
    if anchor is None or isinstance(anchor, MovingFrame):
        return None
    body, rotation, _ = mech.place_of("base" if anchor == BASE else anchor)
    if mech.is_moved(body):
        return None
    R, _ = place(mech, neutral(mech), FLOATS).world[body]
    return R if rotation is None else R.after(rotation)


def _unit(word: str, turned: Rot) -> Array:
    axis = np.array([*(turned @ Vec(*AXES[word[-1]]))])
    return np.concatenate([axis, np.zeros(3)] if word in PLACES else [np.zeros(3), axis])
