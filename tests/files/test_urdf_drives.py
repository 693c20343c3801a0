"""Ratios and rotors of a URDF in all the spellings of the wild."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError, GearwrightWarning
from gearwright.files.urdf.reader import read_urdf, read_urdf_with_report

SIMPLE = "transmission_interface/SimpleTransmission"


def arm(extra: str = "", in_joint: str = "", attributes: str = "") -> str:
    """Two links on a base, joints `shoulder` and `elbow`; `in_joint` goes into the elbow."""
    body = '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
    return f"""<robot name="arm" {attributes}>
    <link name="ground"/><link name="upper">{body}</link><link name="fore">{body}</link>
    <joint name="shoulder" type="continuous"><parent link="ground"/><child link="upper"/><axis xyz="0 1 0"/></joint>
    <joint name="elbow" type="continuous"><origin xyz="0.4 0 0"/><parent link="upper"/><child link="fore"/>
    {in_joint}</joint>
    {extra}</robot>"""


def transmission(inside: str, head: str = 'name="t"') -> str:
    return f"<transmission {head}>{inside}</transmission>"


J, A = '<joint name="elbow"/>', '<actuator name="m"/>'
SPELLINGS = {
    "under the actuator": transmission(
        f'<type>{SIMPLE}</type>{J}<actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator>'
    ),
    "under the joint": transmission(
        f'<type>{SIMPLE}</type><joint name="elbow"><hardwareInterface>E</hardwareInterface><mechanicalReduction>50'
        f"</mechanicalReduction></joint>{A}"
    ),
    "PR2": transmission(f"{A}{J}<mechanicalReduction>50</mechanicalReduction>", 'name="t" type="SimpleTransmission"'),
    "PR2 with package": transmission(
        f"{A}{J}<mechanicalReduction> 50 </mechanicalReduction>",
        'name="t" type="pr2_mechanism_model/SimpleTransmission"',
    ),
    "ros2_control": '<ros2_control name="x" type="system">'
    + transmission(
        "<plugin>transmission_interface/SimpleTransmission</plugin>"
        '<joint name="elbow" role="j"><mechanical_reduction>50</mechanical_reduction><offset>0.0</offset></joint>'
        '<actuator name="m" role="a"/>'
    )
    + "</ros2_control>",
    "twice the same": transmission(
        f'<type>{SIMPLE}</type><joint name="elbow"><mechanicalReduction>50.0</mechanicalReduction></joint>'
        '<actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator>'
    ),
    "drake without namespace": transmission(
        f'<type>SimpleTransmission</type>{J}<actuator name="m"><drake:gear_ratio value="50"/></actuator>'
    ),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_ratio(spelling: str) -> None:
    robot, report = read_urdf_with_report(arm(SPELLINGS[spelling]))
    (drive,) = robot.drives
    assert (drive.joint, drive.gear.ratio, drive.motor.inertia) == ("elbow", 50.0, 0.0)
    assert report.ignored == ()
    assert any("joint 'elbow': ratio 50 " in note for note in report.notes)


ROTORS = {
    "motorInertia": '<actuator name="m"><mechanicalReduction>50</mechanicalReduction>'
    "<motorInertia>2e-5</motorInertia></actuator>",
    "drake": '<actuator name="m"><drake:gear_ratio value="50"/><drake:rotor_inertia value="2e-5"/></actuator>',
}


@pytest.mark.parametrize("attributes", ["", 'xmlns:drake="http://drake.mit.edu"'])
@pytest.mark.parametrize("rotor", ROTORS)
def test_rotor(rotor: str, attributes: str) -> None:
    text = arm(transmission(f"<type>{SIMPLE}</type>{J}{ROTORS[rotor]}"), attributes=attributes)
    (drive,) = read_urdf(text).drives
    assert (drive.gear.ratio, drive.motor.inertia, drive.motor.included) == (50.0, 2e-5, True)


def test_drake_tags_under_a_joint() -> None:
    inside = '<actuator name="m"><drake:gear_ratio value="50"/></actuator><drake:rotor_inertia value="2e-5"/>'
    (drive,) = read_urdf(arm(in_joint=inside)).drives
    assert (drive.gear.ratio, drive.motor.inertia) == (50.0, 2e-5)


def test_raisim_with_a_ratio_is_turned_back() -> None:
    inside = '<dynamics rotor_inertia="0.05"/>'
    (drive,) = read_urdf(arm(SPELLINGS["PR2"], inside)).drives
    assert drive.motor.inertia == pytest.approx(0.05 / 50**2, rel=1e-15)
    assert drive.motor.coupling is None


def test_raisim_without_a_ratio_adds_to_the_diagonal_alone() -> None:
    parallel = '<axis xyz="0 1 0"/>'  # to the shoulder's, so that an ordinary wheel would push the upper arm
    plain = gw.assemble(read_urdf(arm(in_joint=parallel)))
    robot, report = read_urdf_with_report(arm(in_joint=parallel + '<dynamics rotor_inertia="0.05"/>'))
    q = np.array([0.3, 0.4])
    added = gw.mass_matrix(gw.assemble(robot), q) - gw.mass_matrix(plain, q)
    np.testing.assert_allclose(added, [[0, 0], [0, 0.05]], atol=1e-15)
    assert any("elbow" in note and "reflected" in note for note in report.notes)


def test_a_rotor_on_a_link_that_is_too_small_is_accepted() -> None:
    rotor = (
        '<actuator name="m"><mechanicalReduction>50</mechanicalReduction><motorInertia>0.2</motorInertia></actuator>'
    )
    text = arm(transmission(f"<type>{SIMPLE}</type>{J}{rotor}"))
    with pytest.warns(GearwrightWarning, match="link 'upper': .*'elbow'"):
        robot = read_urdf(text)
    assert robot.link("upper").effective
    gw.assemble(robot)


def coupled(
    kind: str, joints: tuple[str, str] = ("shoulder", "elbow"), values: tuple[float, ...] = (2, 3, 5, 7)
) -> str:
    """A transmission of two joints and two actuators with these reductions, joints first."""
    roles = ("joint1", "joint2", "actuator1", "actuator2")
    ends = zip(roles, [role[:-1] for role in roles], (*joints, "m1", "m2"), values, strict=True)
    inside = "".join(
        f'<{part} name="{name}"><role>{role}</role><mechanicalReduction>{value}</mechanicalReduction></{part}>'
        for role, part, name, value in ends
    )
    return transmission(f"<type>transmission_interface/{kind}</type>{inside}")


@pytest.mark.parametrize("joints", [("shoulder", "elbow"), ("elbow", "shoulder")])
@pytest.mark.parametrize("kind", ["DifferentialTransmission", "FourBarLinkageTransmission"])
def test_two_motors_on_two_joints(kind: str, joints: tuple[str, str]) -> None:
    """The equations of ros_control, joint to actuator, with n_j = (2, 3) and n_a = (5, 7)."""
    robot, report = read_urdf_with_report(arm(coupled(kind, joints)))
    mech = gw.assemble(robot)
    v = np.array([0.3, -0.8])
    j1, j2 = (v[mech.speeds.index(name)] for name in joints)
    expected = {
        "DifferentialTransmission": [5 * (2 * j1 + 3 * j2), 7 * (2 * j1 - 3 * j2)],
        "FourBarLinkageTransmission": [5 * 2 * j1, 7 * (j1 + 3 * j2)],
    }[kind]
    assert [actuator.name for actuator in mech.actuators] == ["m1", "m2"]
    np.testing.assert_allclose(gw.actuator_speeds(mech, v), expected, rtol=1e-14)
    assert [sum(f"'{motor}'" in note for note in report.notes) for motor in ("m1", "m2")] == [1, 1]
    assert report.ignored == ()


def test_rotors_of_a_differential_are_reflected() -> None:
    """With rotors on the ground the inertia added is A J A', whatever the pose."""
    text = coupled("DifferentialTransmission").replace(
        "</mechanicalReduction></actuator>", "</mechanicalReduction><motorInertia>1e-3</motorInertia></actuator>"
    )
    geared, plain = (gw.assemble(read_urdf(arm(words))) for words in (text, ""))
    A = np.array([[10.0, 14.0], [15.0, -21.0]])
    q = np.array([0.3, 0.4])
    added = gw.mass_matrix(geared, q) - gw.mass_matrix(plain, q)
    np.testing.assert_allclose(added, 1e-3 * A @ A.T, rtol=1e-10)


def refused(text: str, says: str) -> FileError:
    with pytest.raises(FileError, match=says) as caught:
        read_urdf(text)
    return caught.value


def test_contradicting_ratios_are_refused_with_both_lines() -> None:
    lines = [
        f"<transmission><type>{SIMPLE}</type>",
        '<joint name="elbow"><mechanicalReduction>50</mechanicalReduction></joint>',
        '<actuator name="m"><mechanicalReduction>-50</mechanicalReduction></actuator></transmission>',
    ]
    error = refused(arm("\n".join(lines)), "'elbow'.* -50 .* 50 .*line")
    first = arm("\n".join(lines)).splitlines().index(lines[1]) + 1
    assert error.problems[0][0] == first + 1
    assert f"line {first}" in str(error)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (arm(SPELLINGS["PR2"], '<drake:gear_ratio value="51"/>'), "'elbow'.* 51 .* 50 .*line 6"),
        (arm(SPELLINGS["PR2"] + SPELLINGS["PR2"].replace("50", "60")), "'elbow'.* 60 .* 50 .*line 6"),
        (arm(SPELLINGS["PR2"].replace("elbow", "elbw")), "'elbw'.*'elbow'"),
        (arm(SPELLINGS["PR2"].replace("50", "0")), r"'elbow'.*ratio.* 0\b"),
        (arm(SPELLINGS["PR2"].replace("50", "fifty")), "<mechanicalReduction>.*'fifty'"),
        (arm(SPELLINGS["PR2"].replace("50", "nan")), "<mechanicalReduction>.*'nan'"),
        (arm(SPELLINGS["PR2"].replace("50", "")), "<mechanicalReduction>.* 0 .*''"),
        (arm(SPELLINGS["PR2"].replace("50", "1 2")), "<mechanicalReduction>.* 2 .*'1 2'"),
        (arm(transmission(f"<type>{SIMPLE}</type>{J}{ROTORS['drake'].replace('2e-5', '-1')}")), "'elbow'.* -1 kg m2"),
        (arm(in_joint='<dynamics rotor_inertia="-1"/>'), "rotor_inertia -1 kg m2"),
        (
            arm(
                transmission(f"<type>{SIMPLE}</type>{J}{ROTORS['motorInertia']}"),
                '<dynamics rotor_inertia="0.06"/>',
            ),
            r"0\.06 kg m2",
        ),
        (arm(transmission(f"<type>{SIMPLE}</type><joint/>{A}")), "'t'/joint: .*name"),
        (
            arm(coupled("DifferentialTransmission", ("elbw", "shoulder"))),
            "'elbw'.*'elbow'",
        ),
        (arm(coupled("DifferentialTransmission", values=(0, 1, 1, 1))), r"'t'.*reduction.* 0\b"),
        (arm(2 * coupled("DifferentialTransmission")), "transmission 't'"),
    ],
)
def test_what_contradicts_or_means_nothing_is_refused(text: str, says: str) -> None:
    refused(text, says)


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        (
            transmission("<type>transmission_interface/DifferentialTransmission</type>" + 2 * J + 2 * A),
            "'t' | DifferentialTransmission | actuator1",
        ),
        (
            transmission("<type>transmission_interface/HalfDifferentialTransmission</type>" + 2 * J + 2 * A),
            "'t' | HalfDifferentialTransmission",
        ),
        (coupled("DifferentialTransmission", joints=("shoulder", "shoulder")), "transmission 't' | joints"),
        (transmission(f"<type>{SIMPLE}</type>" + 2 * J + A), "SimpleTransmission | 2 joints | 1 actuators"),
        (SPELLINGS["PR2"].replace("</transmission>", "<compensator/></transmission>"), "transmission/compensator"),
        (SPELLINGS["ros2_control"].replace("0.0</offset>", "0.1</offset>"), "transmission/joint/offset"),
        (SPELLINGS["ros2_control"].replace("<transmission", "<hardware/><transmission"), "ros2_control/hardware"),
    ],
)
def test_what_is_not_understood_is_reported(extra: str, says: str) -> None:
    _, report = read_urdf_with_report(arm(extra))
    assert any(all(fact in line for fact in [*says.split(" | "), "line"]) for line in report.ignored), report


def test_a_motor_on_a_joint_that_cannot_be_driven_is_reported() -> None:
    text = arm(SPELLINGS["PR2"]).replace('name="elbow" type="continuous"', 'name="elbow" type="fixed"')
    robot, report = read_urdf_with_report(text)
    assert robot.drives == ()
    assert any("'elbow'" in line and "fixed" in line for line in report.ignored)


def test_a_transmission_of_nobody_that_says_nothing_is_reported() -> None:
    """Published files carry transmissions of joints they left out; with ratio 1 and no rotor nothing is lost."""
    _, report = read_urdf_with_report(arm(SPELLINGS["PR2"].replace("elbow", "elbw").replace("50", "1.0")))
    assert any("joint 'elbw'" in problem.message for problem in report.accepted_problems)


def test_the_friction_of_pandas_files_is_read() -> None:
    """`mu_viscous` and `mu_coulomb` beside damping and friction; nobody says what D and K mean: they are left out."""
    words = 'D="1" K="7000" damping="0.003" friction="0.1" mu_coulomb="0.4" mu_viscous="16"'
    robot, report = read_urdf_with_report(arm(in_joint=f"<dynamics {words}/>"))
    friction = robot.links[-1].joint.total_friction
    assert (friction.viscous, friction.coulomb) == (16.003, 0.5)
    facts = ("mu_viscous 16", "mu_coulomb 0.4", "damping 0.003", "friction 0.1")
    assert any(all(fact in note for fact in facts) for note in report.notes)
    assert not any("mu_" in what for what in report.ignored)
    assert any("K" in what for what in report.ignored)
