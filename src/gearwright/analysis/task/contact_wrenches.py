"""Stated forces of contacts and constraints as wrenches on bodies, for reactions and section forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gearwright.algebra import FLOATS, ZERO, Rot, Vec
from gearwright.analysis.task.process_forces import AppliedWrench
from gearwright.arrays import Array
from gearwright.dynamics.configuration import neutral
from gearwright.dynamics.pose import place_machine
from gearwright.forces import Constraint, Contact, ForceSensor, Law, SoftContact
from gearwright.forces.coordinates.configuration import Anchor, MovingFrame
from gearwright.forces.coordinates.relative_pose import AXIS_VECTORS, TRANSLATION_NAMES
from gearwright.mechanism import BASE, Mechanism
from gearwright.parts import Plane
from gearwright.system.inputs import input_signal


def contact_wrenches(
    mech: Mechanism, laws: Sequence[Law], contact: Mapping[str, Any], t: Array
) -> tuple[list[AppliedWrench], list[str]]:
    """Wrenches of the given forces, and the names of those whose direction is not fixed in the world."""
    forces_by_name = world_forces(mech, laws)
    wrenches, skipped = [], []
    for contact_name, force in contact.items():
        name = (
            contact_name
            if contact_name in forces_by_name
            else next((candidate for candidate in forces_by_name if candidate.startswith(f"{contact_name}.")), None)
        )
        if name is None:
            skipped.append(contact_name)
            continue
        frame, unit_wrench = forces_by_name[name]
        body, _, position = mech.place_of(frame)
        over_time = input_signal(contact_name, force)
        sizes = np.array([over_time.at(float(time)) for time in t])
        force, moment = (Vec(*(float(x) * sizes[:, None] for x in part)) for part in (unit_wrench[:3], unit_wrench[3:]))
        wrenches.append(AppliedWrench(body, ZERO if position is None else position, force, moment))
    return wrenches, skipped


def world_forces(mech: Mechanism, laws: Sequence[Law]) -> dict[str, tuple[str, Array]]:
    """Per force that acts against the world along a fixed direction its frame and its unit wrench, (6,)."""
    plain_laws = [law.law if isinstance(law, ForceSensor) else law for law in laws]
    return {
        name: (law.frame, unit_wrench)  # type: ignore[attr-defined]
        for law in plain_laws
        for name, unit_wrench in _unit_wrenches(mech, law).items()
    }


def contacts_without_fixed_direction(mech: Mechanism, laws: Sequence[Law]) -> list[str]:
    """Names of contacts and constraints without such a force: they touch moving bodies, or have turning directions."""
    plain_laws = [law.law if isinstance(law, ForceSensor) else law for law in laws]
    return [
        law.name
        for law in plain_laws
        if isinstance(law, Contact | SoftContact | Constraint) and not _unit_wrenches(mech, law)
    ]


def _unit_wrenches(mech: Mechanism, law: Law) -> dict[str, Array]:
    """Per force of a law that acts against the world its unit wrench in world axes, (6,)."""
    rotation = _fixed_axes(mech, getattr(law, "relative_to", None))
    if rotation is None or getattr(law, "frame", None) is None:
        return {}
    if isinstance(law, Constraint):
        names = [signal_of_law.name for signal_of_law in law.signals][-len(law.held) :]
        return {name: _unit_wrench(axis_word, rotation) for name, axis_word in zip(names, law.held, strict=True)}
    if isinstance(law, Contact | SoftContact) and isinstance(law.surface, Plane):
        directions = (law.surface.normal, *law.surface.tangent_axes)
        suffixes = ("force", "force_1", "force_2")
        return {
            f"{law.name}.{axis_word}": np.array([*(rotation @ Vec.from_values(direction)), 0.0, 0.0, 0.0])
            for axis_word, direction in zip(suffixes, directions, strict=True)
        }
    return {}


def _fixed_axes(mech: Mechanism, anchor: Anchor | None) -> Rot | None:
    """World axes of the base and of frames and links that are fixed to it; None for moving bodies."""
    if anchor is None or isinstance(anchor, MovingFrame):
        return None
    body, rotation, _ = mech.place_of("base" if anchor == BASE else anchor)
    if mech.is_moved(body):
        return None
    R, _ = place_machine(mech, neutral(mech), FLOATS).world_placements[body]
    return R if rotation is None else R.after(rotation)


def _unit_wrench(axis_word: str, rotation: Rot) -> Array:
    axis = np.array([*(rotation @ Vec(*AXIS_VECTORS[axis_word[-1]]))])
    return np.concatenate([axis, np.zeros(3)] if axis_word in TRANSLATION_NAMES else [np.zeros(3), axis])
