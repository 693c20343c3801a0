"""Names of an MJCF model, whose bodies and joints may have no name, or one that is already in use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gearwright.files.import_report import ImportFindings
from gearwright.files.size_limits import MAX_NAME_LENGTH
from gearwright.text import unique_name

MJCF_BASE_LINK = "base"
MAX_GENERATED_NAME = MAX_NAME_LENGTH - 10
"""Largest length of a generated name, without the number that makes it unique."""


class MjcfNames:
    """One name per link, joint, frame and drive, unique in the robot."""

    def __init__(self, model: Any, findings: ImportFindings) -> None:
        self.model = model
        self.findings = findings
        bodies, joints = self._stated_names("body", model.nbody), self._stated_names("joint", model.njnt)
        links = {MJCF_BASE_LINK}
        self.bodies = [
            MJCF_BASE_LINK,
            *(unique_name(name or f"body{i + 1}", links) for i, name in enumerate(bodies[1:])),
        ]
        joint_names = {name for name in joints if name}
        self.joints = [name or unique_name(self._default_joint_name(i), joint_names) for i, name in enumerate(joints)]
        self.links, self._joints = links, joint_names
        self._lists: dict[str, set[str]] = {}
        self._note_renamed(bodies)

    def element_name(self, kind: str, index: int) -> str:
        """Return the name of any other element, or its kind and number."""
        return str(getattr(self.model, kind)(index).name) or f"{kind}{index}"

    def new_link_name(self, name: str) -> str:
        """A name for a further link."""
        return unique_name(name, self.links)

    def new_joint_name(self, name: str) -> str:
        """A name for a fixed joint, which the file does not name."""
        return unique_name(name, self._joints)

    def unique_name(self, kind: str, name: str) -> str:
        """Return a short name that is unique in one of the robot's other lists; frames share names with links."""
        return unique_name(
            name[:MAX_GENERATED_NAME], self.links if kind == "frames" else self._lists.setdefault(kind, set())
        )

    def _stated_names(self, kind: str, count: int) -> list[str]:
        names = [str(getattr(self.model, kind)(i).name) for i in range(count)]
        for name in names:
            if len(name) > MAX_NAME_LENGTH:
                self.findings.add(f"the name of a {kind} has {len(name)} characters. Use at most {MAX_NAME_LENGTH}.")
        self.findings.raise_if_any()
        return names

    def _default_joint_name(self, joint: int) -> str:
        body = self.model.jnt_bodyid[joint]
        shared = self.model.body_jntnum[body] > 1
        place = f".joint{joint - self.model.body_jntadr[body] + 1}" if shared else ""
        return f"{self.bodies[body]}{place}"

    def _note_renamed(self, bodies: Iterable[str]) -> None:
        for old, new in zip(bodies, self.bodies, strict=True):
            if old not in (new, "", "world"):
                reason = f"{MJCF_BASE_LINK!r} is the ground" if old == MJCF_BASE_LINK else "the name is already in use"
                self.findings.add_renaming("body", old, new, reason)
