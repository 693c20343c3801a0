"""The robot as data: links, drives and other parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from gearwright.algebra import Scalar, VectorLike
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError, StructureError
from gearwright.parts.checks import checked_parts, require_kind
from gearwright.parts.drives.drive import Drive
from gearwright.parts.drives.supply_and_servo import Supply
from gearwright.parts.environment.loops_and_contacts import ContactPoint, Loop
from gearwright.parts.gears.elasticity import PassiveSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.payload_and_frames import (
    Frame,
    NamedState,
    Payload,
    last_links,
    place_text,
    placed_payload,
)
from gearwright.parts.structure.cord import Cord
from gearwright.parts.structure.cross_sections import LinkSection
from gearwright.parts.structure.tendon import Tendon
from gearwright.parts.trains.train import Train
from gearwright.plots import html_table
from gearwright.text import did_you_mean, html_text, listed_names, visible_text

PART_TYPES: dict[str, type] = {
    **{"links": Link, "drives": Drive, "frames": Frame, "trains": Train},
    **{"springs": PassiveSpring, "tendons": Tendon, "states": NamedState, "loops": Loop, "environment": ContactPoint},
    "cords": Cord,
}
"""The type of the parts in each list."""


@check_arguments
@dataclass(frozen=True)
class Robot:
    """A robot as an immutable value: links, drives, trains, payload, frames, supply, springs, tendons, cords, states.

    >>> from gearwright.parts import Drive, Gear, Motor
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))], [Drive("upper", Motor(1e-4), Gear(100))])
    >>> arm.with_payload(1.5, (0.4, 0, 0)).payload.mass
    1.5
    >>> arm
    <Robot arm: links upper; drives upper>
    """

    name: str
    links: Sequence[Link]
    drives: Sequence[Drive] = ()
    payload: Payload | None = None
    frames: Sequence[Frame] = ()
    gravity: VectorLike = (0.0, 0.0, -9.81)
    trains: Sequence[Train] = ()
    description: str = ""
    supply: Supply | None = None
    springs: Sequence[PassiveSpring] = ()
    tendons: Sequence[Tendon] = ()
    states: Sequence[NamedState] = ()
    loops: Sequence[Loop] = ()
    environment: Sequence[ContactPoint] = ()
    cords: Sequence[Cord] = ()
    independent: Sequence[str] = ()
    """Joints of closed loops whose speeds are independent; (): chosen by rank, driven joints preferred."""

    def __repr__(self) -> str:
        named = {
            "links": [link.name for link in self.links],
            "drives": [drive.title for drive in self.drives],
            "trains": [train.name for train in self.trains],
        }
        parts = [f"{kind} {listed_names(names)}" for kind, names in named.items() if names]
        return f"<Robot {visible_text(self.name)}: {'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        links = [(x.name, x.parent, f"{x.joint.kind} {x.joint_name}", x.mass) for x in self.links]
        drives = [(x.title, x.joint, x.gear.kind, x.gear.ratio, x.motor.inertia) for x in self.drives]
        shown = [html_table(["link", "parent", "joint", "mass [kg]"], links)]
        shown += [html_table(["drive", "joint", "gear", "ratio", "rotor inertia [kg m2]"], drives)] if drives else []
        return f"<p><b>{html_text(self.name)}</b></p>" + "".join(shown)

    def __post_init__(self) -> None:
        for field, kind in PART_TYPES.items():
            object.__setattr__(self, field, checked_parts(f"robot {self.name!r}", field, getattr(self, field), kind))
        object.__setattr__(self, "independent", tuple(self.independent))
        if self.payload is not None:
            require_kind(f"robot {self.name!r}", "payload", self.payload, Payload)
            placed = placed_payload(self.name, self.links, self.frames, self.payload)
            object.__setattr__(self, "payload", placed)
        if self.supply is not None:
            require_kind(f"robot {self.name!r}", "supply", self.supply, Supply)

    @property
    def sections(self) -> dict[str, LinkSection]:
        """The cross-sections and material of each link that has them."""
        return {link.name: link.section for link in self.links if link.section is not None}

    def link(self, name: str) -> Link:
        """The link of that name."""
        return _part_by_name(name, {link.name: link for link in self.links}, "link")

    def link_of_joint(self, joint: str) -> Link:
        """The link that a joint moves."""
        return _part_by_name(joint, {link.joint_name: link for link in self.links}, "joint")

    def drive(self, name: str) -> Drive:
        """The drive of that name (by default that of its joint)."""
        return _part_by_name(name, {drive.title: drive for drive in self.drives}, "drive")

    def state(self, name: str) -> NamedState:
        """The state of that name."""
        return _part_by_name(name, {state.name: state for state in self.states}, "state")

    def with_drive(self, drive: Drive | str, replacement: Drive | None = None) -> Robot:
        """Return the robot with a drive added, or replacing the drive of the same name.

        `with_drive(drive)` or `with_drive("elbow", drive)`.
        """
        fresh = replacement if isinstance(drive, str) else drive
        if not isinstance(fresh, Drive):
            raise InputError(f"with_drive({drive!r}): {fresh!r} is not a Drive. Give the new drive.")
        self.link_of_joint(fresh.joint)
        title = drive if isinstance(drive, str) else drive.title
        drives = [fresh if old_drive.title == title else old_drive for old_drive in self.drives]
        if all(old_drive.title != title for old_drive in self.drives):
            drives.append(fresh)
        return replace(self, drives=tuple(drives))

    @check_arguments
    def with_sections(self, sections: Mapping[str, LinkSection]) -> Robot:
        """Return the robot with cross-sections and material of links, by the names of the links."""
        for name, section in sections.items():
            self.link(name)
            require_kind(f"link {name!r}", "section", section, LinkSection)
        links = [replace(link, section=sections.get(link.name, link.section)) for link in self.links]
        return replace(self, links=tuple(links))

    def with_joint(self, joint: str, **changes: Any) -> Robot:
        """Return the robot with changed data of a joint: friction, damping, limits, spring, or its placement.

        >>> door = Robot("door", [Link("leaf", mass=9, com=(0.4, 0, 0))])
        >>> door.with_joint("leaf", friction=0.3, damping=0.1).link("leaf").joint.total_friction.viscous
        0.1
        """
        link = self.link_of_joint(joint)
        joint_fields = [field.name for field in fields(Joint) if field.name != "name"]
        for word in changes:
            if word not in joint_fields:
                raise InputError(f"with_joint({joint!r}): {word!r} cannot be set. {did_you_mean(word, joint_fields)}")
        fresh = replace(link, joint=replace(link.joint, **changes))
        return replace(self, links=tuple(fresh if robot_link is link else robot_link for robot_link in self.links))

    def with_payload(
        self,
        mass: Scalar,
        position: Any = None,
        body: str | None = None,
        inertia: Any = None,
        *,
        frame: str | None = None,
    ) -> Robot:
        """Return the robot with this payload, which replaces any previous one.

        Args:
            mass: mass [kg].
            position: its centre of mass in the frame of the link, with its origin at the joint, or in `frame` [m]. By
                default the tool frame (a frame or fixed link called tool, tcp, tip, tool0 or flange), else the tip of
                the last link; without either an error is raised.
            body: the link that carries it; by default that of the frame, or the last link of a chain.
            inertia: tensor about its centre of mass in the axes of the link or of `frame` [kg m2], (3, 3).
            frame: a frame or link to which it is attached.

        >>> arm = Robot("arm", [Link("upper", mass=2, tip=(0.5, 0, 0))], frames=[Frame("hook", "upper", (0.3, 0, 0))])
        >>> arm.with_payload(1.5).payload.position, arm.with_payload(1.5, frame="hook").payload.position
        (Vec(0.5, 0, 0), Vec(0.3, 0.0, 0.0))
        """
        inertia_argument = {} if inertia is None else {"inertia": inertia}
        loaded = replace(self, payload=Payload(mass, position, body, **inertia_argument, frame=frame))
        if loaded.payload is not None and loaded.payload.frame is not None:
            candidates = [*(robot_frame.name for robot_frame in self.frames), *(link.name for link in self.links)]
            raise InputError(f"with_payload: there is no frame {frame!r}. {did_you_mean(frame, candidates)}")
        if loaded.payload is not None and loaded.payload.position is None:
            candidates = [link.name for link in self.links]
            raise InputError(f"with_payload: there is no link {body!r}. {did_you_mean(body, candidates)}")
        return loaded

    @property
    def payload_place(self) -> str | None:
        """The position of its payload as text; None without a payload.

        >>> Robot("arm", [Link("upper", mass=2, tip=(0.5, 0, 0))]).with_payload(1.5).payload_place
        "at the tip of link 'upper'"
        """
        if self.payload is None:
            return None
        link = self.link(self.payload.link) if self.payload.link is not None else self.last_link()
        return place_text(link, self.frames, self.payload.position)

    def last_link(self) -> Link:
        """The only link without child links."""
        ends = last_links(self.links)
        if len(ends) != 1:
            names = listed_names(link.name for link in ends)
            raise StructureError(
                f"robot {self.name!r} has {len(ends)} last links ({names}). Give the link that carries the payload."
            )
        return ends[0]


def _part_by_name(name: str, parts: dict[str, Any], kind: str) -> Any:
    if not isinstance(name, str) or name not in parts:
        raise InputError(f"there is no {kind} {name!r}. {did_you_mean(str(name), parts)}")
    return parts[name]
