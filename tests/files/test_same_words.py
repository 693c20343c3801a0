"""Files and Python use the same word for the same thing: every field of a file is an attribute of its part.

The pairs of models of files and parts are derived by their names; the few fields of files alone are listed here.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest
from pydantic import BaseModel

import gearwright as gw
from gearwright.files import fields
from gearwright.files.field_synonyms import FIELDS_BY_SYNONYM, POSE_SYNONYM
from gearwright.files.fields.basic import SynonymFields

PARTS = {
    name: getattr(space, name)
    for space in (gw.planning, gw.analysis, gw.contact, gw.parts)
    for name in space.__all__
    if dataclasses.is_dataclass(getattr(space, name))
}
PART_NAMES = {
    **dict.fromkeys(("Revolute", "Prismatic", "Helical", "Universal"), "Joint"),
    **dict.fromkeys(("TurnFriction", "SlideFriction"), "Friction"),
    **dict.fromkeys(("TurnSpring", "SlideSpring"), "JointSpring"),
    **dict.fromkeys(("TurnLimits", "SlideLimits"), "Limits"),
    **{"SectionFields": "LinkSection", "StateFields": "NamedState", "SpringFields": "PassiveSpring"},
    **{"ErrorFields": "KinematicError", "LossFields": "Losses", "PieceFields": "StiffnessPiece"},
    **{"LineFields": "PathLimits", "ArcFields": "PathLimits", "CircleFields": "CircularPath", "ContactFields": "-"},
}
"""Models whose part has another name than they have themselves; a contact of a task is a series, not a part."""
POSE = {POSE_SYNONYM, "rpy", "quaternion"}
"""The synonym of a pose, and other ways to state `rotation`."""
GEOMETRY = {*POSE, "dh", "mdh", "vector"}
"""Other ways to state `position` and `rotation` of a joint."""
FILE_ONLY = {
    **dict.fromkeys(("Revolute", "Prismatic", "Helical", "Universal"), GEOMETRY),
    **{"ShapeFields": POSE, "FrameFields": POSE - {POSE_SYNONYM}},
    "HeatFields": {"winding_time_constant", "housing_time_constant"},  # instead of capacities, as data sheets do
    "MotorFields": {"back_emf_constant", "kv", "stated"},  # instead of the torque constant, as data sheets do
    "LinkFields": {"flexible", "closes"},  # built by with_beam, and stored as a loop
    "RobotFields": {"robot", "attach", "elastic_base", "joints"},  # the name; attach, with_elastic_base and linkage
    "TaskFields": {"task", "description", "start"},  # the name; where the first motion starts
    "SectionFields": {"tube", "box", "stations"},  # one section, or several along the link: `sections` in Python
    "ContactPointFields": {"behind"},  # stiffness and damping, or a wall with a mass
    "CircleFields": {"frame", "held", "orientation"},  # arguments of `circle`
    "LineFields": {"frame", "held", "to"},  # arguments of `line`
    "ArcFields": {"frame", "held", "to", "through"},  # arguments of `arc`
}


def models() -> dict[str, type[BaseModel]]:
    """All models of fields of robot and task files."""
    modules = [importlib.import_module(x.name) for x in pkgutil.walk_packages(fields.__path__, fields.__name__ + ".")]
    found = {name: x for module in modules for name, x in vars(module).items() if inspect.isclass(x)}
    return {name: x for name, x in found.items() if issubclass(x, BaseModel)}


PAIRS = {
    name: (model, PARTS[part])
    for name, model in models().items()
    if (part := PART_NAMES.get(name, name.removesuffix("Fields"))) in PARTS
}


@pytest.mark.parametrize("name", PAIRS)
def test_fields_are_attributes(name):
    model, part = PAIRS[name]
    attributes = {field.name for field in dataclasses.fields(part)}
    if name == "CircleFields":
        attributes |= {field.name for field in dataclasses.fields(gw.planning.PathLimits)}
    words = {field.alias or key for key, field in model.model_fields.items()}
    assert words - attributes <= FILE_ONLY.get(name, set()), f"{name} and {part.__name__}"


def test_most_parts_have_a_pair():
    assert len(PAIRS) >= 35
    assert set(FILE_ONLY) <= set(PAIRS)


def test_parts_never_use_a_synonym():
    """A synonym is a word of files alone; the reduction of a harmonic gear is another quantity than its ratio."""
    words = {(part, field.name) for part, kind in PARTS.items() for field in dataclasses.fields(kind)}
    clashes = {(part, word) for part, word in words if word in (*FIELDS_BY_SYNONYM, POSE_SYNONYM)}
    assert clashes == {("Harmonic", "reduction")}


def test_models_accept_only_synonyms_of_the_table():
    accepted = [set(model.synonyms) for model in models().values() if issubclass(model, SynonymFields)]
    assert set().union(*accepted) == set(FIELDS_BY_SYNONYM)


def test_the_manual_lists_the_table_of_synonyms():
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")
    section = page.partition("### Synonyms")[2].partition("\n### ")[0]
    rows = [row.split("|")[1:3] for row in section.splitlines() if row.startswith("| `")]
    stated = {(first_word(synonym), first_word(field)) for field, synonym in rows}
    assert stated == {*FIELDS_BY_SYNONYM.items(), (POSE_SYNONYM, "position")}


def first_word(cell: str) -> str:
    """The field that a cell of a table names: `kind`, or the innermost one of `limits: {speed: ...}`."""
    code = re.findall(r"`([^`]*)`", cell)[0]
    return code.removeprefix("limits: {").partition(":")[0]
