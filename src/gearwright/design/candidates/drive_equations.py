r"""What a motion asks of a drive and what that takes of its limits: one statement, over scalars of any kind.

With the load L at the joint, ratio n and the motor's speed $\omega = n v$: the gear passes $O = L / n$, for which Mesh
says what enters; the rotor itself takes the torque `own`, and the bearings their friction. The voltage is
$R i + K \omega$: what the inductance adds is left to the analysis of the winner.

Series run along the last axis. Over arrays many drives are judged at once; over jets of series the gradient comes with
the values.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.taylor_series import Jet, JetOperations
from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.drives.limit_checks import LIFE, WINDING
from gearwright.analysis.quadrature import trapezoid_weights
from gearwright.arrays import Array
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.transmission.mesh_efficiency import Mesh

JETS: Operations = JetOperations(ARRAYS)


class Article(NamedTuple):
    """The numbers of a motor with its gear; columns (C, 1) for many, jets where they vary."""

    ratio: Scalar
    mesh: Mesh
    coulomb: Scalar
    viscous: Scalar
    winding: DcEquations
    life_exponent: Scalar = 3.0


class DriveDemand(NamedTuple):
    """Series of a drive: load and speed at the joint, speed, torque, current and voltage of the motor."""

    load: Scalar
    joint_speed: Scalar
    speed: Scalar
    torque: Scalar
    current: Scalar
    voltage: Scalar


class Reductions(Protocol):
    """Numbers of series over the time of a motion."""

    def peak(self, x: Scalar) -> Scalar:
        """The largest magnitude."""

    def mean(self, x: Scalar) -> Scalar:
        """The mean over the time."""

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root of a number."""

    def cbrt(self, x: Scalar) -> Scalar:
        """Cube root of a number."""

    def power(self, x: Scalar, exponent: Scalar) -> Scalar:
        """A series that is not negative, to a power of at least one."""


def drive_demand(article: Article, load: Scalar, own: Scalar, v: Array, ops: Operations) -> DriveDemand:
    """The series of a drive whose joint moves with speed v under a load, while `own` turns the motor itself."""
    speed = article.ratio * v
    sense = np.sign(speed.c[0] if isinstance(speed, Jet) else speed)
    passed = load / article.ratio
    entering = ops.where(sense == 0, passed, article.mesh.taken(passed, sense, ops))
    torque = entering + own + article.coulomb * sense + article.viscous * speed
    current = article.winding.current(torque)
    return DriveDemand(load, v, speed, torque, current, article.winding.voltage(current, 0.0, speed))


def compared(found: DriveDemand, article: Article, over: Reductions) -> dict[str, Scalar]:
    r"""What each limit of a joint or a data sheet is compared with; the winding with its mean square current [A^2].

    A joint carries what its motor brings, $n T$. A life is compared by what uses it up, the mean of
    $\lvert\omega\rvert L^p$.
    """
    turning = abs(found.speed)
    mean = over.mean(turning)
    cubes = over.mean(turning * abs(found.load * found.load * found.load))
    peak_speed = over.peak(found.speed)
    at_joint = over.peak(found.torque * article.ratio)
    return {
        JOINT_SPEED: np.abs(found.joint_speed).max(),
        JOINT_TORQUE: at_joint,
        JOINT_FORCE: at_joint,
        LIFE: over.mean(turning * over.power(abs(found.load), article.life_exponent)),
        "peak motor torque": over.peak(found.torque),
        "motor speed": peak_speed,
        VOLTAGE: over.peak(found.voltage),
        "continuous motor torque": over.sqrt(over.mean(found.torque * found.torque)),
        "continuous motor speed": mean,
        WINDING: over.mean(found.current * found.current),
        "gearbox peak torque": over.peak(found.load),
        "gearbox mean torque": over.cbrt(cubes / (mean + TINY)),
        "gearbox input speed": peak_speed,
        "gearbox mean input speed": mean,
    }


JOINT_SPEED, JOINT_TORQUE, JOINT_FORCE = "joint speed", "joint torque", "joint force"
VOLTAGE = "voltage"
"""Limits of a joint and of what feeds a motor, by their names in an analysis."""
PEAKS = (
    JOINT_SPEED,
    JOINT_TORQUE,
    JOINT_FORCE,
    "peak motor torque",
    "motor speed",
    VOLTAGE,
    "gearbox peak torque",
    "gearbox input speed",
)
"""Limits that a single instant can break: what some instants take of them all of them take at least."""
AT_ANY_LOAD = ("motor speed", "continuous motor speed", "gearbox input speed", "gearbox mean input speed")
"""Limits that do not depend on what a joint carries."""
TINY = 1e-300
"""So that a joint which rests is compared with zero and not with nothing."""


class OfArrays:
    """Reductions of arrays (..., T)."""

    def __init__(self, t: Array) -> None:
        weights = trapezoid_weights(t)
        self.span = float(weights.sum())
        self._weights = weights / self.span

    def peak(self, x: Scalar) -> Scalar:
        """The largest magnitude, (...)."""
        return np.maximum(x.max(axis=-1), -x.min(axis=-1))

    def mean(self, x: Scalar) -> Scalar:
        """The mean, (...)."""
        return x @ self._weights

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root."""
        return np.sqrt(x)

    def cbrt(self, x: Scalar) -> Scalar:
        """Cube root."""
        return np.cbrt(x)

    def power(self, x: Scalar, exponent: Scalar) -> Scalar:
        """A series to a power; cubes, the usual case, without logarithms."""
        return x * x * x if np.all(exponent == 3.0) else x**exponent


class OfJets:
    """Reductions of jets whose value is a series (T,) and whose slope has one row per variable, (P, T)."""

    def __init__(self, t: Array) -> None:
        self._arrays = OfArrays(t)
        self.span = self._arrays.span

    def peak(self, x: Scalar) -> Scalar:
        """The largest magnitude; its slope is that of the time at which it occurs."""
        k = int(np.abs(x.c[0]).argmax())
        sign = -1.0 if x.c[0][k] < 0 else 1.0
        return Jet([sign * x.c[0][k], sign * x.c[1][:, k]])

    def mean(self, x: Scalar) -> Scalar:
        """The mean."""
        return Jet([self._arrays.mean(x.c[0]), self._arrays.mean(x.c[1])])

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root; where it is zero its slope is taken for zero."""
        root = np.sqrt(x.c[0])
        return Jet([root, x.c[1] / (2 * root) if root > 0 else 0.0 * x.c[1]])

    def cbrt(self, x: Scalar) -> Scalar:
        """Cube root."""
        root = np.cbrt(x.c[0])
        return Jet([root, x.c[1] / (3 * root * root) if root > 0 else 0.0 * x.c[1]])

    def power(self, x: Scalar, exponent: Scalar) -> Scalar:
        """A series to a power."""
        value, slope = x.c[0], x.c[1]
        return Jet([value**exponent, exponent * value ** (exponent - 1) * slope])
