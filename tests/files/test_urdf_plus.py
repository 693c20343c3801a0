"""URDF+: couplings, loops and dependent joints; rotors against Pinocchio with every rotor a body of its own."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError, GearwrightWarning
from gearwright.files.urdf.reader import read_urdf_with_report

BODY = (
    '<inertial><origin xyz="{0}"/><mass value="{1}"/>'
    '<inertia ixx="{2}" iyy="{3}" izz="{4}" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def link(name: str, com: str = "0.2 0.01 0", mass: float = 2.0, moments: tuple = (0.01, 0.04, 0.05)) -> str:
    return f'<link name="{name}">{BODY.format(com, mass, *moments)}</link>'


def joint(
    name: str, parent: str, child: str, more: str = "", origin: str = "0.4 0 0.1", axis: str = "0 0.6 0.8"
) -> str:
    return (
        f'<joint name="{name}" type="continuous" {more}><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{origin}" rpy="0.3 -0.2 0.5"/><axis xyz="{axis}"/></joint>'
    )


def coupling(name: str, first: str, second: str, ratio: float) -> str:
    ends = f'<predecessor link="{first}"/><successor link="{second}"/>'
    return f'<coupling name="{name}" type="rolling">{ends}<ratio value="{ratio}"/></coupling>'


ROTOR = link("rotor", "0 0 0.05", 0.3, (2e-4, 2e-4, 3e-4))
ARM = (
    '<link name="ground"/>'
    + "".join(link(name) for name in ("first", "second", "third"))
    + joint("j1", "ground", "first")
    + joint("j2", "first", "second", axis="1 0 0")
    + joint("j3", "second", "third", axis="0 1 0")
)
ON_FIRST = joint("jr", "first", "rotor", 'independent="false"', axis="0 0 1")


def robot_text(*parts: str) -> str:
    return f'<robot name="arm">{"".join(parts)}</robot>'


def assert_equals_bodies(text: str, rows: dict[str, dict[str, float]]) -> None:
    """Compare torques and accelerations with those of Pinocchio, where a rotor is a body that turns by `rows`."""
    pin = pytest.importorskip("pinocchio")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        mech = gw.assemble(read_urdf_with_report(text)[0])
    model = pin.buildModelFromXML(text)
    names = [model.names[k] for k in range(1, model.njoints)]
    assert [model.joints[k].nv for k in range(1, model.njoints)] == [1] * len(names)
    G = np.array([[rows.get(name, {name: 1.0}).get(speed, 0.0) for speed in mech.speeds] for name in names])
    data, rng = model.createData(), np.random.default_rng(4)
    for _ in range(5):
        q, v, a = rng.normal(size=(3, mech.n))
        angles = G @ q
        positions = np.concatenate(
            [
                [np.cos(x), np.sin(x)] if model.joints[k + 1].nq == 2 else [x]
                for k, x in sorted(enumerate(angles), key=lambda pair: model.joints[pair[0] + 1].idx_q)
            ]
        )
        tau = G.T @ pin.rnea(model, data, positions, G @ v, G @ a)
        assert gw.inverse_dynamics(mech, q, v, a) == pytest.approx(tau, abs=1e-11 * np.abs(tau).max())
        assert gw.forward_dynamics(mech, q, v, tau) == pytest.approx(a, abs=1e-9 * np.abs(a).max())


def test_a_rotor_becomes_the_motor_of_a_drive():
    text = robot_text(ARM, ROTOR, ON_FIRST, coupling("c", "second", "rotor", -7.0))
    robot, report = read_urdf_with_report(text)
    (drive,) = robot.drives
    assert (drive.joint, drive.mounted_on, drive.gear.ratio) == ("j2", "first", -7.0)
    assert drive.motor.inertia == pytest.approx(3e-4, rel=1e-12)
    assert any("'rotor'" in note for note in report.notes)
    assert_equals_bodies(text, {"jr": {"j2": -7.0}})


def test_a_rotor_turned_by_a_sum_of_joints_becomes_a_train():
    text = robot_text(ARM, ROTOR, ON_FIRST, coupling("c", "third", "rotor", 9.0))
    robot, _ = read_urdf_with_report(text)
    assert not robot.drives
    assert [motor.name for motor in robot.trains[0].motors] == ["jr"]
    assert_equals_bodies(text, {"jr": {"j2": 9.0, "j3": 9.0}})


def test_a_rotor_on_the_ground_turned_by_three_joints():
    on_ground = joint("jr", "ground", "rotor", 'independent="false"', axis="0 0 1")
    text = robot_text(ARM, ROTOR, on_ground, coupling("c", "third", "rotor", 4.0))
    assert_equals_bodies(text, {"jr": {"j1": 4.0, "j2": 4.0, "j3": 4.0}})


def test_a_link_that_is_no_rotor_follows():
    unbalanced = link("rotor", "0.03 0 0.05", 0.3, (2e-4, 2e-4, 3e-4))
    text = robot_text(ARM, unbalanced, ON_FIRST, coupling("c", "second", "rotor", 7.0))
    robot, _ = read_urdf_with_report(text)
    assert not robot.drives
    assert robot.link("rotor").joint.follows == ("j2", 7.0, 0.0)
    assert_equals_bodies(text, {"jr": {"j2": 7.0}})


def test_the_mark_chooses_the_dependent_joint():
    marked = robot_text(
        '<link name="ground"/>', link("first"), link("other"), joint("j1", "ground", "first", 'independent="false"'),
        joint("j2", "ground", "other"), coupling("c", "first", "other", 2.0),
    )  # fmt: skip
    robot, _ = read_urdf_with_report(marked)
    assert robot.link("first").joint.follows == ("j2", 0.5, 0.0)
    plain, _ = read_urdf_with_report(marked.replace('independent="false"', ""))
    assert plain.link("other").joint.follows == ("j1", 2.0, 0.0)


FOUR_BAR = robot_text(
    '<link name="ground"/>', link("left"), link("top"), link("right"),
    joint("a", "ground", "left", origin="0 0 0", axis="0 0 1").replace('rpy="0.3 -0.2 0.5"', ""),
    joint("b", "left", "top", 'independent="false"', "0.3 0 0", "0 0 1").replace('rpy="0.3 -0.2 0.5"', ""),
    joint("c", "ground", "right", 'independent="false"', "0.8 0 0", "0 0 1").replace('rpy="0.3 -0.2 0.5"', ""),
    '<loop name="pin" type="revolute"><predecessor link="top"><origin xyz="0.7 0 0"/></predecessor>'
    '<successor link="right"><origin xyz="0.5 0 0"/></successor><axis xyz="0 0 1"/></loop>',
)  # fmt: skip


def test_a_loop_closes_and_marks_give_the_independent_joints():
    robot, _ = read_urdf_with_report(FOUR_BAR)
    assert robot.independent == ("a",)
    assert robot.loops[0].held == ("x", "y", "z")
    mech = gw.assemble(robot, start=[0.7, -0.2, 1.5])
    assert mech.speeds == ("a",)
    assert mech.redundant == ("pin.z",)
    q = mech.closed([0.9])
    ends = [gw.placement(mech, q, f"pin.{end}").position for end in ("predecessor", "successor")]
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


def test_independent_joints_survive_a_robot_file(tmp_path):
    robot, _ = read_urdf_with_report(FOUR_BAR)
    gw.save(robot, tmp_path / "four_bar.yaml")
    assert gw.load(tmp_path / "four_bar.yaml").independent == ("a",)
    text = (tmp_path / "four_bar.yaml").read_text()
    (tmp_path / "other.yaml").write_text(text.replace("independent: [a]", "independent: [nothing]"))
    with pytest.raises(FileError, match="nothing") as error:
        gw.load(tmp_path / "other.yaml")
    assert error.value.problems[0].line == 1 + text[: text.index("independent:")].count("\n")


def test_marks_without_a_constraint_are_reported_by_name():
    text = robot_text(ARM.replace('name="j2" type="continuous"', 'name="j2" type="continuous" independent="false"'))
    _, report = read_urdf_with_report(text)
    assert "'j2'" in str(report.accepted_problems[0])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("</robot>", coupling("c", "first", "nowhere", 2.0) + "</robot>"), "nowhere"),
        (("</robot>", coupling("c", "first", "second", 0.0) + "</robot>"), "ratio"),
        (("</robot>", coupling("c", "first", "first", 2.0) + "</robot>"), "'c'"),
        (("</robot>", coupling("c", "first", "second", 2.0) * 2 + "</robot>"), "'c' occurs 2 times"),
        (("</robot>", '<loop name="l" type="helical"/></robot>'), "helical"),
        (("</robot>", '<loop name="l"><predecessor link="first"/></loop></robot>'), "successor"),
        (('name="j1" type', 'independent="maybe" name="j1" type'), "maybe"),
    ],
)  # fmt: skip
def test_bad_additions_are_refused_by_name(change, named):
    with pytest.raises(FileError, match=named):
        read_urdf_with_report(robot_text(ARM).replace(*change))


ROBOTS = {"revolute_rotor_chain": 3, "mini_cheetah_fl_leg": 3, "mini_cheetah_leg": 3, "mit_humanoid_leg": 5}
"""Robots of the collection on a fixed base without loops, and their degrees of freedom."""


@pytest.mark.parametrize("name", ROBOTS)
def test_rotors_of_the_collection(name):
    root = os.environ.get("GEARWRIGHT_REFERENCE")
    if root is None or not Path(root, "urdf_plus").is_dir():
        pytest.skip("GEARWRIGHT_REFERENCE has no urdf_plus")
    from lxml import etree

    text = Path(root, "urdf_plus", f"{name}.urdf").read_text()
    tree = etree.fromstring(text.encode())
    by_link = {x.find("child").get("link"): x for x in tree.iter("joint")}
    rows = {}
    for element in tree.iter("coupling"):
        ends = [element.find(end).get("link") for end in ("predecessor", "successor")]
        carrier = by_link[ends[1]].find("parent").get("link")
        row = rows[by_link[ends[1]].get("name")] = {}
        while ends[0] != carrier:
            row[by_link[ends[0]].get("name")] = float(element.find("ratio").get("value"))
            ends[0] = by_link[ends[0]].find("parent").get("link")
    assert len(by_link) - len(rows) == ROBOTS[name]
    assert_equals_bodies(text, rows)


def test_loops_are_written_back(tmp_path):
    robot, _ = read_urdf_with_report(FOUR_BAR)
    gw.save(robot, tmp_path / "bars.urdf")
    text = (tmp_path / "bars.urdf").read_text()
    alone, _ = read_urdf_with_report(text)
    assert alone.independent == ("a",)
    start, machines = [0.7, -0.2, 1.5], []
    for each in (robot, alone, gw.load(tmp_path / "bars.urdf")):
        machines.append(gw.assemble(each, start=start))
    q = machines[0].reference
    wanted = gw.inverse_dynamics(machines[0], q, [1.0], [2.0])
    for mech in machines[1:]:
        assert gw.inverse_dynamics(mech, q, [1.0], [2.0]) == pytest.approx(wanted, rel=1e-12)
