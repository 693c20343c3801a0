"""What is identified can be written into every bundled robot, and what is written is what was identified."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import load
from gearwright.errors import InputError
from gearwright.identification import (
    Log,
    TorqueModel,
    fit_consistent,
    identified_mechanism,
    identified_robot,
    identify,
    save_identified,
)
from gearwright.identification.fit.friction import with_sliding_friction
from gearwright.identification.fit.unknowns import fitted_numbers, model_unknowns
from gearwright.identification.physical_consistency import ConsistentFit
from gearwright.motion import Motion
from gearwright.parts import (
    Drive,
    Friction,
    Gear,
    Gearwheel,
    Joint,
    Link,
    Losses,
    Motor,
    Robot,
    Series,
    Spur,
    Train,
    TrainMotor,
    Worm,
)
from gearwright.parts import Mesh as GearMesh
from gearwright.parts.gears.losses import gear_losses
from support.compare import relative
from support.machines import random_design, random_state

ROBOTS = ["elbow", "grm3", "manutec_r3", "mini_cheetah", "panda_like", "planetary_3r", "puma560", "scara", "wrist_wam"]


@pytest.mark.parametrize("name", ROBOTS)
def test_bundled_robots(name):
    """Every link scaled by its own factor, every rotor by another: assembling the new robot gives these parameters."""
    robot = load(name)
    model = TorqueModel(gw.assemble(robot))
    what = model_unknowns(model, robot)
    np.testing.assert_allclose(
        what.model_parameters(what.nominal)[: len(gw.parameters(model.mech))], gw.parameters(model.mech), atol=1e-15
    )
    rng = np.random.default_rng(1)
    x = what.nominal.copy()
    for ten in what.bodies:
        x[ten.first : ten.first + 10] *= rng.uniform(1.0, 1.2)
    for number in fitted_numbers(robot):
        x[what.names.index(number.parameter_path)] *= rng.uniform(0.8, 1.2)
    x[-1] = 0.5  # an offset, which the robot has no word for
    fit = ConsistentFit(SimpleNamespace(robot=robot, model=model), what, x)
    changed, remarks = identified_robot(fit)
    found = gw.parameters(gw.assemble(changed))
    assert relative(found, what.model_parameters(x)[: len(found)]) < 1e-12
    assert "offset = 0.5" in remarks[0]
    if name == "planetary_3r":
        assert "Kept as stated" in remarks[1]


@pytest.mark.parametrize("seed", range(4))
def test_machines_with_general_rows_springs_and_free_joints(seed):
    """The consistent parameters of a flat machine make a machine that passes every check and moves alike."""
    rng = np.random.default_rng(seed)
    kinds = ["revolute", "prismatic", "spherical", "revolute"][: 2 + seed % 3]
    mech = random_design(rng, kinds, wheels=2, shafts=1, springs=1).written()
    states = [random_state(rng, mech) for _ in range(200)]
    q, v, a = (np.array([getattr(state, name) for state in states]) for name in "qva")
    tau = gw.inverse_dynamics(mech, q, v, a)
    noisy = tau + 0.01 * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape)
    found = identify(mech, Log(np.arange(200) * 0.01, q, noisy, v, a), friction=())
    again = identified_mechanism(fit_consistent(found))
    assert relative(gw.inverse_dynamics(again, q, v, a), tau) < 0.05
    with pytest.raises(InputError, match=r"Mechanism.*Robot"):
        identified_robot(fit_consistent(found))


def test_urdf_is_written_by_save(tmp_path):
    """URDF needs the flat machine, which the writer of robot files does not know."""
    with pytest.raises(InputError, match=r"gearwright\.save\(identified_robot"):
        save_identified.__wrapped__(SimpleNamespace(), tmp_path / "arm.urdf")


def test_friction_by_words_keeps_what_a_fit_does_not_know():
    """Sliding friction is replaced; what holds at rest stays, and is never less than what slides."""
    rubbing = Friction(0.5, 0.1, static=0.8, stribeck_speed=0.2)
    joint = Joint("j", friction=rubbing)
    found = with_sliding_friction(joint, viscous=0.3, coulomb=0.6)
    assert (found.damping, found.friction) == (0.0, replace(rubbing, coulomb=0.6, viscous=0.3))
    assert with_sliding_friction(joint, coulomb=0.9).friction.static == 0.9
    bristles = Joint("j", friction=Friction(0.5, stiffness=1e3))
    assert with_sliding_friction(bristles, viscous=0.3, coulomb=0.0).total_friction == Friction(0.0, 0.3)


RUBBING = Motor(1e-4, friction=Friction(0.03, static=0.05), damping=1e-4)
LOSSY = {
    "one efficiency": Gear(80, efficiency=0.8, no_load_torque=0.01),
    "speeds": Gear(80, losses=[Losses(0.0, 0.7), Losses(100.0, 0.9)]),
    "worm": Worm(wheel=40, lead_angle=0.1, friction_coefficient=0.03),
    "stages": Series(stages=[Spur(driver=20, driven=60, mesh_efficiency=0.97), Spur(driver=18, driven=90)]),
}


def _swing(n, speed=3.0):
    t = np.linspace(0.0, 4.0, 401)
    rates = 2 * np.pi / 4 * np.arange(1, 4)
    parts = np.random.default_rng(n).normal(size=(n, 3, 1)) * speed / 10
    q, v, a = (
        sum(parts[:, k] * w**order * np.sin(w * t + order * np.pi / 2 + k) for k, w in enumerate(rates)).T
        for order in range(3)
    )
    return Motion(t, q, v, a)


def _rod(title, **words):
    return Link(title, joint=Joint(**words), mass=1.0, com=(0.2, 0.0, 0.0), inertia=np.diag([0.01, 0.02, 0.02]))


def _rewritten(robot, motion, tau, **options):
    found = identify(robot, Log(motion.t, motion.q, tau, motion.v, motion.a), **options)
    fit = fit_consistent(found)
    predicted = found.model.sample_blocks(motion).multiply(found.model.base.combine(fit.parameters))
    return fit, identified_robot(fit), predicted


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")
@pytest.mark.parametrize("gear", LOSSY.values(), ids=LOSSY)
def test_motors_of_the_identified_robot_need_what_the_fit_predicts(gear):
    """Issue: joint friction was written beside motor friction and efficiency that it contained (15.86 for 7.89 Nm)."""
    robot = Robot("lift", [_rod("rod", name="j", axis=(0, 1, 0))], [Drive("j", RUBBING, gear, mounted_on="base")])
    motion, ratio = _swing(1), float(gear.ratio)
    torque = gw.demands(robot, motion)["j.torque"] * ratio
    fit, (changed, remarks), predicted = _rewritten(robot, motion, torque[:, None])
    needed = gw.demands(changed, motion)["j.torque"] * ratio
    np.testing.assert_allclose(needed + fit.values["j.offset"], predicted[:, 0], atol=1e-9 * abs(predicted).max())
    assert np.linalg.norm(needed - torque) < 0.2 * np.linalg.norm(torque)
    assert gear_losses(changed.drive("j").gear) == ()
    assert changed.drive("j").motor.total_friction.kind == "none"
    assert any("j.motor" in remark and "static 0.05" in remark for remark in remarks)
    assert any("j.gear" in remark and f"{gear_losses(gear)[0].efficiency:.4g}" in remark for remark in remarks)


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")
def test_friction_of_an_elastic_drive_is_written_into_its_motor():
    """Along the motor's own shaft friction is the motor's: at the joint side r times, per speed r^2 times as large."""
    drive = Drive("j", Motor(1e-4, friction=0.01), Gear(50, stiffness=500.0, damping=1.0), mounted_on="base")
    robot = Robot("sea", [_rod("rod", name="j", axis=(0, 1, 0))], [drive])
    mech, motion = gw.assemble(robot), _swing(2)
    rub = np.array([0.4, 2.0]) * motion.v + np.array([0.3, 1.5]) * np.sign(motion.v)
    tau = gw.inverse_dynamics(mech, motion.q, motion.v, motion.a) + rub
    _, (changed, remarks), _ = _rewritten(robot, motion, tau, friction=("viscous", "coulomb"))
    motor, joint = changed.drive("j").motor.total_friction, changed.link("rod").joint.total_friction
    assert (motor.coulomb, motor.viscous) == pytest.approx((1.5 / 50, 2.0 / 50**2), rel=1e-3)
    assert (joint.coulomb, joint.viscous) == pytest.approx((0.3, 0.4), rel=1e-2)
    assert not remarks


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")
def test_friction_of_followers_and_trains_is_replaced_too():
    """A follower's friction acts along its leader's speed, a train motor's along joints: counted once."""
    rods = [
        _rod("rod", name="j", axis=(0, 1, 0)),
        replace(_rod("tip", name="k", axis=(0, 1, 0), follows=("j", 2.0, 0.0), friction=0.4), parent="rod"),
    ]
    pair = [GearMesh("pinion", "rod", teeth=(20, 60), efficiency=0.9)]
    train = Train(
        "lift", [Gearwheel("pinion", axis=(0, 1, 0), inertia=1e-5)], pair, [TrainMotor("m", "pinion", motor=RUBBING)]
    )
    robot, motion = Robot("crane", rods, trains=[train]), _swing(1)
    mech = gw.assemble(robot)
    noise = 0.01 * np.random.default_rng(0).normal(size=motion.v.shape)
    tau = gw.inverse_dynamics(mech, motion.q, motion.v, motion.a) + 0.9 * np.sign(motion.v) + noise
    _, (changed, remarks), predicted = _rewritten(robot, motion, tau, friction=("coulomb",))
    ratio = float(mech.actuators[0].row[0])
    needed = gw.demands(changed, motion)["m.torque"] * ratio
    viscous = RUBBING.damping * ratio**2 * motion.v[:, 0]  # not fitted, so it stays
    np.testing.assert_allclose(needed - viscous, predicted[:, 0], atol=1e-9 * abs(predicted).max())
    assert any("k" in remark and "m.motor" in remark for remark in remarks)
    assert any("pinion-rod" in remark and "0.9" in remark for remark in remarks)


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")
def test_torques_behind_the_gear_do_not_show_what_lies_before_it():
    """Measured at the link side, friction is the joint's alone; motor and gear keep theirs."""
    drive = Drive("j", RUBBING, LOSSY["one efficiency"], mounted_on="base")
    robot = Robot("lift", [_rod("rod", name="j", axis=(0, 1, 0))], [drive])
    motion = _swing(1)
    tau = gw.inverse_dynamics(gw.approximate(gw.assemble(robot), "none"), motion.q, motion.v, motion.a)
    _, (changed, _), _ = _rewritten(robot, motion, tau + 0.7 * np.sign(motion.v), side="link")
    assert changed.drive("j").gear == drive.gear
    assert changed.drive("j").motor.total_friction == RUBBING.total_friction
    assert changed.link("rod").joint.friction == pytest.approx(0.7, rel=1e-3)


def test_nominal_friction_is_that_of_all_parts_before_the_joint():
    """r times the Coulomb friction, r^2 times the viscous one, and the gear's no-load torque."""
    rod = _rod("rod", name="j", axis=(0, 1, 0), friction=0.2, damping=0.1)
    robot = Robot("lift", [rod], [Drive("j", RUBBING, LOSSY["one efficiency"], mounted_on="base")])
    stated = model_unknowns(TorqueModel(gw.assemble(robot)), robot)
    nominal = dict(zip(stated.names, stated.nominal, strict=True))
    assert nominal["j.coulomb"] == pytest.approx(0.2 + 80 * (0.03 + 0.01), rel=1e-12)
    assert nominal["j.viscous"] == pytest.approx(0.1 + 80**2 * 1e-4, rel=1e-12)
