"""A chain or tree in MuJoCo, each wheel reduced to the armature of its joints: what "diagonal" means elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from support.designs import Design, State

KINDS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}


class MujocoOracle:
    """The design's augmented links with joint armature; hinges, slides and balls.

    Args:
        design: the design.
        inside: elements that stand in a body's element, such as sites; of -1 in the world.
        outside: elements beside the world, such as tendons.
    """

    def __init__(self, design: Design, inside: Mapping[int, str] | None = None, outside: str = "") -> None:
        self.design, self._inside = design, inside or {}
        gravity = " ".join(map(repr, design.gravity.tolist()))
        world = "".join(self._body(i) for i, bar in enumerate(design.bars) if bar.parent < 0)
        text = f"""<mujoco><compiler angle="radian" inertiafromgeom="false" balanceinertia="false"/>
            <option gravity="{gravity}"><flag contact="disable"/></option><worldbody>{self._inside.get(-1, "")}
            {world}</worldbody>{outside}</mujoco>"""
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def _body(self, i: int) -> str:
        bar = self.design.bars[i]
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, bar.rotation.flatten())
        mass, com, tensor = self.design.lumped(i)
        axial = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        armature = sum(disc.axial * disc.row.get(f"j{i}", 0.0) ** 2 for disc in self.design.discs)
        inner = "".join(self._body(k) for k, child in enumerate(self.design.bars) if child.parent == i)
        return f"""<body pos="{_text(bar.position)}" quat="{_text(quaternion)}">
            <joint name="j{i}" type="{KINDS[bar.joint]}" axis="{_text(bar.axis)}" armature="{armature!r}"/>
            <inertial pos="{_text(com)}" mass="{float(mass)!r}" fullinertia="{_text(axial)}"/>
            {self._inside.get(i, "")}{inner}</body>"""

    def put(self, state: State) -> np.ndarray:
        """Set the state; returns the places of Gearwright's speeds among MuJoCo's."""
        order, q, v = [], 0, 0
        for i, bar in enumerate(self.design.bars):
            joint = self.model.joint(f"j{i}")
            nq, nv = (4, 3) if bar.joint == "spherical" else (1, 1)
            at, dof = joint.qposadr[0], joint.dofadr[0]
            part = state.q[q : q + nq]
            self.data.qpos[at : at + nq] = part / np.linalg.norm(part) if nq == 4 else part
            self.data.qvel[dof : dof + nv], self.data.qacc[dof : dof + nv] = state.v[v : v + nv], state.a[v : v + nv]
            order += range(dof, dof + nv)
            q, v = q + nq, v + nv
        return np.array(order)

    def torque(self, state: State) -> np.ndarray:
        order = self.put(state)
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse[order]

    def mass_matrix(self, state: State) -> np.ndarray:
        """Column by column from `mj_inverse`, which is linear in the acceleration."""
        columns = [self.torque(State(state.q, state.v, e)) for e in np.eye(len(state.v))]
        return np.array(columns).T - self.torque(State(state.q, state.v, 0 * state.v))[:, None]


def _text(values: np.ndarray | list[float]) -> str:
    return " ".join(repr(float(x)) for x in values)
