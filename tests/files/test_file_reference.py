"""The file reference: every object and every word has a sentence."""

from __future__ import annotations

import inspect

import pytest

from gearwright.files import schema
from gearwright.parts import Screw


def objects() -> dict:
    return {name.removesuffix("Fields"): thing for name, thing in schema()["$defs"].items()}


@pytest.mark.parametrize("name", [*objects(), "the file"])
def test_every_word_has_a_sentence(name):
    thing = schema() if name == "the file" else objects()[name]
    assert thing["description"]
    words = next(way for way in (thing, *thing.get("anyOf", [])) if "properties" in way)["properties"]
    assert [word for word, rule in words.items() if not rule.get("description")] == []


def test_the_efficiency_of_a_mesh_has_sentence_and_default():
    rule = objects()["Mesh"]["properties"]["efficiency"]
    assert "power" in rule["description"]
    assert rule["default"] == 1.0


def test_gears_are_told_by_their_parts():
    """What the docstring of a part says is what the reference says; inherited words too."""
    screw = objects()["ScrewGear"]["properties"]
    docstrings = [inspect.getdoc(part) or "" for part in Screw.__mro__]
    assert f"lead: {screw['lead']['description']}." in docstrings[0]
    assert any(f"no_load_torque: {screw['no_load_torque']['description']}." in text for text in docstrings[1:])
