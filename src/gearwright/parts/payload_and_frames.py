"""Payloads and where they sit, named frames, and named states (configurations such as home) of a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gearwright.algebra import IDENTITY, ZERO, Scalar, Vec, is_number
from gearwright.arguments import require_range
from gearwright.errors import InputError, PartError, StructureError
from gearwright.parts.link import Link
from gearwright.parts.structure.frame_changes import placement
from gearwright.text import listed, visible

TOOL_FRAMES = ("tool", "tcp", "tip", "tool0", "flange")
"""Names of the tool frame, the first that a robot has: of a frame, or of a link that is fixed to its parent."""

COINCIDENT = 1e-9
"""Distance [m] below which two places are one."""


@dataclass(frozen=True)
class Payload:
    """A body fixed to a link.

    Without a position it sits at the tool frame (`TOOL_FRAMES`) of the robot that carries it, else at the tip of its
    last link; where there is neither, the robot refuses it. A robot has its payload's position and link in numbers.

    Args:
        mass: mass [kg].
        position: its centre of mass in the frame of the link, or in the frame that is named [m].
        link: the link that carries it; None: the one of the frame, or the last link of a chain.
        inertia: tensor about its centre of mass in the axes of the link, or of the frame that is named [kg m2], (3, 3);
            a point mass unless given.
        frame: a frame or link of the robot at which it sits.
    """

    mass: Scalar
    position: Any = None
    link: str | None = None
    inertia: Any = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    frame: str | None = None

    def __post_init__(self) -> None:
        hint = "A mass is never negative. Give 0 or more."
        require_range("payload", "mass", self.mass, least=0, unit="kg", hint=hint, error=PartError)


@dataclass(frozen=True)
class Frame:
    """A named place on a link: a tool, a flange, a sensor."""

    name: str
    link: str
    position: Any = ZERO
    rotation: Any = IDENTITY


def placed_payload(robot: str, links: Sequence[Link], frames: Sequence[Frame], payload: Payload) -> Payload:
    """The payload with its position in the frame of the link that carries it: the one rule for where it sits.

    A frame or link that the robot does not have yet leaves it as it is: an attachment may bring it.

    Args:
        robot: the robot's name, for messages.
        links: its links.
        frames: its frames.
        payload: what it carries.

    Raises:
        InputError: the frame is one of the base, or of another link than the one that is named.
        StructureError: no position is stated, and the robot has neither a tool frame nor a tip.
    """
    if payload.frame is not None:
        return _at_frame(robot, links, frames, payload, payload.frame)
    if payload.position is not None or (payload.link is not None and all(x.name != payload.link for x in links)):
        return payload
    for name in TOOL_FRAMES:
        spot = _spot(name, [link for link in links if link.joint.kind == "fixed"], frames)
        if spot is not None and spot.link != "base" and payload.link in (None, spot.link):
            return replace(payload, position=Vec.of(spot.position), link=spot.link)
    ends = [link for link in links if payload.link == link.name] or last_links(links)
    if len(ends) != 1:
        raise StructureError(
            f"robot {robot!r} has {len(ends)} last links ({listed(x.name for x in ends)}) and no tool frame. Name the "
            "link to carry the payload, or a frame."
        )
    if ends[0].end is None:
        raise StructureError(
            f"robot {robot!r}: nothing says where its payload of {payload.mass} kg sits: there is no tool frame "
            f"({listed(TOOL_FRAMES)}), and link {ends[0].name!r} states no tip. Give a position or a frame."
        )
    return replace(payload, position=ends[0].end, link=ends[0].name)


def last_links(links: Sequence[Link]) -> list[Link]:
    """The links that carry no other."""
    parents = {link.parent for link in links}
    return [link for link in links if link.name not in parents]


def _spot(name: str, links: Sequence[Link], frames: Sequence[Frame]) -> Frame | None:
    """The frame of a name, or a link as one."""
    own = [Frame(name, name) for link in links if link.name == name]
    return next((frame for frame in (*frames, *own) if frame.name == name), None)


def _at_frame(robot: str, links: Sequence[Link], frames: Sequence[Frame], payload: Payload, name: str) -> Payload:
    spot = _spot(name, links, frames)
    if spot is None:
        return payload
    if spot.link == "base" or payload.link not in (None, spot.link):
        what = "belongs to the base" if spot.link == "base" else f"belongs to link {spot.link!r}, not {payload.link!r}"
        raise InputError(f"robot {robot!r}: frame {name!r}, where its payload shall sit, {what}. Give another frame.")
    place = placement(spot.position, spot.rotation)
    at = place.point(ZERO if payload.position is None else payload.position)
    return replace(payload, position=at, link=spot.link, inertia=place.tensor(payload.inertia), frame=None)


def place_in_words(link: Link, frames: Sequence[Frame], position: Any) -> str:
    """Where a place in the frame of a link is: a frame there, the link's tip, or its numbers.

    >>> place_in_words(Link("fore"), [Frame("tool", "fore", (0.3, 0, 0))], (0.3, 0, 0))
    "at frame 'tool' of link 'fore'"
    >>> place_in_words(Link("fore", tip=(0.3, 0, 0)), [], (0.2, 0, 0))
    "at (0.2, 0, 0) m in the frame of link 'fore'"
    """
    on = f"link {visible(link.name)!r}"
    for frame in frames:
        if frame.link == link.name and _coincide(frame.position, position):
            return f"at frame {visible(frame.name)!r} of {on}"
    if link.end is not None and _coincide(link.end, position):
        return f"at the tip of {on}"
    numbers = ", ".join(f"{float(x):.4g}" if is_number(x) else str(x) for x in Vec.of(position))
    return f"at ({numbers}) m in the frame of {on}"


def _coincide(one: Any, other: Any) -> bool:
    pairs = list(zip(Vec.of(one), Vec.of(other), strict=True))
    return all(is_number(x) and is_number(y) and abs(x - y) < COINCIDENT for x, y in pairs)


@dataclass(frozen=True)
class NamedState:
    """A configuration and speeds with a name; what is not mentioned is at its zero and at rest.

    Args:
        name: its name.
        q: per coordinate its value [rad, m]; a joint's name, `<joint>.x` and so on for free and spherical joints.
        v: per speed its value [rad/s, m/s]; `<joint>.vx` and so on, in body axes.

    >>> NamedState("home", {"shoulder": 0.5}).q["shoulder"]
    0.5
    """

    name: str
    q: Mapping[str, float] = field(default_factory=dict)
    v: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for word in ("q", "v"):
            given = getattr(self, word)
            if not isinstance(given, Mapping) or not all(is_number(x) for x in given.values()):
                raise InputError(f"state {self.name!r}: its {word} is {given!r}. Give a mapping from names to numbers.")
            object.__setattr__(self, word, {name: float(x) for name, x in given.items()})
