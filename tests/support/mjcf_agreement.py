"""A robot read from MJCF against MuJoCo itself: mass matrix, bias, runs."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np

import gearwright as gw
from gearwright.files.mjcf.reader import read_mjcf_with_report

FREE, BALL, SLIDE, HINGE = range(4)
TURN = (".qw", ".qx", ".qy", ".qz")
PLACE = (".x", ".y", ".z")
LINEAR = (".vx", ".vy", ".vz")
ANGULAR = (".wx", ".wy", ".wz")


class Agreement:
    """A file as MuJoCo compiles it and as Gearwright reads it; joints of the file must have names."""

    def __init__(self, path: Path) -> None:
        self.robot, self.report = read_mjcf_with_report(path)
        self.mech = gw.assemble(self.robot, "tree")
        mujoco.set_mju_user_warning(lambda text: None)  # it would log into the folder at hand
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # MuJoCo's own, which the report tells
            self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)
        self.links = {link.joint_name: link for link in self.robot.links}
        self.names = [self._name(k) for k in range(self.model.njnt)]

    def _name(self, k: int) -> str:
        body = int(self.model.jnt_bodyid[k])
        several = self.model.body_jntnum[body] > 1
        place = f".joint{k - self.model.body_jntadr[body] + 1}" if several else ""
        name = self.model.body(body).name or f"body{body}"
        return self.model.joint(k).name or f"{'base_2' if name == 'base' else name}{place}"

    def random_state(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        q, v = np.array(gw.neutral(self.mech)), rng.normal(size=self.mech.n)
        q = gw.integrate(self.mech, q, 0.7 * rng.normal(size=self.mech.n))
        return q, v

    def place(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Put MuJoCo into our state; returns G with qvel = G v, and dG/dt v."""
        model, mech = self.model, self.mech
        values = dict(zip(mech.coordinates, q, strict=True))
        index = {name: k for k, name in enumerate(mech.speeds)}
        G, drift = np.zeros((model.nv, mech.n)), np.zeros(model.nv)
        qpos = np.array(model.qpos0)
        for k, name in enumerate(self.names):
            kind, at, dof = int(model.jnt_type[k]), int(model.jnt_qposadr[k]), int(model.jnt_dofadr[k])
            if kind in (HINGE, SLIDE):
                self._single(name, at, dof, qpos, q, G)
                continue
            turn = np.array([values[name + end] for end in TURN])
            if kind == BALL:
                qpos[at : at + 4] = turn
                G[range(dof, dof + 3), [index[name + end] for end in ANGULAR]] = 1.0
                continue
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, turn)
            R = R.reshape(3, 3)
            linear, angular = ([index[name + end] for end in ends] for ends in (LINEAR, ANGULAR))
            qpos[at : at + 7] = [*(values[name + end] for end in PLACE), *turn]
            G[dof : dof + 3, linear] = R
            G[range(dof + 3, dof + 6), angular] = 1.0
            drift[dof : dof + 3] = R @ np.cross(v[angular], v[linear])
        self.data.qpos, self.data.qvel = qpos, G @ v
        return G, drift

    def _single(self, name: str, at: int, dof: int, qpos: np.ndarray, q: np.ndarray, G: np.ndarray) -> None:
        link = self.links[name]
        if link.joint.kind == "fixed":
            return  # held where qpos0 has it, in the models that use this
        joint = self.mech.joints[self.mech.body_index(link.name)]
        qpos[at] = joint.joint_coordinates(q)[0]
        G[dof, joint.dofs[0].speed] = joint.dofs[0].factor

    def errors(self, seed: int = 0) -> tuple[float, float]:
        """Of mass matrix and bias (velocity forces, gravity, springs, dampers), relative to the largest entry."""
        q, v = self.random_state(seed)
        G, drift = self.place(q, v)
        mujoco.mj_fwdPosition(self.model, self.data)
        mujoco.mj_fwdVelocity(self.model, self.data)
        M = full_matrix(self.model, self.data)
        mass = G.T @ M @ G
        bias = G.T @ (M @ drift + self.data.qfrc_bias - self.data.qfrc_passive)
        return relative(gw.mass_matrix(self.mech, q), mass), relative(gw.bias(self.mech, q, v), bias)

    def run_error(self, seconds: float = 1.0, step: float = 1e-4, seed: int = 0) -> float:
        """Largest difference of hinge and slide coordinates over a run without contacts, limits and friction loss."""
        bits = mujoco.mjtDisableBit
        off = bits.mjDSBL_CONTACT | bits.mjDSBL_LIMIT | bits.mjDSBL_FRICTIONLOSS | bits.mjDSBL_ACTUATION
        self.model.opt.disableflags |= int(off)
        self.model.opt.timestep, self.model.opt.integrator = step, int(mujoco.mjtIntegrator.mjINT_RK4)
        q, v = self.random_state(seed)
        v = 0.3 * v
        self.place(q, v)
        times = np.linspace(0.0, seconds, 11)
        ours = gw.simulate(
            self.mech, (q, v), seconds, samples=times, integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11)
        )
        single = [(name, k) for k, name in enumerate(self.names) if name in self.mech.coordinates]
        worst = 0.0
        for sample, t in enumerate(times[1:], start=1):
            while self.data.time < t - step / 2:
                mujoco.mj_step(self.model, self.data)
            here = np.array([ours[f"q.{name}"][sample] for name, _ in single])
            theirs = np.array([self.data.qpos[self.model.jnt_qposadr[k]] for _, k in single])
            worst = max(worst, float(np.abs(here - theirs).max()))
        return worst


def full_matrix(model, data) -> np.ndarray:
    """MuJoCo's mass matrix, whose function changed its arguments in 3.10."""
    M = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, M)
    except TypeError:
        mujoco.mj_fullM(model, M, data.qM)
    return M


def relative(ours, theirs) -> float:
    scale = np.abs(theirs).max(initial=0.0)
    return float(np.abs(np.asarray(ours) - theirs).max(initial=0.0) / max(scale, 1e-3))
