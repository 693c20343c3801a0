"""A joint kind is one row of a table: its name stands there, in the words of files, and where it is refused or made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import gearwright
from gearwright.mechanism.joints.kinds import JOINT_KINDS

PACKAGE_ROOT = Path(gearwright.__file__).parent
TABLE = "mechanism/joints/kinds.py"
WORDS = {
    "files/fields/joint.py": "the words of robot files",
    "files/urdf/joints.py": "the words of URDF",
    "files/urdf/writer.py": "the words of URDF, and joints that URDF has no word for",
    "files/urdf/tree.py": "the root of a URDF, and floating joints on moving links",
    "files/urdf/tolerated_errors.py": "joints of a URDF that move nothing are taken as fixed",
    "files/urdf/coupled_transmissions.py": "what a URDF transmission of two motors can drive",
    "files/urdf/urdf_plus.py": "the words of URDF, and what a coupling can turn",
    "files/urdf/loop_list.py": "the words of lists of loops",
    "files/mjcf/links.py": "the words of MJCF",
    "files/urdf/srdf.py": "what an SRDF gives a rotor to",
    "export/mujoco/bodies.py": "the words of MJCF",
    "export/mujoco/coordinates.py": "the words of MJCF",
    "export/mujoco/document.py": "the words of MJCF",
    "export/mujoco/rotors.py": "the words of MJCF",
    "export/urdf/wheels.py": "the words of URDF",
    "export/urdf/loops.py": "fixed links at the ends of loops, as URDF+ states them",
}
"""Where files are read and written: a kind has its words there."""
NAMED = {
    "parts/builders/walls_and_objects.py": {
        "prismatic": "made: the way of a wall that gives",
        "free": "made: an object that flies until it is caught",
    },
    "parts/builders/flexible_links.py": {
        "revolute": "made: a modal coordinate of twist",
        "prismatic": "made: a modal coordinate of deflection",
    },
    "parts/builders/modal_bodies.py": {
        "revolute": "made: a turn of a node by a mode",
        "prismatic": "made: a modal coordinate, and a displacement of a node by a mode",
        "fixed": "made: a node that no mode moves",
    },
    "parts/link.py": {"revolute": "the default", "free": "the joint of a floating base"},
    "export/handover/projection.py": {"free": "a floating base", "fixed": "made: a base that stays at rest"},
    "mechanism/elements.py": {"revolute": "the default"},
    "parts/builders/attachment.py": {"free": "refused: cannot be attached", "fixed": "made: a payload that came along"},
    "parts/builders/elastic_base.py": {
        "free": "refused: cannot stand on springs",
        "revolute": "made: the ways of an elastic support",
        "prismatic": "made: the ways of an elastic support",
    },
    "parts/builders/linkages.py": {
        **dict.fromkeys(
            ("revolute", "prismatic", "helical"), "the kinds whose coordinate is the same seen from the other link"
        ),
        **dict.fromkeys(
            ("universal", "spherical"), "of the same kind seen from the other link, with other coordinates"
        ),
        "fixed": "made: a link that keeps its frame beside its joint; without length in a loop",
    },
    "parts/payload_and_frames.py": {"fixed": "a link that is a frame of the one that carries it: a tool"},
    "parts/builders/mounting.py": {"revolute": "the one kind whose link can be the output member of a gear"},
    "files/yaml/build.py": {"fixed": "made: a stand-in for a joint that cannot be read"},
    "bench/compilation.py": {"revolute": "made: the machine that is measured"},
}
"""Where a kind is refused by name, or where the code itself makes such a joint."""
OTHER_MEANINGS = {
    "forces/contact/contact.py": {"free"},
    "forces/contact/end_stops.py": {"free"},
    "forces/friction/clutch.py": {"free"},
    "analysis/vibration/vibration_modes.py": {"free"},
    "cli/commands/modes.py": {"free"},
    "files/fields/train.py": {"free"},
    "files/yaml/build.py": {"free"},
    "files/yaml/names.py": {"free"},
    "parts/trains/train.py": {"free"},
}
"""Where such a word means something else: a mode without contact, a motor that is not held, a wheel of its own."""
FILES = sorted(path.relative_to(PACKAGE_ROOT).as_posix() for path in PACKAGE_ROOT.rglob("*.py"))


def names_in(text: str) -> set[str]:
    """The joint kinds that a source names, as whole texts that are not docstrings."""
    return {node.value for node in strings(ast.parse(text)) if node.value in JOINT_KINDS}


def strings(tree: ast.Module) -> Iterator[ast.Constant]:
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node


def allowed(file: str) -> set[str]:
    if file == TABLE or file in WORDS:
        return set(JOINT_KINDS)
    return set(NAMED.get(file, ())) | OTHER_MEANINGS.get(file, set())


@pytest.mark.parametrize("file", FILES)
def test_kinds_are_named_only_where_they_belong(file):
    found = names_in((PACKAGE_ROOT / file).read_text(encoding="utf-8"))
    assert found <= allowed(file), f"{file} names {sorted(found - allowed(file))}: ask the table of joint kinds instead"


def test_every_exception_is_needed():
    for file in [TABLE, *WORDS, *NAMED, *OTHER_MEANINGS]:
        found = names_in((PACKAGE_ROOT / file).read_text(encoding="utf-8"))
        assert found, file
        assert found >= set(NAMED.get(file, ())) | OTHER_MEANINGS.get(file, set()), file


def test_the_scan_sees_a_comparison():
    assert names_in('"""About revolute joints."""\nif body.joint in ("revolute", "free"): pass') == {"revolute", "free"}
    assert names_in('def f():\n    "free"\n') == set()


@pytest.mark.parametrize("kind", JOINT_KINDS.values(), ids=lambda kind: kind.name)
def test_a_row_agrees_with_itself(kind):
    """As many units as coordinates, as many rates as speeds, and dofs that reach every speed."""
    from gearwright import Body

    geometry = {"axis2": (1, 0, 0), "pitch": 0.1}
    body = Body("b", joint=kind.name, **{word: geometry[word] for word in kind.needs})
    dofs = kind.dofs(body)
    assert len(kind.units) == len(kind.coordinates)
    assert len(kind.rates) == len(kind.speeds)
    assert {dof.speed for dof in dofs} == set(range(len(kind.speeds)))
    assert kind.has_rotation == any(dof.angular for dof in dofs)
    assert len(kind.space.neutral_coordinates(len(kind.coordinates))) == len(kind.coordinates)
    if kind.space.speeds_are_rates:
        assert kind.units == kind.rates
