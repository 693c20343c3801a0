"""The robot as a designer states it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from gearwright.algebra import Scalar
from gearwright.errors import InputError, StructureError
from gearwright.parts.checks import require_kind, sequence_of
from gearwright.parts.drives.drive import Drive
from gearwright.parts.drives.supply_and_servo import Supply
from gearwright.parts.environment.loops_and_contacts import Loop, Touch
from gearwright.parts.gears.elasticity import PassiveSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.payload_and_frames import (
    Frame,
    NamedState,
    Payload,
    last_links,
    place_in_words,
    placed_payload,
)
from gearwright.parts.structure.cord import Cord
from gearwright.parts.structure.cross_sections import LinkSection
from gearwright.parts.structure.tendon import Tendon
from gearwright.parts.trains.train import Train
from gearwright.plots.notebook import table
from gearwright.text import did_you_mean, html, listed, visible

LISTS: dict[str, type] = {
    **{"links": Link, "drives": Drive, "frames": Frame, "trains": Train},
    **{"springs": PassiveSpring, "tendons": Tendon, "states": NamedState, "loops": Loop, "environment": Touch},
    "cords": Cord,
}
"""Of what kind the parts of each list are."""


@dataclass(frozen=True)
class Robot:
    """Links, drives, trains, a payload, frames, a supply, springs, tendons, cords, states: a value.

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
    gravity: Any = (0.0, 0.0, -9.81)
    trains: Sequence[Train] = ()
    description: str = ""
    supply: Supply | None = None
    springs: Sequence[PassiveSpring] = ()
    tendons: Sequence[Tendon] = ()
    states: Sequence[NamedState] = ()
    loops: Sequence[Loop] = ()
    environment: Sequence[Touch] = ()
    cords: Sequence[Cord] = ()

    def __repr__(self) -> str:
        named = {
            "links": [link.name for link in self.links],
            "drives": [drive.title for drive in self.drives],
            "trains": [train.name for train in self.trains],
        }
        parts = [f"{kind} {listed(names)}" for kind, names in named.items() if names]
        return f"<Robot {visible(self.name)}: {'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        links = [(x.name, x.parent, f"{x.joint.kind} {x.joint_name}", x.mass) for x in self.links]
        drives = [(x.title, x.joint, x.gear.kind, x.gear.ratio, x.motor.inertia) for x in self.drives]
        shown = [table(["link", "parent", "joint", "mass [kg]"], links)]
        shown += [table(["drive", "joint", "gear", "ratio", "rotor inertia [kg m2]"], drives)] if drives else []
        return f"<p><b>{html(self.name)}</b></p>" + "".join(shown)

    def __post_init__(self) -> None:
        for field, kind in LISTS.items():
            object.__setattr__(self, field, sequence_of(f"robot {self.name!r}", field, getattr(self, field), kind))
        if self.payload is not None:
            require_kind(f"robot {self.name!r}", "payload", self.payload, Payload)
            placed = placed_payload(self.name, self.links, self.frames, self.payload)
            object.__setattr__(self, "payload", placed)
        if self.supply is not None:
            require_kind(f"robot {self.name!r}", "supply", self.supply, Supply)

    @property
    def sections(self) -> dict[str, LinkSection]:
        """Per link that states it, its cross-sections and material."""
        return {link.name: link.section for link in self.links if link.section is not None}

    def link(self, name: str) -> Link:
        """The link of that name."""
        return _named(name, {link.name: link for link in self.links}, "link")

    def link_of_joint(self, joint: str) -> Link:
        """The link that a joint moves."""
        return _named(joint, {link.joint_name: link for link in self.links}, "joint")

    def drive(self, name: str) -> Drive:
        """The drive of that name (by default its joint's)."""
        return _named(name, {drive.title: drive for drive in self.drives}, "drive")

    def state(self, name: str) -> NamedState:
        """The state of that name."""
        return _named(name, {state.name: state for state in self.states}, "state")

    def with_drive(self, drive: Drive | str, replacement: Drive | None = None) -> Robot:
        """The robot with a drive added, or put in the place of the one of the same name.

        `with_drive(drive)` or `with_drive("elbow", drive)`.
        """
        fresh = replacement if isinstance(drive, str) else drive
        if not isinstance(fresh, Drive):
            raise InputError(f"with_drive({drive!r}): {fresh!r} is not a Drive. Give the drive to put there.")
        self.link_of_joint(fresh.joint)
        title = drive if isinstance(drive, str) else drive.title
        kept = [fresh if known.title == title else known for known in self.drives]
        if all(known.title != title for known in self.drives):
            kept.append(fresh)
        return replace(self, drives=tuple(kept))

    def with_joint(self, joint: str, **changes: Any) -> Robot:
        """The robot with other numbers of a joint: friction, damping, limits, spring, or where it is.

        >>> door = Robot("door", [Link("leaf", mass=9, com=(0.4, 0, 0))])
        >>> door.with_joint("leaf", friction=0.3, damping=0.1).link("leaf").joint.total_friction.viscous
        0.1
        """
        link = self.link_of_joint(joint)
        known = [field.name for field in fields(Joint) if field.name != "name"]
        for word in changes:
            if word not in known:
                raise InputError(f"with_joint({joint!r}): {word!r} cannot be set. {did_you_mean(word, known)}")
        fresh = replace(link, joint=replace(link.joint, **changes))
        return replace(self, links=tuple(fresh if one is link else one for one in self.links))

    def with_payload(
        self,
        mass: Scalar,
        position: Any = None,
        body: str | None = None,
        inertia: Any = None,
        *,
        frame: str | None = None,
    ) -> Robot:
        """The robot carrying this payload instead of any it had.

        Args:
            mass: mass [kg].
            position: its centre of mass in the frame of the link, on its joint, or in `frame` [m]. Unless given it sits
                at the tool frame (a frame or fixed link called tool, tcp, tip, tool0 or flange), else at the tip of the
                last link; a robot that has neither refuses it.
            body: the link that carries it; that of the frame, or the last of a chain, unless given.
            inertia: tensor about its centre of mass in the axes of the link or of `frame` [kg m2], (3, 3).
            frame: a frame or link at which it sits.

        >>> arm = Robot("arm", [Link("upper", mass=2, tip=(0.5, 0, 0))], frames=[Frame("hook", "upper", (0.3, 0, 0))])
        >>> arm.with_payload(1.5).payload.position, arm.with_payload(1.5, frame="hook").payload.position
        (Vec(0.5, 0, 0), Vec(0.3, 0.0, 0.0))
        """
        given = {} if inertia is None else {"inertia": inertia}
        loaded = replace(self, payload=Payload(mass, position, body, **given, frame=frame))
        if loaded.payload is not None and loaded.payload.frame is not None:
            known = [*(one.name for one in self.frames), *(link.name for link in self.links)]
            raise InputError(f"with_payload: there is no frame {frame!r}. {did_you_mean(frame, known)}")
        if loaded.payload is not None and loaded.payload.position is None:
            known = [link.name for link in self.links]
            raise InputError(f"with_payload: there is no link {body!r}. {did_you_mean(body, known)}")
        return loaded

    @property
    def payload_place(self) -> str | None:
        """Where its payload sits, in words; None without one.

        >>> Robot("arm", [Link("upper", mass=2, tip=(0.5, 0, 0))]).with_payload(1.5).payload_place
        "at the tip of link 'upper'"
        """
        if self.payload is None:
            return None
        link = self.link(self.payload.link) if self.payload.link is not None else self.last_link()
        return place_in_words(link, self.frames, self.payload.position)

    def last_link(self) -> Link:
        """The only link that carries no other."""
        ends = last_links(self.links)
        if len(ends) != 1:
            names = listed(link.name for link in ends)
            raise StructureError(
                f"robot {self.name!r} has {len(ends)} last links ({names}). Name the link to carry the payload."
            )
        return ends[0]


def _named(name: str, known: dict[str, Any], kind: str) -> Any:
    if name not in known:
        raise InputError(f"there is no {kind} {name!r}. {did_you_mean(name, known)}")
    return known[name]
