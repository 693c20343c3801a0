"""Loops of a robot as MuJoCo's equalities between sites: `connect` for positions, `weld` for poses."""

from __future__ import annotations

import numpy as np

from gearwright.algebra import FLOATS
from gearwright.export.mujoco.document import STIFF_EQUALITY, MjcfDocument, add_element
from gearwright.forces import Coordinate
from gearwright.forces.coordinates.relative_pose import POSE_COORDINATE_NAMES, TRANSLATION_NAMES, relative_coordinates
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.functions import integrate, neutral
from gearwright.mechanism import BASE, Mechanism
from gearwright.parts import Loop, Robot
from gearwright.text import listed_names

IDLE_CHECK_STATES = 4
"""Random configurations at which an unconstrained coordinate must be zero to be irrelevant."""
IDLE_COORDINATE_TOLERANCE = 1e-9
"""Largest value of an unconstrained coordinate that counts as zero [rad, m]."""


def write_loops(mjcf: MjcfDocument, robot: Robot) -> None:
    """Write the loops that MuJoCo can represent; report the others."""
    for loop in robot.loops:
        kind = _equality_kind(mjcf.mech, loop)
        if kind is None:
            held = listed_names(loop.held)
            mjcf.not_representable.append(
                f"loop {loop.name!r}, in the MJCF itself: MuJoCo cannot constrain {held} only"
            )
            continue
        ends = [_end_site(mjcf, loop, place) for place in loop.frames]
        if None in ends:
            mjcf.not_representable.append(
                f"loop {loop.name!r}, in the MJCF itself: one end is a link that is only a joint in MJCF"
            )
            continue
        words = {f"site{k}": str(site) for k, site in enumerate(ends, start=1)}
        add_element(
            mjcf.section_element("equality"),
            kind,
            name=mjcf.unique_name("equality", loop.name),
            **words,
            **STIFF_EQUALITY,
        )


def _equality_kind(mech: Mechanism, loop: Loop) -> str | None:
    """Return `connect` or `weld`, if its further constraints are always satisfied; else None."""
    idle = idle_coordinates(mech, loop)
    if set(loop.held) <= set(TRANSLATION_NAMES):
        return "connect" if set(TRANSLATION_NAMES) <= {*loop.held, *idle} else None
    return "weld" if set(POSE_COORDINATE_NAMES) <= {*loop.held, *idle} else None


def idle_coordinates(mech: Mechanism, loop: Loop) -> list[str]:
    """Return the coordinates that are zero in all configurations, such as those normal to a planar linkage."""
    rng, worst = np.random.default_rng(0), dict.fromkeys(POSE_COORDINATE_NAMES, 0.0)
    frame, other_frame = loop.frames
    functions = relative_coordinates(frame, other_frame, POSE_COORDINATE_NAMES)
    lines = {word: Coordinate(word, function, mech.speeds) for word, function in functions.items()}
    for _ in range(IDLE_CHECK_STATES):
        q = [float(x) for x in np.asarray(integrate(mech, neutral(mech), rng.normal(size=mech.n)))]
        kinematics = SharedKinematics(mech, q, [0.0] * mech.n, FLOATS)
        for word, line in lines.items():
            worst[word] = max(worst[word], abs(float(line.placed_in(kinematics).position(q))))
    return [word for word, x in worst.items() if x < IDLE_COORDINATE_TOLERANCE]


def _end_site(mjcf: MjcfDocument, loop: Loop, place: str) -> str | None:
    """Return the site at one end: of its frame, or a new one on its link; None if the link is not a body in MJCF."""
    if place in mjcf.sites:
        return mjcf.sites[place]
    if any(frame.name == place for frame in mjcf.mech.frames):
        return None
    body = BASE if place == "base" else mjcf.mech.body_index(place)
    return mjcf.add_site(f"{loop.name}.{place}", body) if body in mjcf.places else None
