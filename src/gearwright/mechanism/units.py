"""Units of speeds, coordinates and generalized forces."""

from __future__ import annotations

from gearwright.mechanism.mechanism import Mechanism


def speed_unit(mech: Mechanism, name: str) -> str:
    """Rad for a turning speed or a shaft, m for a sliding one."""
    return "m" if _slides(mech, name) else "rad"


def force_unit(mech: Mechanism, name: str) -> str:
    """Nm or N of the generalized force at a speed."""
    return "N" if _slides(mech, name) else "Nm"


def coordinate_unit(mech: Mechanism, name: str) -> str:
    """Rad or m of a coordinate; quaternions have none."""
    if name in mech.speeds:
        return speed_unit(mech, name)
    return "m" if name.rpartition(".")[2] in ("x", "y", "z") else ""


def _slides(mech: Mechanism, name: str) -> bool:
    """Whether a speed moves a body along a line."""
    return any(
        not dof.angular and mech.speeds[dof.speed] == name and body.follows is None
        for body, joint in zip(mech.bodies, mech.joints, strict=True)
        for dof in joint.dofs
    )
