"""The handed-over model in MuJoCo: its own inverse and forward dynamics and its own steps along exact motions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.export.handover.dependent_joints import AllJoints
from gearwright.export.handover.errors_of_model import (
    JointErrors,
    PathRun,
    joint_errors,
    mean_root,
    path_errors,
    time_weights,
)
from gearwright.export.handover.projection import MotionSamples, at_rest
from gearwright.files.mjcf.source import mujoco_module

CANDIDATE_STEPS = (0.004, 0.002, 0.001, 0.0005)
CANDIDATE_INTEGRATORS = ("implicitfast", "RK4")
FRICTION_IMPEDANCE = (0.99, 0.99, 0.001, 0.5, 2.0)
"""MuJoCo's solimp of friction losses. Its friction is soft, see `soft_friction`: with the default time constant of
20 ms it has the wrong sign while a joint that brakes is slower than about 10 ms times its acceleration."""
ALLOWED_GROWTH = 1.1
"""Error of path and torque, relative to the least one, up to which a coarser step is recommended."""


class StepSetting(NamedTuple):
    """A time step [s] and integrator of MuJoCo, with the errors that it leaves: path [rad, m], torque [Nm, N]."""

    step: float
    integrator: str
    path_peak: float
    torque_rms: float


class MujocoModel:
    """A compiled MJCF text with the joints of a machine.

    Args:
        text: the MJCF.
        joints: the joints of its machine.
    """

    def __init__(self, text: str, joints: AllJoints) -> None:
        self.mujoco = mujoco_module()
        self.model: Any = self.mujoco.MjModel.from_xml_string(text)
        self.data: Any = self.mujoco.MjData(self.model)
        self.joints = joints
        self.model.opt.disableflags |= int(self.mujoco.mjtDisableBit.mjDSBL_LIMIT)
        self.q_at, self.v_at = self._addresses(joints.mech.speeds)
        self._all_q, self._all_v = self._addresses(joints.names)

    def _addresses(self, names: Sequence[str]) -> list[Array]:
        """Indices of the positions and speeds of joints."""
        return [
            np.array([int(getattr(self.model.joint(name), word)[0]) for name in names])
            for word in ("qposadr", "dofadr")
        ]

    def set_step(self, step: float, integrator: str) -> None:
        """Set time step and integrator, and the stiffest friction constraints that the step allows."""
        kind = getattr(self.mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        self.model.opt.timestep, self.model.opt.integrator = step, int(kind)
        self.model.dof_solref[:], self.model.dof_solimp[:] = (2 * step, 1.0), FRICTION_IMPEDANCE

    def _set(self, q: Array, v: Array) -> None:
        self.data.qpos[self._all_q], self.data.qvel[self._all_v] = q, v

    def torques(self, samples: MotionSamples) -> Array:
        """Torques by `mj_inverse`, friction losses included, (T, n)."""
        motion = self.joints.motion(samples.q, samples.v, samples.a)
        forces = np.empty_like(motion.v)
        for k in range(len(forces)):
            self._set(motion.q[k], motion.v[k])
            self.data.qacc[self._all_v] = motion.a[k]
            self.mujoco.mj_inverse(self.model, self.data)
            forces[k] = self.data.qfrc_inverse[self._all_v]
        return self.joints.independent_forces(motion, forces)

    def torque_errors(self, samples: MotionSamples) -> Array:
        """Differences of `torques` from the exact ones; the friction of joints at rest is the fitting one, (T, n)."""
        error = self.torques(samples) - samples.tau
        loss, weight = (np.asarray(x)[self.v_at] for x in (self.model.dof_frictionloss, self.model.dof_invweight0))
        time_constant = np.asarray(self.model.dof_solref)[self.v_at, 0]
        bare = error - soft_friction(samples.v, samples.a, loss, weight, time_constant)
        return np.where(at_rest(samples.v), bare + np.clip(-bare, -loss, loss), error)

    def accelerations(self, samples: MotionSamples) -> Array:
        """Accelerations by `mj_forward` under the exact torques, (T, n)."""
        motion = self.joints.motion(samples.q, samples.v, samples.a)
        rates = np.empty_like(samples.q)
        for k in range(len(samples.q)):
            self.mujoco.mj_resetData(self.model, self.data)
            self._set(motion.q[k], motion.v[k])
            self.data.qfrc_applied[self.v_at] = samples.tau[k]
            self.mujoco.mj_forward(self.model, self.data)
            rates[k] = self.data.qacc[self.v_at]
        return rates

    def path_run(self, step: float, integrator: str) -> PathRun:
        """Return runs by `mj_step` with a time step and integrator."""

        def run(q: Array, v: Array, tau: Callable[[float], Array], duration: float) -> Array:
            self.set_step(step, integrator)
            torques = np.stack([tau((i + 0.5) * step) for i in range(round(duration / step))])
            ends, start = np.empty_like(q), self.joints.motion(q, v, np.zeros_like(v))
            for k in range(len(q)):
                self.mujoco.mj_resetData(self.model, self.data)
                self._set(start.q[k], start.v[k])
                for torque in torques[:, k]:
                    self.data.qfrc_applied[self.v_at] = torque
                    self.mujoco.mj_step(self.model, self.data)
                ends[k] = self.data.qpos[self.q_at]
            return ends

        return run


def soft_friction(v: Array, a: Array, loss: Array, weight: Array, time_constant: float | Array) -> Array:
    r"""Return the friction of MuJoCo's inverse dynamics, with the impedance d of `FRICTION_IMPEDANCE`.

    $f = clip((a + b v) / R, -loss, loss)$ with $b = 2 / (d T)$ and $R = (1 - d) w / d$: at rest it is not loss sign(v),
    and its sign is wrong where a joint brakes (a v < 0) with |v| < |a| / b.

    Args:
        v: speeds, (..., n).
        a: accelerations.
        loss: friction loss of each joint.
        weight: w, the inverse inertia of each joint in the reference configuration (`dof_invweight0`).
        time_constant: T of `solreffriction` [s].
    """
    d = FRICTION_IMPEDANCE[0]
    return np.asarray(np.clip((a + 2 / (d * time_constant) * v) * d / ((1 - d) * weight), -loss, loss))


def mujoco_errors(text: str, joints: AllJoints, samples: MotionSamples) -> tuple[list[JointErrors], StepSetting]:
    """Return the errors of an MJCF in MuJoCo, and the coarsest setting that keeps its path error."""
    model = MujocoModel(text, joints)
    settings = [_tried_setting(model, samples, h, name) for h in CANDIDATE_STEPS for name in CANDIDATE_INTEGRATORS]
    path, force = (min(getattr(x, word) for x in settings) for word in ("path_peak", "torque_rms"))
    kept = [x for x in settings if x.path_peak <= ALLOWED_GROWTH * path and x.torque_rms <= ALLOWED_GROWTH * force]
    chosen = kept[0] if kept else min(settings, key=lambda x: x.path_peak)
    difference = path_errors(samples, model.path_run(chosen.step, chosen.integrator))
    torque, rate = model.torque_errors(samples), model.accelerations(samples) - samples.a
    return joint_errors(joints.mech.speeds, samples, torque, rate, difference), chosen


def _tried_setting(model: MujocoModel, samples: MotionSamples, step: float, integrator: str) -> StepSetting:
    path = float(np.abs(path_errors(samples, model.path_run(step, integrator))).max(initial=0.0))
    squares = (model.torque_errors(samples) ** 2).sum(axis=1)
    return StepSetting(step, integrator, path, mean_root(np.sqrt(squares), time_weights(samples.t)))


def with_setting(text: str, setting: StepSetting) -> str:
    """Return an MJCF text with a time step and integrator, and friction constraints as stiff as the step allows."""
    text = re.sub(r'timestep="[^"]*"', f'timestep="{setting.step:g}"', text, count=1)
    text = re.sub(r'integrator="[^"]*"', f'integrator="{setting.integrator}"', text, count=1)
    impedance = " ".join(f"{x:g}" for x in FRICTION_IMPEDANCE)
    stiff = f'solreffriction="{2 * setting.step:g} 1" solimpfriction="{impedance}"'
    return re.sub(r'(<joint [^>]*frictionloss="[^"]*")', rf"\1 {stiff}", text)


def listed_steps() -> str:
    """The steps and integrators that are tried, as text."""
    return f"{', '.join(f'{h:g}' for h in CANDIDATE_STEPS)} s with {' and '.join(CANDIDATE_INTEGRATORS)}"
