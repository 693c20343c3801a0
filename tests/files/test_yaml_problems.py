"""Bad files: every problem at once, each with its line, the words that lead there, and the way out."""

from __future__ import annotations

import pytest

import gearwright as gw
from gearwright.errors import FileError
from gearwright.files import check, read_yaml
from gearwright.files.size_limits import MAX_FILE_BYTES

GOOD = "robot: x\nlinks:\n  - {name: rod, parent: base, joint: {axis: [0, 0, 1]}, mass: 2, com: [0.3, 0, 0]}\n"

MANY = """robot: x
gravty: [0, 0, -9.81]
links:
  - name: a
    parent: bass
    joint: {type: revolut, axis: [0, 0, 1]}
    mass: "5"
  - name: b
    parent: a
    joint: {axs: [0, 0, 1]}
    mas: 3
    com: [1, 2]
  - name: b
    parent: base
    mass: 3 mm
    joint: {kind: revolute, position: [0, 0, 0]}
    inertia: {xx: 1, yy: 1, zz: 3}
drives:
  - joint: q
    motor: {inertia: 35 gcm, catalogue: maxon_re30}
  - joint: b
    mounted_on: nowhere
    gear: {kind: planetary, sun: 18, planet: 27, ring: 73}
payload: {mass: 2, positon: [1, 2, 3]}
frames: {name: tool}
"""
EXPECTED = [
    (2, "gravty", "Did you mean 'gravity'"),
    (5, "links[0].parent", "Did you mean 'base'"),
    (6, "links[0].joint", "Did you mean 'revolute'"),
    (7, "links[0].mass", "'5'"),
    (10, "links[1].joint.axs", "Did you mean 'axis'"),
    (11, "links[1].mas", "Did you mean 'mass'"),
    (12, "links[1].com", "[1, 2]"),
    (13, "links[2]", "triangle inequality"),
    (13, "links[2].name", "'b'"),
    (15, "links[2].mass", "'3 mm'"),
    (16, "links[2].joint", "axis"),
    (19, "drives[0].joint", "joint 'q'"),
    (20, "drives[0].motor.inertia", "'gcm'"),
    (22, "drives[1].mounted_on", "'nowhere'"),
    (23, "drives[1].gear", "ring 73 ≠ sun 18 + 2 × planet 27 = 72"),
    (24, "payload.positon", "Did you mean 'position'"),
    (25, "frames", "list"),
]


@pytest.mark.parametrize(("line", "path", "says"), EXPECTED)
def test_all_problems_in_one_run(line, path, says):
    with pytest.raises(FileError) as caught:
        read_yaml(MANY)
    here = [p for p in caught.value.problems if p.line == line and p.path == path]
    assert here, caught.value
    assert any(says in p.message for p in here), here
    assert f"line {line}: {path}: " in str(caught.value)


BAD = {
    "a list": ("- robot: x", "line 1: the file is not a mapping"),
    "a word": ("robot", "line 1: the file is not a mapping"),
    "only comments": ("# nothing\n", "comments"),
    "broken": ("robot: [x\nlinks: 3", "invalid YAML"),
    "a tab": ("robot: x\n\tlinks: 3", "indented with a tab"),
    "no links": ("robot: x", "'links' is missing"),
    "empty links": ("robot: x\nlinks: []", "at least one"),
    "links a mapping": ("robot: x\nlinks: {a: 1}", "line 2: links: "),
    "no name": (GOOD.replace("robot: x\n", ""), "'robot' is missing"),
    "no parent": (GOOD.replace("parent: base, ", ""), "'parent' is missing"),
    "no joint": (GOOD.replace("joint: {axis: [0, 0, 1]}, ", ""), "'joint' is missing"),
    "twice": (GOOD + "robot: y\n", "line 4: 'robot'"),
    "two documents": (GOOD + "---\nrobot: y\n", "a second document"),
    "an object": (GOOD.replace("robot: x", "robot: !!python/object/apply:os.system ['true']"), "os.system"),
    "a tag": (GOOD.replace("mass: 2", "mass: !kg 2"), "'!kg'"),
    "an unknown anchor": (GOOD.replace("mass: 2", "mass: *m"), "*m"),
    "a number as a key": (GOOD + "{a: 1}: 2\n", "line 4: a key"),
    "infinity": (GOOD.replace("mass: 2", "mass: 1e999"), "not a finite number"),
    "not a number": (GOOD.replace("mass: 2", "mass: .nan"), "is not a number"),
    "true": (GOOD.replace("mass: 2", "mass: true"), "links[0].mass: true"),
    "null": (GOOD.replace("mass: 2", "mass:"), "links[0].mass: nothing|line 3: invalid YAML"),
    "negative mass": (GOOD.replace("mass: 2", "mass: -2"), "mass -2 kg is negative"),
    "unphysical": (GOOD.replace("mass: 2", "mass: 2, inertia: {xx: 1, yy: 1, zz: 3}"), "triangle inequality"),
    "asymmetric": (GOOD.replace("mass: 2", "inertia: [[1, 2, 0], [3, 1, 0], [0, 0, 1]]"), "Make it symmetric"),
    "no rotation": (
        GOOD.replace("axis", "rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 2]], axis"),
        "not orthogonal",
    ),
    "two rotations": (GOOD.replace("axis", "rpy: [0, 0, 0], quaternion: [1, 0, 0, 0], axis"), "Keep one"),
    "two ways": (GOOD.replace("axis", "dh: {a: 1}, axis"), "dh"),
    "a zero axis": (GOOD.replace("[0, 0, 1]", "[0, 0, 0]"), "axis is [0, 0, 0]"),
    "a long axis": (GOOD.replace("[0, 0, 1]", "[0, 0, 1, 0]"), "links[0].joint.axis: 4 values"),
    "a circle": (
        "robot: x\nlinks:\n  - {name: a, parent: b, joint: {axis: [0, 0, 1]}}\n"
        "  - {name: b, parent: a, joint: {axis: [0, 0, 1]}}\n",
        "a -> b -> a",
    ),
    "followers in a circle": (
        "robot: x\nlinks:\n  - {name: a, parent: base, joint: {axis: [0, 0, 1], follows: {joint: b}}, mass: 1}\n"
        "  - {name: b, parent: a, joint: {axis: [0, 0, 1], follows: {joint: a}}, mass: 1}\n",
        "a -> b -> a",
    ),
    "a parent that is a list": (GOOD.replace("parent: base", "parent: [base]"), "links[0].parent: "),
    "a tooth count that says nothing": (
        GOOD + "drives: [{joint: rod, gear: {kind: planetary, sun: 18, planet: null, ring: 72}}]",
        "a planetary gear needs planet",
    ),
    "called base": (GOOD.replace("name: rod", "name: base"), "links[0].name: 'base'"),
    "crossed limits": (GOOD.replace("axis", "limits: {position: [2, 1]}, axis"), "Swap them"),
    "limit of a slide": (
        GOOD.replace("axis", "type: prismatic, limits: {speed: 3 rpm}, axis"),
        "'3 rpm'",
    ),
    "a spring of a slide at a turn": (
        GOOD + "drives: [{joint: rod, gear: {ratio: 3, stiffness: 5 N/mm}}]",
        "'5 N/mm'",
    ),
    "a ratio per length at a turn": (
        GOOD + "drives: [{joint: rod, gear: {ratio: 300 rad/m}}]",
        "The joint is revolute",
    ),
    "a following slide with an angle": (
        GOOD + "  - {name: b, parent: rod, mass: 1, joint: {kind: prismatic, axis: [1, 0, 0], "
        "follows: {joint: rod, offset: 3 deg}}}\n",
        "'3 deg'",
    ),
    "a frame called as a link": (GOOD + "frames: [{name: rod, link: rod}]", "frames[0].name: two links and frames"),
    "a mesh outside": (GOOD.replace("mass: 2", "shapes: [{kind: mesh, file: ../../secret.stl}]"), "leads out"),
    "a mesh anywhere": (GOOD.replace("mass: 2", "shapes: [{kind: mesh, file: /etc/passwd}]"), "leads out"),
    "a mesh on the net": (
        GOOD.replace("mass: 2", "shapes: [{kind: mesh, file: 'http://x/a.stl'}]"),
        "'http://x/a.stl'",
    ),
    "a moved mass centre": (
        "robot: x\nlinks:\n  - {name: a, parent: base, com: [1, 0, 0], joint: {vector: {e: [0, 0, 1], "
        "e_before: [0, 0, 1], r: [1, 0, 0], r_before: [1, 0, 0]}}}",
        "com",
    ),
    "two drives of one name": (GOOD + "drives: [{joint: rod}, {joint: rod}]", "drives are called 'rod'"),
    "a drive of nothing": (GOOD + "drives: [{joint: rood}]", "Did you mean 'rod'"),
    "an unknown motor": (GOOD + "drives: [{joint: rod, motor: {catalogue: maxon}}]", "no motor 'maxon'"),
    "an impossible rotor": (
        GOOD + "drives: [{joint: rod, motor: {inertia: 3e-4, transverse_inertia: 1e-4}}]",
        "more than twice",
    ),
    "a ratio of zero": (GOOD + "drives: [{joint: rod, gear: {ratio: 0}}]", "gear: ratio 0"),
    "both ratio and teeth": (
        GOOD + "drives: [{joint: rod, gear: {kind: spur, ratio: 3, driver: 20, driven: 60}}]",
        "Keep one of them",
    ),
    "an efficiency above one": (GOOD + "drives: [{joint: rod, gear: {ratio: 3, efficiency: 75}}]", "efficiency"),
    "a payload nowhere": (GOOD + "payload: {mass: 1, link: tip}", "link 'tip'"),
    "a payload on two ends": (
        GOOD + "  - {name: b, parent: base, joint: {axis: [0, 0, 1]}, mass: 1}\npayload: {mass: 1}",
        "last links",
    ),
    "a frame nowhere": (GOOD + "frames: [{name: t, link: tip}]", "link 'tip'"),
    "a follower of nothing": (GOOD.replace("axis", "follows: {joint: z}, axis"), "joint 'z'"),
    "deep": ("robot: " + "[" * 2000, "nested deeper"),
    "control characters": ("robot: \x01", "invalid YAML"),
    "a lone surrogate": ("robot: \ud800\nlinks: 3", "not Unicode"),
    "many values": ("robot: x\nlinks: [" + "1, " * 400_000 + "1]", "more than 400000 values"),
}


def test_a_doubled_link_is_one_problem():
    with pytest.raises(FileError) as caught:
        read_yaml(GOOD + GOOD.split("links:\n")[1].replace("axis", "name: other, axis"))
    (problem,) = caught.value.problems
    assert "'rod'" in problem.message


@pytest.mark.parametrize("case", BAD)
def test_refused_with_the_way_out(case):
    text, says = BAD[case]
    with pytest.raises(FileError) as caught:
        read_yaml(text + "\n")
    assert any(part in str(caught.value) for part in says.split("|")), caught.value
    assert caught.value.problems


def test_the_good_file_is_good():
    """Every case above breaks this file in one place."""
    assert gw.assemble(read_yaml(GOOD)).n == 1


def test_an_anchor_bomb_is_refused_before_it_grows():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    with pytest.raises(FileError, match="400000 values"):
        read_yaml("\n".join(lines))


def test_files_that_cannot_be_read(tmp_path):
    cases = {
        "missing.yaml": (None, "no such file"),
        "empty.yaml": (b"", "the file is empty"),
        "blank.yaml": (b" \n\n", "the file is empty"),
        "binary.yaml": (bytes(range(256)), "binary file"),
        "latin.yaml": ("robot: größe\n".encode("latin-1"), "not UTF-8"),
        "huge.yaml": (b"#" * (MAX_FILE_BYTES + 1), "larger than"),
        "robot.txt": (b"robot: x", "'.txt'"),
    }
    for name, (content, says) in cases.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(FileError, match=says):
            gw.load(path)
        assert check(path)[0].message
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(FileError, match="folder"):
        gw.load(tmp_path / "folder.yaml")


def test_check_lists_what_load_refuses(tmp_path):
    path = tmp_path / "many.yaml"
    path.write_text(MANY)
    found = check(path)
    assert len(found) >= len(EXPECTED)
    assert [p.line for p in found] == sorted(p.line for p in found)
    path.write_text(GOOD)
    assert check(path) == []


def test_save_says_what_is_wrong(tmp_path):
    robot = read_yaml(GOOD)
    with pytest.raises(FileError, match=r"'\.stl'"):
        gw.save(robot, tmp_path / "robot.stl")
    with pytest.raises(FileError, match="cannot be written"):
        gw.save(robot, tmp_path / "no folder" / "robot.yaml")
    with pytest.raises(gw.errors.InputError, match=r"save: robot="):
        gw.save("robot", tmp_path / "robot.yaml")
    gw.save(robot, str(tmp_path / "robot.yaml"))
    assert gw.load(str(tmp_path / "robot.yaml")) == robot


def test_what_is_no_source_is_refused():
    with pytest.raises(FileError, match="3"):
        read_yaml(3)
