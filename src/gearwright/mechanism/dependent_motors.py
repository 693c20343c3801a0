"""Motors that turn together whatever the joints do."""

from __future__ import annotations

import warnings

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import GearwrightWarning, depth_of_the_caller
from gearwright.mechanism.checks import numbers
from gearwright.mechanism.mechanism import Mechanism
from gearwright.text import listed

SMALL = 1e-9


def dependent_motors(robot: str, mech: Mechanism) -> str | None:
    """A sentence about motors whose columns of the structure matrix depend on each other, or None.

    More motors than speeds are bound to; then only two that turn together are worth a word.

    >>> from gearwright.mechanism import Actuator, Body
    >>> arm = Body("arm", mass=1, com=(1, 0, 0))
    >>> twins = Mechanism([arm], actuators=[Actuator("left", [10.0]), Actuator("right", [-20.0])])
    >>> dependent_motors("crane", twins)[:78]
    "robot 'crane': motors left and right turn together: left = -0.5 right. Only one"
    """
    rows = [actuator.row for actuator in mech.actuators]
    if len(rows) < 2 or not all(numbers(*row) for row in rows):
        return None
    A = np.array(rows, dtype=np.float64)
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    names = [actuator.name for actuator in mech.actuators]
    for i, j in zip(*np.nonzero(np.triu(np.abs(A @ A.T) > 1 - SMALL, 1)), strict=True):
        factor = float(np.array(rows[i], dtype=float) @ A[j]) / float(np.linalg.norm(np.array(rows[j], dtype=float)))
        return _sentence(robot, [names[i], names[j]], f"{names[i]} = {factor:.6g} {names[j]}")
    idle = _idle(A) if len(rows) <= mech.n else None
    if idle is None:
        return None
    sizes = idle / np.array([np.linalg.norm(np.array(row, dtype=float)) for row in rows])
    shares = [(name, x / np.abs(sizes).max()) for name, x in zip(names, sizes, strict=True) if abs(x) > SMALL]
    sum_of_them = " ".join(f"{x:+.6g} {name}" for name, x in shares)
    return _sentence(robot, [name for name, _ in shares], f"{sum_of_them} = 0")


def _idle(A: Array) -> Array | None:
    """A combination of rows that vanishes, if there is one."""
    U, sizes, _ = np.linalg.svd(A)
    return np.asarray(U[:, -1]) if sizes[-1] < SMALL * sizes[0] else None


def _sentence(robot: str, names: list[str], rule: str) -> str:
    return (
        f"robot {robot!r}: motors {listed(names, ' and ')} turn together: {rule}. Only one combination of their "
        "torques moves anything, the others strain the gears; check the trains if that is not meant."
    )


def warn_of_dependent_motors(robot: str, mech: Mechanism) -> None:
    """Warn of motors that depend on each other."""
    remark = dependent_motors(robot, mech)
    if remark is not None:
        warnings.warn(remark, GearwrightWarning, stacklevel=depth_of_the_caller())
