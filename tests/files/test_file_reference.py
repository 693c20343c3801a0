"""The file reference: every word of trains and gears has a sentence."""

from __future__ import annotations

import pytest

from gearwright.files import schema

TRAINS = ("Train", "Gearwheel", "Mesh", "TrainMotor")


def objects() -> dict:
    return {name.removesuffix("Words"): thing for name, thing in schema()["$defs"].items()}


@pytest.mark.parametrize("name", TRAINS)
def test_every_word_of_a_train_is_described(name):
    silent = [word for word, rule in objects()[name]["properties"].items() if not rule.get("description")]
    assert silent == []


def test_the_efficiency_of_a_mesh_has_sentence_and_default():
    rule = objects()["Mesh"]["properties"]["efficiency"]
    assert "whichever of the two gears drives" in rule["description"]
    assert rule["default"] == 1.0


def test_gears_are_told_by_their_parts():
    """What the docstring of a part says is what the reference says; inherited words too."""
    screw = objects()["ScrewGear"]["properties"]
    assert screw["lead"]["description"] == "how far the nut moves per turn [m]"
