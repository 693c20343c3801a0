"""Motors that turn together whatever the joints do."""

from __future__ import annotations

import warnings

import numpy as np

from gearwright.errors import GearwrightWarning, depth_of_the_caller
from gearwright.mechanism.checks import numbers
from gearwright.mechanism.mechanism import Mechanism
from gearwright.text import listed

SMALL = 1e-9


def dependent_motors(robot: str, mech: Mechanism) -> str | None:
    """A sentence about motors whose columns of the structure matrix depend on each other, or None.

    More motors than speeds are bound to depend on each other; as long as they reach every speed that is meant.

    >>> from gearwright.mechanism import Actuator, Body
    >>> arm = [Body("arm", mass=1, com=(1, 0, 0)), Body("hand", parent=0, mass=1, com=(1, 0, 0))]
    >>> twins = Mechanism(arm, actuators=[Actuator("left", [10.0, 0.0]), Actuator("right", [-20.0, 0.0])])
    >>> dependent_motors("crane", twins).partition(". ")[0]
    "robot 'crane': motors left and right turn together: left = -0.5 right"
    """
    rows = [actuator.row for actuator in mech.actuators]
    if len(rows) < 2 or not all(numbers(*row) for row in rows):
        return None
    columns = np.array(rows, dtype=np.float64)
    sizes = np.linalg.norm(columns, axis=1)
    A = columns / sizes[:, None]
    U, values, _ = np.linalg.svd(A)
    if values[-1] > SMALL * values[0]:
        return None
    names = [actuator.name for actuator in mech.actuators]
    pairs = np.argwhere(np.triu(np.abs(A @ A.T) > 1 - SMALL, 1)).tolist()
    for i, j in pairs[:1]:
        factor = float(A[i] @ A[j]) * sizes[i] / sizes[j]
        return _sentence(robot, [names[i], names[j]], f"{names[i]} = {factor:.6g} {names[j]}")
    idle = U[:, -1] / sizes
    shares = [(name, x / np.abs(idle).max()) for name, x in zip(names, idle.tolist(), strict=True)]
    involved = [(name, x) for name, x in shares if abs(x) > SMALL]
    return _sentence(robot, [name for name, _ in involved], f"{' '.join(f'{x:+.6g} {n}' for n, x in involved)} = 0")


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
