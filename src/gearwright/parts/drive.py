"""A drive: a motor on some link that moves a joint through a gear."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gearwright.parts.gear import AnyGear, Gear
from gearwright.parts.kinds import require_kind
from gearwright.parts.motor import Motor


@dataclass(frozen=True)
class Drive:
    """A motor that drives one joint.

    Args:
        joint: name of the driven joint.
        motor: the motor.
        gear: the gear between motor and joint.
        mounted_on: name of the link that carries the motor, or "base"; the parent of the driven link unless given.
        axis: axis of the rotor in that link's frame; parallel to the joint's axis at its zero unless given.
        name: its name; the joint's unless given.
    """

    joint: str
    motor: Motor = field(default_factory=Motor)
    gear: AnyGear = field(default_factory=Gear)
    mounted_on: str | None = None
    axis: Any = None
    name: str | None = None

    def __post_init__(self) -> None:
        require_kind(f"drive {self.title!r}", "motor", self.motor, Motor)
        if not hasattr(self.gear, "wheels"):  # a new kind of gear need not be derived from one of ours
            require_kind(f"drive {self.title!r}", "gear", self.gear, Gear)

    @property
    def title(self) -> str:
        """Its name, which is the joint's unless given."""
        return self.name if self.name is not None else self.joint
