"""Motors whose speeds are linearly dependent in every motion."""

from __future__ import annotations

import warnings

import numpy as np

from gearwright.errors import GearwrightWarning, caller_stack_level
from gearwright.mechanism.checks import are_numbers
from gearwright.mechanism.mechanism import Mechanism
from gearwright.text import listed_names

DEPENDENT_MOTOR_RATIO = 1e-9
"""Singular values of the motors' rows below this, relative to the largest, count as zero."""


def dependent_motors_remark(robot: str, mech: Mechanism) -> str | None:
    """Return a remark on motors with linearly dependent columns of the structure matrix, or None.

    More motors than speeds are always dependent; no remark if they drive every speed.

    >>> from gearwright.mechanism import Actuator, Body
    >>> arm = [Body("arm", mass=1, com=(1, 0, 0)), Body("hand", parent=0, mass=1, com=(1, 0, 0))]
    >>> twins = Mechanism(arm, actuators=[Actuator("left", [10.0, 0.0]), Actuator("right", [-20.0, 0.0])])
    >>> dependent_motors_remark("crane", twins).partition(". ")[0]
    "robot 'crane': motors left and right turn together: left = -0.5 right"
    """
    rows = [actuator.row for actuator in mech.actuators]
    if len(rows) < 2 or not all(are_numbers(*row) for row in rows):
        return None
    columns = np.array(rows, dtype=np.float64)
    sizes = np.linalg.norm(columns, axis=1)
    A = columns / sizes[:, None]
    U, values, _ = np.linalg.svd(A)
    if values[-1] > DEPENDENT_MOTOR_RATIO * values[0]:
        return None
    names = [actuator.name for actuator in mech.actuators]
    pairs = np.argwhere(np.triu(np.abs(A @ A.T) > 1 - DEPENDENT_MOTOR_RATIO, 1)).tolist()
    for i, j in pairs[:1]:
        factor = float(A[i] @ A[j]) * sizes[i] / sizes[j]
        return _dependence_text(robot, [names[i], names[j]], f"{names[i]} = {factor:.6g} {names[j]}")
    idle = U[:, -1] / sizes
    shares = [(name, x / np.abs(idle).max()) for name, x in zip(names, idle.tolist(), strict=True)]
    involved = [(name, x) for name, x in shares if abs(x) > DEPENDENT_MOTOR_RATIO]
    return _dependence_text(
        robot, [name for name, _ in involved], f"{' '.join(f'{x:+.6g} {n}' for n, x in involved)} = 0"
    )


def _dependence_text(robot: str, names: list[str], rule: str) -> str:
    return (
        f"robot {robot!r}: motors {listed_names(names, ' and ')} turn together: {rule}. Only one combination of their "
        "torques drives the robot, the others load the gears internally. Check the trains if this is not intended."
    )


def warn_of_dependent_motors(robot: str, mech: Mechanism) -> None:
    """Warn of linearly dependent motors."""
    remark = dependent_motors_remark(robot, mech)
    if remark is not None:
        warnings.warn(remark, GearwrightWarning, stacklevel=caller_stack_level())
