"""Payloads and their positions, named frames, and named states (configurations such as home) of a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gearwright.algebra import IDENTITY, ZERO, MatrixLike, OptionalVector, Scalar, Vec, VectorLike, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import InputError, PartError, StructureError
from gearwright.parts.link import Link
from gearwright.parts.structure.frame_changes import FramePlacement, frame_placement
from gearwright.text import listed_names, visible_text

if TYPE_CHECKING:
    from gearwright.parts.robot import Robot

TOOL_FRAMES = ("tool", "tcp", "tip", "tool0", "flange")
"""Names of the tool frame, in order of preference: of a frame, or of a link that is fixed to its parent."""

COINCIDENCE_DISTANCE = 1e-9
"""Distance below which two positions are identical [m]."""


@check_arguments
@dataclass(frozen=True)
class Payload:
    """A body fixed to a link.

    The default position is the tool frame (`TOOL_FRAMES`) of the robot, else the tip of its last link; without either,
    the robot raises an error. The payload of a robot always has a numerical position and a link.

    Args:
        mass: mass [kg].
        position: its centre of mass in the frame of the link, or in `frame` [m].
        link: the link that carries it; None: the one of the frame, or the last link of a chain.
        inertia: tensor about its centre of mass in the axes of the link, or of `frame` [kg m2], (3, 3); by default that
            of a point mass.
        frame: a frame or link of the robot to which it is attached.
    """

    mass: Scalar
    position: OptionalVector = None
    link: str | None = None
    inertia: MatrixLike = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    frame: str | None = None

    def __post_init__(self) -> None:
        hint = "Give a mass of 0 or more."
        require_range("payload", "mass", self.mass, least=0, unit="kg", hint=hint, error=PartError)

    def carrier(self, robot: Robot) -> Link | None:
        """Return the link of a robot that carries it; None if that is open."""
        name = placed_payload(robot.name, robot.links, robot.frames, self).link
        candidates = [link for link in robot.links if link.name == name] if name else last_links(robot.links)
        return candidates[0] if len(candidates) == 1 else None

    def in_joint_frame(self, robot: Robot) -> Payload:
        """Return the payload in the joint frame of its link, if its numbers are in the frames of the robot's file.

        The two frames differ in standard Denavit-Hartenberg parameters, whose frame is at the far end of the link, and
        in vectors, whose frame is at its centre of mass. A payload without a position stays without one.

        Args:
            robot: the robot that carries it.
        """
        if self.frame is not None:
            return self
        carrier = self.carrier(robot)
        if carrier is None:
            return self
        stated = carrier.stated
        place = FramePlacement(stated.rotation, stated.origin)
        position = None if self.position is None else place.point_in_outer(self.position)
        return replace(self, position=position, inertia=place.tensor_in_outer(self.inertia))


@check_arguments
@dataclass(frozen=True)
class Frame:
    """A named frame on a link: a tool, a flange, a sensor."""

    name: str
    link: str
    position: VectorLike = ZERO
    rotation: MatrixLike = IDENTITY


def placed_payload(robot: str, links: Sequence[Link], frames: Sequence[Frame], payload: Payload) -> Payload:
    """Return the payload with its position in the frame of the link that carries it.

    If the robot does not have the frame or link yet, the payload is unchanged: a later attachment may add it.

    Args:
        robot: the robot's name, for messages.
        links: its links.
        frames: its frames.
        payload: its payload.

    Raises:
        InputError: the frame is on the base, or on another link than `link`.
        StructureError: no position is given, and the robot has neither a tool frame nor a tip.
    """
    if payload.frame is not None:
        return _payload_at_frame(robot, links, frames, payload, payload.frame)
    if payload.position is not None or (payload.link is not None and all(x.name != payload.link for x in links)):
        return payload
    for name in TOOL_FRAMES:
        spot = _frame_or_link(name, [link for link in links if link.joint.kind == "fixed"], frames)
        if spot is not None and spot.link != "base" and payload.link in (None, spot.link):
            return replace(payload, position=Vec.from_values(spot.position), link=spot.link)
    ends = [link for link in links if payload.link == link.name] or last_links(links)
    if len(ends) != 1:
        raise StructureError(
            f"robot {robot!r} has {len(ends)} last links ({listed_names(x.name for x in ends)}) and no tool frame. "
            "Give the link that carries the payload, or a frame."
        )
    if ends[0].end_point is None:
        raise StructureError(
            f"robot {robot!r}: its payload of {payload.mass} kg has no position: there is no tool frame "
            f"({listed_names(TOOL_FRAMES)}), and link {ends[0].name!r} has no tip. Give a position or a frame."
        )
    return replace(payload, position=ends[0].end_point, link=ends[0].name)


def last_links(links: Sequence[Link]) -> list[Link]:
    """The links without child links."""
    parents = {link.parent for link in links}
    return [link for link in links if link.name not in parents]


def _frame_or_link(name: str, links: Sequence[Link], frames: Sequence[Frame]) -> Frame | None:
    """The frame of a name, or that of a link of this name."""
    link_frames = [Frame(name, name) for link in links if link.name == name]
    return next((frame for frame in (*frames, *link_frames) if frame.name == name), None)


def _payload_at_frame(
    robot: str, links: Sequence[Link], frames: Sequence[Frame], payload: Payload, name: str
) -> Payload:
    spot = _frame_or_link(name, links, frames)
    if spot is None:
        return payload
    if spot.link == "base" or payload.link not in (None, spot.link):
        reason = (
            "belongs to the base" if spot.link == "base" else f"belongs to link {spot.link!r}, not {payload.link!r}"
        )
        raise InputError(f"robot {robot!r}: frame {name!r} of its payload {reason}. Give another frame.")
    place = frame_placement(spot.position, spot.rotation)
    at = place.point_in_outer(ZERO if payload.position is None else payload.position)
    return replace(payload, position=at, link=spot.link, inertia=place.tensor_in_outer(payload.inertia), frame=None)


def place_text(link: Link, frames: Sequence[Frame], position: Any) -> str:
    """Return the description of a position on a link: a frame there, the link's tip, or its coordinates.

    >>> place_text(Link("fore"), [Frame("tool", "fore", (0.3, 0, 0))], (0.3, 0, 0))
    "at frame 'tool' of link 'fore'"
    >>> place_text(Link("fore", tip=(0.3, 0, 0)), [], (0.2, 0, 0))
    "at (0.2, 0, 0) m in the joint frame of link 'fore'"
    """
    on = f"link {visible_text(link.name)!r}"
    for frame in frames:
        if frame.link == link.name and _is_coincident(frame.position, position):
            return f"at frame {visible_text(frame.name)!r} of {on}"
    if link.end_point is not None and _is_coincident(link.end_point, position):
        return f"at the tip of {on}"
    numbers = ", ".join(f"{float(x):.4g}" if is_number(x) else str(x) for x in Vec.from_values(position))
    return f"at ({numbers}) m in the joint frame of {on}"


def _is_coincident(first: Any, second: Any) -> bool:
    pairs = list(zip(Vec.from_values(first), Vec.from_values(second), strict=True))
    return all(is_number(x) and is_number(y) and abs(x - y) < COINCIDENCE_DISTANCE for x, y in pairs)


@check_arguments
@dataclass(frozen=True)
class NamedState:
    """A named configuration with speeds; coordinates and speeds that are not given are zero.

    Args:
        name: its name.
        q: values of coordinates [rad, m] by the joint's name, or by `<joint>.x` etc. for free and spherical joints.
        v: values of speeds [rad/s, m/s] by the joint's name, or by `<joint>.vx` etc., in body axes.

    >>> NamedState("home", {"shoulder": 0.5}).q["shoulder"]
    0.5
    """

    name: str
    q: Mapping[str, float] = field(default_factory=dict)
    v: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for word in ("q", "v"):
            values = getattr(self, word)
            if not isinstance(values, Mapping) or not all(is_number(x) for x in values.values()):
                raise InputError(
                    f"state {self.name!r}: its {word} is {values!r}, not a mapping. Give a mapping from "
                    "names to numbers."
                )
            object.__setattr__(self, word, {name: float(x) for name, x in values.items()})
