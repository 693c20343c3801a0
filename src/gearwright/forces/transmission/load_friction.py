"""Friction that grows with the transmitted torque: as the mesh of a gear, and as bristles."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.forces.friction.lubrication import warm_friction
from gearwright.forces.friction.lugre import LuGre
from gearwright.forces.friction.stick_slip import stribeck_factor, total_sliding_friction
from gearwright.forces.law import Action, Drag, Reaction, Situation
from gearwright.forces.transmission.gear_wheels import axial_torque
from gearwright.forces.transmission.mesh_efficiency import MeshEfficiency
from gearwright.mechanism import Spin
from gearwright.parts import Friction, LoadFriction

LEAST_LOAD_SHARE = 1e-12
"""Added to the shares of load friction where they divide: without any, all no-load torque is that of the motor side."""


def load_friction_mesh(friction: Friction, speed: Scalar | None, memory: Scalar, ops: Operations) -> MeshEfficiency:
    r"""The mesh whose loss is load-dependent friction, $T - O = s (F + |\mu_m T + \mu_j O|)$.

    Driving, $\mu_m T + \mu_j O > 0$, the efficiency is $(1 - \mu_m)/(1 + \mu_j)$, back-driving it is
    $(1 - \mu_j)/(1 + \mu_m)$. With the no-load torques $A = F \mu_j / (\mu_m + \mu_j)$ and
    $B = F \mu_m / (\mu_m + \mu_j)$ the flank changes where $\mu_m T + \mu_j O$ changes its sign.

    Args:
        friction: with its `load`.
        speed: magnitude of the motor's speed; None: at rest.
        memory: the torque of the quadratic terms [Nm].
        ops: operations of its scalars.

    >>> from gearwright.algebra import FLOATS
    >>> from gearwright.parts import LoadFriction
    >>> mesh = load_friction_mesh(Friction(coulomb=0.3, load=LoadFriction(motor=0.2, joint=0.1)), 5.0, 0.0, FLOATS)
    >>> T = mesh.required_input(2.0, 1.0, FLOATS)
    >>> round(T - 2.0, 9), round(0.3 + 0.2 * T + 0.1 * 2.0, 9)
    (1.125, 1.125)
    """
    shares = friction.load
    assert shares is not None
    fade = 1.0 if speed is None else stribeck_factor(friction, speed, ops)
    level = friction.breakaway_friction if speed is None else total_sliding_friction(friction, speed, ops)
    motor, joint = shares.motor + fade * shares.motor_stribeck, shares.joint + fade * shares.joint_stribeck
    driving_joint = joint if shares.joint_quadratic is None else joint + fade * shares.joint_quadratic * memory
    driven_motor = motor if shares.motor_quadratic is None else motor + fade * shares.motor_quadratic * memory
    spread = (1.0 + driving_joint) * (1.0 + driven_motor) - (1.0 - motor) * (1.0 - joint) + LEAST_LOAD_SHARE
    return MeshEfficiency(
        (1.0 - motor) / (1.0 + driving_joint),
        (1.0 - joint) / (1.0 + driven_motor),
        level * (joint + driving_joint + LEAST_LOAD_SHARE) / spread,
        level * (motor + driven_motor) / spread,
    )


@check_arguments
@dataclass(frozen=True)
class LoadBristles(LuGre):
    r"""Presliding whose range grows with the transmitted torque: bristles of a geared motor.

    As `LuGre` without damping of the bristles (Dahl), with $g = F_C + (F_S - F_C) S + |\mu_m T + \mu_j O|$ and the
    quadratic terms of `parts.LoadFriction`, without their lag: $\dot z = w - \sigma_0 |w| z / g$, friction
    $-(\sigma_0 z + d w)$.

    Args:
        name, line, friction, port, unit: as in `LuGre`, along the motor's line, with `friction.load`.
        wheels: the wheels on the input side of the gear, such as the rotor.
    """

    wheels: tuple[Spin, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.friction.load is None:
            raise InputError(f"{self.name}: bristles of a load take a friction with `load`. Give one, or use LuGre.")

    def act(self, mode: str, situation: Situation) -> Action:
        """One force, and the transmitted torque as a flow without gain."""
        row, offset = axial_torque(situation.kinematics, self.wheels, self.line.terms[0][1] if self.wheels else 1.0)
        return replace(super().act(mode, situation), drags=(Drag(self.line, 0.0, row, offset, self.port),))

    def _range(self, situation: Situation, reaction: Reaction | None) -> Scalar:
        """The friction at which the bristles slip."""
        level = super()._range(situation, reaction)
        if reaction is None or not reaction.flows:
            return level
        friction, ops, w = warm_friction(self.friction, situation), situation.ops, situation.speed(self.line)
        shares = friction.load
        assert shares is not None
        fade = stribeck_factor(self.friction, w, ops)
        leaving = reaction.flows[0]  # after its own force, which passes the same port
        entering = leaving + friction.stiffness * situation.states[0] + friction.viscous * w
        motor, joint = shares.motor + fade * shares.motor_stribeck, shares.joint + fade * shares.joint_stribeck
        return (
            level + ops.absolute(motor * entering + joint * leaving) + fade * _quadratic(shares, entering, leaving, ops)
        )


def _quadratic(shares: LoadFriction, entering: Scalar, leaving: Scalar, ops: Operations) -> Scalar:
    """The quadratic terms at rest: of O while the motor drives, of T while the joint drives [Nm]."""
    if not shares.has_memory:
        return 0.0
    driving = 0.0 if shares.joint_quadratic is None else shares.joint_quadratic * leaving * leaving
    driven = 0.0 if shares.motor_quadratic is None else shares.motor_quadratic * entering * entering
    quadratic = ops.where(ops.absolute(leaving) < ops.absolute(entering), driving, driven)
    return ops.where(entering * leaving > 0, quadratic, 0.0)
