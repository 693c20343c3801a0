"""The same machine in other libraries, for comparison: Pinocchio, MuJoCo, CasADi's evaluation, JAX.

Pinocchio and MuJoCo get the links only (their armature costs no time), which is less work than the wheels that
Gearwright computes; `Pinocchio(mech, wheels=True)` has every wheel as a separate body: the same model.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import BASE, Body, Mechanism, Spin
from gearwright.tracing.simplify.editable_machine import EditableMachine, merge_fixed_bodies

PEER_MODULES = {"Pinocchio": "pinocchio", "MuJoCo": "mujoco", "CasADi": "casadi", "JAX": "jax"}
"""Peer -> the module it needs."""


def installed_peers() -> tuple[str, ...]:
    """Return the installed peers."""
    return tuple(name for name, module in PEER_MODULES.items() if find_spec(module) is not None)


def require_single_axes(mech: Mechanism) -> EditableMachine:
    """Return the machine without fixed joints if all its joints are revolute or prismatic."""
    draft = merge_fixed_bodies(mech)
    for body in draft.bodies:
        if not body.kind.pure or body.follows is not None:
            raise InputError(
                f"bench: body {body.name!r} has a {body.joint} joint or follows another; peers are compared on "
                "machines of revolute and prismatic joints."
            )
    if mech.shafts:
        raise InputError("bench: elastic shafts are not supported by the peers. Give a machine with rigid drives.")
    return draft


class Pinocchio:
    """The links in Pinocchio, joints depth-first: in other orders `crba` returns a wrong matrix silently."""

    def __init__(self, mech: Mechanism, wheels: bool = False) -> None:
        import pinocchio as pin

        self.pin, self.mech, self.wheels = pin, mech, wheels
        self.draft = require_single_axes(mech)
        self.model = pin.Model()
        self.model.gravity.linear = np.array([*mech.gravity], dtype=float)
        self.rows: list[Array] = []
        self._add_subtree(BASE, 0)
        self.data = self.model.createData()
        self.projection = np.array(self.rows)
        """Pinocchio's speeds from Gearwright's: the identity (in another order) and one row per wheel."""

    def _add_subtree(self, i: int, joint: int) -> None:
        """Add the wheels of body i, then each child with its subtree."""
        for spin in self.draft.spins if self.wheels else ():
            if spin.carrier == i:
                self._add_wheel(spin, joint)
        for k in self.draft.children_of(i):
            body = self.draft.bodies[k]
            place = self.pin.SE3(np.array(body.rotation.rows()), np.array([*body.position]))
            index = self.model.addJoint(joint, self._joint_model(body), place, body.speed_name)
            self.rows.append(np.eye(self.mech.n)[k])
            self.model.appendBodyToJoint(index, self._body_inertia(k), self.pin.SE3.Identity())
            self._add_subtree(k, index)

    def _joint_model(self, body: Body) -> Any:
        """Return an aligned joint if the axis is a frame axis, as it is faster in Pinocchio."""
        axis = np.array([*body.axis])
        kind = "R" if body.kind.has_rotation else "P"
        for letter, e in zip("XYZ", np.eye(3), strict=True):
            if np.array_equal(axis, e):
                return getattr(self.pin, f"JointModel{kind}{letter}")()
        name = "Revolute" if kind == "R" else "Prismatic"
        return getattr(self.pin, f"JointModel{name}Unaligned")(axis)

    def _body_inertia(self, i: int) -> Any:
        """Return the inertia of a body, without its wheels if these are separate bodies."""
        m, *h = list(self.draft.inertias[i])[:4]
        tensor = np.array(self.draft.inertias[i].tensor.rows(), dtype=float)
        mass, moment = float(m), np.array(h, dtype=float)
        for spin in self.draft.spins if self.wheels else ():
            if spin.carrier == i:
                wheel_mass, position, wheel = _wheel_at_rest(spin)
                mass, moment = mass - wheel_mass, moment - wheel_mass * position
                tensor = tensor - wheel - _steiner_tensor(wheel_mass, position)
        com = moment / mass if mass else moment
        try:
            return self.pin.Inertia(mass, com, tensor - _steiner_tensor(mass, com))
        except RuntimeError as error:
            raise InputError(
                f"bench: Pinocchio rejects the inertia of body {self.draft.bodies[i].name!r}: {error} "
                "Compare on a machine whose bodies are all rigid."
            ) from None

    def _add_wheel(self, spin: Spin, joint: int) -> None:
        mass, position, tensor = _wheel_at_rest(spin)
        joint_model = self.pin.JointModelRevoluteUnaligned(np.array([*spin.axis]))
        index = self.model.addJoint(joint, joint_model, self.pin.SE3(np.eye(3), position), spin.name)
        self.rows.append(np.array(spin.ratio, dtype=float))
        self.model.appendBodyToJoint(index, self.pin.Inertia(mass, np.zeros(3), tensor), self.pin.SE3.Identity())

    def in_peer_order(self, x: Array) -> Array:
        """Return coordinates, speeds or accelerations in Pinocchio's order."""
        result: Array = np.ascontiguousarray(x @ self.projection.T)
        return result

    def exact_torque(self, q: Array, v: Array, a: Array) -> Array:
        """Return inverse dynamics with the wheels as bodies, projected to Gearwright's speeds."""
        G = self.projection
        result: Array = self.pin.rnea(self.model, self.data, G @ q, G @ v, G @ a) @ G
        return result

    def batch_call(self, function: str, q: Array, v: Array, x: Array) -> Callable[[], object]:
        """Return a call of `rneaInParallel` or `abaInParallel` with one thread and prepared arrays."""
        pool = self.pin.ModelPool(self.model, 1)
        columns = [np.asfortranarray(self.in_peer_order(part).T) for part in (q, v, x)]
        result = np.empty_like(columns[0])
        call = getattr(self.pin, function)
        return lambda: call(1, pool, *columns, result)


def _wheel_at_rest(spin: Spin) -> tuple[float, Array, Array]:
    """Return mass, position and tensor of a wheel; the transverse inertia is half the axial one if unknown."""
    axis = np.array([*spin.axis], dtype=float)
    mass, position, across = 0.0, np.zeros(3), 0.5 * float(spin.inertia)
    if spin.rest is not None:
        mass, across = float(spin.rest.mass), float(spin.rest.transverse_inertia)
        position = np.array([*spin.rest.position], dtype=float)
    return mass, position, across * np.eye(3) + (spin.inertia - across) * np.outer(axis, axis)


def _steiner_tensor(mass: float, r: Array) -> Array:
    tensor: Array = mass * (r @ r * np.eye(3) - np.outer(r, r))
    return tensor


TIP_RADIUS = 1e-3
"""Radius of the contact sphere at the tip in MuJoCo [m]; its centre is our contact point."""


class Mujoco:
    """The links in MuJoCo, with the reflected inertia of the wheels as armature.

    Args:
        mech: the machine.
        friction: dry friction of every joint [Nm, N], MuJoCo's `frictionloss`.
        reach: limit of every joint to both sides [rad, m].
        floor: height [m] of a floor touched by the origin of the last body, and its friction; None: no floor.
    """

    def __init__(
        self,
        mech: Mechanism,
        friction: float = 0.0,
        reach: float | None = None,
        floor: tuple[float, float] | None = None,
    ) -> None:
        import mujoco

        self.mujoco, self.mech, self.draft = mujoco, mech, require_single_axes(mech)
        limits = "" if reach is None else f' limited="true" range="{-reach!r} {reach!r}"'
        self._joint = f'frictionloss="{friction!r}"{limits}'
        self._tip = (
            "" if floor is None else f'<geom type="sphere" size="{TIP_RADIUS}" friction="{floor[1]!r}" mass="0"/>'
        )
        world = "".join(self._body_xml(i) for i in self.draft.children_of(BASE))
        if floor is not None:
            world += f'<geom type="plane" size="9 9 1" pos="0 0 {floor[0] - TIP_RADIUS!r}" friction="{floor[1]!r}"/>'
        flag = '<flag contact="disable"/>' if floor is None else ""
        # Measured tensors may violate the triangle inequality slightly; balancing does not change the computing time.
        self.model = mujoco.MjModel.from_xml_string(
            '<mujoco><compiler angle="radian" inertiafromgeom="false" balanceinertia="true" boundmass="1e-9" '
            f'boundinertia="1e-12"/><option gravity="{_numbers_text(mech.gravity)}">{flag}</option>'
            f"<worldbody>{world}</worldbody></mujoco>"
        )
        self.data = mujoco.MjData(self.model)

    def _body_xml(self, i: int) -> str:
        body, quaternion = self.draft.bodies[i], np.zeros(4)
        self.mujoco.mju_mat2Quat(quaternion, np.array(body.rotation.rows()).ravel())
        inertia = self.draft.inertias[i]
        com = inertia.moment * (1 / inertia.mass) if inertia.mass else inertia.moment
        t = np.array(inertia.tensor.rows()) - _steiner_tensor(inertia.mass, np.array([*com]))
        numbers = [t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]]
        armature = sum(spin.inertia * spin.ratio[i] ** 2 for spin in self.draft.spins)  # type: ignore[index]
        kind = "hinge" if body.kind.has_rotation else "slide"
        inner = "".join(self._body_xml(k) for k in self.draft.children_of(i))
        inner += self._tip if i == len(self.draft.bodies) - 1 else ""
        return (
            f'<body pos="{_numbers_text(body.position)}" quat="{_numbers_text(quaternion)}">'
            f'<joint type="{kind}" axis="{_numbers_text(body.axis)}" armature="{armature!r}" {self._joint}/>'
            f'<inertial pos="{_numbers_text(com)}" mass="{inertia.mass!r}" '
            f'fullinertia="{_numbers_text(numbers)}"/>{inner}</body>'
        )

    def batch_call(self, q: Array, v: Array, a: Array) -> Callable[[], object]:
        """Return a loop over `mj_inverse` from Python."""
        model, data, inverse = self.model, self.data, self.mujoco.mj_inverse

        def run_inverse() -> None:
            for k in range(len(q)):
                data.qpos[:], data.qvel[:], data.qacc[:] = q[k], v[k], a[k]
                inverse(model, data)

        return run_inverse

    def rollout_call(self, q: Array, v: Array, steps: int, step: float) -> Callable[[], Array]:
        """Return a call of `mujoco.rollout` in this thread: semi-implicit Euler, every state recorded."""
        from mujoco import rollout

        self.model.opt.timestep = step
        self.model.opt.integrator = self.mujoco.mjtIntegrator.mjINT_EULER
        begin = np.concatenate([np.zeros((len(q), 1)), q, v], axis=1)  # time first
        record = np.empty((len(q), steps, begin.shape[1]))
        engine = rollout.Rollout(nthread=0)

        def run_rollout() -> Array:
            engine.rollout(self.model, self.data, begin, nstep=steps, state=record)
            return record[..., 1:]

        return run_rollout


def _numbers_text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def casadi_batch(mech: Mechanism, q: Array, v: Array, a: Array) -> Callable[[], object]:
    """Return inverse dynamics of the traced program in CasADi's virtual machine, mapped over the states."""
    import casadi as ca

    from gearwright.tracing.recipe import KernelRequest
    from gearwright.tracing.trace import trace_function

    traced = trace_function(KernelRequest("inverse_dynamics", mech).trace_job())
    symbols = traced.sx_in()
    program = ca.Function("inverse_dynamics", symbols, [traced(*symbols)[1]]).map(len(q))
    columns = [ca.DM(x.T) for x in (q, v, a)]
    return lambda: program(*columns)


def jax_batch(mech: Mechanism, q: Array, v: Array, a: Array) -> Callable[[], object]:
    """Return inverse dynamics as a JAX function, jitted over the whole batch."""
    import jax

    from gearwright.tracing.jax_backend import jax_function

    jax.config.update("jax_enable_x64", True)
    compiled = jax.jit(jax_function("inverse_dynamics", mech))
    arrays = [jax.numpy.asarray(x) for x in (q, v, a)]
    return lambda: compiled(*arrays).block_until_ready()
