"""MJCF files, feature by feature, against MuJoCo itself; the files are written here."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import GearwrightWarning
from gearwright.files import read_yaml, write_yaml
from gearwright.files.mjcf.reader import read_mjcf_with_report

BOX = '<geom type="box" size="0.1 0.05 0.2" pos="0.1 0.02 0.15" euler="20 30 40"/>'
HEAD = "<mujoco><option timestep='0.001'/>"


def arm(first: str = "", second: str = "", rest: str = "") -> str:
    """Two links in general position; attributes of their hinges, and further sections."""
    return f"""{HEAD}<worldbody>
      <body name="upper" pos="0.1 0.2 0.3" euler="10 20 30">
        <joint name="j1" axis="1 2 3" pos="0.05 0.01 0.02" {first}/>{BOX}
        <body name="fore" pos="0 0.1 0.4" euler="-15 5 60">
          <joint name="j2" axis="0 1 0.2" pos="-0.03 0 0.02" {second}/>{BOX}
          <site name="tool" pos="0 0 0.3" euler="0 90 0"/>
        </body>
      </body></worldbody>{rest}</mujoco>"""


def body(joints: str, inner: str = "") -> str:
    return (
        f'{HEAD}<worldbody><body name="a" pos="0 0.1 1" euler="5 6 7">{joints}{BOX}{inner}</body></worldbody></mujoco>'
    )


NEXT = f'<body name="b" pos="0.1 0.2 0.3" euler="40 0 10"><joint name="n" axis="1 1 0"/>{BOX}</body>'
TENDON = '<joint joint="j1" coef="2"/><joint joint="j2" coef="-0.7"/></fixed></tendon>'
MODELS = {
    "two hinges": arm(),
    "ref": arm('ref="40"', 'ref="-70"'),
    "slide with ref": body('<joint name="s" type="slide" axis="1 2 0" ref="0.3"/>', NEXT),
    "three joints on a body": body(
        '<joint name="x" type="slide" axis="1 0 0" pos="0.1 0 0"/><joint name="y" axis="0 1 0" pos="0 0.2 0" ref="30"/>'
        '<joint name="z" axis="0 0 1" pos="0 0 0.3"/>',
        NEXT,
    ),
    "hinge and ball on a body": body('<joint name="y" axis="0 1 1" pos="0 0.2 0"/><joint name="x" type="ball"/>', NEXT),
    "ball off its origin": body('<joint name="ball" type="ball" pos="0.1 0.2 0.3"/>', NEXT),
    "free": body('<freejoint name="f"/>', NEXT),
    "fixed between": body('<joint name="r"/>', f'<body euler="0 30 0">{BOX}{NEXT}</body>'),
    "armature": arm('armature="0.3"', 'armature="0.01"'),
    "spring and damper": arm('stiffness="12" springref="25" damping="0.4"', 'damping="0.2"'),
    "spring with ref": arm('stiffness="12" springref="25" ref="40"'),
    "tendon armature": arm(rest=f'<tendon><fixed name="t" armature="0.05">{TENDON}'),
    "tendon spring": arm(rest=f'<tendon><fixed name="t" stiffness="9" damping="2" springlength="0.4">{TENDON}'),
    "tendon rest at qpos_spring": arm('ref="20"', rest=f'<tendon><fixed name="t" stiffness="9">{TENDON}'),
    "actuator armature": arm(
        rest='<actuator><motor joint="j1" gear="50" armature="1e-4"/><motor joint="j2" gear="-3" armature="2e-3" '
        'damping="0.1"/></actuator>'
    ),
    "tendon with a motor": arm(
        rest=f'<tendon><fixed name="t">{TENDON}<actuator><motor tendon="t" gear="7" armature="1e-3"/></actuator>'
    ),
    "follower": arm(
        'ref="10"', 'ref="20"', '<equality><joint joint1="j2" joint2="j1" polycoef="0.2 -1.5 0 0 0"/></equality>'
    ),
    "follower with everything": arm(
        'stiffness="3"',
        'armature="0.1" stiffness="2" springref="10" damping="1"',
        f'<tendon><fixed name="t" armature="0.05" stiffness="2">{TENDON}<equality><joint joint1="j2" joint2="j1" '
        'polycoef="0.2 -1.5 0 0 0"/></equality>',
    ),
    "held joint": arm(rest='<equality><joint joint1="j2" polycoef="0 0 0 0 0"/></equality>'),
    "tendon over a held joint": arm(
        rest=f'<tendon><fixed name="t" armature="0.05" stiffness="3" springlength="0.2">{TENDON}<equality>'
        '<joint joint1="j2" polycoef="0 0 0 0 0"/></equality>'
    ),
    "equal tendons": arm(rest=f'<tendon><fixed name="t">{TENDON}<equality><tendon tendon1="t"/></equality>'),
    "no gravity": arm().replace("<option timestep='0.001'/>", '<option><flag gravity="disable"/></option>'),
    "other gravity": arm().replace("<option timestep='0.001'/>", '<option gravity="1 2 -3"/>'),
    "no springs": arm('stiffness="3" damping="1"').replace(
        "<option timestep='0.001'/>", '<option><flag spring="disable" damper="disable"/></option>'
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_mass_matrix_and_bias_are_those_of_mujoco(name, agreement):
    found = agreement(MODELS[name])
    assert not found.report.not_representable
    for seed in range(3):
        mass, bias = found.errors(seed)
        assert mass < 1e-12
        assert bias < 1e-10


@pytest.mark.parametrize("name", MODELS)
def test_what_was_read_can_be_saved(name, agreement):
    robot = agreement(MODELS[name]).robot
    again = read_yaml(write_yaml(robot))
    assert write_yaml(again) == write_yaml(robot)
    one, two = gw.assemble(robot), gw.assemble(again)
    q = np.asarray(gw.integrate(one, gw.neutral(one), np.linspace(0.1, 0.7, one.n)))
    assert np.array_equal(gw.mass_matrix(one, q), gw.mass_matrix(two, q))


@pytest.mark.parametrize("name", ["two hinges", "spring and damper", "three joints on a body", "tendon armature"])
def test_a_second_of_motion_is_that_of_mujoco(name, agreement):
    assert agreement(MODELS[name]).run_error() < 1e-6


def test_followers_of_followers_end_at_one_joint(agreement):
    finger = '<body name="{0}" pos="0 0 0.3"><joint name="{0}" axis="0 1 0"/>' + BOX
    text = (
        HEAD
        + "<worldbody>"
        + "".join(finger.format(name) for name in "abc")
        + "</body>" * 3
        + '</worldbody><equality><joint joint1="c" joint2="b" polycoef="0.1 2 0 0 0"/>'
        + '<joint joint1="b" joint2="a" polycoef="0 -0.5 0 0 0"/></equality></mujoco>'
    )
    found = agreement(text)
    assert found.mech.speeds == ("a",)
    assert max(found.errors()) < 1e-10


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ('<equality><joint joint1="j2" joint2="j1" polycoef="0 1 2 0 0"/></equality>', ["equality joint 'eq0'"]),
        (
            '<tendon><spatial name="cord" stiffness="3"><site site="s0"/><site site="s1"/></spatial></tendon>',
            ["spatial tendon 'cord'", "spring"],
        ),
        (f'<tendon><fixed name="t" stiffness="2" springlength="0 1">{TENDON}', ["slack", "'t'"]),
        (f'<tendon><fixed name="t" range="0 1" frictionloss="1">{TENDON}', ["limits 't'", "friction loss 't'"]),
        (
            f'<tendon><fixed name="t">{TENDON}<equality><tendon tendon1="t" polycoef="0 0 1 0 0"/></equality>',
            ["equality tendon 'eq0'"],
        ),
        ('<actuator><muscle name="m" joint="j1" lengthrange="0 1"/></actuator>', ["muscle 'm'"]),
        ('<actuator><general name="s" site="tool" gear="0 0 1 0 0 0"/></actuator>', ["transmission site 's'"]),
        ('<actuator><adhesion name="h" body="fore" ctrlrange="0 1"/></actuator>', ["transmission body 'h'"]),
        ('<actuator><damper name="d" joint="j1" kv="2" ctrlrange="0 1"/></actuator>', ["gain", "'d'"]),
        ('<actuator><pid name="p" joint="j1" kp="3" ki="2"/></actuator>', ["actuator", "'p'"]),
        ('<actuator><motor name="m" joint="j1" delay="0.01" nsample="5"/></actuator>', ["with a delay 'm'"]),
        ('<actuator><motor name="m" joint="j1" damping="1 2"/></actuator>', ["damping of higher order 'm'"]),
        (
            '<actuator><general name="m" joint="j1" dyntype="filter" dynprm="0.1" actrange="-1 1"/></actuator>',
            ["a range of its activation 'm'"],
        ),
        (f'<tendon><fixed name="t" stiffness="2" springyield="0.1">{TENDON}', ["a spring that yields 't'"]),
        (
            f'<tendon><fixed name="t" actuatorfrcrange="-1 1">{TENDON}<actuator><motor tendon="t"/></actuator>',
            ["range of actuator forces 't'"],
        ),
        ('<actuator><intvelocity name="i" joint="j1" kp="2" actrange="-1 1"/></actuator>', ["integrated 'i'"]),
        (
            '<actuator><dcmotor name="d" joint="j1" motorconst="0.1" resistance="1" input="pos" controller="9"/>'
            "</actuator>",
            ["dcmotor with a controller 'd'"],
        ),
        ('<keyframe><key name="k" ctrl="1"/></keyframe><actuator><motor joint="j1"/></actuator>', ["ctrl", "'k'"]),
    ],
)
def test_what_a_robot_has_no_words_for_is_named(rest, words, agreement):
    text = arm(rest=rest).replace("<worldbody>", '<worldbody><site name="s0"/><site name="s1" pos="1 0 0"/>')
    lost = "\n".join(agreement(text).report.not_representable)
    assert all(word in lost for word in words), lost


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (arm().replace('name="fore"', 'name="fore" gravcomp="1"'), "gravity compensation of body 'fore'"),
        (arm().replace("timestep='0.001'", 'density="1000"'), "fluid 'density'"),
        (arm('stiffness="1 2"'), "stiffness of higher order 'j1'"),
        (arm('damping="1 2"'), "damping of higher order 'j1'"),
        (body('<joint name="b" type="ball" stiffness="1" damping="1" range="0 30"/>'), "with stiffness 'b'"),
        (body('<joint name="f" type="free" damping="1" armature="1"/>'), "free joint with armature 'f'"),
        (arm('actuatorfrcrange="-1 3"'), "unequal range of actuator forces 'j1'"),
    ],
)
def test_what_changes_the_motion_without_a_trace_is_named(text, word, agreement):
    assert word in "\n".join(agreement(text).report.not_representable)


def test_loading_warns_once_with_everything(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(arm(rest='<equality><joint joint1="j2" joint2="j1" polycoef="0 1 2 0 0"/></equality>'))
    with pytest.warns(GearwrightWarning, match="arm.xml.*\n.*equality") as seen:
        gw.load(path)
    assert len(seen) == 1
    assert [str(problem) for problem in gw.files.formats.check(path)] != []


def test_drives_servos_and_their_limits(agreement):
    rest = """<actuator>
      <motor name="m" joint="j1" gear="50" ctrlrange="-2 2"/>
      <position name="p" joint="j2" kp="80" kv="3" gear="2" ctrlrange="-1 1.5" forcerange="-9 9" timeconst="0.05"/>
      <velocity name="v" joint="j2" kv="4"/>
      <general name="g" joint="j1" gainprm="0.02" biastype="affine" biasprm="1 -100 -10"/>
      <motor name="one_way" joint="j1" ctrlrange="0 3"/>
    </actuator>"""
    drives = {drive.title: drive for drive in agreement(arm(rest=rest)).robot.drives}
    assert (drives["m"].gear.ratio, drives["m"].motor.max_torque, drives["m"].servo) == (50.0, 2.0, None)
    servo = drives["p"].servo
    assert (servo.kp, servo.kv, servo.input_gain, servo.torque, servo.input) == (80.0, 3.0, 80.0, (-9, 9), (-1, 1.5))
    assert servo.time_constant == 0.05
    assert (drives["v"].servo.kp, drives["v"].servo.input_gain) == (0.0, 4.0)
    assert (drives["g"].servo.gain, drives["g"].servo.offset, drives["g"].servo.kp) == (0.02, 1.0, 100.0)
    assert drives["one_way"].servo.input == (0.0, 3.0)


def test_disabled_groups_and_ranges_are_noted(agreement):
    rest = '<actuator><motor name="m" joint="j1" group="2" ctrlrange="-1 1"/></actuator>'
    off = '<option actuatorgroupdisable="2"><flag clampctrl="disable"/></option>'
    notes = agreement(arm(rest=rest).replace("<option timestep='0.001'/>", off)).report.notes
    assert any("'m'" in note and "group" in note for note in notes)
    assert any("clampctrl" in note for note in notes)


def test_limits_friction_and_efforts(agreement):
    robot = agreement(arm('range="-30 60" frictionloss="0.4" actuatorfrcrange="-5 5"')).robot
    joint = robot.link_of_joint("j1").joint
    assert joint.limits.position == pytest.approx(np.radians([-30, 60]))
    assert (joint.friction, joint.limits.effort) == (0.4, 5.0)
    off = '<option><flag limit="disable" frictionloss="disable" actuation="disable"/></option>'
    text = arm('range="-30 60" frictionloss="0.4"', rest='<actuator><motor joint="j1"/></actuator>')
    bare = agreement(text.replace("<option timestep='0.001'/>", off)).robot
    assert bare.link_of_joint("j1").joint.limits.position is None
    assert bare.link_of_joint("j1").joint.friction == 0
    assert not bare.drives


def test_a_dcmotor_moves_as_in_mujoco(tmp_path):
    """One second at a constant voltage, with back-EMF."""
    import mujoco

    rest = (
        '<actuator><dcmotor name="d" joint="j1" gear="20" motorconst="0.05" resistance="2" armature="1e-4"/></actuator>'
    )
    path = tmp_path / "arm.xml"
    path.write_text(arm(rest=rest).replace("timestep='0.001'", "timestep='0.0002' integrator='RK4'"))
    robot, _ = read_mjcf_with_report(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.ctrl[0] = 6.0
    while data.time < 1 - 1e-5:
        mujoco.mj_step(model, data)
    run = gw.simulate(
        robot, until=1.0, inputs={"d.voltage": 6.0}, integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)
    )
    assert abs(data.qpos[0]) > 0.1
    assert [run["q.j1"][-1], run["q.j2"][-1]] == pytest.approx(data.qpos, abs=1e-7)


def test_all_data_of_a_dcmotor(agreement):
    rest = """<actuator><dcmotor name="d" joint="j1" gear="20" motorconst="0.05" resistance="2" inductance="0.001"
      saturation="3 4 5" cogging="0.1 6 0.2" lugre="100 1 0.1 0.2 0.3" thermal="1 2 0 0.004 25 20"/></actuator>"""
    motor = agreement(arm(rest=rest)).robot.drive("d").motor
    assert (motor.torque_constant, motor.resistance, motor.inductance) == (0.05, 2.0, pytest.approx(0.001))
    assert (motor.max_torque, motor.max_current_rate) == (3.0, 5.0)
    assert (motor.cogging.amplitude, motor.cogging.periods) == (0.1, 6.0)
    assert (motor.friction.stiffness, motor.friction.coulomb, motor.friction.static) == (100.0, 0.1, 0.2)
    assert (motor.heat.winding_capacity, motor.heat.copper, motor.heat.ambient) == (2.0, 0.004, 293.15)


def test_keyframes_are_states(agreement):
    rest = '<keyframe><key name="home" qpos="0.1 0.2" qvel="0.3 0"/><key qpos="1 2"/></keyframe>'
    found = agreement(arm(rest=rest))
    state = gw.State.from_robot(found.robot, "home")
    assert (list(state.q), list(state.v)) == ([0.1, 0.2], [0.3, 0.0])
    assert [state.name for state in found.robot.states] == ["home", "key1"]


def test_a_keyframe_of_a_free_body_has_its_speeds_in_body_axes(agreement):
    text = body('<freejoint name="f"/>').replace(
        "</mujoco>", '<keyframe><key name="k" qpos="1 2 3 0.7 0.1 0.2 0.4" qvel="1 2 3 4 5 6"/></keyframe></mujoco>'
    )
    found = agreement(text)
    state = gw.State.from_robot(found.robot, "k")
    G, _ = found.place(np.asarray(state.q), np.asarray(state.v))
    assert pytest.approx([1, 2, 3, 4, 5, 6]) == G @ state.v


def test_sites_are_frames_and_geoms_shapes(agreement):
    found = agreement(arm())
    q = np.array([0.4, -0.8])
    found.place(q, np.zeros(2))
    import mujoco

    mujoco.mj_kinematics(found.model, found.data)
    R, p = gw.placement(found.mech, q, "tool")
    assert p == pytest.approx(found.data.site("tool").xpos, abs=1e-12)
    assert pytest.approx(found.data.site("tool").xmat.reshape(3, 3), abs=1e-12) == R
    shape = found.robot.link("fore").shapes[0]
    assert (shape.kind, shape.size) == ("box", pytest.approx((0.2, 0.1, 0.4)))


def test_a_held_joint_is_fixed_where_it_is_held(agreement):
    """At ref + p0 of its equality."""
    import mujoco

    rest = '<equality><joint joint1="j2" polycoef="0.4 0 0 0 0"/></equality>'
    found = agreement(arm(second='ref="30"', rest=rest))
    assert found.mech.speeds == ("j1",)
    found.data.qpos[:] = [0.7, np.radians(30) + 0.4]
    mujoco.mj_kinematics(found.model, found.data)
    R, p = gw.placement(found.mech, [0.7], "tool")
    assert p == pytest.approx(found.data.site("tool").xpos, abs=1e-12)
    assert pytest.approx(found.data.site("tool").xmat.reshape(3, 3), abs=1e-12) == R


def test_bodies_may_have_no_name_or_that_of_the_ground(agreement):
    text = f"""{HEAD}<worldbody><body name="base"><joint/>{BOX}<body><joint/>{BOX}
      <body name="x"><joint name="base"/>{BOX}</body></body></body></worldbody></mujoco>"""
    found = agreement(text)
    assert len({link.name for link in found.robot.links} | {"base"}) == 4
    assert max(found.errors()) < 1e-10
    assert any("'base'" in note for note in found.report.notes)


def test_includes_and_meshes_may_lie_elsewhere(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "main").mkdir()
    (tmp_path / "parts" / "more.xml").write_text(
        f'<mujocoinclude><body name="b"><joint name="j"/>{BOX}</body></mujocoinclude>'
    )
    (tmp_path / "parts" / "wedge.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    path = tmp_path / "main" / "model.xml"
    path.write_text(
        '<mujoco><compiler meshdir="../parts"/><asset><mesh name="w" file="wedge.obj"/></asset><worldbody>'
        '<include file="../parts/more.xml"/><body name="a"><joint name="k"/><geom type="mesh" mesh="w"/></body>'
        "</worldbody></mujoco>"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = gw.load(path)
    assert [link.name for link in robot.links] == ["b", "a"]
    (mesh,) = robot.link("a").shapes
    assert mesh.file == "wedge.obj"
    assert list(mesh.position) == pytest.approx([0, 0, 0], abs=1e-9), "the frame of its file, not its principal axes"
