"""The model with one armature, damping and friction per joint that is closest to a robot over motions.

Along the motions the exact torques of the drives at the joints, tau, follow from the demands on the motors: losses,
friction, elastic gears included. With h, the inverse dynamics of the model without the fitted numbers, the least
squares problem of each joint is

    tau - h = armature a + damping v + friction loss sign(v),   all numbers non-negative.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from gearwright.analysis import Task
from gearwright.arrays import Array
from gearwright.errors import GearwrightWarning, InputError
from gearwright.export.handover.dependent_joints import AllJoints, JointMotions, follower_rows
from gearwright.functions import assemble, inverse_dynamics, mass_matrix, structure_matrix
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion, Trajectory, fourier
from gearwright.motion_demands.demands import demands
from gearwright.parts import Drive, Gear, Joint, Limits, Motor, Robot
from gearwright.programs import approximate
from gearwright.text import listed_names

InertiaForm = Literal["coupled", "diagonal"]
"""Whether a target represents the inertia of motors that turn several joints."""
FIT_MOTIONS, CHECK_MOTIONS = 4, 2
"""Random motions for the fit, and further ones for the errors, if no task is given."""
HARMONICS, PERIOD, MOTION_SAMPLES = 3, 2.0, 401
"""Number of harmonics, period [s] and number of samples of these motions."""
USUAL_SPEED, USUAL_RANGE, LIMIT_SHARE = 2.0, 1.0, 0.8
"""Speed [rad/s, m/s] and half range [rad, m] of joints without limits, and the used share of limits."""
LOOP_SHARES = (1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1)
"""Shares of the amplitude that are tried until closed loops stay closed within the limits of dependent joints."""
REST_SPEED = 1e-6
"""Speed, relative to the largest one of a joint, below which it counts as at rest and its friction is undetermined."""


class JointProjection(NamedTuple):
    """Fitted numbers of a joint in SI units at the joint side."""

    joint: str
    armature: float
    damping: float
    friction: float
    ratio: float
    effort: float | None
    speed: float | None


@dataclass(frozen=True)
class MotionSamples:
    """Samples of exact motions and torques at the joints, (T, n) each; `t` restarts with every motion."""

    t: Array
    q: Array
    v: Array
    a: Array
    tau: Array

    def __add__(self, other: MotionSamples) -> MotionSamples:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return MotionSamples(*(np.concatenate(pair) for pair in pairs))


def random_motions(robot: Robot, mech: Mechanism, count: int, seed: int) -> list[Trajectory]:
    """Return Fourier motions of three harmonics in 2 s, within 80 % of the limits of position and speed."""
    rng, joints = np.random.default_rng(seed), {link.joint_name: link.joint for link in robot.links}
    motions = []
    for _ in range(count):
        sines, cosines = rng.normal(size=(2, mech.n, HARMONICS))
        limits = [joints[name].limits for name in mech.speeds]
        ends = np.array([x.position or (-USUAL_RANGE, USUAL_RANGE) for x in limits], dtype=float)
        ends = np.where(np.isfinite(ends), ends, [-USUAL_RANGE, USUAL_RANGE])
        half = LIMIT_SHARE * np.minimum((ends[:, 1] - ends[:, 0]) / 2, 2 * USUAL_RANGE)
        largest = LIMIT_SHARE * np.array([x.speed or USUAL_SPEED / LIMIT_SHARE for x in limits])
        unit = fourier(PERIOD, np.zeros(mech.n), sines, cosines).sample(MOTION_SAMPLES)
        scale = np.minimum(half / np.abs(unit.q).max(axis=0), largest / np.abs(unit.v).max(axis=0))[:, None]
        for share in LOOP_SHARES:
            motion = fourier(PERIOD, ends.mean(axis=1), share * sines * scale, share * cosines * scale)
            if mech.tree is mech or _stays_closed(mech, motion, joints):
                motions.append(motion)
                break
        else:
            raise InputError(
                f"passport: random motions of robot {robot.name!r} do not keep its loops closed within the limits of "
                "dependent joints. Give a task, or limits of the independent joints."
            )
    return motions


def _stays_closed(mech: Mechanism, motion: Trajectory, joints: Mapping[str, Joint]) -> bool:
    """Whether closed loops stay closed along a motion, with dependent joints within `LIMIT_SHARE` of their range."""
    independent = motion.sample(MOTION_SAMPLES)
    try:
        whole = AllJoints(mech).motion(independent.q, independent.v, independent.a)
    except InputError:
        return False
    for name, q in zip(mech.tree.speeds, whole.q.T, strict=True):
        stated = joints[name].limits.position if name in joints else None  # of joints with one coordinate
        low, high = stated or (-np.inf, np.inf)
        margin = (1 - LIMIT_SHARE) * (high - low) / 2 if np.isfinite(high - low) else 0.0
        if name not in mech.speeds and not ((low + margin <= q) & (q <= high - margin)).all():
            return False
    return True


def with_base_at_rest(robot: Robot) -> Robot:
    """Return a robot whose free joints are fixed: the motions of a passport are those of its joints."""
    if all(link.joint.kind != "free" for link in robot.links):
        return robot
    links = [
        replace(link, joint=Joint(link.joint.name, "fixed", rotation=link.joint.rotation, position=link.joint.position))
        if link.joint.kind == "free"
        else link
        for link in robot.links
    ]
    return replace(robot, links=links, states=())


def require_plain_joints(robot: Robot, target: str) -> None:
    """Raise an error for robots whose joints a per-joint model of a target does not describe."""
    mech = assemble(robot)
    _require_driven_independent(mech)
    if robot.loops and target == "newton":
        names = listed_names(loop.name for loop in robot.loops)
        raise InputError(f"passport: closed loops ({names}) are not in the check of Newton. Take the target mjcf.")
    followers = follower_rows(robot)
    joints = {link.joint_name for link in robot.links if link.joint.follows is None}
    foreign = [name for name in mech.speeds if name not in joints and name not in mech.shafts]
    if foreign:
        raise InputError(
            f"passport: joints with several coordinates ({listed_names(foreign)}) have no armature of their own. Fix "
            "them, or use export.mjcf."
        )
    if followers and target == "newton":
        raise InputError(
            f"passport: followers ({listed_names(followers)}) are not in the check of Newton. Fix them, or take the "
            "target mjcf."
        )


def _require_driven_independent(mech: Mechanism) -> None:
    """Raise an error for motors that turn dependent joints of closed loops."""
    if mech.tree is mech or not mech.tree.actuators:
        return
    rigid = (approximate(mech, "rigid") if mech.shafts else mech).tree
    driven = np.abs(structure_matrix(rigid)).max(axis=1) > 0
    dependent = [name for name, moved in zip(rigid.speeds, driven, strict=True) if moved and name not in mech.speeds]
    if dependent:
        raise InputError(
            f"passport: motors turn the dependent joints {listed_names(dependent)} of closed loops. Name them as "
            "independent joints (`independent`)."
        )


def exact_samples(robot: Robot, motion: Trajectory | Motion, task: Task | None = None) -> MotionSamples:
    """Return a motion with the torques of its drives, reflected to the joints."""
    payload = robot if task is None or task.payload is None else replace(robot, payload=task.payload)
    samples = max(MOTION_SAMPLES, 1 + round(getattr(motion, "duration", PERIOD) / PERIOD * MOTION_SAMPLES))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        result = demands(payload, motion, actuators=(), samples=samples if isinstance(motion, Trajectory) else None)
    mech = assemble(payload)
    joints = [name for name in mech.speeds if name not in mech.shafts]
    q_at, v_at = ([names.index(name) for name in joints] for names in (mech.tree.coordinates, mech.tree.speeds))
    moved = result.motion
    rigid = approximate(mech, "rigid") if mech.shafts else mech
    if rigid.actuators and not result.unactuated:
        torques = np.stack([result[f"{actuator.name}.torque"] for actuator in rigid.actuators], axis=-1)
        tau = torques @ structure_matrix(rigid).T
    elif rigid.tree is rigid:
        tau = result.tau[:, v_at]
    else:
        whole = JointMotions(moved.q, moved.v, moved.a)
        tau = AllJoints(mech).independent_forces(whole, result.tau)[:, : len(joints)]
    keep = np.concatenate([[True], np.diff(moved.t) > 0])
    series = (moved.t, moved.q[:, q_at], moved.v[:, v_at], moved.a[:, v_at], tau)
    return MotionSamples(*(np.asarray(x)[keep] for x in series))


def without_springs(robot: Robot) -> Robot:
    """Return a robot without passive springs, which only some targets represent."""
    links = [replace(link, joint=replace(link.joint, spring=None)) for link in robot.links]
    return replace(robot, links=links, springs=())


def at_rest(v: Array) -> NDArray[np.bool_]:
    """Return where joints are at rest, (T, n): friction may then be any number up to its loss."""
    speed = np.abs(v)
    return speed <= REST_SPEED * np.maximum(speed.max(axis=0, initial=0.0), 1e-12)


def bare_machine(robot: Robot, form: InertiaForm) -> Mechanism:
    """Return the machine of the model without the fitted numbers: links, and in "coupled" form the wheels of trains.

    Inertia of the wheels of drives is removed; their mass stays in the links that carry them.
    """
    mech = assemble(robot if form == "coupled" else without_springs(robot))
    rigid = approximate(mech, "rigid") if mech.shafts else mech
    if form == "diagonal":
        return approximate(rigid, "none")
    balanced = approximate(rigid, "reflected").tree
    fitted = {spin.name for spin in assemble(replace(robot, trains=())).spins}
    spins = tuple(spin for spin in balanced.spins if spin.name not in fitted)
    return mech.with_tree(replace(balanced, spins=spins))


@dataclass(frozen=True)
class PerJointModel:
    """The fitted model: numbers per joint on a machine."""

    mech: Mechanism
    joints: tuple[JointProjection, ...]

    @property
    def numbers(self) -> Array:
        """Armature, damping and friction loss of each joint, (3, n)."""
        return np.array([(x.armature, x.damping, x.friction) for x in self.joints]).reshape(-1, 3).T

    def torques(self, samples: MotionSamples) -> Array:
        """Torques that the model needs for the motion, (T, n); the friction of joints at rest is the fitting one."""
        armature, damping, loss = self.numbers
        links = inverse_dynamics(self.mech, samples.q, samples.v, samples.a)
        moving = np.asarray(links + armature * samples.a + damping * samples.v)
        return moving + np.where(
            at_rest(samples.v), np.clip(samples.tau - moving, -loss, loss), loss * np.sign(samples.v)
        )

    def acceleration_errors(self, samples: MotionSamples, torque_errors: Array) -> Array:
        """Differences of the accelerations under the exact torques from the exact ones, (T, n)."""
        M = mass_matrix(self.mech, samples.q) + np.diag(self.numbers[0])
        return np.asarray(-np.linalg.solve(M, torque_errors[..., None])[..., 0])

    def accelerations(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations of the model under torques, (T, n)."""
        armature, damping, friction = self.numbers
        M = mass_matrix(self.mech, q) + np.diag(armature)
        bias = inverse_dynamics(self.mech, q, v, np.zeros_like(v)) + damping * v + friction * np.sign(v)
        return np.asarray(np.linalg.solve(M, (tau - bias)[..., None])[..., 0])


def project(robot: Robot, samples: MotionSamples, form: InertiaForm, limits: Sequence[Any]) -> PerJointModel:
    """Return the model of least squared torque error over samples.

    Args:
        robot: the exact robot.
        samples: exact motions and torques.
        form: the inertia that the target represents.
        limits: ratio, effort and speed of each joint.
    """
    mech = bare_machine(robot, form)
    difference = samples.tau - inverse_dynamics(mech, samples.q, samples.v, samples.a)
    joints = []
    for k, name in enumerate(mech.speeds):
        v = samples.v[:, k]
        moving = ~at_rest(samples.v)[:, k]
        columns = np.stack([samples.a[:, k], v, np.sign(v)], axis=-1)[moving]
        scale = np.maximum(np.linalg.norm(columns, axis=0), 1e-12)
        numbers = nnls(columns / scale, difference[moving, k])[0] / scale if moving.any() else np.zeros(3)
        joints.append(JointProjection(name, *(float(x) for x in numbers), *limits[k]))
    return PerJointModel(mech, tuple(joints))


def handed_over_robot(robot: Robot, model: PerJointModel, form: InertiaForm) -> Robot:
    """Return the fitted model as a robot, from which files are written.

    Drives keep their ratio; their rotor has the fitted armature without reaction. In the "diagonal" form the armature
    is that of the joint.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        lumped = assemble(replace(robot, trains=robot.trains if form == "diagonal" else ()))
    fitted = {x.joint: x for x in model.joints}
    driven = {drive.joint for drive in robot.drives}
    links = []
    for link in robot.links:
        body, number = lumped.bodies[lumped.body_index(link.name)], fitted.get(link.joint_name)
        joint = link.joint
        if number is not None:
            armature = 0.0 if form == "coupled" and link.joint_name in driven else number.armature
            joint = replace(
                joint,
                damping=number.damping,
                friction=number.friction,
                armature=armature,
                spring=joint.spring if form == "coupled" else None,
                limits=Limits(joint.limits.position, number.speed, joint.limits.acceleration, number.effort),
            )
        elif joint.kind != "fixed":  # a dependent joint, whose losses are among those of the independent ones
            spring = joint.spring if form == "coupled" else None
            joint = replace(joint, damping=0.0, friction=0.0, armature=0.0, spring=spring)
        links.append(replace(link, joint=joint, mass=body.mass, com=body.com, inertia=body.inertia.rows()))
    drives = [_plain_drive(drive, fitted[drive.joint], form) for drive in robot.drives if drive.joint in fitted]
    trains, springs = (robot.trains, robot.springs) if form == "coupled" else ((), ())
    return Robot(
        robot.name,
        links,
        drives,
        frames=robot.frames,
        gravity=robot.gravity,
        trains=trains,
        description=robot.description,
        springs=springs,
        states=robot.states,
        loops=robot.loops,
        independent=robot.independent,
    )


def _plain_drive(drive: Drive, number: JointProjection, form: InertiaForm) -> Drive:
    inertia = number.armature / number.ratio**2 if form == "coupled" else 0.0
    limit = None if number.effort is None else number.effort / abs(number.ratio)
    motor = Motor(inertia, coupling=0.0, included=True, max_torque=limit)
    return Drive(drive.joint, motor, Gear(number.ratio), name=drive.name)
