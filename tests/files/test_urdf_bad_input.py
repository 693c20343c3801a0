"""Bad URDFs: every problem in one run, with its line and the way out; nothing dangerous is done on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

import gearwright as gw
from gearwright.errors import FileError, GearwrightWarning
from gearwright.files.size_limits import MAX_FILE_BYTES
from gearwright.files.urdf.reader import read_urdf

GOOD = """<robot name="arm">
<link name="ground"/>
<link name="upper"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<link name="fore"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<joint name="shoulder" type="revolute">
<parent link="ground"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="2" velocity="3"/></joint>
<joint name="elbow" type="continuous">
<origin xyz="0.4 0 0" rpy="0 0 0"/><parent link="upper"/><child link="fore"/></joint>
</robot>"""


def problems(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(FileError) as caught:
        read_urdf(text)
    return [(line, f"{path}: {message}") for line, path, message in caught.value.problems]


def test_the_pattern_itself_is_good() -> None:
    assert [link.name for link in read_urdf(GOOD).links] == ["upper", "fore"]


BAD = [
    ('xyz="0.4 0 0"', 'xyz="0.4 0"', 9, "'elbow'|xyz|2|3|'0.4 0'"),
    ('xyz="0.4 0 0"', 'xyz="0.4 0 zero"', 9, "'elbow'|xyz|'zero'"),
    ('xyz="0.4 0 0"', 'xyz="0,4 0 0"', 9, "'elbow'|xyz|'0,4'"),
    ('xyz="0.4 0 0"', 'xyz="inf 0 0"', 9, "'elbow'|xyz|'inf'"),
    ('xyz="0.4 0 0"', 'xyz="1e400 0 0"', 9, "'elbow'|xyz|'1e400'|1e+12"),
    ('xyz="0.4 0 0"', 'xyz="1_0 0 0"', 9, "'elbow'|xyz|'1_0'"),
    ('value="2"', 'value="nan"', 3, "'upper'/inertial/mass|value|'nan'"),
    ('value="2"', 'value="-1e99"', 3, "'upper'/inertial/mass|value|'-1e99'"),
    ('value="2"', 'weight="2"', 3, "'upper'/inertial/mass: value"),
    ('<mass value="2"/>', "", 3, "'upper'/inertial: |<mass>"),
    ('ixx="0.1" iyy="0.1"', 'ixx="0.1"', 3, "'upper'/inertial/inertia: iyy"),
    ('xyz="0 0 1"', 'xyz="0 0 0"', 6, "'shoulder'/axis|(0.0, 0.0, 0.0)"),
    ('type="continuous"', 'type="continous"', 8, "'elbow'|'continous'|'continuous'"),
    ('type="continuous"', "", 8, "joint 'elbow': |<joint>|type"),
    ('name="elbow"', 'name=""', 8, "joint: |<joint>|name"),
    ('name="elbow"', f'name="{"e" * 300}"', 8, "300|200"),
    ('<parent link="upper"/>', "", 8, "'elbow'|<parent link=.../>"),
    ('<parent link="upper"/>', '<parent link="uper"/>', 8, "'elbow'|'uper'|'upper'"),
    ('<child link="fore"/>', '<child link="for"/>', 8, "'elbow'|'for'|'fore'"),
    ('<link name="fore">', '<link name="upper">', 4, "link 'upper'|line 3"),
    ('name="elbow"', 'name="shoulder"', 8, "joint 'shoulder'|line 5"),
    ('<parent link="ground"/>', '<parent link="fore"/>', 5, "upper -> fore -> upper"),
    ('<child link="fore"/>', '<child link="upper"/>', 8, "'elbow'|'upper'|'shoulder'"),
    ('lower="-1"', 'lower="low"', 7, "'shoulder'/limit: lower: 'low'"),
    ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><axis xyz="0 1 0"/>', 6, "'shoulder'/axis: |<axis>"),
    ("</robot>", '<link name="lost"/></robot>', 10, "2|'ground', 'lost'"),
    ("</robot>", '<joint name="a" type="fixed"><mimic joint="a"/></joint></robot>', 10, "'a'|<parent"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "facts"), BAD, ids=[facts[:40] for *_, facts in BAD])
def test_each_problem_has_its_line(old: str, new: str, line: int | None, facts: str) -> None:
    assert old in GOOD
    found = problems(GOOD.replace(old, new, 1))
    assert any(at == line and all(fact in text for fact in facts.split("|")) for at, text in found), found


def test_all_problems_in_one_run() -> None:
    text = GOOD.replace('value="2"', 'value="nan"').replace('xyz="0 0 1"', 'xyz="0 0"').replace('"fore"/>', '"for"/>')
    found = problems(text)
    assert [line for line, _ in found if line is not None] == [
        3,
        4,
        6,
        8,
    ]  # 4: the link that lost its joint is a second root


def test_followers_in_a_circle() -> None:
    text = GOOD.replace('<child link="fore"/>', '<child link="fore"/><mimic joint="shoulder"/>')
    text = text.replace('<child link="upper"/>', '<child link="upper"/><mimic joint="elbow"/>')
    assert [(line, words.partition(":")[0], "mimic" in words) for line, words in problems(text)] == [
        (5, "joint 'shoulder'", True),
        (8, "joint 'elbow'", True),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot", "broken XML"),
        ("<robot><link></robot>", "broken XML"),
        ('<robot name="a" name="b"/>', "broken XML"),
        ("<sdf/>", "<sdf>.*<robot>"),
        ("<!-- nothing -->", "XML"),
        ("<>", "XML"),
        ('<!DOCTYPE robot SYSTEM "robot.dtd"><robot name="a"/>', "DOCTYPE or ENTITY"),
        ("\n<!doctype robot><robot name='a'/>", "DOCTYPE or ENTITY"),
        ("<a>" * 100 + "</a>" * 100, "40|root element"),
        ("<robot>" + "<a>" * 100 + "</a>" * 100 + "</robot>", r"\b40\b"),
        ("<robot>" + "<a/>" * 200_001 + "</robot>", r"\b200000\b"),
        ("<robot>" + "<a>" * 100_000, "broken XML|nested"),
    ],
    ids=range(12),
)
def test_what_is_no_urdf(text: str, says: str) -> None:
    with pytest.raises(FileError, match=says):
        read_urdf(text)


def test_entities_are_neither_expanded_nor_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("opensesame")
    levels = "".join(f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(12))
    bombs = [
        f'<!DOCTYPE robot [<!ENTITY a0 "ha">{levels}]><robot name="&a12;"><link name="&a12;"/></robot>',
        f'<!DOCTYPE robot [<!ENTITY x SYSTEM "file://{secret}">]><robot name="r"><link name="a">&x;</link></robot>',
    ]
    for text in bombs:
        with pytest.raises(FileError, match="DOCTYPE or ENTITY") as caught:
            read_urdf(text)
        assert "opensesame" not in str(caught.value)


def test_an_entity_without_a_doctype_is_broken_xml() -> None:
    assert any("broken XML" in text for _, text in problems('<robot name="r"><link name="a">&x;</link></robot>'))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.urdf"
    with pytest.raises(FileError, match=r"a\.urdf"):
        read_urdf(path)
    for content, says in ((b"", "empty"), (b"\0\1", "binary"), (b"<robot name='\xff'/>", "UTF-8"), (b"hello", "XML")):
        path.write_bytes(content)
        with pytest.raises(FileError, match=says):
            read_urdf(path)
    path.write_bytes(b"<robot>" + b" " * MAX_FILE_BYTES + b"</robot>")
    with pytest.raises(FileError, match=str(MAX_FILE_BYTES)):
        read_urdf(path)
    with pytest.raises(FileError, match="folder"):
        read_urdf(tmp_path)


def test_an_encoding_that_is_declared_wrongly_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.urdf"
    path.write_text('<?xml version="1.0" encoding="utf-16"?>\n' + GOOD, encoding="utf-8")
    assert read_urdf(path).name == "arm"


def test_a_refused_file_lists_what_would_be_accepted_too() -> None:
    text = GOOD.replace('mass value="2"', 'mass value="-2"').replace('type="continuous"', 'type="hinge"')
    assert [line for line, _ in problems(text)] == [3, 8]


def test_the_warning_points_at_the_line_that_loads(tmp_path: Path) -> None:
    path = tmp_path / "a.urdf"
    path.write_text(GOOD.replace('izz="0.1"', 'izz="9"'))
    for read in (read_urdf, gw.load):
        with pytest.warns(GearwrightWarning, match="triangle") as caught:
            read(path)
        assert caught[0].filename == __file__


def test_hopeless_files_end_soon() -> None:
    """500 problems are enough; the message spells out 50 of them."""
    text = '<robot name="r">' + '<link name="a"><inertial/></link>\n' * 3000 + "</robot>"
    with pytest.raises(FileError) as caught:
        read_urdf(text)
    assert len(caught.value.problems) == 500
    assert len(str(caught.value).splitlines()) < 60


def test_long_chains_and_many_names_take_linear_time() -> None:
    """Twice the links, about twice the work; counted in steps of the interpreter, not in seconds."""

    def calls(count: int) -> int:
        links = "".join(f'<link name="l{i}"/>' for i in range(count))
        joint = '<joint name="j{0}" type="fixed"><parent link="l{0}"/><child link="l{1}"/></joint>'
        joints = "".join(joint.format(i, i + 1) for i in range(count - 1))
        return _calls(lambda: read_urdf(f'<robot name="r">{links}{joints}</robot>'))

    assert calls(800) < 2.5 * calls(400)


def _calls(run: object) -> int:
    import cProfile
    import pstats

    profile = cProfile.Profile()
    profile.runcall(run)  # type: ignore[arg-type]
    return int(pstats.Stats(profile).total_calls)
