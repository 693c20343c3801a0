"""A machine in MuJoCo with every wheel as a body of its own, tied to the joints by stiff equalities.

MuJoCo has no gears: a rotor turns on a hinge of its own, and a fixed tendon whose length is (rotor angle - ratio . q)
is kept at zero by an equality. That equality is a stiff spring with damping, the stiffer the shorter the step.
"""

from __future__ import annotations

import mujoco
import numpy as np

from gearwright import Mechanism

KINDS = {"revolute": "hinge", "prismatic": "slide"}
INERTIAL = '<inertial pos="0.1 0.2 0.3" mass="1" fullinertia="3 2 1.5 0.1 0.2 0.3"/>'
"""In no special place, or MuJoCo would choose a shortcut."""

LEAST = 1e-9
"""A mass [kg] for what has none, which MuJoCo does not know."""

STIFFNESS = 4.0
"""Time constant of an equality in steps; MuJoCo allows no less than two."""


class MujocoRotors:
    """The machine in steps of `step` seconds; the time constant of its equalities is a few of them."""

    def __init__(self, mech: Mechanism, step: float, time_constant: float | None = None) -> None:
        self.mech = mech
        self._wheels = {k: [s for s in mech.spins if s.carrier == k] for k in range(-1, len(mech.bodies))}
        roots = [k for k, body in enumerate(mech.bodies) if body.parent < 0]
        world = "".join(map(self._wheel, self._wheels[-1])) + "".join(map(self._body, roots))
        ties = "".join(map(self._tie, mech.spins))
        soft = f'solref="{time_constant or STIFFNESS * step!r} 1" solimp="0.9999 0.9999 1e-3 0.5 1"'
        equal = "".join(f'<tendon tendon1="{spin.name}" {soft}/>' for spin in mech.spins)
        text = f"""<mujoco><compiler angle="radian" inertiafromgeom="false" balanceinertia="false"/>
            <option timestep="{step!r}" gravity="{_text(_vector(mech.gravity))}" integrator="RK4" tolerance="1e-14"
              iterations="200"><flag contact="disable" limit="disable"/></option>
            <worldbody>{world}</worldbody><tendon>{ties}</tendon><equality>{equal}</equality></mujoco>"""
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self._weigh()
        self.step = step
        self.dofs = np.array([self.model.joint(f"joint {name}").dofadr[0] for name in mech.speeds])
        self._rotors = np.array([self.model.joint(f"wheel {spin.name}").dofadr[0] for spin in mech.spins])

    def _weigh(self) -> None:
        """Put in masses and tensors, which the compiler would refuse where published data are effective ones only."""
        for k, body in enumerate(self.mech.bodies):
            self._put(body.name, *self._without_wheels(k))
        for spin in self.mech.spins:
            mass, _, tensor = _disc(spin)
            self._put(f"wheel {spin.name}", mass, np.zeros(3), tensor)
        mujoco.mj_setConst(self.model, self.data)

    def _put(self, name: str, mass: float, com: np.ndarray, tensor: np.ndarray) -> None:
        body = self.model.body(name)
        principal, axes = np.linalg.eigh(tensor)
        axes[:, 2] *= np.linalg.det(axes)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, axes.flatten())
        body.mass, body.inertia, body.ipos, body.iquat = max(mass, LEAST), principal, com, quaternion

    def _body(self, k: int) -> str:
        body = self.mech.bodies[k]
        inner = "".join(map(self._wheel, self._wheels[k]))
        inner += "".join(self._body(i) for i, child in enumerate(self.mech.bodies) if child.parent == k)
        name = body.joint_name or body.name
        place = f'pos="{_text(_vector(body.position))}" quat="{_text(_quaternion(body.rotation))}"'
        return f"""<body name="{body.name}" {place}>
            <joint name="joint {name}" type="{KINDS[body.joint]}" axis="{_text(_vector(body.axis))}"/>
            {INERTIAL}{inner}</body>"""

    def _without_wheels(self, k: int) -> tuple[float, np.ndarray, np.ndarray]:
        """The link alone: what the machine lumped into it is taken out again."""
        body = self.mech.bodies[k]
        parts = [(-mass, place, -tensor) for mass, place, tensor in map(_disc, self._wheels[k])]
        parts.append((float(body.mass), _vector(body.com), _matrix(body.inertia)))
        mass = sum(part[0] for part in parts)
        com = sum(part[0] * part[1] for part in parts) / max(mass, LEAST)
        tensor = sum(part[2] + part[0] * _steiner(part[1] - com) for part in parts)
        return mass, com, tensor

    def _wheel(self, spin) -> str:
        _, place, _ = _disc(spin)
        return f"""<body name="wheel {spin.name}" pos="{_text(place)}">
            <joint name="wheel {spin.name}" type="hinge" axis="{_text(_vector(spin.axis))}"/>{INERTIAL}</body>"""

    def _tie(self, spin) -> str:
        joints = "".join(
            f'<joint joint="joint {name}" coef="{-float(factor)!r}"/>'
            for name, factor in zip(self.mech.speeds, spin.ratio, strict=True)
            if factor
        )
        return f'<fixed name="{spin.name}"><joint joint="wheel {spin.name}" coef="1"/>{joints}</fixed>'

    def run(self, q: np.ndarray, v: np.ndarray, tau, until: float, samples: int) -> np.ndarray:
        """Configurations at equally spaced times, (samples, n); tau is a function of time."""
        ratios = np.array([spin.ratio for spin in self.mech.spins], dtype=float)
        data = self.data
        mujoco.mj_resetData(self.model, data)
        data.qpos[self.dofs], data.qvel[self.dofs] = q, v
        data.qpos[self._rotors], data.qvel[self._rotors] = ratios @ q, ratios @ v
        every = round(until / (samples - 1) / self.step)
        rows = [data.qpos[self.dofs].copy()]
        for _ in range(samples - 1):
            for _ in range(every):
                # One force per step: that of the middle makes an error of second order only.
                data.qfrc_applied[self.dofs] = tau(data.time + 0.5 * self.step)
                mujoco.mj_step(self.model, data)
            rows.append(data.qpos[self.dofs].copy())
        return np.array(rows)


def _disc(spin) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, place and tensor of a wheel."""
    rest, axis = spin.rest, _vector(spin.axis)
    across = float(rest.transverse_inertia)
    tensor = across * np.eye(3) + (float(spin.inertia) - across) * np.outer(axis, axis)
    return float(rest.mass), _vector(rest.position), tensor


def _vector(given) -> np.ndarray:
    return np.array([given.x, given.y, given.z], dtype=float)


def _steiner(r: np.ndarray) -> np.ndarray:
    return r @ r * np.eye(3) - np.outer(r, r)


def _matrix(tensor) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = (float(getattr(tensor, name)) for name in ("xx", "xy", "xz", "yy", "yz", "zz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _quaternion(rotation) -> np.ndarray:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.concatenate([_vector(rotation.a), _vector(rotation.b), _vector(rotation.c)]))
    return quaternion


def _text(values) -> str:
    return " ".join(repr(float(x)) for x in values)
