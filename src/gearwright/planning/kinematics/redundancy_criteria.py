"""Criteria for redundant joints: costs to minimise, and weights of the joint motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import gravity, integrate, mass_matrix
from gearwright.planning.kinematics.descent import PoseDescent
from gearwright.text import did_you_mean

COST_GRADIENT_STEP = 1e-6
"""Step of the finite differences for the gradient of a cost [rad, m]."""


@check_arguments
@dataclass(frozen=True)
class Criterion:
    """Null-space motion: the speeds are J# s' - gain (1 - J# J) W grad h, with J# = W J' (J W J')^-1.

    Args:
        gain: step along the negative gradient of the cost over a whole path.
    """

    gain: float = 1.0

    def __post_init__(self) -> None:
        real_number(type(self).__name__, "gain", self.gain)

    def cost(self, descent: PoseDescent, q: Array) -> Array:
        """Return the cost h of configurations (..., nq), (...); lower is better."""
        return np.zeros(q.shape[:-1])

    def joint_weights(self, descent: PoseDescent, q: Array) -> Array:
        """Return the symmetric weight matrix W (n, n) at one configuration; larger weights mean more motion."""
        return np.diag(descent.mobility)

    def cost_gradient(self, descent: PoseDescent, q: Array) -> Array:
        """Return the gradient of the cost at one configuration, (n,), by central differences."""
        n = descent.joints.mech.n
        steps = COST_GRADIENT_STEP * np.concatenate([np.eye(n), -np.eye(n)])
        ends = self.cost(descent, integrate(descent.joints.mech, np.tile(q, (2 * n, 1)), steps))
        gradient: Array = (ends[:n] - ends[n:]) / (2 * COST_GRADIENT_STEP)
        return gradient


@check_arguments
@dataclass(frozen=True)
class JointLimits(Criterion):
    """Keeps joints near the middle of their ranges: h = sum ((q - middle) / half range)^2 / 2 over limited joints."""

    def cost(self, descent: PoseDescent, q: Array) -> Array:
        """Return the cost h of configurations."""
        joints = descent.joints
        limited = np.isfinite(joints.lower) & np.isfinite(joints.upper) & (joints.upper > joints.lower)
        x, low, high = q[..., joints.coordinate_indices[limited]], joints.lower[limited], joints.upper[limited]
        total: Array = 0.5 * np.square((2 * x - low - high) / (high - low)).sum(axis=-1)
        return total


@check_arguments
@dataclass(frozen=True)
class Manipulability(Criterion):
    """Keeps away from singularities: h = - log det(J J') / 2, the logarithm of Yoshikawa's measure."""

    def cost(self, descent: PoseDescent, q: Array) -> Array:
        """Return the cost h of configurations; large, but finite at singularities."""
        J = descent.task_jacobian(q)
        J = J[..., np.abs(J).reshape(-1, *J.shape[-2:]).max(axis=(0, 2)) > 0, :]
        values = np.linalg.svd(J, compute_uv=False)
        total: Array = -np.log(np.maximum(values, 1e-9)).sum(axis=-1)
        return total


@check_arguments
@dataclass(frozen=True)
class HoldingTorque(Criterion):
    """Minimises the gravity torques: h = sum (g / limit)^2 / 2.

    Args:
        gain: step along the negative gradient of the cost over a whole path.
        limits: reference torque per speed [Nm, N], or one for all.

    Torques of the motion are minimised by `least_torque` over a whole motion: local minimisation may lead to large
    torques later (Hollerbach and Suh).
    """

    limits: float | Sequence[float] = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        number_array("HoldingTorque", "limits", self.limits, above=0.0)

    def cost(self, descent: PoseDescent, q: Array) -> Array:
        """Return the cost h of configurations."""
        total: Array = 0.5 * np.square(gravity(descent.joints.mech, q) / np.asarray(self.limits)).sum(axis=-1)
        return total


@check_arguments
@dataclass(frozen=True)
class KineticEnergy(Criterion):
    """Moves the frame with the least kinetic energy at every instant: W = M^-1, wheels included.

    The shafts of elastic drives count as moving with their joints.
    """

    def joint_weights(self, descent: PoseDescent, q: Array) -> Array:
        """Return the inverse of the mass matrix, over movable joints."""
        joints = descent.joints
        T = joints.speed_matrix
        M = T.T @ mass_matrix(joints.mech, q) @ T
        free = np.flatnonzero(descent.mobility[: len(M)] > 0)
        W = np.zeros((joints.mech.n, joints.mech.n))
        W[np.ix_(free, free)] = np.linalg.inv(M[np.ix_(free, free)])
        return W


@check_arguments
@dataclass(frozen=True)
class MotionShares(Criterion):
    """Weighted distribution of the motion over slow and fast joints.

    Args:
        gain: unused, as there is no cost.
        shares: joint -> weight; by default 1. A joint with weight 0.01 moves a hundredth as much as an equivalent joint
            with weight 1.
    """

    shares: tuple[tuple[str, float], ...] = ()

    def joint_weights(self, descent: PoseDescent, q: Array) -> Array:
        """Return the diagonal matrix of the weights."""
        speeds = descent.joints.mech.speeds
        weights = np.array(descent.mobility)
        for joint, share in self.shares:
            if joint not in speeds:
                raise InputError(f"shares: joint {joint!r} is unknown. {did_you_mean(joint, speeds)}")
            weights[speeds.index(joint)] *= real_number("shares", joint, share, above=0.0)
        return np.diag(weights)
