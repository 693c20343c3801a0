"""The same machine in other engines, for comparison: Pinocchio, MuJoCo, CasADi's own evaluation, JAX.

Pinocchio and MuJoCo get the links alone (what they call armature costs them nothing), which is less work than the
wheels that Gearwright computes; `Pinocchio(mech, wheels=True)` has every wheel as a body of its own, the same model.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import BASE, Body, Mechanism, Spin
from gearwright.tracing.simplify.editable_machine import Draft, merged

PEERS = {"Pinocchio": "pinocchio", "MuJoCo": "mujoco", "CasADi": "casadi", "JAX": "jax"}
"""Peer -> the module it needs."""


def installed() -> tuple[str, ...]:
    """The peers that can be compared with here."""
    return tuple(name for name, module in PEERS.items() if find_spec(module) is not None)


def require_single_axes(mech: Mechanism) -> Draft:
    """The machine without fixed joints, if all its joints are those that every peer has."""
    draft = merged(mech)
    for body in draft.bodies:
        if not body.kind.pure or body.follows is not None:
            raise InputError(
                f"bench: body {body.name!r} has a {body.joint} joint or follows another; peers are compared on "
                "machines of revolute and prismatic joints."
            )
    if mech.shafts:
        raise InputError("bench: peers know no shafts; give a machine with rigid drives.")
    return draft


class Pinocchio:
    """The links in Pinocchio, joints depth-first: otherwise `crba` returns a wrong matrix without a word."""

    def __init__(self, mech: Mechanism, wheels: bool = False) -> None:
        import pinocchio as pin

        self.pin, self.mech, self.wheels = pin, mech, wheels
        self.draft = require_single_axes(mech)
        self.model = pin.Model()
        self.model.gravity.linear = np.array([*mech.gravity], dtype=float)
        self.rows: list[Array] = []
        self._carry(BASE, 0)
        self.data = self.model.createData()
        self.projection = np.array(self.rows)
        """Pinocchio's speeds from Gearwright's: the identity (in another order) and one row per wheel."""

    def _carry(self, i: int, joint: int) -> None:
        """Add the wheels of body i, then each child with all that hangs on it."""
        for spin in self.draft.spins if self.wheels else ():
            if spin.carrier == i:
                self._wheel(spin, joint)
        for k in self.draft.children(i):
            body = self.draft.bodies[k]
            place = self.pin.SE3(np.array(body.rotation.rows()), np.array([*body.position]))
            own = self.model.addJoint(joint, self._joint(body), place, body.speed_name)
            self.rows.append(np.eye(self.mech.n)[k])
            self.model.appendBodyToJoint(own, self._inertia(k), self.pin.SE3.Identity())
            self._carry(k, own)

    def _joint(self, body: Body) -> Any:
        """An aligned joint where the axis is one of the frame's, which Pinocchio computes faster."""
        axis = np.array([*body.axis])
        kind = "R" if body.kind.turns else "P"
        for letter, e in zip("XYZ", np.eye(3), strict=True):
            if np.array_equal(axis, e):
                return getattr(self.pin, f"JointModel{kind}{letter}")()
        name = "Revolute" if kind == "R" else "Prismatic"
        return getattr(self.pin, f"JointModel{name}Unaligned")(axis)

    def _inertia(self, i: int) -> Any:
        """The body; where its wheels are bodies of their own, without them."""
        m, *h = list(self.draft.inertias[i])[:4]
        tensor = np.array(self.draft.inertias[i].tensor.rows(), dtype=float)
        mass, moment = float(m), np.array(h, dtype=float)
        for spin in self.draft.spins if self.wheels else ():
            if spin.carrier == i:
                wheel_mass, where, wheel = _wheel_at_rest(spin)
                mass, moment = mass - wheel_mass, moment - wheel_mass * where
                tensor = tensor - wheel - _steiner(wheel_mass, where)
        com = moment / mass if mass else moment
        try:
            return self.pin.Inertia(mass, com, tensor - _steiner(mass, com))
        except RuntimeError as error:
            raise InputError(
                f"bench: Pinocchio refuses the inertia of body {self.draft.bodies[i].name!r}: {error} "
                "Compare on a machine whose bodies are all rigid."
            ) from None

    def _wheel(self, spin: Spin, joint: int) -> None:
        mass, where, tensor = _wheel_at_rest(spin)
        turning = self.pin.JointModelRevoluteUnaligned(np.array([*spin.axis]))
        own = self.model.addJoint(joint, turning, self.pin.SE3(np.eye(3), where), spin.name)
        self.rows.append(np.array(spin.ratio, dtype=float))
        self.model.appendBodyToJoint(own, self.pin.Inertia(mass, np.zeros(3), tensor), self.pin.SE3.Identity())

    def as_peer_counts(self, x: Array) -> Array:
        """Coordinates, speeds or accelerations as Pinocchio counts them."""
        result: Array = np.ascontiguousarray(x @ self.projection.T)
        return result

    def exact_torque(self, q: Array, v: Array, a: Array) -> Array:
        """Inverse dynamics with the wheels: seen from outside, projected back."""
        G = self.projection
        result: Array = self.pin.rnea(self.model, self.data, G @ q, G @ v, G @ a) @ G
        return result

    def batch(self, function: str, q: Array, v: Array, x: Array) -> Callable[[], object]:
        """`rneaInParallel` or `abaInParallel` with one thread, everything laid out beforehand."""
        pool = self.pin.ModelPool(self.model, 1)
        columns = [np.asfortranarray(self.as_peer_counts(part).T) for part in (q, v, x)]
        result = np.empty_like(columns[0])
        call = getattr(self.pin, function)
        return lambda: call(1, pool, *columns, result)


def _wheel_at_rest(spin: Spin) -> tuple[float, Array, Array]:
    """Mass, position and tensor of a wheel; half its axial inertia across if nothing is known."""
    axis = np.array([*spin.axis], dtype=float)
    mass, where, across = 0.0, np.zeros(3), 0.5 * float(spin.inertia)
    if spin.rest is not None:
        mass, across = float(spin.rest.mass), float(spin.rest.transverse_inertia)
        where = np.array([*spin.rest.position], dtype=float)
    return mass, where, across * np.eye(3) + (spin.inertia - across) * np.outer(axis, axis)


def _steiner(mass: float, r: Array) -> Array:
    tensor: Array = mass * (r @ r * np.eye(3) - np.outer(r, r))
    return tensor


TIP = 1e-3
"""Radius of the sphere by which MuJoCo's arms touch [m]: its centre is where ours is."""


class Mujoco:
    """The links in MuJoCo, with the reflected inertia of the wheels as armature.

    Args:
        mech: the machine.
        friction: dry friction of every joint [Nm, N], MuJoCo's `frictionloss`.
        reach: limit of every joint to both sides [rad, m].
        floor: height of a floor [m] that the origin of the last body touches, and its friction; None: none.
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
        self._tip = "" if floor is None else f'<geom type="sphere" size="{TIP}" friction="{floor[1]!r}" mass="0"/>'
        world = "".join(self._body(i) for i in self.draft.children(BASE))
        if floor is not None:
            world += f'<geom type="plane" size="9 9 1" pos="0 0 {floor[0] - TIP!r}" friction="{floor[1]!r}"/>'
        flag = '<flag contact="disable"/>' if floor is None else ""
        # Measured tensors may miss the triangle inequality by a little; balanced ones take as long to compute with.
        self.model = mujoco.MjModel.from_xml_string(
            '<mujoco><compiler angle="radian" inertiafromgeom="false" balanceinertia="true" boundmass="1e-9" '
            f'boundinertia="1e-12"/><option gravity="{_text(mech.gravity)}">{flag}</option>'
            f"<worldbody>{world}</worldbody></mujoco>"
        )
        self.data = mujoco.MjData(self.model)

    def _body(self, i: int) -> str:
        body, quaternion = self.draft.bodies[i], np.zeros(4)
        self.mujoco.mju_mat2Quat(quaternion, np.array(body.rotation.rows()).ravel())
        inertia = self.draft.inertias[i]
        com = inertia.moment * (1 / inertia.mass) if inertia.mass else inertia.moment
        t = np.array(inertia.tensor.rows()) - _steiner(inertia.mass, np.array([*com]))
        numbers = [t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]]
        armature = sum(spin.inertia * spin.ratio[i] ** 2 for spin in self.draft.spins)  # type: ignore[index]
        kind = "hinge" if body.kind.turns else "slide"
        inner = "".join(self._body(k) for k in self.draft.children(i))
        inner += self._tip if i == len(self.draft.bodies) - 1 else ""
        return (
            f'<body pos="{_text(body.position)}" quat="{_text(quaternion)}">'
            f'<joint type="{kind}" axis="{_text(body.axis)}" armature="{armature!r}" {self._joint}/>'
            f'<inertial pos="{_text(com)}" mass="{inertia.mass!r}" '
            f'fullinertia="{_text(numbers)}"/>{inner}</body>'
        )

    def batch(self, q: Array, v: Array, a: Array) -> Callable[[], object]:
        """`mj_inverse` state by state, from Python."""
        model, data, inverse = self.model, self.data, self.mujoco.mj_inverse

        def run() -> None:
            for k in range(len(q)):
                data.qpos[:], data.qvel[:], data.qacc[:] = q[k], v[k], a[k]
                inverse(model, data)

        return run

    def rollout(self, q: Array, v: Array, steps: int, step: float) -> Callable[[], Array]:
        """`mujoco.rollout` of a batch in the calling thread: semi-implicit Euler, every state of it recorded."""
        from mujoco import rollout

        self.model.opt.timestep = step
        self.model.opt.integrator = self.mujoco.mjtIntegrator.mjINT_EULER
        begin = np.concatenate([np.zeros((len(q), 1)), q, v], axis=1)  # time first
        record = np.empty((len(q), steps, begin.shape[1]))
        engine = rollout.Rollout(nthread=0)

        def run() -> Array:
            engine.rollout(self.model, self.data, begin, nstep=steps, state=record)
            return record[..., 1:]

        return run


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def casadi_batch(mech: Mechanism, q: Array, v: Array, a: Array) -> Callable[[], object]:
    """Inverse dynamics of the traced program in CasADi's virtual machine, mapped over the states."""
    import casadi as ca

    from gearwright.tracing.recipe import Recipe
    from gearwright.tracing.trace import traced_function

    traced = traced_function(Recipe("inverse_dynamics", mech).job())
    symbols = traced.sx_in()
    alone = ca.Function("inverse_dynamics", symbols, [traced(*symbols)[1]]).map(len(q))
    columns = [ca.DM(x.T) for x in (q, v, a)]
    return lambda: alone(*columns)


def jax_batch(mech: Mechanism, q: Array, v: Array, a: Array) -> Callable[[], object]:
    """Inverse dynamics as a JAX function, jitted over the whole batch."""
    import jax

    from gearwright.tracing.jax_backend import jax_function

    jax.config.update("jax_enable_x64", True)
    compiled = jax.jit(jax_function("inverse_dynamics", mech))
    arrays = [jax.numpy.asarray(x) for x in (q, v, a)]
    return lambda: compiled(*arrays).block_until_ready()
