"""How well controllers track, as theory says: to integrator accuracy, or with an error that the model explains."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.motion import polynomial


def rolled(plant, control, motion, steps, q0=None):
    start = motion.at(0.0) if q0 is None else q0
    h = motion.duration / steps
    return gw.rollout(
        plant,
        start,
        0 * start,
        steps,
        h,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=steps // 20),
    )


def error(out, motion):
    return np.abs(out.q - motion.at(out.t)).max()


@pytest.fixture(scope="module")
def puma():
    robot = gw.load("puma560")
    begin = np.array([0.3, -0.5, 0.8, 0.4, 0.6, -0.3])
    return gw.assemble(robot), polynomial(begin, begin + np.array([0.8, -0.6, 0.5, 1.0, -0.7, 0.9]), 0.8)


def test_exact_computed_torque_tracks_to_integrator_accuracy(puma):
    """The error is that of the integrator alone: sixteen times less with half the step."""
    mech, motion = puma
    control = gw.control.computed_torque(mech, motion, 15.0)
    coarse, fine = (error(rolled(mech, control, motion, steps), motion) for steps in (40, 80))
    assert coarse < 1e-5
    assert 10 < coarse / fine < 24
    run = gw.simulate(mech, motion.at(0.0), 0.8, controller=control, samples=9)
    assert error(run, motion) < 1e-8


def test_errors_of_computed_torque_die_out_as_stated(puma):
    mech, motion = puma
    w, off = 12.0, np.array([0.1, -0.05, 0.2, 0.1, 0.1, -0.2])
    out = rolled(mech, gw.control.computed_torque(mech, motion, w), motion, 800, motion.at(0.0) + off)
    t = out.t[:, None]
    np.testing.assert_allclose(out.q - motion.at(out.t), off * (1 + w * t) * np.exp(-w * t), atol=1e-8)


def test_the_diagonal_model_leaves_an_error_on_a_coupled_wrist():
    """What "armature" leaves out where motors share joints is more than 0.01 rad; the exact model leaves nothing."""
    wrist = gw.assemble(gw.load("wrist_puma"))
    motion = polynomial([0.0, 0.4, 0.0], [1.5, 1.0, -1.5], 0.3)
    left = {
        model: error(rolled(wrist, gw.control.computed_torque(wrist, motion, 25.0, model=model), motion, 600), motion)
        for model in ("exact", "diagonal")
    }
    assert left["exact"] < 1e-9
    assert left["diagonal"] > 0.01


def test_nominal_feedforward_reduces_the_peak_error(puma):
    """At equal gains by more than 1e3 with the exact model, by 3 with one that believes in a load of 0.2 kg."""
    mech, motion = puma
    kp, kd = gw.control.joint_gains(mech, motion.at(0.0), 10.0)
    peak = error(rolled(mech, gw.control.pd(mech, motion, kp, kd), motion, 400), motion)
    loaded = gw.load("puma560").with_payload(0.2, (0.0, 0.0, 0.1))
    for scheme in ("reference", "measured"):
        exact = gw.control.feedforward(mech, motion, kp, kd, scheme)
        assert peak > 1e3 * error(rolled(mech, exact, motion, 400), motion)
        rough = gw.control.feedforward(mech, motion, kp, kd, scheme, model=loaded)
        assert peak > 3 * error(rolled(mech, rough, motion, 400), motion)


def test_a_stored_control_is_recalled_and_belongs_to_its_motion(tmp_path, puma):
    mech, motion = puma
    file = gw.control.nominal_control(mech, motion, 801).save(tmp_path / "nominal.csv")
    kp, kd = gw.control.joint_gains(mech, motion.at(0.0), 10.0)
    stored = gw.control.feedforward(mech, motion, kp, kd, stored=file)
    online = gw.control.feedforward(mech, motion, kp, kd)
    assert error(rolled(mech, stored, motion, 400), motion) < 1e-5
    t = np.array([0.37])
    q, v = motion.at(t)[0], motion.at(t, 1)[0]
    np.testing.assert_allclose(
        stored.kernel(q, v, *(x[0] for x in stored.references(t).values())),
        online.kernel(q, v, *(x[0] for x in online.references(t).values())),
        rtol=1e-5,
        atol=1e-4,
    )
    other = polynomial(motion.at(0.0), motion.at(0.8) + 0.1, 0.8)
    with pytest.raises(InputError, match=r"t = 0\.8 s q\.joint2.* -1, .* -1\.1 "):
        gw.control.feedforward(mech, other, kp, kd, stored=file)
    with pytest.raises(InputError, match=r"0\.8 s.*0\.9 s"):
        gw.control.feedforward(mech, polynomial(motion.at(0.0), motion.at(0.8), 0.9), kp, kd, stored=file)
    with pytest.raises(InputError, match=r"joint1.*j1, j2, j3"):
        gw.control.feedforward(gw.load("elbow"), [0.0, 0.0, 0.0], 1.0, 1.0, stored=file)
    with pytest.raises(InputError, match="stored="):
        gw.control.feedforward(mech, motion, kp, kd, "stored")


def test_the_friction_of_the_robot_is_in_the_stored_control():
    """A nominal control computed offline knows the friction that online models leave out."""
    lever = gw.parts.Link(
        "lever",
        mass=2,
        com=(0.3, 0, 0),
        joint=gw.parts.Joint(axis=(0, 1, 0), friction=gw.parts.Friction(coulomb=1.0, viscous=0.5)),
    )
    robot = gw.parts.Robot("lever", [lever])
    motion = polynomial([0.0], [1.0], 1.0)
    laws = gw.laws(robot, smooth=True)
    peaks = {}
    for name, stored in (("online", None), ("stored", gw.control.nominal_control(robot, motion, laws=laws))):
        control = gw.control.feedforward(robot, motion, 50.0, 10.0, stored=stored)
        out = gw.rollout(
            robot,
            [0.0],
            [0.0],
            1000,
            1e-3,
            method="rk4",
            controller=control,
            laws=laws,
            options=gw.analysis.RolloutOptions(every=50),
        )
        peaks[name] = error(out, motion)
    assert peaks["online"] > 20 * peaks["stored"]


def test_a_reference_that_jumps_becomes_a_motion():
    """A stick that jumps gives q, v, a that belong together; the exact model follows them to integrator accuracy."""
    arm = gw.load("elbow")

    def stick(t):
        return [0.4 if t > 0.1 else 0.0, 0.3 * (t > 0.3), 0.0]

    control = gw.control.with_reference_filter(gw.control.computed_torque(arm, [0, 0, 0], 20.0), stick, 25.0)
    out = gw.rollout(arm, np.zeros(3), np.zeros(3), 1000, 1e-3, method="rk4", controller=control)
    for k, joint in enumerate(("j1", "j2", "j3")):
        q, v, a = (out.states[f"{word}.{joint}"] for word in ("q_ref", "v_ref", "a_ref"))
        np.testing.assert_allclose(out.q[:, k], q, atol=1e-8)
        for whole, rate in ((q, v), (v, a)):
            summed = np.concatenate([[0.0], np.cumsum(0.5e-3 * (rate[1:] + rate[:-1]))])
            np.testing.assert_allclose(summed, whole, atol=1e-3 * max(1e-9, np.abs(rate).max()))
    assert out.q[-1] == pytest.approx([0.4, 0.3, 0.0], abs=1e-4)


def test_forces_through_the_drives_are_the_same_forces():
    """As motor torques, currents or voltages the motors of a coupled wrist move it as joint forces do."""
    motor = gw.parts.Motor(inertia=1e-5, torque_constant=0.05, resistance=0.4)
    link = gw.parts.Link("arm", mass=2, com=(0.2, 0, 0), joint=gw.parts.Joint(axis=(0, 1, 0)))
    robot = gw.parts.Robot("arm", [link], [gw.parts.Drive("arm", motor, gw.parts.Gear(50))])
    motion = polynomial([0.0], [1.0], 0.5)
    base = gw.control.computed_torque(robot, motion, 20.0)
    for output, name in (("motor_torque", "arm.torque"), ("voltage", "arm.voltage")):
        control = gw.control.with_motor_outputs(base, robot, output)
        assert control.law.outputs == (name,)
        run = gw.simulate(robot, [0.0], 0.5, controller=control, samples=6)
        assert error(run, motion) < 1e-7
    quick = gw.parts.Motor(inertia=1e-5, torque_constant=0.05, resistance=0.4, inductance=1e-4)
    wound = gw.parts.Robot("arm", [link], [gw.parts.Drive("arm", quick, gw.parts.Gear(50))])
    current = gw.control.with_motor_outputs(gw.control.computed_torque(wound, motion, 20.0), wound, "current")
    assert current.law.outputs == ("arm.current_reference",)
    assert error(gw.simulate(wound, [0.0], 0.5, controller=current, samples=6), motion) < 2e-3
    wrist = gw.assemble(gw.load("wrist_bendix"))
    path = polynomial([0.0, 0.3, 0.0], [0.5, 0.6, -0.5], 0.4)
    direct = gw.control.computed_torque(wrist, path, 20.0)
    motors = gw.control.with_motor_outputs(direct, gw.load("wrist_bendix"), "motor_torque")
    q, v = path.at(0.2), path.at(0.2, 1) + 0.1
    given = [x[0] for x in direct.references(np.array([0.2])).values()]
    torques = motors.kernel(q, v, *given)
    np.testing.assert_allclose(torques, gw.actuator_torques(wrist, direct.kernel(q, v, *given)), rtol=1e-10)


def test_servos_of_a_file_are_a_controller():
    servo = gw.parts.Servo(kp=2.0, kv=0.3, torque=(-1.0, 1.0), time_constant=0.05)
    link = gw.parts.Link("arm", mass=1, com=(0.0, 0, 0), inertia=np.diag([0.1, 0.1, 0.1]))
    drive = gw.parts.Drive("arm", gw.parts.Motor(inertia=1e-4), gw.parts.Gear(10), servo=servo)
    robot = gw.parts.Robot("arm", [link], [drive])
    control = gw.control.servos(robot, [5.0])
    run = gw.simulate(robot, [0.0], 8.0, controller=control, samples=9)
    assert run["q.arm"][-1] == pytest.approx(0.5, abs=1e-3)
    assert np.abs(run["arm.torque"]).max() <= 1.0 + 1e-12
    with pytest.raises(InputError, match="servos: robot 'elbow'"):
        gw.control.servos(gw.load("elbow"), [0.0] * 3)


def test_an_integral_that_heeds_its_limits_does_not_wind_up():
    """A disc that is asked for far more than its motor can: cut outside of the law it overshoots many times further."""
    disc = gw.Mechanism([gw.Body("disc", mass=1, inertia=np.diag([1.0, 1.0, 2.0]))], gravity=(0, 0, 0))
    gains = 4.0, 40.0, 0.2
    beyond = {}
    for name, control in (
        ("heeded", gw.control.with_sampling(gw.control.cascade(disc, [2.0], *gains, limits=4.0), 1e-3)),
        ("cut", gw.control.with_sampling(gw.control.cascade(disc, [2.0], *gains), 1e-3, limits=4.0)),
    ):
        out = gw.rollout(
            disc,
            [0.0],
            [0.0],
            10_000,
            1e-3,
            method="rk4",
            controller=control,
            options=gw.analysis.RolloutOptions(every=10),
        )
        assert np.abs(out.states["held.tau.disc"]).max() == pytest.approx(4.0)
        beyond[name] = out.q.max() - 2.0
        assert bool(abs(out.q[-1, 0] - 2.0) < 1e-6) is (name == "heeded")
    assert beyond["cut"] > 5 * beyond["heeded"]
