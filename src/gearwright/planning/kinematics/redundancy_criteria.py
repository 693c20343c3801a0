"""What a redundant arm does with the joints it can spare: costs that it descends, and measures of its motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.dynamics import gravity, integrate, mass_matrix
from gearwright.planning.kinematics.descent import Descent
from gearwright.text import did_you_mean

SLOPE = 1e-6
"""Step of the differences that give the slope of a cost [rad, m]."""


@dataclass(frozen=True)
class Criterion:
    """How spare joints move: the speeds are J# s' - gain (1 - J# J) W grad h, with J# = W J' (J W J')^-1.

    Args:
        gain: how far the cost is descended along a whole path.
    """

    gain: float = 1.0

    def cost(self, descent: Descent, q: Array) -> Array:
        """H of configurations (..., nq), (...); the lower the better."""
        return np.zeros(q.shape[:-1])

    def willingness(self, descent: Descent, q: Array) -> Array:
        """W at one configuration, (n, n): symmetric; the more willingly a joint moves, the larger."""
        return np.diag(descent.mobility)

    def slope(self, descent: Descent, q: Array) -> Array:
        """The gradient of the cost at one configuration, (n,), by central differences of one batch."""
        n = descent.joints.mech.n
        ways = SLOPE * np.concatenate([np.eye(n), -np.eye(n)])
        ends = self.cost(descent, integrate(descent.joints.mech, np.tile(q, (2 * n, 1)), ways))
        found: Array = (ends[:n] - ends[n:]) / (2 * SLOPE)
        return found


@dataclass(frozen=True)
class JointLimits(Criterion):
    """Keeps joints near the middle of their ranges: h = sum ((q - middle) / half range)^2 / 2 over limited joints."""

    def cost(self, descent: Descent, q: Array) -> Array:
        """H of configurations."""
        joints = descent.joints
        limited = np.isfinite(joints.lower) & np.isfinite(joints.upper) & (joints.upper > joints.lower)
        x, low, high = q[..., joints.coordinates[limited]], joints.lower[limited], joints.upper[limited]
        found: Array = 0.5 * np.square((2 * x - low - high) / (high - low)).sum(axis=-1)
        return found


@dataclass(frozen=True)
class Manipulability(Criterion):
    """Keeps away from singularities: h = - log det(J J') / 2, the logarithm of Yoshikawa's measure."""

    def cost(self, descent: Descent, q: Array) -> Array:
        """H of configurations; large, not infinite, where the arm is singular."""
        J = descent.task_jacobian(q)
        J = J[..., np.abs(J).reshape(-1, *J.shape[-2:]).max(axis=(0, 2)) > 0, :]
        values = np.linalg.svd(J, compute_uv=False)
        found: Array = -np.log(np.maximum(values, 1e-9)).sum(axis=-1)
        return found


@dataclass(frozen=True)
class HoldingTorque(Criterion):
    """Keeps the torques against gravity low: h = sum (g / limit)^2 / 2.

    Args:
        gain: how far the cost is descended along a whole path.
        limits: per speed the torque that counts as one [Nm, N]; one for all.

    What the motion itself takes is left to `least_torque`, which looks at a whole motion: a rule that knows the
    present instant alone saves torque now and pays for it later (Hollerbach and Suh).
    """

    limits: float | Sequence[float] = 1.0

    def cost(self, descent: Descent, q: Array) -> Array:
        """H of configurations."""
        found: Array = 0.5 * np.square(gravity(descent.joints.mech, q) / np.asarray(self.limits)).sum(axis=-1)
        return found


@dataclass(frozen=True)
class KineticEnergy(Criterion):
    """Moves the frame with the least kinetic energy at every instant: W = M^-1, wheels included.

    The shafts of elastic drives count as moving with their joints.
    """

    def willingness(self, descent: Descent, q: Array) -> Array:
        """The inverse of the mass matrix, over joints that may move."""
        joints = descent.joints
        T = joints.carried
        M = T.T @ mass_matrix(joints.mech, q) @ T
        free = np.flatnonzero(descent.mobility[: len(M)] > 0)
        W = np.zeros((joints.mech.n, joints.mech.n))
        W[np.ix_(free, free)] = np.linalg.inv(M[np.ix_(free, free)])
        return W


@dataclass(frozen=True)
class Shares(Criterion):
    """Divides the motion: large slow joints little, small fast ones much.

    Args:
        gain: unused, there is no cost.
        shares: joint -> how willingly it moves; 1 where nothing is said. A joint with 0.01 moves a hundredth as much
            as one with 1 that could do the same.
    """

    shares: tuple[tuple[str, float], ...] = ()

    def willingness(self, descent: Descent, q: Array) -> Array:
        """The shares on the diagonal."""
        speeds = descent.joints.mech.speeds
        found = np.array(descent.mobility)
        for joint, share in self.shares:
            if joint not in speeds:
                raise InputError(f"shares: there is no joint {joint!r}. {did_you_mean(joint, speeds)}")
            found[speeds.index(joint)] *= number("shares", joint, share, above=0.0)
        return np.diag(found)
