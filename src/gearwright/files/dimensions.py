"""Units that depend on the joint: a spring at one that turns is in Nm/rad, at one that slides in N/m."""

from __future__ import annotations

from typing import Any

from gearwright.files.joint_words import JointWords
from gearwright.files.problems import Problems
from gearwright.files.units import quantity
from gearwright.files.validation import Contents, spell

WANTED = {
    "turn": {
        **{"ratio": "number", "stiffness": "angular stiffness", "damping": "angular damping", "offset": "angle"},
        **{"backlash": "angle", "hardening": "angular hardening", "until": "torque", "torque": "torque"},
        **{"width": "angle", "amplitude": "angle"},
    },
    "slide": {
        **{"ratio": "turns per length", "stiffness": "stiffness", "damping": "damping", "offset": "length"},
        **{"backlash": "length", "hardening": "hardening", "until": "force", "torque": "force"},
        **{"width": "length", "amplitude": "length"},
    },
}
INSIDE = ("torsion", "pieces", "hysteresis", "errors")
"""Words within a gear whose own words have the units of the joint."""


def dimension_problems(contents: Contents, problems: Problems) -> None:
    """Note every unit of a gear or a follower that does not fit the kind of its joint."""
    joints = {words.joint.name or words.name: words.joint for words in contents.links if words}
    data = contents.root.data
    for i, drive in enumerate(contents.drives):
        if drive is not None:
            _note(data["drives"][i].get("gear"), joints.get(drive.joint), ("drives", i, "gear"), contents, problems)
    for i, link in enumerate(contents.links):
        if link is not None:
            follows = data["links"][i]["joint"].get("follows")
            _note(follows, link.joint, ("links", i, "joint", "follows"), contents, problems)


def _note(
    words: Any, joint: JointWords | None, path: tuple[str | int, ...], contents: Contents, problems: Problems
) -> None:
    if isinstance(words, list):
        for i, item in enumerate(words):
            _note(item, joint, (*path, i), contents, problems)
    if not isinstance(words, dict) or joint is None or joint.motion is None:
        return
    for word in INSIDE:
        _note(words.get(word), joint, (*path, word), contents, problems)
    for word, dimension in WANTED[joint.motion].items():
        value = words.get(word)
        if isinstance(value, str):
            try:
                quantity(value, dimension)
            except ValueError as error:
                full = (*path, word)
                problems.add(f"{error} The joint is {joint.type}.", spell(full), contents.root.line_of(full))
