"""Cross-sections and materials of links in robot files."""

from __future__ import annotations

import pytest

from gearwright.errors import FileError
from gearwright.files import read_yaml, schema
from gearwright.files.yaml.writer import write_yaml
from gearwright.parts import MATERIALS, Box, Tube

TWO = """
robot: two
links:
  - name: upper
    parent: base
    joint: {name: shoulder, dh: {a: 0.4, alpha: 90 deg, d: 0}}
    mass: 5
    com: [-0.2, 0, 0]
    inertia: {xx: 0.01, yy: 0.09, zz: 0.09}
    section: {to: [0.1, 0, 0], tube: {outer: 80 mm, inner: 70 mm}, material: steel, across: [0, 1, 0]}
  - name: fore
    parent: upper
    joint: {name: elbow, axis: [0, 0, 1]}
    mass: 3
    section:
      to: [0.3, 0, 0]
      stations: [{from: 0, box: {width: 40 mm, height: 60 mm, wall: 3 mm}}, {from: 50 %, tube: {outer: 0.03}}]
      material: {name: cfk, young: 120 GPa, shear: 5 GPa, density: 1.6 g/cm3, strength: 600 MPa}
"""


def test_sections_are_read_in_the_links_own_frame():
    upper, fore = (link.section for link in read_yaml(TWO).links)
    assert upper.to == pytest.approx((0.5, 0, 0))  # the words' frame of a DH link is at its far end
    assert upper.across == pytest.approx((0, 0, 1))
    assert upper.sections == ((0.0, Tube(0.08, 0.07)),)
    assert upper.material == MATERIALS["steel"]
    assert fore.sections == ((0.0, Box(0.04, 0.06, 0.003)), (0.5, Tube(0.03)))
    assert (fore.material.young, fore.material.density, fore.material.strength) == pytest.approx((120e9, 1600, 600e6))


def test_sections_round_trip():
    robot = read_yaml(TWO)
    again = read_yaml(write_yaml(robot))
    assert [link.section for link in again.links] == [link.section for link in robot.links]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("outer: 80", "outer: 60", "inner=0.07"),
        ("material: steel", "material: steal", "links\\[0\\]\\.section: .*'steal'.*steel"),
        ("tube: {outer: 80 mm, inner: 70 mm}, ", "", "links\\[0\\]\\.section: .*tube.*box.*stations"),
        ("young: 120 GPa", "young: 120 m", "'120 m'"),
        ("wall: 3 mm", "wal: 3", "box\\.wal: .*'wall'"),
        ("from: 50 %", "from: 120 %", r"1\.2"),
        ("to: [0.3, 0, 0]", "to: [0, 0, 0]", "section: .*`to`"),
    ],
)
def test_wrong_sections_are_told(old, new, message):
    assert old in TWO
    with pytest.raises(FileError, match=message):
        read_yaml(TWO.replace(old, new))


def test_every_word_is_in_the_schema():
    assert {"to", "tube", "box", "stations", "material", "across"} == set(
        schema()["$defs"]["SectionFields"]["properties"]
    )
