"""Loops of a robot as MuJoCo's equalities between sites: `connect` where places are held, `weld` with turns."""

from __future__ import annotations

import numpy as np

from gearwright.algebra.operations import FLOATS
from gearwright.export.mujoco.document import STIFF, Document, add
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.coordinates.relative_pose import PLACES, SIX, relative_coordinates
from gearwright.forces.shared_kinematics import Scene
from gearwright.functions.dynamics import integrate, neutral
from gearwright.mechanism import Mechanism
from gearwright.parts import Loop, Robot
from gearwright.text import listed

LOOKS = 4
"""Random configurations at which a coordinate that is not held must be zero to be of no matter."""
NOTHING = 1e-9


def write_loops(made: Document, robot: Robot) -> None:
    """Write the loops that MuJoCo has words for; the others are added to what is lost."""
    for loop in robot.loops:
        kind = _kind(made.mech, loop)
        if kind is None:
            held = listed(loop.held)
            made.lost.append(f"loop {loop.name!r}, in the MJCF itself: MuJoCo cannot hold {held} and leave the rest")
            continue
        ends = [_site(made, loop, place) for place in loop.frames]
        if None in ends:
            made.lost.append(f"loop {loop.name!r}, in the MJCF itself: one end is a link that is only a joint there")
            continue
        words = {f"site{k}": str(site) for k, site in enumerate(ends, start=1)}
        add(made.section("equality"), kind, name=made.name("equality", loop.name), **words, **STIFF)


def _kind(mech: Mechanism, loop: Loop) -> str | None:
    """`connect` or `weld`, if what it holds besides is never anywhere else; or None."""
    idle = _idle(mech, loop)
    if set(loop.held) <= set(PLACES):
        return "connect" if set(PLACES) <= {*loop.held, *idle} else None
    return "weld" if set(SIX) <= {*loop.held, *idle} else None


def _idle(mech: Mechanism, loop: Loop) -> list[str]:
    """The coordinates that are zero wherever the machine is, such as those across a planar linkage."""
    rng, worst = np.random.default_rng(0), dict.fromkeys(SIX, 0.0)
    frame, other = loop.frames
    found = relative_coordinates(frame, other, SIX)
    lines = {word: Coordinate(word, function, mech.speeds) for word, function in found.items()}
    for _ in range(LOOKS):
        q = [float(x) for x in np.asarray(integrate(mech, neutral(mech), rng.normal(size=mech.n)))]
        scene = Scene(mech, q, [0.0] * mech.n, FLOATS)
        for word, line in lines.items():
            worst[word] = max(worst[word], abs(float(line.placed(scene).position(q))))
    return [word for word, x in worst.items() if x < NOTHING]


def _site(made: Document, loop: Loop, place: str) -> str | None:
    """The site at one end: that of its frame, or a new one on its link; None where the link is not a body there."""
    if place in made.sites:
        return made.sites[place]
    if any(frame.name == place for frame in made.mech.frames):
        return None
    body = -1 if place == "base" else made.mech.index(place)
    return made.site(f"{loop.name}.{place}", body) if body in made.places else None
