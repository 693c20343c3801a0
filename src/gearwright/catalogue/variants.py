"""Bundled robots that are another one's file with other numbers: a name, the file, and what differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gearwright.parts import Robot
from gearwright.parts.paths import with_parameters


@dataclass(frozen=True)
class Variant:
    """A bundled file under another name.

    Args:
        file: name of the bundled robot whose file it is.
        parameters: parameter path -> number, as `with_parameters` takes them.
        words: per word of the description the one that stands there instead.
    """

    file: str
    parameters: Mapping[str, float]
    words: Mapping[str, str]

    def of(self, name: str, robot: Robot) -> Robot:
        """The robot of the file under its other name, with its own numbers."""
        changed = with_parameters(robot, self.parameters)
        return replace(changed, name=name, description=self.described(robot.description))

    def described(self, text: str) -> str:
        """The description of the file with its own words."""
        for old, new in self.words.items():
            text = text.replace(old, new)
        return text


def _planets(count: int) -> Variant:
    numbers = {f"{joint}.gear.planets": count for joint in ("j1", "j2")}
    return Variant("planetary_2r", numbers, {"3 planets": f"{count} planets"})


VARIANTS = {f"planetary_2r_{count}": _planets(count) for count in (3, 4, 5, 6)}
