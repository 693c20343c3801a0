"""What a motion demands of whole robots: fed with it, they make the motion; each part counts and can be left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import robots
from gearwright.errors import InputError, SingularityError
from gearwright.functions.constrained.closing import whole_motion
from gearwright.motion import EndRates, Motion, chain, fourier, moving_average, polynomial, s_curve, trapezoid
from gearwright.parts import (
    Drive,
    Frame,
    Friction,
    Gear,
    Hysteresis,
    Joint,
    KinematicError,
    Limits,
    Link,
    Loop,
    Motor,
    Robot,
    StiffnessPiece,
    Torsion,
)


def swing(robot, duration=0.6, speed=0.0, way=0.3):
    """A motion of the joints within their ranges, from rest to rest or with a speed at both ends."""
    mech = gw.assemble(robot)
    start, end = np.zeros(mech.n - len(mech.shafts)), way * np.ones(mech.n - len(mech.shafts))
    places = {name: k for k, name in enumerate(mech.speeds)} if robot.loops else {}
    for position, link in enumerate(robot.links):
        k = places.get(link.joint_name) if robot.loops else position
        if k is not None and link.joint.limits.position is not None:
            low, high = link.joint.limits.position
            start[k] = 0.5 * (low + high)
            end[k] = start[k] + min(way, 0.3 * (high - low))
    return polynomial(start, end, duration, order=7, end_rates=EndRates(start_speed=speed, end_speed=speed))


def missed(robot, motion, found, inputs, **options):
    """By how much the robot misses the joints' motion when it is fed with inputs."""
    run = gw.simulate(
        robot,
        found.start,
        motion.duration,
        inputs=inputs,
        samples=31,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-8, atol=1e-11),
        **options,
    )
    moved = gw.assemble(robot).independent_indices[: motion.count] if robot.loops else range(motion.count)
    return float(np.abs(run.q[:, list(moved)] - motion.at(run.t)).max())


DRIVEN = sorted(name for name in robots() if gw.assemble(gw.load(name)).actuators)
FLOATING = {"mini_cheetah"}  # a base that floats has no trajectory of its coordinates; its leg is here
SLOW = {"harmonic_6"}  # it runs twenty times slower than time: below, what its motors must do, and one such drive
BEGUN = {"manutec_r3_full", "sea_leg"}  # from rest the one sticks, and currents of the other would have to jump
BOUND = {"scara": 1e-5}  # where the power through a lossy gear turns round, between two samples
SAMPLES = {"palletiser": 2001}  # for the same reason


@pytest.mark.parametrize("name", [name for name in DRIVEN if name not in FLOATING | SLOW])
def test_a_robot_fed_its_own_demands_makes_the_motion(name):
    """Friction, trains, losses, elastic drives, warm motors: by torques of the motors or by their voltages, to 1e-6."""
    robot = gw.load(name)
    gentle = {"duration": 0.3, "speed": 0.4, "way": 0.13}
    motion = swing(robot, **(gentle if name in BEGUN else {"duration": 0.1 if name == "humanoid_30" else 0.3}))
    found = gw.demands(robot, motion, samples=SAMPLES.get(name))
    assert found.tau.shape == (len(found.t), len(found.speeds))
    assert found.jumps == ()
    assert missed(robot, motion, found, found.input_signals) < BOUND.get(name, 1e-6)


@pytest.mark.parametrize("name", ["puma560", "elastic_elbow"])
def test_forces_at_the_joints_make_the_motion_too(name):
    robot = gw.load(name)
    motion = swing(robot, 0.3)
    found = gw.demands(robot, motion)
    rest = replace(found, start=gw.State(found.start.q, found.start.v))
    assert missed(robot, motion, rest, found.force_signals) < 1e-6


def test_losses_of_gears_count():
    robot = gw.load("scara")
    motion = swing(robot)
    found = gw.demands(robot, motion, actuators=(), samples=1001)
    assert missed(robot, motion, found, found.force_signals) < 1e-6
    plain = gw.demands(robot, motion, actuators=(), laws=())
    assert np.allclose(plain.tau, gw.inverse_dynamics(robot, plain.motion.q, plain.motion.v, plain.motion.a))
    assert missed(robot, motion, plain, plain.force_signals) > 1e-3


def elastic(**friction):
    """The elbow with springs in its gears, and friction at joints and motors, and losses."""
    robot = gw.load("elastic_elbow")
    links = [replace(link, joint=replace(link.joint, friction=Friction(**friction))) for link in robot.links]
    robot = replace(robot, links=tuple(links))
    for drive in robot.drives:
        motor = replace(drive.motor, friction=0.01, torque_constant=0.05, resistance=0.5)
        robot = robot.with_drive(replace(drive, motor=motor, gear=replace(drive.gear, efficiency=0.9)))
    return robot


@pytest.mark.parametrize(
    "friction",
    [{"viscous": 2.0}, {"coulomb": 1.0, "viscous": 0.5}, {"coulomb": 1.0, "stiffness": 1e3, "damping": 2.0}],
    ids=["viscous", "dry", "bristles"],
)
def test_the_motors_of_elastic_drives_make_up_for_friction_at_the_joints(friction):
    """K theta = K q + M a + C v + g + friction: the springs are stretched by it, the motors turn further."""
    robot = elastic(**friction)
    motion = swing(robot)
    found = gw.demands(robot, motion)
    assert found.unactuated == ()
    assert not found.tau[:, :3].any()  # joints behind springs have no motors
    assert missed(robot, motion, found, found.input_signals, method="stiff") < 1e-6


PIECES = (StiffnessPiece(1e3, 0.6), StiffnessPiece(2e3, 1.5), StiffnessPiece(2.5e3))
LOOP, ERROR = Hysteresis(0.3, 1e-4), KinematicError(1e-4, 2, per="motor")


def bent(damping, **torsion):
    """A lever behind a spring that is not linear."""
    gear = Gear(50.0, stiffness=1e3, damping=damping, torsion=Torsion(**torsion))
    link = Link("l", mass=1.0, com=(0.1, 0, 0), inertia=np.eye(3) * 0.02, joint=Joint("j", axis=(0, 1, 0)))
    return Robot("r", [link], [Drive("j", Motor(1e-4), gear)])


@pytest.mark.parametrize(
    ("robot", "bound"),
    [
        (bent(0.0, hardening=1e6), 1e-6),
        (bent(0.3, hardening=1e6), 1e-6),
        (bent(0.3, pieces=PIECES), 1e-6),
        (bent(0.3, pieces=PIECES, hysteresis=LOOP, errors=[ERROR]), 1e-5),  # the loop turns round between samples
    ],
    ids=["hardening", "damped", "pieces", "all"],
)
def test_the_motors_behind_springs_that_are_not_linear_follow_from_the_joints(robot, bound):
    """Their twist is integrated along the motion, hysteresis in its smooth form, bends met exactly."""
    motion = polynomial([0.0], [0.5], 0.5, order=7)
    found = gw.demands(robot, motion)
    assert (found.unactuated, found.jumps) == ((), ())
    assert not found.tau[:, 0].any()  # the joint behind the spring has no motor
    assert missed(robot, motion, found, found.force_signals, laws=gw.laws(robot, smooth=True)) < bound


def test_without_a_damper_a_bend_of_stiffness_makes_the_motor_jump():
    """theta' = q' + tau'/K: as the load falls below 0.6 Nm, K jumps from 2000 to 1000 Nm/rad."""
    robot, motion = bent(0.0, pieces=PIECES), polynomial([0.0], [0.5], 0.5, order=7)
    found = gw.demands(robot, motion)
    first = found.jumps[0]
    assert first.name == "v.j.motor"
    link, h = replace(robot, drives=()), 1e-5
    before, after = (gw.inverse_dynamics(link, *(motion.at(first.at + x, k) for k in range(3)))[0] for x in (-h, h))
    assert before == pytest.approx(-0.6, abs=1e-3)
    assert first.size == pytest.approx((after - before) / (2 * h) * (1 / 1000 - 1 / 2000), rel=1e-3)


def test_a_gap_leaves_the_motor_open():
    robot, motion = bent(0.3, backlash=1e-3), polynomial([0.0], [0.5], 0.5, order=7)
    with pytest.raises(InputError, match=r"'j\.spring' .*\bj .*j\.motor.*gap, upper, lower.*\b2\b"):
        gw.demands(robot, motion)
    with pytest.raises(InputError, match=r"j\.spring .*'j\.motor'.*\b2\b"):
        gw.demands(robot, motion, laws=gw.laws(robot, smooth=True))


def test_a_harmonic_drive_follows_from_its_joints():
    """One lasting moment of all six: no force is left where there is no motor."""
    robot = gw.load("harmonic_6")
    found = gw.demands(robot, polynomial([0.0] * 6, [0.02] * 6, 0.1, order=7), samples=20)
    assert found.unactuated == ()
    assert any("smooth" in remark for remark in found.remarks)
    assert any(name.startswith("j1.spring.hysteresis") for name in found.series)


def lever(**motor):
    """A driven lever that carries a free one."""
    driven = Link("arm", joint=Joint("j", axis=(0, 1, 0), limits=Limits(effort=3.0)), mass=1.0, com=(0.3, 0, 0))
    free = Link("tip", "arm", joint=Joint("k", axis=(0, 1, 0), position=(0.5, 0, 0)), mass=0.4, com=(0.2, 0, 0))
    return Robot("lever", [driven, free], [Drive("j", Motor(1e-5, **motor), Gear(50))])


def test_a_joint_without_a_drive_gets_its_force_and_motors_are_refused():
    robot = lever()
    motion = polynomial([0.0, 0.0], [0.4, -0.3], 0.5, order=7)
    found = gw.demands(robot, motion)
    exact = gw.inverse_dynamics(robot, found.motion.q, found.motion.v, found.motion.a)
    assert np.allclose(found.tau, exact, atol=1e-9)
    assert found.unactuated == ("k",)
    assert not found.is_feasible
    for ask in (lambda: found["j.torque"], lambda: found.input_signals):
        with pytest.raises(SingularityError, match=r"'j\.torque' .*\bk\b"):
            ask()
    assert missed(robot, motion, found, found.force_signals) < 1e-6


def test_currents_and_heat_follow_from_the_data_sheet():
    found = gw.demands(lever(torque_constant=0.05), polynomial([0.0, 0.0], [0.0, 0.0], 0.5))
    assert "j.current" in found.series
    assert "j.heat" not in found.series  # without a resistance nobody knows it
    warm = lever(torque_constant=0.05, resistance=2.0, inductance=1e-3)
    arm = replace(warm, links=warm.links[:1])
    found = gw.demands(arm, polynomial([0.0], [0.7], 0.5, order=7))
    assert np.allclose(found["j.current"], found["j.torque"] / 0.05)
    assert np.allclose(found["j.heat"], 2.0 * found["j.current"] ** 2)
    assert np.allclose(found["j.power"], found["tau.j"] * found.motion.v[:, 0])
    assert found.rms("j.current") ** 2 * 2.0 == pytest.approx(np.trapezoid(found["j.heat"], found.t) / 0.5)
    assert found.peak("j.torque") == np.abs(found["j.torque"]).max()


def test_effort_is_a_limit():
    found = gw.demands(lever(), polynomial([0.0, 0.0], [0.0, 0.0], 0.5))  # it holds 2.9 + 2.7 Nm
    assert [(x.name, x.limit) for x in found.excesses] == [("tau.j", 3.0)]


def test_a_motion_beyond_a_range_is_remarked_upon():
    found = gw.demands(gw.load("panda_like"), polynomial([0.0] * 7, [0.1] * 7, 0.5), actuators=(), samples=20)
    assert any("joint 'joint4'" in remark for remark in found.remarks)


def test_rows_of_a_floating_robot_with_a_loop_take_independent_or_all_speeds():
    """Samples of the speeds that remain with the loop, and of all speeds of the open tree, demand the same forces."""

    def bar(name, parent, x, length):
        joint = Joint(name, "revolute", axis=(0, 0, 1), position=(x, 0, 0))
        return Link(name, parent, joint, mass=1.0, com=(length / 2, 0, 0), inertia=np.eye(3) * 0.01)

    body = Link("body", joint=Joint("body", kind="free"), mass=5.0, inertia=np.eye(3) * 0.1)
    bars = [bar("crank", "body", 0.0, 0.3), bar("coupler", "crank", 0.3, 0.7), bar("rocker", "body", 0.8, 0.5)]
    ends = [Frame("a", "coupler", position=(0.7, 0, 0)), Frame("b", "rocker", position=(0.5, 0, 0))]
    drive = Drive("crank", Motor(inertia=1e-5), Gear(ratio=20))
    robot = Robot("r", [body, *bars], frames=ends, loops=[Loop("pin", ("a", "b"), ("x", "y"))], drives=[drive])
    mech, rng = gw.assemble(robot), np.random.default_rng(1)
    t, v, a = np.arange(4) * 0.1, *rng.normal(size=(2, 4, mech.n))
    q = np.tile(mech.reference, (4, 1))
    few = gw.demands(robot, Motion(t, q, v, a))
    whole = [np.asarray(x) for x in whole_motion("test", mech, q, v, a)]
    assert whole[1].shape[-1] == mech.tree.n > mech.n
    assert few.tau == pytest.approx(gw.demands(robot, Motion(t, *whole)).tau, abs=1e-12)


def test_rows_of_a_recording_are_taken_as_they_are():
    """A floating base has no derivatives of its coordinates; rows with speeds and accelerations need none."""
    robot, rng = gw.load("mini_cheetah"), np.random.default_rng(3)
    mech = gw.assemble(robot)
    t, v, a = np.arange(5) * 0.1, *rng.normal(size=(2, 5, mech.n))
    q = gw.integrate(mech, gw.neutral(mech), 0.1 * rng.normal(size=(5, mech.n)))
    found = gw.demands(robot, Motion(t, q, v, a), laws=())
    assert np.array_equal(found.t, t)
    assert np.allclose(found.tau, gw.inverse_dynamics(mech, q, v, a), atol=1e-9)
    rubbing = gw.demands(robot, Motion(t, q, v, a))
    for link in (link for link in robot.links if link.joint.kind == "revolute"):
        k, friction = mech.speeds.index(link.joint_name), link.joint.total_friction
        expected = friction.coulomb * np.sign(v[:, k]) + friction.viscous * v[:, k]
        assert np.allclose((rubbing.tau - found.tau)[:, k], expected, atol=1e-9)


def test_hysteresis_that_is_taken_smooth_is_said():
    def arm(torsion):
        gear = Gear(50.0, stiffness=1e3, torsion=torsion)
        link = Link("l", mass=1.0, com=(0.1, 0, 0), inertia=np.eye(3) * 0.02, joint=Joint("j"))
        return Robot("r", [link], [Drive("j", Motor(1e-4), gear)])

    motion = polynomial([0, 0], [0.5, 0.5], duration=1.0, order=7)
    rough, plain = (gw.demands(arm(x), motion).remarks for x in (Torsion(hysteresis=Hysteresis(1.0, 1e-3)), None))
    assert any("smooth" in remark for remark in rough)
    assert not any("smooth" in remark for remark in plain)


@pytest.mark.parametrize("way", ["polynomial", "s_curve"])
def test_a_harmonic_drive_goes_there_and_back(way):
    """Where the jerk of the joint jumps the motor's speed bends: looked at across that, torques would be wrong."""
    drive = gw.load("harmonic_6").drives[0]
    link = Link("arm", "base", Joint("arm", axis=(0, 1, 0)), 12.0, (0.3, 0, 0), np.diag([0.2, 1.0, 1.0]))
    motor = replace(drive.motor, position=(0, 0, 0))
    robot = Robot("axis", [link], [replace(drive, joint="arm", mounted_on="base", axis=(0, 1, 0), motor=motor)])
    if way == "polynomial":
        ways = [polynomial([x], [0.4 - x], duration=1.0) for x in (0.0, 0.4)]
    else:
        ways = [s_curve([x], [0.4 - x], speed=1.0, acceleration=2.0, jerk=10.0) for x in (0.0, 0.4)]
    coarse, fine = (gw.demands(robot, chain(*ways), samples=count) for count in (201, 801))
    assert not coarse.unactuated
    assert not [remark for remark in coarse.remarks if "balance" in remark]
    assert coarse.peak("tau.arm.motor") == pytest.approx(fine.peak("tau.arm.motor"), rel=2e-3)


def small_motion(kind, start, size):
    end = [start + size]
    if kind == "s_curve":
        return s_curve([start], end, speed=1.0, acceleration=5.0, jerk=100.0)
    if kind == "fourier":
        return fourier(0.5, [start], [[0.0, 4 * size]], [[9 * size, 5 * size]])
    if kind == "trapezoid":
        way = trapezoid([start], end, speed=1.0, acceleration=5.0)
    else:
        way = polynomial([start], end, duration=0.4, order=int(kind[-1]))
    for width in () if kind == "order 7" else (0.05, 0.04, 0.03):
        way = moving_average(way, width)
    return way


KINDS = ("s_curve", "trapezoid", "order 3", "order 5", "order 7", "fourier")


@pytest.mark.parametrize("start", [0.0, -2.0])
@pytest.mark.parametrize("kind", KINDS)
def test_small_motions_of_an_elastic_joint_with_dry_friction(kind, start):
    r"""$\theta = q + (J \ddot q + f \operatorname{sgn} \dot q)/k$, and the rotor takes
    $\tau_m = (J \ddot q + f \operatorname{sgn} \dot q)/N + N I \ddot\theta + f_m \operatorname{sgn} \dot\theta$."""
    ratio, rotor, k, friction, own = 60.0, 1e-5, 4000.0, 0.4, 0.02
    link = Link(
        "l", joint=Joint(axis=(0, 0, 1), friction=friction), mass=2.0, com=(0.2, 0, 0), inertia=np.diag([0.03] * 3)
    )
    arm = Robot("arm", [link], [Drive("l", Motor(rotor, friction=own), Gear(ratio, stiffness=k))])
    inertia = 0.03 + 2.0 * 0.2**2
    for size in (-1e-1, 1e-2, -1e-3, 1e-4, -1e-5, 1e-6):
        way = small_motion(kind, start, size)
        found = gw.demands(arm, way, samples=200)
        v, a, jerk, snap = (way.at(found.t, order)[:, 0] for order in range(1, 5))
        shaft = v + inertia * jerk / k
        load = inertia * a + friction * np.sign(v)
        torque = load / ratio + ratio * rotor * (a + inertia * snap / k) + own * np.sign(shaft)
        moving = np.minimum(np.abs(v), np.abs(shaft)) > 1e-3 * np.abs(v).max()
        moving &= ~np.isin(found.t, [*way.derivative_jumps(4)])
        assert moving.sum() > 20
        assert found["l.torque"][moving] == pytest.approx(torque[moving], rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("size", [1e-6, 1e-4, 1e-2])
def test_motors_alone_make_small_motions_of_elastic_arms_with_friction(size):
    """Joints of which one may rest, each with its own motor that turns back where its joint does not."""
    links = [
        Link(
            f"l{k}", parent=f"l{k - 1}" if k else "base", mass=2.0 + k, com=(0.2, 0, 0), inertia=np.diag([0.05] * 3),
            joint=Joint(axis=(0, 1, 0) if k else (0, 0, 1), position=(0.3 * (k > 0), 0, 0), friction=1.0 + k),
        )
        for k in range(3)
    ]  # fmt: skip
    drives = [Drive(f"l{k}", Motor(1e-4, friction=0.02), Gear(60.0 + 20 * k, stiffness=1500.0)) for k in range(3)]
    arm, start = Robot("arm", links, drives), np.array([0.3, -0.4, 0.2])
    for way in ([1.0, -0.5, 0.7], [1.0, 0.0, 0.0]):
        found = gw.demands(arm, polynomial(start, start + size * np.array(way), duration=0.5, order=7), samples=101)
        assert not found.unactuated
        assert found.peak("l0.torque") > 0.02


def test_a_hardening_spring_without_load_is_as_stiff_as_its_linear_part():
    """At a twist of exactly zero its torque has a rate; a tiny motion asks what the linear spring asks."""
    peaks = []
    for torsion in (Torsion(), Torsion(hardening=1e5)):
        link = Link("l", joint=Joint(axis=(0, 0, 1)), mass=1.0, com=(0.2, 0, 0), inertia=np.diag([0.02] * 3))
        gear = Gear(50.0, stiffness=3000.0, torsion=torsion)
        arm = Robot("arm", [link], [Drive("l", Motor(1e-5), gear)])
        way = polynomial([0.0], [1e-5], duration=0.4, order=7)
        peaks.append(gw.demands(arm, way).peak("l.torque"))
    assert peaks[1] == pytest.approx(peaks[0], rel=1e-4)
