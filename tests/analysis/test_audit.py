"""The audit of models: planted errors of every kind are found, and true models give no finding."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import audit
from gearwright.analysis.model_audit.joint_data import data_of_robot
from gearwright.catalogue import drives
from gearwright.errors import FileError, InputError
from gearwright.parts import Limits, Link, Supply
from support.parallel_ankle import parallel_ankle

LEG = gw.load("mini_cheetah_leg")
ROTOR, KNEE, HIP = 6.3e-5, 9.33, 6.0
TRUE_GROUPS = {
    "upper": {"joint_names_expr": ["abad", "hip"], "effort_limit": 18.0, "armature": ROTOR * HIP**2},
    "lower": {"joint_names_expr": ["knee"], "effort_limit": 27.9, "armature": ROTOR * KNEE**2},
}


def with_supply(robot: gw.parts.Robot, speed: float = 240.0) -> gw.parts.Robot:
    motors = [replace(drive, motor=replace(drive.motor, max_speed=speed)) for drive in robot.drives]
    return replace(robot, drives=motors)


def configured(folder: Path, **changes: object) -> Path:
    """A configuration of the leg in which some numbers of the knee are changed."""
    groups = {**TRUE_GROUPS, "lower": {**TRUE_GROUPS["lower"], **changes}}
    path = folder / "actuators.json"
    path.write_text(json.dumps({"actuators": groups, "sim": {"dt": 0.002}}))
    return path


def kinds(result: gw.analysis.Audit) -> list[tuple[str, str]]:
    return [(finding.kind, finding.part) for finding in result]


def bare_mjcf(robot: gw.parts.Robot, path: Path, **options: str) -> Path:
    """An MJCF without the sidecar that would restore motors and gears."""
    pytest.importorskip("mujoco")
    gw.export.mjcf(robot, path, **options)
    for sidecar in path.parent.glob("*.yaml"):
        sidecar.unlink()
    return path


@pytest.mark.parametrize(
    "name", ["elbow", "panda_like", "wrist_puma", "wrist_bendix", "mini_cheetah_leg", "harmonic_6"]
)
def test_a_robot_does_not_contradict_itself(name):
    robot = gw.load(name)
    assert kinds(audit(robot, robot)) == []
    assert kinds(audit(name, catalogue=drives())) == []


@pytest.mark.parametrize("name", ["elbow", "panda_like", "wrist_puma", "wrist_bendix"])
def test_the_own_export_is_found_true(name, tmp_path):
    robot = gw.load(name)
    assert kinds(audit(bare_mjcf(robot, tmp_path / "robot.xml", rotors="reflected"), robot)) == []


def test_a_true_configuration_has_no_finding(tmp_path):
    stated = configured(tmp_path, stiffness=20.0, damping=0.5)
    assert kinds(audit(stated, LEG)) == []
    assert kinds(audit(LEG, actuators=stated)) == []


PLANTED = {
    "ratio missing in the armature": ({"armature": ROTOR}, "armature", ROTOR * KNEE**2),
    "ratio once in the armature": ({"armature": ROTOR * KNEE}, "armature", ROTOR * KNEE**2),
    "armature doubled": ({"armature": 2 * ROTOR * KNEE**2}, "armature", ROTOR * KNEE**2),
    "effort at the motor side": ({"effort_limit": 3.0}, "effort limit", 3.0 * KNEE),
    "effort beyond motor and gear": ({"effort_limit": 60.0}, "effort limit", 3.0 * KNEE),
    "speed at the motor side": ({"effort_limit": 20.0, "velocity_limit": 240.0}, "speed limit", 240 / KNEE),
    "knee ratio forgotten": ({"effort_limit": 18.0, "velocity_limit": 40.0}, "ratio", 1.0),
    "torque and speed by different ratios": ({"torque_ratio": 9.33, "speed_ratio": 6.0}, "transmission", 6.0),
    "unstable gains": ({"stiffness": 2e4, "damping": 200.0}, "gains", 1.0),
    "friction at the motor side": ({"friction": 0.5 / KNEE}, "friction", 0.5),
    "viscous friction per degree": ({"viscous_friction": 0.02 * 180 / np.pi}, "friction", 0.02),
    "friction above the effort limit": ({"friction": 30.0}, "friction", 27.9),
}


@pytest.mark.parametrize("error", PLANTED)
def test_planted_errors_of_configurations_are_found(error, tmp_path):
    changes, kind, expected = PLANTED[error]
    true = with_supply(LEG).with_joint("knee", friction=0.5, damping=0.02)
    plain = configured(tmp_path, velocity_limit=25.0, friction=0.5, viscous_friction=0.02, stiffness=20.0, damping=0.5)
    assert kinds(audit(plain, true)) == []
    stated = json.loads(plain.read_text())
    stated["actuators"]["lower"] |= changes
    plain.write_text(json.dumps(stated))
    result = audit(plain, true)
    assert kinds(result) == [(kind, "joint 'knee'")]
    assert result.findings[0].expected == pytest.approx(expected, rel=1e-6)
    assert result.findings[0].remedy
    assert result.findings[0].rule


def test_forgotten_knee_ratio_is_the_ratio_itself(tmp_path):
    true = with_supply(LEG)
    stated = configured(tmp_path, effort_limit=18.0, velocity_limit=40.0)
    assert audit(stated, true).findings[0].number == pytest.approx(KNEE / HIP, rel=0.01)


def test_limits_of_the_hip_at_the_knee_are_found_without_the_speed_of_the_motors(tmp_path):
    """The bundled leg states no speed of its motors: that hip and knee have equal motors is enough."""
    path = tmp_path / "legs.json"
    group = {"joint_names_expr": [".*"], "effort_limit": 18.0, "velocity_limit": 40.0}
    path.write_text(json.dumps({"actuators": {"legs": group}}))
    result = audit(path, LEG)
    assert kinds(result) == [("ratio", "joint 'knee'")]
    assert result.findings[0].number == pytest.approx(KNEE / HIP)
    assert [(x.kind, x.parts) for x in result.unchecked] == [("speed limit", ("abad", "hip", "knee"))]
    for effort, speed in ((27.9, 40.0), (18.0, 25.7), (12.0, 12.0)):  # the right ones, and limits below all of them
        own = {"joint_names_expr": ["knee"], "effort_limit": effort, "velocity_limit": speed}
        path.write_text(json.dumps({"actuators": {"knee": own, "legs": group}}))
        assert kinds(audit(path, LEG)) == []


JOINTS_AT_THE_END = {"panda_like": "joint7", "ur5_like": "wrist_3", "scara": "roll", "humanoid_30": "right_ankle_roll"}


@pytest.mark.parametrize("name", JOINTS_AT_THE_END)
def test_gears_and_sides_are_compared_where_motors_state_no_limits(name, tmp_path):
    """Each of these errors alone; the robots have limits of joints, and no torques or speeds of motors."""
    robot, joint = gw.load(name), JOINTS_AT_THE_END[name]
    drive, limits = robot.drive(joint), robot.link_of_joint(joint).joint.limits
    n, rotor = float(drive.gear.ratio), float(drive.motor.inertia)
    true = {"effort_limit": limits.effort, "velocity_limit": limits.speed, "gear_ratio": n, "rotor_inertia": rotor}
    planted = (
        ({}, None, None),
        ({"gear_ratio": n / 1.555}, "ratio", n),
        ({"rotor_inertia": 2 * rotor}, "armature", rotor),
        ({"rotor_inertia": 1e4 * rotor}, "armature", rotor),
        ({"armature": 1e4 * rotor * n**2}, "armature", rotor * n**2),
        ({"effort_limit": limits.effort / n}, "effort limit", limits.effort),
        ({"velocity_limit": limits.speed * n}, "speed limit", limits.speed),
        ({"viscous_friction": -0.1}, "friction", None),
        ({"damping": -1.0}, "gains", None),
        ({"armature": -1.0}, "armature", None),
    )
    path = tmp_path / "actuators.json"
    for changes, kind, expected in planted:
        path.write_text(json.dumps({"actuators": {"end": {"joint_names_expr": [joint], **true, **changes}}}))
        result = audit(path, robot)
        assert kinds(result) == ([] if kind is None else [(kind, f"joint {joint!r}")])
        if expected is not None:
            assert result.findings[0].expected == pytest.approx(expected)


def test_a_stored_training_run_is_read_with_its_tags(tmp_path):
    """Isaac Lab stores tuples and slices with tags of Python, and infinite limits of the simulator."""
    path = tmp_path / "env.yaml"
    path.write_text(
        "viewer: {eye: !!python/tuple [7.5, 7.5, 7.5]}\nsim: {dt: 0.005}\nscene:\n  robot:\n    actuators:\n"
        "      legs:\n        class_type: isaaclab.actuators.actuator_pd:DCMotor\n        joint_names_expr: [.*]\n"
        "        effort_limit: 18.0\n        effort_limit_sim: .inf\n        velocity_limit: 40.0\n"
        "        friction: null\n    joint_ids: !!python/object/apply:builtins.slice [null, null, null]\n"
    )
    assert kinds(audit(path, LEG)) == [("ratio", "joint 'knee'")]


def test_missing_off_diagonal_elements_of_a_wrist_are_found(tmp_path):
    wrist = gw.load("wrist_puma")
    result = audit(bare_mjcf(wrist, tmp_path / "wrist.xml", rotors="diagonal"), wrist)
    assert {finding.kind for finding in result} == {"coupling"}
    M = gw.mass_matrix(gw.approximate(wrist, "reflected"), np.zeros(3))
    M -= gw.mass_matrix(gw.approximate(wrist, "none"), np.zeros(3))
    assert sorted(x.expected for x in result) == pytest.approx(sorted([M[0, 1], M[0, 2], M[1, 2]]), rel=1e-9)


def test_tendon_with_armatures_of_its_joints_only_is_found(tmp_path):
    pytest.importorskip("mujoco")
    body = '<body name="{0}" pos="0.2 0 0"><joint name="{0}" axis="{1}" armature="0.02"/>{2}{3}</body>'
    inertial = '<inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'
    arm = body.format("roll", "1 0 0", inertial, body.format("pitch", "0 1 0", inertial, ""))
    fixed = (
        '<tendon><fixed name="{0}"><joint joint="roll" coef="20"/><joint joint="pitch" coef="{1}"/></fixed></tendon>'
    )
    motors = '<actuator><motor name="m1" tendon="left"/><motor name="m2" tendon="right"/></actuator>'
    path = tmp_path / "differential.xml"
    text = (
        f"<mujoco><worldbody>{arm}</worldbody>{fixed.format('left', 20)}{fixed.format('right', -20)}{motors}</mujoco>"
    )
    path.write_text(text)
    assert [x.kind for x in audit(path)] == ["coupling", "coupling"]
    path.write_text(text.replace('armature="0.02"', "").replace("<motor ", '<motor armature="2e-5" '))
    assert kinds(audit(path)) == []


def test_doubled_rotor_of_joint_and_actuator_is_found(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "twice.xml"
    text = (
        '<mujoco><worldbody><body name="a"><joint name="a" axis="0 1 0" armature="0.4"/>'
        '<inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body></worldbody>'
        '<actuator><motor joint="a" gear="100" armature="4e-5"/></actuator></mujoco>'
    )
    path.write_text(text)
    assert kinds(audit(path)) == [("armature", "joint 'a'")]
    path.write_text(text.replace(' armature="0.4"', ""))
    assert kinds(audit(path)) == []


def test_armature_doubled_on_a_parallel_ankle(tmp_path):
    ankle = parallel_ankle()
    serial = replace(ankle, links=ankle.links[:2], drives=(), frames=(), loops=())
    true = gw.actuation.motor_space(ankle, np.zeros(8), ("pitch", "roll")).reflected_inertia
    right = serial.with_joint("pitch", armature=true[0, 0]).with_joint("roll", armature=true[1, 1])
    assert kinds(audit(right, ankle)) == []
    doubled = right.with_joint("pitch", armature=2 * true[0, 0])
    (finding,) = audit(doubled, ankle)
    assert (finding.kind, finding.part) == ("armature", "joint 'pitch'")
    assert finding.expected == pytest.approx(true[0, 0])
    assert "twice" in finding.message


def test_gains_are_judged_with_the_true_inertia(tmp_path):
    """Stable with an armature that is too large, unstable with the real one: the limit of one axis is known."""
    bar = gw.parts.Robot("bar", [Link("bar", mass=1.0, inertia=np.diag([0.0, 0.1, 0.1]))])
    path = tmp_path / "gains.json"
    period, inertia = 0.01, 0.1
    for kd, found in ((1.99 * inertia / period, 0), (2.01 * inertia / period, 1)):  # kd h / I < 2 without stiffness
        path.write_text(json.dumps({"actuators": {"bar": {"damping": kd}}, "period": period}))
        assert len(audit(bar, actuators=path).of_kind("gains")) == found
    heavy = bar.with_joint("bar", armature=1.0)
    assert len(audit(heavy, actuators=path).of_kind("gains")) == 0
    assert len(audit(heavy, bar, actuators=path).of_kind("gains")) == 1


def test_mujoco_diverges_where_its_gains_are_found_unstable(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    text = (
        '<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body name="a"><joint name="a" axis="0 1 0"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody>'
        '<actuator><position joint="a" kp="{}"/></actuator></mujoco>'
    )
    path = tmp_path / "servo.xml"
    for kp in (0.99 * 4 * 0.1 / 0.01**2, 1.01 * 4 * 0.1 / 0.01**2):  # the limit of semi-implicit Euler steps
        path.write_text(text.format(kp))
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        data.qpos[0] = 1e-3
        largest = 0.0
        for _ in range(300):
            mujoco.mj_step(model, data)
            largest = max(largest, abs(data.qpos[0]))
        assert (largest > 1) == bool(audit(path).of_kind("gains"))


def test_transmission_that_creates_power_is_found(tmp_path):
    path = tmp_path / "wrist.yaml"
    right = {"name": "four_bar", "joints": ["j1", "j2"], "speed_matrix": [[10, 0], [5, 5]]}
    for effort, found in (([[10, 5], [0, 5]], 0), ([[10, 0], [-5, 5]], 1), ([[9, 4.5], [0, 4.5]], 0)):
        path.write_text(json.dumps({"transmissions": [{**right, "effort_matrix": effort}]}))
        result = audit(path)
        assert [x.kind for x in result] == ["transmission"] * found


def test_power_beyond_known_motors_is_found():
    arm = gw.parts.Robot("arm", [Link("arm", mass=0.5, com=(0.1, 0, 0), inertia=np.eye(3) * 1e-3)])
    for effort, found in ((50.0, 0), (5000.0, 1)):
        limited = arm.with_joint("arm", limits=Limits(effort=effort, speed=20.0))
        assert len(audit(limited, catalogue=drives()).of_kind("power")) == found


def test_inertias_that_no_body_has_are_found(tmp_path):
    urdf = (
        '<robot name="r"><link name="base"/><link name="a"><inertial><mass value="{m}"/><inertia ixx="{x}" iyy="1" '
        'izz="1"/></inertial></link><joint name="j" type="continuous"><parent link="base"/><child link="a"/>'
        "</joint></robot>"
    )
    path = tmp_path / "r.urdf"
    for mass, x, found in ((1, 1, 0), (1, 3, 1), (-1, 1, 1), (1, -0.1, 1)):
        path.write_text(urdf.format(m=mass, x=x))
        assert len(audit(path).of_kind("inertia")) == found
    pytest.importorskip("mujoco")
    mjcf = tmp_path / "r.xml"
    for word, found in (("1 1 1", 0), ("3 1 1", 1)):
        body = f'<body name="a"><joint/><inertial pos="0 0 0" mass="1" diaginertia="{word}"/></body>'
        for compiler in ("", '<compiler balanceinertia="true"/>'):  # MuJoCo rejects it, or repairs it in silence
            mjcf.write_text(f"<mujoco>{compiler}<worldbody>{body}</worldbody></mujoco>")
            assert kinds(audit(mjcf)) == [("inertia", "body 'a'")] * found


def test_contradictions_that_the_reader_refuses_are_findings(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="base"/><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
        'izz="1"/></inertial></link><joint name="j" type="continuous"><parent link="base"/><child link="a"/>'
        '<dynamics rotor_inertia="0.5"/></joint><transmission name="t"><type>SimpleTransmission</type><joint name="j"/>'
        '<actuator name="m"><mechanicalReduction>100</mechanicalReduction><motorInertia>1e-4</motorInertia></actuator>'
        "</transmission></robot>"
    )
    (finding,) = audit(path)
    assert finding.kind == "file"
    assert "contradicts" in finding.message


def test_rotors_of_an_srdf_are_compared(tmp_path):
    urdf, srdf = tmp_path / "r.urdf", tmp_path / "r.srdf"
    gw.save(gw.load("elbow"), urdf)
    for sidecar in tmp_path.glob("*.yaml"):
        sidecar.unlink()
    robot = gw.load("elbow")
    joint = '<joint name="{}" mass="{}" gear_ratio="{}"/>'
    rotors = [(d.joint, float(d.motor.inertia), float(d.gear.ratio)) for d in robot.drives]
    for factor, found in ((1.0, 0), (2.0, 3)):
        lines = "".join(joint.format(name, J * factor, n) for name, J, n in rotors)
        srdf.write_text(f'<robot name="r"><rotor_params>{lines}</rotor_params></robot>')
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = tmp_path / "bare.urdf"
            text = urdf.read_text()
            start, end = text.find("<transmission"), text.rfind("</transmission>")
            path.write_text(text[:start] + text[end + len("</transmission>") :] if start >= 0 else text)
            assert len(audit(path, robot, options=gw.analysis.ModelFileOptions(srdf=srdf)).of_kind("armature")) == found


def test_a_xacro_is_expanded_with_permission(tmp_path):
    pytest.importorskip("xacrodoc")
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    model = tmp_path / "model"
    model.mkdir()
    (tmp_path / "masses.xacro").write_text(f'{head}<xacro:property name="x" value="${{1 + 2}}"/></robot>')
    path = model / "r.xacro"
    path.write_text(
        f'{head}<xacro:include filename="../masses.xacro"/><link name="base"/><link name="a"><inertial>'
        '<mass value="1"/><inertia ixx="${x}" iyy="1" izz="1"/></inertial></link><joint name="j" type="continuous">'
        '<parent link="base"/><child link="a"/></joint></robot>'
    )
    with pytest.raises(FileError, match="xacro"):
        audit(path)
    options = gw.analysis.ModelFileOptions(xacro=True, include=[tmp_path])
    assert kinds(audit(path, options=options)) == [("inertia", "link 'a'")]


def test_what_cannot_be_checked_is_listed(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("actuators: {knee: {stiffness: 20, damping: 1}}")
    (rule,) = audit(path, LEG).unchecked
    assert (rule.kind, rule.parts) == ("gains", ("knee",))
    assert audit(path, LEG, period=0.001).unchecked == ()


def test_bad_input_is_named(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("actuators: {toe: {stiffness: 20}}")
    with pytest.raises(InputError, match="toe"):
        audit(path, LEG)
    path.write_text("actuators: {knee: {stiffness: 20 kg, joint_names_expr: ['(']}}")
    with pytest.raises(FileError) as caught:
        audit(path, LEG)
    assert len(caught.value.problems) == 2
    with pytest.raises(InputError, match="elbow"):
        audit(LEG, gw.load("elbow"))
    path.write_text("nothing: 1\nactuators: []\n")
    with pytest.raises(FileError, match=path.name):
        audit(path)
    with pytest.raises(FileError):
        audit(tmp_path / "missing.urdf")


def test_other_names_are_mapped(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("actuators: {calves: {joint_names_expr: ['.*_calf'], armature: 6.3e-5}}")
    (finding,) = audit(path, LEG, joints={"FL_calf": "knee"})
    assert finding.part == "joint 'FL_calf'"


try:
    PUBLISHED = sorted(Path(str(f.locate())) for f in files("example-robot-data") or () if f.suffix == ".urdf")
except PackageNotFoundError:
    PUBLISHED = []
TRUE_ALARMS = {
    "alex_nub_hands": {"power": 1},  # 1000 Nm at 100 rad/s: placeholders, as in the next two
    "alex_psyonic_hands": {"inertia": 4, "power": 1},
    "alex_sake_hands": {"power": 1},
    "allegro_left_hand": {"inertia": 4},
    "allegro_right_hand": {"inertia": 4},
    "anymal-kinova": {"inertia": 1},  # a base link with products of inertia equal to its moments, as in b1, go1, hyq
    "anymal": {"inertia": 1},
    "anymal_c": {"inertia": 5},
    "b1-z1": {"inertia": 1},
    "b1": {"inertia": 1},
    "baxter": {"power": 1},  # head: 50,000 Nm at 10,000 rad/s
    "bolt": {"inertia": 2, "power": 6},  # feet with inertia and without mass; 1000 Nm at 1000 rad/s
    "borinot_flying_arm_2": {"power": 1},
    "finger_edu": {"power": 3},
    "go1": {"inertia": 1},
    "hextilt_flying_arm_5": {"power": 2},
    "hyq_no_sensors": {"inertia": 5},
    "icub": {"power": 1},  # 80 Nm at 100 rad/s
    "icub_reduced": {"power": 1},
    "pr2": {"inertia": 2},
    "quadruped": {"power": 8},
    "romeo_laas_small": {"inertia": 5},  # two negative principal moments
    "romeo_small": {"inertia": 2},
    "solo": {"power": 8},
    "solo12": {"power": 12},
    "talos_full_v2": {"friction": 2},  # grippers: friction 1, effort limit 1
    "talos_full_v2_box": {"friction": 2},
    "talos_left_arm": {"friction": 1},
    "talos_reduced": {"friction": 2},
    "talos_reduced_box": {"friction": 2},
    "talos_reduced_corrected": {"friction": 2},
    "tiago": {"inertia": 2},
    "tiago_dual": {"inertia": 2},
    "tiago_no_hand": {"inertia": 2},
}
"""Findings in the published robots; each is confirmed from the text of its file."""


def is_confirmed(finding: gw.analysis.AuditFinding, root: ElementTree.Element) -> bool:
    """Whether the numbers of the file itself contradict each other, read without Gearwright."""
    name = finding.part.split("'")[1]
    if finding.kind == "inertia":
        names = (name, "base") if name == "base_link" else (name,)  # `base` is the fixed base in Gearwright
        inertial = next(x for x in root.iter("link") if x.get("name") in names).find("inertial")
        word = {x: float(inertial.find("inertia").get(x, 0)) for x in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
        rows = [["ixx", "ixy", "ixz"], ["ixy", "iyy", "iyz"], ["ixz", "iyz", "izz"]]
        low, middle, high = np.linalg.eigvalsh([[word[x] for x in row] for row in rows])
        mass = inertial.find("mass")
        is_massless = mass is None or float(mass.get("value", 0)) <= 0
        return (is_massless and high > 0) or low < -1e-6 * high or high > (low + middle) * (1 + 1e-3)
    joint = next(x for x in root.iter("joint") if x.get("name") == name and x.find("limit") is not None)
    effort, speed = (float(joint.find("limit").get(word)) for word in ("effort", "velocity"))
    if finding.kind == "friction":
        return float(joint.find("dynamics").get("friction")) >= effort
    assert finding.kind == "power"
    return finding.number > finding.expected and abs(effort * speed - finding.number) < 1e-6 * finding.number


@pytest.mark.skipif(not PUBLISHED, reason="example-robot-data is not installed")
def test_published_robots_give_true_alarms_only():
    found = {}
    for file in PUBLISHED:
        title = "anymal_c" if "anymal_c" in str(file) else file.stem
        result = audit(file, catalogue=drives())
        counts = Counter(finding.kind for finding in result)
        if counts:
            found[title] = dict(counts)
            root = ElementTree.parse(file).getroot()
            assert [str(x) for x in result if not is_confirmed(x, root)] == []
    assert found == TRUE_ALARMS


@pytest.mark.skipif(not PUBLISHED, reason="example-robot-data is not installed")
def test_forgotten_knee_reduction_of_a_published_quadruped_is_found(tmp_path):
    """Limits of the hip for all joints, where the file states 45.43 Nm and 15.7 rad/s for the calves."""
    go2 = next(file for file in PUBLISHED if file.stem == "go2")
    path = tmp_path / "legs.yaml"
    path.write_text("actuators: {legs: {joint_names_expr: ['.*'], effort_limit: 23.7, velocity_limit: 30.1}}")
    result = audit(go2, actuators=path)
    assert kinds(result) == [("ratio", f"joint '{leg}_calf_joint'") for leg in ("FL", "FR", "RL", "RR")]
    assert result.findings[0].number == pytest.approx(45.43 / 23.7, rel=0.01)


def test_motor_data_are_used_where_no_robot_is_given():
    leg = with_supply(LEG).with_joint("hip", limits=Limits(effort=40.0, speed=10.0))
    assert kinds(audit(leg)) == [("effort limit", "joint 'hip'")]


def test_the_lower_voltage_of_electronics_and_supply_limits_a_motor():
    """The no-load speed follows from the voltage that is available, wherever it is computed."""
    motor = replace(LEG.drives[0].motor, max_speed=None, max_voltage=48.0, torque_constant=0.1, resistance=0.2)
    robot = replace(LEG, drives=[replace(LEG.drives[0], motor=motor), *LEG.drives[1:]], supply=Supply(24.0))
    assert data_of_robot(robot).joints[LEG.drives[0].joint].motor_speed == pytest.approx(240.0)
