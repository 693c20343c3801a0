"""Checks of names: existence, uniqueness and tree structure, on the raw file, independent of invalid entries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gearwright.files.field_synonyms import stated_name, stated_value
from gearwright.files.problems import FileProblems
from gearwright.files.yaml.validation import RobotFileContents, path_text
from gearwright.files.yaml_tree import KeyPath, YamlNode
from gearwright.text import did_you_mean, listed_names

GROUND_NAME = "base"

NameLinks = dict[str, tuple[KeyPath, str]]
"""References from a name to another name, with their location in the file."""


def name_problems(contents: RobotFileContents, problems: FileProblems) -> None:
    """Add a problem for every missing, repeated or undefined name."""
    names = _NameChecks(contents.root, problems)
    names.require_unique("links", names.names_under_key("links", "name"), reserved=GROUND_NAME)
    names.require_unique("joints", names.joint_names())
    names.require_unique("drives", names.drive_names())
    for word in ("frames", "springs", "tendons", "states", "loops", "environment", "cords"):
        kind = "entries of the environment" if word == "environment" else word
        names.require_unique(kind, names.names_under_key(word, "name"))
    names.require_disjoint(
        "links and frames", names.names_under_key("links", "name"), names.names_under_key("frames", "name")
    )
    links, joints = list(names.names_under_key("links", "name").values()), list(names.joint_names().values())
    attached = bool(contents.root.data.get("attach"))
    names.require_joints()
    names.require_existing("parent", names.names_under_key("joints", "parent"), [*links, GROUND_NAME], "link")
    names.require_existing("child", names.named_links("joints", "child"), [*links, GROUND_NAME], "link")
    names.require_existing("parent", names.names_under_key("links", "parent"), [*links, GROUND_NAME], "link")
    names.require_existing("joint", names.names_under_key("drives", "joint"), joints, "joint", attached)
    names.require_existing(
        "mounted_on", names.names_under_key("drives", "mounted_on"), [*links, GROUND_NAME], "link", attached
    )
    names.require_existing("closes", names.named_links("links", "closes"), links, "link")
    names.require_existing("link", names.names_under_key("frames", "link"), [*links, GROUND_NAME], "link")
    places = [*links, *names.names_under_key("frames", "name").values(), GROUND_NAME]
    names.require_existing("frame", names.names_under_key("environment", "frame"), places, "frame or link", attached)
    names.require_existing("frames", names.names_in_lists("loops", "frames"), places, "frame or link", attached)
    # Later attachments may use frames of earlier ones; `attach` checks those.
    first = {path: name for path, name in names.names_under_key("attach", "frame").items() if path[1] == 0}
    names.require_existing("frame", first, names.names_under_key("frames", "name").values(), "frame")
    names.require_existing("follows", names.leader_names(), joints, "joint")
    names.require_existing("independent", names.listed_under("independent"), joints, "joint", attached)
    names.require_existing("row", names.row_joints(), joints, "joint", attached)
    names.require_existing(
        "frame", names.names_in_entries("cords", "route", "frame"), places, "link or frame", attached
    )
    names.require_existing("payload", names.payload_names("link"), links, "link", attached)
    names.require_existing("payload", names.payload_names("frame"), places, "frame or link", attached)
    names.require_unique("wheels", names.names_in_entries("trains", "wheels", "name"))
    names.require_unique("motors", names.names_in_entries("trains", "motors", "name"))
    names.require_train_names(links, joints, attached)
    names.require_acyclic(names.parent_links(), "the parents", "Attach one of them to the base.")
    names.require_acyclic(names.follower_links(), "joints that follow each other", "Make one of them independent.")


class _NameChecks:
    """The names of a raw file by their paths."""

    def __init__(self, root: YamlNode, problems: FileProblems) -> None:
        self.root, self.problems = root, problems

    def mapping_entries(self, word: str) -> Iterable[tuple[int, dict[str, Any]]]:
        items = self.root.data.get(word)
        if isinstance(items, list):
            yield from ((i, item) for i, item in enumerate(items) if isinstance(item, dict))

    def names_under_key(self, word: str, key: str) -> dict[KeyPath, str]:
        return {(word, i, key): item[key] for i, item in self.mapping_entries(word) if isinstance(item.get(key), str)}

    def listed_under(self, word: str) -> dict[KeyPath, str]:
        items = self.root.data.get(word)
        return {(word, i): x for i, x in enumerate(items if isinstance(items, list) else ()) if isinstance(x, str)}

    def joint_names(self) -> dict[KeyPath, str]:
        names: dict[KeyPath, str] = {}
        for word in ("links", "joints"):
            for i, item in self.mapping_entries(word):
                joint = item.get("joint")
                own_name = joint.get("name") if isinstance(joint, dict) else None
                name = own_name if own_name is not None or joint is None else item.get("name")
                if isinstance(name, str):
                    names[word, i, "joint", "name"] = name
        return names

    def named_links(self, word: str, key: str) -> dict[KeyPath, str]:
        """Return the links that entries name under `link` of a key."""
        entries = {i: item.get(key) for i, item in self.mapping_entries(word)}
        return {
            (word, i, key, "link"): entry["link"]
            for i, entry in entries.items()
            if isinstance(entry, dict) and isinstance(entry.get("link"), str)
        }

    def require_joints(self) -> None:
        """Check that every link has a joint: its own, or one under `joints`."""
        ends = {*self.names_under_key("joints", "parent").values(), *self.named_links("joints", "child").values()}
        for i, item in self.mapping_entries("links"):
            if item.keys() & {"parent", "joint"} or item.get("name") in ends:
                continue
            self.add_problem(
                ("links", i), "the fields 'parent' and 'joint' are missing. Add them, or a joint of it under `joints`."
            )

    def drive_names(self) -> dict[KeyPath, str]:
        names = {
            ("drives", i, "name"): item.get("name", item.get("joint")) for i, item in self.mapping_entries("drives")
        }
        return {path: name for path, name in names.items() if isinstance(name, str)}

    def leader_names(self) -> dict[KeyPath, str]:
        names: dict[KeyPath, str] = {}
        for word in ("links", "joints"):
            for i, item in self.mapping_entries(word):
                joint = item.get("joint")
                if not isinstance(joint, dict):
                    continue
                follows = stated_value(joint, "follows")
                if isinstance(follows, dict) and isinstance(follows.get("joint"), str):
                    names[word, i, "joint", stated_name(joint, "follows"), "joint"] = follows["joint"]
        return names

    def payload_names(self, key: str) -> dict[KeyPath, str]:
        payload = self.root.data.get("payload")
        name = payload.get(key) if isinstance(payload, dict) else None
        return {("payload", key): name} if isinstance(name, str) else {}

    def inner_entries(self, word: str, inner: str) -> Iterable[tuple[KeyPath, Any]]:
        """Return the items of the lists `inner` of all entries, by path."""
        for i, item in self.mapping_entries(word):
            entries = item.get(inner)
            if isinstance(entries, list):
                yield from (((word, i, inner, k), entry) for k, entry in enumerate(entries))

    def names_in_lists(self, word: str, inner: str) -> dict[KeyPath, str]:
        """Return the names in these lists."""
        return {path: name for path, name in self.inner_entries(word, inner) if isinstance(name, str)}

    def names_in_entries(self, word: str, inner: str, key: str) -> dict[KeyPath, str]:
        """Return the names under a key of the items of these lists."""
        return {
            (*path, key): entry[key]
            for path, entry in self.inner_entries(word, inner)
            if isinstance(entry, dict) and isinstance(entry.get(key), str)
        }

    def row_joints(self) -> dict[KeyPath, str]:
        """Return the joints in the rows of springs, tendons and contacts."""
        places = [("springs", "row"), ("tendons", "row"), ("environment", "row"), ("environment", "slip")]
        rows = {(word, i, field): item.get(field) for word, field in places for i, item in self.mapping_entries(word)}
        return {
            (*entry, joint): joint
            for entry, row in rows.items()
            if isinstance(row, dict)
            for joint in row
            if isinstance(joint, str)
        }

    def require_train_names(self, links: list[str], joints: list[str], attached: bool) -> None:
        """Check that meshes, carriers and motors refer to wheels or links."""
        wheels = list(self.names_in_entries("trains", "wheels", "name").values())
        bodies = [*wheels, *links, GROUND_NAME]
        for word, key in (("wheels", "carrier"), ("meshes", "first"), ("meshes", "second"), ("meshes", "carrier")):
            self.require_existing(key, self.names_in_entries("trains", word, key), bodies, "link or wheel", attached)
        self.require_existing(
            "stator", self.names_in_entries("trains", "motors", "stator"), bodies, "link or wheel", attached
        )
        self.require_existing("wheel", self.names_in_entries("trains", "motors", "wheel"), wheels, "wheel", attached)
        self.require_existing("free", self.names_in_lists("trains", "free"), wheels, "wheel", attached)
        axes = self.names_in_entries("trains", "wheels", "axis")
        self.require_existing("axis", axes, [*joints, *wheels, "parallel", "radial"], "joint or wheel", attached)

    def add_problem(self, path: KeyPath, message: str) -> None:
        self.problems.add(message, path_text(path), self.root.line_of(path))

    def require_unique(self, kind: str, names: dict[KeyPath, str], reserved: str | None = None) -> None:
        previous_names: set[str] = set()
        for path, name in names.items():
            if name == reserved:
                self.add_problem(path, f"{name!r} is reserved for the ground. Give the link another name.")
            elif name in previous_names:
                self.add_problem(path, f"two {kind} are called {name!r}. Rename one of them.")
            previous_names.add(name)

    def require_disjoint(self, kinds: str, some: dict[KeyPath, str], second: dict[KeyPath, str]) -> None:
        """Add a problem for every name that occurs in both groups."""
        first_names = set(some.values())
        for path, name in second.items():
            if name in first_names:
                self.add_problem(path, f"two {kinds} are called {name!r}. Rename one of them.")

    def require_existing(
        self, field: str, names: dict[KeyPath, str], known_names: Iterable[str], kind: str, attached: bool = False
    ) -> None:
        """Add a problem for every unknown name; names of attached robots are checked later."""
        candidates = dict.fromkeys(known_names)
        for path, name in names.items():
            if name not in candidates and not attached:
                self.add_problem(path, f"there is no {kind} {name[:60]!r}. {did_you_mean(name, candidates)}")

    def parent_links(self) -> NameLinks:
        """Return the location and name of each link's parent."""
        return self._name_links(self.names_under_key("links", "name"), self.names_under_key("links", "parent"))

    def follower_links(self) -> NameLinks:
        """Return the location and name of each mimic joint's leader."""
        return self._name_links(self.joint_names(), self.leader_names())

    @staticmethod
    def _name_links(names: dict[KeyPath, str], targets: dict[KeyPath, str]) -> NameLinks:
        """Return the names of links or joints with their references; both have the same index in the file."""
        by_entry = {path[:2]: name for path, name in names.items()}
        return {by_entry[path[:2]]: (path, target) for path, target in targets.items() if path[:2] in by_entry}

    def require_acyclic(self, steps: NameLinks, subject: str, remedy: str) -> None:
        visited: set[str] = set()
        for start, (path, _) in steps.items():
            chain: dict[str, None] = {}
            name = start
            while name in steps and name not in visited and name not in chain:
                chain[name] = None
                name = steps[name][1]
            if name in chain:
                names = list(chain)
                loop = listed_names([*names[names.index(name) :], name], " -> ")
                self.add_problem(path, f"{subject} form a cycle: {loop}. {remedy}")
            visited.update(chain)
