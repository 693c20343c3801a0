"""Passports: the closest model of each target, its error, and what was checked."""

from __future__ import annotations

import sys
import types
import warnings
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.export import passport
from gearwright.export.handover import target_texts
from gearwright.export.handover.dependent_joints import AllJoints
from gearwright.export.handover.errors_of_model import path_errors, time_weights
from gearwright.export.handover.mujoco_run import FRICTION_IMPEDANCE, MujocoModel, soft_friction
from gearwright.export.handover.newton_check import newton_path_run
from gearwright.export.handover.omissions import not_represented
from gearwright.export.handover.possible_bodies import with_possible_bodies
from gearwright.export.handover.projection import at_rest, bare_machine, exact_samples, project, random_motions
from gearwright.files.urdf.coupled_transmissions import CoupledTransmission, TransmissionEnd
from gearwright.parts import Drive, Gear, Joint, JointSpring, Limits, Link, Motor, Payload, Robot
from support.mechanisms import with_parallelogram
from support.parallel_ankle import parallel_ankle

SWING = gw.analysis.Task(gw.motion.polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0), name="swing")


REST_OF_LEGS = gw.analysis.Task(gw.motion.polynomial([0.1] * 12, [0.3] * 12, duration=0.3))


def plain_arm(coupling: float | None = 0.0, friction: float = 1.0) -> Robot:
    """Two joints with rotors, friction and damping; without reaction of the rotors a target represents all of it."""
    first = Joint("j1", axis=(0, 1, 0), damping=0.3, friction=0.7 * friction)
    second = Joint("j2", axis=(0, 1, 0), position=(0.4, 0, 0), damping=0.1, friction=0.2 * friction)
    tensor = np.diag([0.004, 0.03, 0.03])
    links = [Link("a", "base", first, 3.0, (0.2, 0, 0), tensor), Link("b", "a", second, 2.0, (0.2, 0, 0), tensor)]
    motors = [Motor(1e-4, 0.2, coupling=coupling, max_torque=1.2, max_speed=300.0) for _ in range(2)]
    return Robot("arm", links, [Drive("j1", motors[0], Gear(80.0)), Drive("j2", motors[1], Gear(60.0))])


def test_a_representable_robot_is_recovered():
    page = passport(plain_arm(), "isaac_lab")
    first, second = page.joints
    assert first[1:4] == pytest.approx((1e-4 * 80**2, 0.3, 0.7), rel=1e-6)
    assert second[1:4] == pytest.approx((1e-4 * 60**2, 0.1, 0.2), rel=1e-6)
    assert first[4:] == pytest.approx((80.0, 96.0, 3.75))
    assert all(error.torque_peak < 1e-6 for error in page.errors)
    assert all(error.acceleration_peak < 1e-5 for error in page.errors)
    assert page.not_representable == ()


def test_the_fit_is_the_least_squares_optimum():
    robot = gw.load("elbow")
    samples = exact_samples(robot, random_motions(robot, gw.assemble(robot), 1, 3)[0])
    model = project(robot, samples, "diagonal", [(1.0, None, None)] * 3)

    def cost(model):
        return ((model.torques(samples) - samples.tau) ** 2).sum(axis=0)

    for factor in (0.999, 1.001):
        joints = [x._replace(armature=factor * x.armature) for x in model.joints]
        assert (cost(replace(model, joints=tuple(joints))) > cost(model)).all()
    usual = [float(drive.motor.inertia) * float(drive.gear.ratio) ** 2 for drive in robot.drives]
    reflected = [x._replace(armature=a, damping=0.0) for x, a in zip(model.joints, usual, strict=True)]
    assert (cost(model) <= cost(replace(model, joints=tuple(reflected))) * (1 + 1e-12)).all()


def test_coupled_wrist_is_exact_in_mujoco_and_not_with_one_armature_per_joint():
    pytest.importorskip("mujoco")
    wrist = gw.load("wrist_puma")
    coupled, single = passport(wrist, "mjcf"), passport(wrist, "isaac_lab")
    assert max(x.relative_torque for x in coupled.errors) < 1e-9
    assert max(x.relative_torque for x in single.errors) > 0.1
    assert any("coupled motors" in text for text in single.not_representable)


@pytest.mark.parametrize("robot", [plain_arm(None, 0.0), gw.load("elbow")], ids=["arm", "elbow"])
def test_mujoco_has_the_error_that_gearwright_predicts(robot, tmp_path):
    """The file in MuJoCo and the fitted model in Gearwright are two programs for one model."""
    mujoco = pytest.importorskip("mujoco")
    page, other = passport(robot, "mjcf"), passport(robot, "isaac_lab")
    for ours, theirs in zip(other.errors, page.errors, strict=True):
        assert theirs.torque_rms == pytest.approx(ours.torque_rms, rel=2e-3, abs=1e-9)
        assert theirs.acceleration_rms == pytest.approx(ours.acceleration_rms, rel=5e-3, abs=1e-9)
    paths = page.save(tmp_path)
    assert {path.suffix for path in paths} == {".xml", ".md", ".html"}
    model = mujoco.MjModel.from_xml_path(str(paths[0]))
    assert f"Time step {model.opt.timestep:g} s" in " ".join(page.checks)
    armatures = [x.armature for x in page.joints]
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    links = gw.mass_matrix(gw.approximate(gw.approximate(robot, "rigid"), "none"), np.zeros(model.nv))
    assert np.diag(M) - np.diag(links) == pytest.approx(armatures, rel=1e-9)


@pytest.mark.parametrize("time_constant", [None, 0.02])
def test_friction_in_mujoco_is_soft_as_its_formula_says(time_constant):
    """All that MuJoCo's torque differs from the fitted model's is its friction near rest, at any stiffness."""
    mujoco = pytest.importorskip("mujoco")
    robot = plain_arm()
    page = passport(robot, "mjcf")
    model = MujocoModel(page.files["arm.xml"], AllJoints(gw.assemble(robot)))
    assert isinstance(model.model, mujoco.MjModel)
    stiffest = 2 * model.model.opt.timestep
    assert (model.model.dof_solref[:, 0] == stiffest).all()
    model.model.dof_solref[:, 0] = time_constant or stiffest
    samples = exact_samples(robot, random_motions(robot, gw.assemble(robot), 2, 2)[0])
    armature, damping, loss = (np.array([x[k] for x in page.joints]) for k in (1, 2, 3))
    links = gw.inverse_dynamics(bare_machine(robot, "coupled"), samples.q, samples.v, samples.a)
    weight = model.model.dof_invweight0[model.v_at]
    friction = soft_friction(samples.v, samples.a, loss, weight, time_constant or stiffest)
    expected = links + armature * samples.a + damping * samples.v + friction
    assert model.torques(samples) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    right = loss * np.sign(samples.v)
    slow = np.abs(samples.v) < np.abs(samples.a) * (time_constant or stiffest) / 2 * FRICTION_IMPEDANCE[0]
    wrong = slow & (samples.v * samples.a < 0)
    assert (np.sign(friction) == np.sign(right))[~wrong].all()
    assert (np.sign(friction) != np.sign(right))[wrong].all()
    rest = at_rest(samples.v)
    assert rest.any()
    errors = model.torque_errors(samples)
    assert errors[~rest] == pytest.approx((expected - samples.tau)[~rest], abs=1e-9)
    assert np.abs(errors[rest]).max() < 1e-9
    if time_constant is None:
        both = [exact_samples(robot, x) for x in random_motions(robot, gw.assemble(robot), 2, 2)]
        t, v, a = (np.concatenate([getattr(x, word) for x in both]) for word in ("t", "v", "a"))
        soft = np.where(at_rest(v), 0.0, soft_friction(v, a, loss, weight, stiffest) - loss * np.sign(v))
        for k, error in enumerate(page.errors):
            mean = np.average(soft[:, k] ** 2, weights=time_weights(t))
            assert error.torque_rms == pytest.approx(np.sqrt(mean), rel=1e-6, abs=1e-9)


def test_friction_at_rest_is_no_error_of_a_representable_robot():
    """A start from rest is one sample in which the friction may be anything up to its loss."""
    page = passport(plain_arm(), "isaac_lab", gw.analysis.Task(gw.motion.polynomial([0, 0], [1, 0.5], duration=0.6)))
    assert max(x.torque_peak for x in page.errors) < 1e-6
    assert max(x.acceleration_peak for x in page.errors) < 1e-5


def test_root_mean_squares_are_those_over_time():
    t = np.array([0.0, 1.0, 1.001, 2.0, 0.0, 1.0])  # two motions; an event between two samples
    assert time_weights(t) == pytest.approx([0.5, 0.5005, 0.5, 0.4995, 0.5, 0.5])


def test_a_payload_of_the_task_is_in_the_model():
    pytest.importorskip("mujoco")
    motion, payload = gw.motion.polynomial([0, 0], [1, 0.5], duration=0.6), Payload(2.0, (0.3, 0, 0))
    task = gw.analysis.Task(motion, payload=payload)
    for target in ("isaac_lab", "mjcf"):
        page = passport(plain_arm(), target, task)
        assert page.joints[0][1:4] == pytest.approx((1e-4 * 80**2, 0.3, 0.7), rel=1e-6)
        assert "payload" in page.motions
        assert max(x.relative_torque for x in page.errors) < 0.01


def test_a_spring_is_written_where_the_target_has_one_and_named_elsewhere():
    mujoco = pytest.importorskip("mujoco")
    robot = plain_arm(friction=0.0).with_joint("j2", spring=JointSpring(20.0, rest=0.1))
    task = gw.analysis.Task(gw.motion.polynomial([0, 0], [1, 0.5], duration=0.6))
    page, other = passport(robot, "mjcf", task), passport(robot, "isaac_lab", task)
    assert mujoco.MjModel.from_xml_string(page.files["arm.xml"]).jnt_stiffness.tolist() == [0.0, 20.0]
    assert max(x.relative_torque for x in page.errors) < 1e-9
    assert (page.not_representable, other.not_representable) == ((), ("of joint 'j2': spring",))
    assert other.errors[1].relative_torque > 0.2


@pytest.mark.parametrize(("name", "links"), [("mini_cheetah_leg", "hip"), ("puma560", "link1, link3")])
def test_links_of_combinations_become_possible_bodies_with_the_same_torques(name, links):
    mujoco = pytest.importorskip("mujoco")
    robot = gw.load(name)
    possible, replaced = with_possible_bodies(robot)
    assert ", ".join(replaced) == links
    ours, other = gw.assemble(robot), gw.assemble(possible)
    q, v, a = np.random.default_rng(0).normal(size=(3, 20, ours.n))
    right = gw.inverse_dynamics(ours, q, v, a)
    assert gw.inverse_dynamics(other, q, v, a) == pytest.approx(right, abs=1e-12 * np.abs(right).max())
    smooth = replace(robot, links=[replace(x, joint=replace(x.joint, friction=0.0)) for x in robot.links])
    page, plain = passport(smooth, "mjcf"), passport(smooth, "isaac_lab")
    assert mujoco.MjModel.from_xml_string(page.files[f"{name}.xml"]).nv == ours.n
    assert any(links in text for text in page.checks)
    for mine, theirs in zip(plain.errors, page.errors, strict=True):
        assert theirs.torque_rms == pytest.approx(mine.torque_rms, rel=2e-3, abs=1e-9)
        assert theirs.acceleration_rms == pytest.approx(mine.acceleration_rms, rel=5e-3, abs=1e-9)


def test_omissions_of_a_drive_are_named():
    texts = " ".join(not_represented(gw.load("harmonic_6"), "diagonal"))
    for word in ("elasticity", "hysteresis", "kinematic error", "losses in proportion", "reaction of rotors"):
        assert word in texts


def test_an_elastic_robot_has_a_passport_and_its_elasticity_is_named():
    page = passport(gw.load("elastic_elbow"), "isaac_lab")
    assert sum("elasticity" in text for text in page.not_representable) == 3
    assert max(x.relative_torque for x in page.errors) < 0.05


def test_a_task_is_fitted_and_stated():
    page = passport(gw.load("elbow"), "isaac_lab", SWING)
    assert "swing" in page.motions
    text = page.markdown()
    for joint in ("j1", "j2", "j3"):
        assert f"| {joint} |" in text
    assert "<table>" in page.html()
    assert "reaction of rotors" in page.html()
    assert str(page).startswith("passport of elbow")


def test_transmissions_keep_power_and_ratios(tmp_path):
    page = passport(gw.load("elbow"), "ros2_control")
    text = page.files["elbow.ros2_control.urdf"]
    for ratio in (120.0, 100.0, 80.0):
        assert f"<mechanical_reduction>{ratio!r}</mechanical_reduction>" in text
    ends = (
        (TransmissionEnd("a", 20.0), TransmissionEnd("b", -15.0)),
        (TransmissionEnd("j", 1.5), TransmissionEnd("k", 0.7)),
    )
    for kind in ("DifferentialTransmission", "FourBarLinkageTransmission"):
        speed, effort = target_texts.ros2_control_maps(CoupledTransmission("t", kind, 0, *ends))
        assert np.allclose(effort, speed.T, rtol=0, atol=1e-12)
    wrist = passport(gw.load("wrist_puma"), "ros2_control")
    assert any("ros2_control" in text for text in wrist.not_representable)


def test_isaac_text_runs_with_its_module_and_unknown_fields_are_refused(monkeypatch):
    page = passport(plain_arm(), "isaac_lab")
    module = types.ModuleType("isaaclab.actuators")
    module.ImplicitActuatorCfg = dict
    monkeypatch.setitem(sys.modules, "isaaclab", types.ModuleType("isaaclab"))
    monkeypatch.setitem(sys.modules, "isaaclab.actuators", module)
    space: dict[str, dict] = {}
    exec(page.files["arm_actuators.py"], space)
    assert space["ARM_ACTUATORS"]["j1"]["armature"] == page.joints[0].armature
    assert space["ARM_ACTUATORS"]["j1"]["effort_limit_sim"] == pytest.approx(96.0)
    with pytest.raises(InputError, match="backlash"):
        target_texts.check_isaac_text("ImplicitActuatorCfg(backlash=1)")


def arm_with_follower() -> Robot:
    arm = plain_arm()
    joint = Joint("j3", axis=(0, 1, 0), position=(0.4, 0, 0), follows=("j2", -0.5, 0.1), damping=0.05)
    tip = Link("c", "b", joint, 1.0, (0.1, 0, 0), np.diag([0.001, 0.01, 0.01]))
    return replace(arm, links=[*arm.links, tip])


def test_the_numbers_of_a_joint_contain_those_of_its_followers():
    """Damping d of a follower with the multiplier m is m^2 d at its leader; MuJoCo needs the same torque at both."""
    pytest.importorskip("mujoco")
    robot = arm_with_follower()
    page, run = passport(robot, "isaac_lab"), passport(robot, "mjcf")
    assert page.joints[1][1:4] == pytest.approx((1e-4 * 60**2, 0.1 + 0.25 * 0.05, 0.2), rel=1e-6)
    assert max(x.torque_peak for x in page.errors) < 1e-6
    assert any("j3" in text for text in page.not_representable)
    arm = passport(plain_arm(), "mjcf")
    for ours, plain in zip(run.errors, arm.errors, strict=True):  # only the soft friction is left, as without follower
        assert ours.torque_rms == pytest.approx(plain.torque_rms, rel=1e-6)
    with pytest.raises(InputError, match="j3"):
        passport(robot, "newton")


def test_a_floating_robot_keeps_its_free_joint():
    """The motions are those of the joints with the base at rest; the file has the floating base."""
    mujoco = pytest.importorskip("mujoco")
    arm = plain_arm()
    base = Link("trunk", "base", Joint("trunk", kind="free"), 5.0, (0, 0, 0), np.diag([0.05] * 3))
    robot = replace(arm, links=[base, replace(arm.links[0], parent="trunk"), arm.links[1]])
    page, fixed = passport(robot, "mjcf"), passport(arm, "mjcf")
    assert page.joints == fixed.joints
    assert [x.torque_rms for x in page.errors] == pytest.approx([x.torque_rms for x in fixed.errors])
    assert "base is at rest" in page.motions
    model = mujoco.MjModel.from_xml_string(page.files["arm.xml"])
    assert (model.nq, model.nv) == (9, 8)
    assert len(passport(gw.load("mini_cheetah"), "isaac_lab", REST_OF_LEGS).errors) == 12


@pytest.mark.parametrize("target", ["mjcf", "isaac_lab"])
def test_a_robot_with_loops_has_the_passport_of_its_machine_without(target):
    """A parallelogram, closed by a pin or stated by joints that follow others."""
    pytest.importorskip("mujoco")
    looped, following = (with_parallelogram(gw.load("elbow"), by) for by in ("loop", "followers"))
    page, wanted = (passport(robot, target, SWING) for robot in (looped, following))
    assert np.array([x[1:4] for x in page.joints]) == pytest.approx(
        np.array([x[1:4] for x in wanted.joints]), rel=1e-6, abs=1e-9
    )
    for ours, theirs in zip(page.errors, wanted.errors, strict=True):
        assert ours.torque_rms == pytest.approx(theirs.torque_rms, rel=1e-6)
        assert ours.path_peak == pytest.approx(theirs.path_peak, rel=0.2, abs=1e-5)  # MuJoCo's loops are soft
    assert ("pin" in " ".join(page.not_representable)) is (target == "isaac_lab")
    if target == "mjcf":
        assert "<connect" in page.files["elbow.xml"]


def test_a_parallel_ankle_is_recovered():
    """Without reaction of the rotors on the shin, armature and damping of both cranks are all of the drives."""
    ankle = parallel_ankle()
    drives = [replace(drive, motor=replace(drive.motor, coupling=0.0)) for drive in ankle.drives]
    moves = gw.analysis.Task(gw.motion.polynomial([0, 0], [0.3, -0.2], duration=0.3))
    page = passport(replace(ankle, drives=drives), "isaac_lab", moves)
    for joint in page.joints:
        assert joint[1:4] == pytest.approx((6e-5 * 81, 2e-5 * 81, 0.0), rel=1e-6, abs=1e-9)
    assert max(error.torque_peak for error in page.errors) < 1e-9
    assert [text.split("'")[1] for text in page.not_representable] == ["left_pin", "right_pin"]


def test_random_motions_keep_loops_closed_within_the_limits_of_dependent_joints():
    robot = gw.load("palletiser")
    mech = gw.assemble(robot)
    elbow, (low, high) = mech.coordinates.index("elbow"), robot.link("forearm").joint.limits.position
    for motion in random_motions(robot, mech, 4, 3):
        q = mech.closed(motion.sample(101).q)[:, elbow]
        assert low < q.min() < q.max() < high
    beyond = Limits(position=(3.0, 3.1))
    with pytest.raises(InputError, match=r"'palletiser'.*loops.*Give a task"):
        random_motions(robot.with_joint("elbow", limits=beyond), mech, 1, 1)


def test_robots_that_have_no_passport_are_refused_by_name():
    with pytest.raises(InputError, match="left_pin"):
        passport(parallel_ankle(), "newton")
    with pytest.raises(InputError, match=r"left, right.*independent"):
        passport(replace(parallel_ankle(), independent=("pitch", "roll")), "isaac_lab")
    arm = plain_arm()
    ball = Link("c", "b", Joint("ball", kind="spherical", position=(0.4, 0, 0)), 1.0, (0, 0, 0), np.eye(3) * 0.01)
    with pytest.raises(InputError, match=r"several coordinates \(ball"):
        passport(replace(arm, links=[*arm.links, ball]), "isaac_lab")
    with pytest.raises(InputError, match="target"):
        passport(gw.load("elbow"), "webots")


@pytest.mark.slow
def test_newton_computes_the_torques_of_the_fitted_model():
    pytest.importorskip("mujoco")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("newton")
        page = passport(plain_arm(None), "newton")
    difference = float(page.checks[0].split("model by ")[1].split(" of the largest")[0])
    assert difference < 1e-5


@pytest.mark.slow
def test_a_solver_of_newton_runs_the_path_of_a_representable_robot():
    """Without friction the model is exact: the error of the path is that of the steps, of first order."""
    pytest.importorskip("mujoco")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("newton")
        pytest.importorskip("mujoco_warp")
        robot = plain_arm(friction=0.0)
        page = passport(robot, "newton", gw.analysis.Task(gw.motion.polynomial([0, 0], [0.6, -0.8], duration=0.4)))
        assert max(error.torque_peak for error in page.errors) < 1e-6
        samples = exact_samples(robot, gw.motion.polynomial([0, 0], [0.6, -0.8], duration=0.4))
        path = [
            np.abs(path_errors(samples, newton_path_run(page.files["arm.xml"], ("j1", "j2"), step))).max()
            for step in (2e-3, 1e-3)
        ]
    assert path[0] / path[1] == pytest.approx(2.0, rel=0.05)
    assert max(error.path_peak for error in page.errors) == pytest.approx(path[1], rel=1e-3)
