"""Names that must exist, exist once, and make a tree: checked on the raw file, so that bad entries hide nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gearwright.files.problems import Problems
from gearwright.files.yaml.validation import Contents, spell
from gearwright.files.yaml_tree import Node, Path
from gearwright.text import did_you_mean, listed

BASE = "base"

Steps = dict[str, tuple[Path, str]]
"""From a name to the next one on a way through the robot, with the place in the file that says so."""


def name_problems(contents: Contents, problems: Problems) -> None:
    """Note every name that is missing, doubled or points nowhere."""
    names = _Names(contents.root, problems)
    names.unique("links", names.of("links", "name"), reserved=BASE)
    names.unique("joints", names.joints())
    names.unique("drives", names.titles())
    for word in ("frames", "springs", "tendons", "states", "loops", "environment", "cords"):
        names.unique(word, names.of(word, "name"))
    names.apart("links and frames", names.of("links", "name"), names.of("frames", "name"))
    links, joints = list(names.of("links", "name").values()), list(names.joints().values())
    attached = bool(contents.root.data.get("attach"))
    names.exist("parent", names.of("links", "parent"), [*links, BASE], "link")
    names.exist("joint", names.of("drives", "joint"), joints, "joint", attached)
    names.exist("mounted_on", names.of("drives", "mounted_on"), [*links, BASE], "link", attached)
    names.exist("link", names.of("frames", "link"), [*links, BASE], "link")
    places = [*links, *names.of("frames", "name").values(), BASE]
    names.exist("frame", names.of("environment", "frame"), places, "frame or link", attached)
    names.exist("frames", names.listed("loops", "frames"), places, "frame or link", attached)
    # Later attachments may sit on frames that earlier ones bring; `attach` looks at those.
    first = {path: name for path, name in names.of("attach", "frame").items() if path[1] == 0}
    names.exist("frame", first, names.of("frames", "name").values(), "frame")
    names.exist("follows", names.leaders(), joints, "joint")
    names.exist("row", names.rows(), joints, "joint", attached)
    names.exist("frame", names.keyed("cords", "course", "frame"), places, "link or frame", attached)
    names.exist("payload", names.of_payload("link"), links, "link", attached)
    names.exist("payload", names.of_payload("frame"), places, "frame or link", attached)
    names.unique("wheels", names.keyed("trains", "wheels", "name"))
    names.unique("motors", names.keyed("trains", "motors", "name"))
    names.exist_in_trains(links, joints, attached)
    names.refuse_circles(names.parents(), "the parents", "Hang one of them on the base.")
    names.refuse_circles(names.followers(), "joints that follow each other", "Let one of them have its own speed.")


class _Names:
    """The names of a raw file by the path where they stand."""

    def __init__(self, root: Node, problems: Problems) -> None:
        self.root, self.problems = root, problems

    def entries(self, word: str) -> Iterable[tuple[int, dict[str, Any]]]:
        items = self.root.data.get(word)
        if isinstance(items, list):
            yield from ((i, item) for i, item in enumerate(items) if isinstance(item, dict))

    def of(self, word: str, key: str) -> dict[Path, str]:
        return {(word, i, key): item[key] for i, item in self.entries(word) if isinstance(item.get(key), str)}

    def joints(self) -> dict[Path, str]:
        found: dict[Path, str] = {}
        for i, item in self.entries("links"):
            joint = item.get("joint")
            given = joint.get("name") if isinstance(joint, dict) else None
            name = given if given is not None else item.get("name")
            if isinstance(name, str):
                found["links", i, "joint", "name"] = name
        return found

    def titles(self) -> dict[Path, str]:
        names = {("drives", i, "name"): item.get("name", item.get("joint")) for i, item in self.entries("drives")}
        return {path: name for path, name in names.items() if isinstance(name, str)}

    def leaders(self) -> dict[Path, str]:
        found: dict[Path, str] = {}
        for i, item in self.entries("links"):
            joint = item.get("joint")
            follows = joint.get("follows") if isinstance(joint, dict) else None
            if isinstance(follows, dict) and isinstance(follows.get("joint"), str):
                found["links", i, "joint", "follows", "joint"] = follows["joint"]
        return found

    def of_payload(self, key: str) -> dict[Path, str]:
        payload = self.root.data.get("payload")
        name = payload.get(key) if isinstance(payload, dict) else None
        return {("payload", key): name} if isinstance(name, str) else {}

    def inside(self, word: str, inner: str) -> Iterable[tuple[Path, Any]]:
        """What stands in the lists called `inner` of all entries, by its path."""
        for i, item in self.entries(word):
            entries = item.get(inner)
            if isinstance(entries, list):
                yield from (((word, i, inner, k), entry) for k, entry in enumerate(entries))

    def listed(self, word: str, inner: str) -> dict[Path, str]:
        """The names in these lists."""
        return {path: name for path, name in self.inside(word, inner) if isinstance(name, str)}

    def keyed(self, word: str, inner: str, key: str) -> dict[Path, str]:
        """The names under a key of what stands in these lists."""
        return {
            (*path, key): entry[key]
            for path, entry in self.inside(word, inner)
            if isinstance(entry, dict) and isinstance(entry.get(key), str)
        }

    def rows(self) -> dict[Path, str]:
        """The joints that springs, tendons and contacts along rows name."""
        places = [("springs", "row"), ("tendons", "row"), ("environment", "row"), ("environment", "slip")]
        rows = {(word, i, field): item.get(field) for word, field in places for i, item in self.entries(word)}
        return {
            (*entry, joint): joint
            for entry, row in rows.items()
            if isinstance(row, dict)
            for joint in row
            if isinstance(joint, str)
        }

    def exist_in_trains(self, links: list[str], joints: list[str], attached: bool) -> None:
        """Who meshes, carries and drives is a wheel or a link."""
        wheels = list(self.keyed("trains", "wheels", "name").values())
        bodies = [*wheels, *links, BASE]
        for word, key in (("wheels", "carrier"), ("meshes", "first"), ("meshes", "second"), ("meshes", "carrier")):
            self.exist(key, self.keyed("trains", word, key), bodies, "link or wheel", attached)
        self.exist("stator", self.keyed("trains", "motors", "stator"), bodies, "link or wheel", attached)
        self.exist("wheel", self.keyed("trains", "motors", "wheel"), wheels, "wheel", attached)
        self.exist("free", self.listed("trains", "free"), wheels, "wheel", attached)
        axes = self.keyed("trains", "wheels", "axis")
        self.exist("axis", axes, [*joints, *wheels, "parallel", "radial"], "joint or wheel", attached)

    def note(self, path: Path, message: str) -> None:
        self.problems.add(message, spell(path), self.root.line_of(path))

    def unique(self, kind: str, names: dict[Path, str], reserved: str | None = None) -> None:
        taken: set[str] = set()
        for path, name in names.items():
            if name == reserved:
                self.note(path, f"{name!r} is the name of the ground. Give the link another name.")
            elif name in taken:
                self.note(path, f"two {kind} are called {name!r}. Give one of them another name.")
            taken.add(name)

    def apart(self, kinds: str, some: dict[Path, str], others: dict[Path, str]) -> None:
        """No name of the others is one of some."""
        taken = set(some.values())
        for path, name in others.items():
            if name in taken:
                self.note(path, f"two {kinds} are called {name!r}. Give one of them another name.")

    def exist(self, what: str, names: dict[Path, str], known: Iterable[str], kind: str, attached: bool = False) -> None:
        """Every name is known; one that an attached robot may bring is looked at later."""
        there = dict.fromkeys(known)
        for path, name in names.items():
            if name not in there and not attached:
                self.note(path, f"there is no {kind} {name[:60]!r}. {did_you_mean(name, there)}")

    def parents(self) -> Steps:
        """Per link where its parent is named, and the parent."""
        return self._steps(self.of("links", "name"), self.of("links", "parent"))

    def followers(self) -> Steps:
        """Per joint that follows another where that one is named, and its name."""
        return self._steps(self.joints(), self.leaders())

    @staticmethod
    def _steps(names: dict[Path, str], others: dict[Path, str]) -> Steps:
        """The names of links or joints with what they point at; both stand under the same number in the file."""
        by_number = {path[1]: name for path, name in names.items()}
        return {by_number[path[1]]: (path, other) for path, other in others.items() if path[1] in by_number}

    def refuse_circles(self, steps: Steps, what: str, way_out: str) -> None:
        known: set[str] = set()
        for start, (path, _) in steps.items():
            chain: dict[str, None] = {}
            name = start
            while name in steps and name not in known and name not in chain:
                chain[name] = None
                name = steps[name][1]
            if name in chain:
                names = list(chain)
                loop = listed([*names[names.index(name) :], name], " -> ")
                self.note(path, f"{what} form a circle: {loop}. {way_out}")
            known.update(chain)
