"""Names of an MJCF model: bodies and joints there may have none, or one that is taken here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gearwright.files.import_report import Findings
from gearwright.files.size_limits import MAX_NAME
from gearwright.text import fresh_name

BASE = "base"
LONGEST = MAX_NAME - 10
"""Characters of a name that is made here, without the number that may tell it from another."""


class Names:
    """One name per link, joint, frame and drive, unique in the robot."""

    def __init__(self, model: Any, found: Findings) -> None:
        self.model = model
        self.found = found
        bodies, joints = self._given("body", model.nbody), self._given("joint", model.njnt)
        links = {BASE}
        self.bodies = [BASE, *(fresh_name(name or f"body{i + 1}", links) for i, name in enumerate(bodies[1:]))]
        taken = {name for name in joints if name}
        self.joints = [name or fresh_name(self._fallback(i), taken) for i, name in enumerate(joints)]
        self.links, self._joints = links, taken
        self._lists: dict[str, set[str]] = {}
        self._note_renamed(bodies)

    def of(self, kind: str, index: int) -> str:
        """The name of an element of another kind, or its kind and number."""
        return str(getattr(self.model, kind)(index).name) or f"{kind}{index}"

    def link(self, name: str) -> str:
        """A name for a further link."""
        return fresh_name(name, self.links)

    def joint(self, name: str) -> str:
        """A name for a joint that the file does not name: a fixed one."""
        return fresh_name(name, self._joints)

    def among(self, kind: str, name: str) -> str:
        """A name that is unique in one of the robot's other lists, and short; frames share theirs with links."""
        return fresh_name(name[:LONGEST], self.links if kind == "frames" else self._lists.setdefault(kind, set()))

    def _given(self, kind: str, count: int) -> list[str]:
        names = [str(getattr(self.model, kind)(i).name) for i in range(count)]
        for name in names:
            if len(name) > MAX_NAME:
                self.found.add(f"a name among its {kind}s is {len(name)} characters long. Use at most {MAX_NAME}.")
        self.found.refuse()
        return names

    def _fallback(self, joint: int) -> str:
        body = self.model.jnt_bodyid[joint]
        shared = self.model.body_jntnum[body] > 1
        place = f".joint{joint - self.model.body_jntadr[body] + 1}" if shared else ""
        return f"{self.bodies[body]}{place}"

    def _note_renamed(self, bodies: Iterable[str]) -> None:
        for old, new in zip(bodies, self.bodies, strict=True):
            if old not in (new, "", "world"):
                reason = f"{BASE!r} is the ground" if old == BASE else "the name is taken"
                self.found.rename("body", old, new, reason)
