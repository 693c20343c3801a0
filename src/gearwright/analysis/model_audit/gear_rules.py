"""Rules on gears: stated ratios and rotors, limits of one joint repeated at another ratio, and signs of data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gearwright.analysis.model_audit.findings import AuditFinding
from gearwright.analysis.model_audit.inertia_rules import ARMATURE_TOLERANCE
from gearwright.analysis.model_audit.joint_data import JointData, ModelData
from gearwright.analysis.model_audit.limit_rules import LIMIT_EXCESS, SAME_NUMBER, SMALLEST_RATIO

RATIO_TOLERANCE = 0.01
"""Relative deviation of a gear ratio that is reported."""


def gear_findings(stated: Mapping[str, JointData], true: ModelData, names: Mapping[str, str]) -> Iterator[AuditFinding]:
    """Yield gear ratios and rotor inertias that differ from those of the only motor of a joint.

    Args:
        stated: joints with a ratio or a rotor.
        true: the robot with motors and gears.
        names: joint of the model -> joint of this robot.
    """
    for name, data in stated.items():
        other = true.joints.get(names.get(name, ""))
        if other is None or sum(bool(row.get(other.joint)) for row in true.motor_rows.values()) != 1:
            continue
        if data.ratio and other.ratio and abs(abs(data.ratio / other.ratio) - 1) > RATIO_TOLERANCE:
            stated_ratio, ratio = abs(data.ratio), abs(other.ratio)
            yield AuditFinding(
                "ratio",
                f"joint {name!r}",
                f"the gear ratio is {stated_ratio:g}; robot {true.name!r} has {ratio:g}, a factor of "
                f"{stated_ratio / ratio:.4g}.",
                stated_ratio,
                ratio,
                "",
                f"Set the ratio to {ratio:g}, that of all stages from the motor to the joint.",
            )
        # An armature that is stated, or follows from the rotor in the model, is compared itself.
        rotor, inertia = data.rotor_inertia if data.armature is None else None, other.rotor_inertia
        if rotor is not None and inertia and abs(rotor - inertia) > ARMATURE_TOLERANCE * max(rotor, inertia):
            yield AuditFinding(
                "armature",
                f"joint {name!r}",
                f"the rotor inertia is {rotor:.4g} kg m2; robot {true.name!r} has {inertia:.4g} kg m2, a factor of "
                f"{rotor / inertia:.3g}.",
                rotor,
                inertia,
                "kg m2",
                f"Set the rotor inertia to {inertia:.4g} kg m2, at the motor side.",
            )


def repeated_limit_findings(
    stated: Mapping[str, JointData], true: Mapping[str, JointData], source: str
) -> Iterator[AuditFinding]:
    """Yield joints whose limits are those of another joint with the same motor at a smaller ratio.

    Only joints whose true speed is unknown: otherwise the limits themselves contradict motor and gear.
    """
    for name, data in stated.items():
        other = true.get(name)
        if other is None or other.largest_speed is not None or not (data.effort and data.speed and other.ratio):
            continue
        for lead, first in stated.items():
            like = true.get(lead)
            if like is None or not _is_same_motor(like, other) or not (first.effort and first.speed and like.ratio):
                continue
            ratio = abs(other.ratio / like.ratio)
            is_own = abs(first.effort - (like.largest_effort or 0.0)) <= LIMIT_EXCESS * first.effort
            if ratio >= SMALLEST_RATIO and is_own and _is_same(data.effort, first.effort, data.speed, first.speed):
                effort, speed = ratio * first.effort, first.speed / ratio
                yield AuditFinding(
                    "ratio",
                    f"joint {name!r}",
                    f"the limits {data.effort:.4g} {data.force_unit} and {data.speed:.4g} {data.speed_unit} are those "
                    f"of joint {lead!r}, whose equal motor has the ratio {abs(like.ratio):g}; at the ratio "
                    f"{abs(other.ratio):g} ({source}) they are {effort:.4g} {data.force_unit} and {speed:.4g} "
                    f"{data.speed_unit}: a reduction of {ratio:.4g} is forgotten.",
                    ratio,
                    1.0,
                    "",
                    f"Set the effort limit to {effort:.4g} {data.force_unit} and the speed limit to {speed:.4g} "
                    f"{data.speed_unit}.",
                )
                break


def _is_same_motor(first: JointData, second: JointData) -> bool:
    pairs = ((first.rotor_inertia, second.rotor_inertia), (first.motor_torque, second.motor_torque))
    return all(a is not None and b is not None and abs(a - b) <= 1e-9 * abs(a) for a, b in pairs)


def _is_same(effort: float, first_effort: float, speed: float, first_speed: float) -> bool:
    return abs(effort - first_effort) <= SAME_NUMBER * effort and abs(speed - first_speed) <= SAME_NUMBER * speed


SIGNED = (
    ("armature", "armature", "armature", "kg m2"),
    ("rotor_inertia", "rotor inertia", "armature", "kg m2"),
    ("friction", "friction", "friction", "Nm"),
    ("viscous_friction", "viscous friction", "friction", "Nms/rad"),
    ("kp", "stiffness", "gains", "Nm/rad"),
    ("kd", "damping", "gains", "Nms/rad"),
    ("effort", "effort limit", "effort limit", "Nm"),
    ("speed", "speed limit", "speed limit", "rad/s"),
)
"""Quantity of a joint, its name, the kind of finding, and the unit."""


def sign_findings(stated: Mapping[str, JointData]) -> Iterator[AuditFinding]:
    """Yield negative inertias, frictions, gains and limits."""
    for name, data in stated.items():
        for word, title, kind, unit in SIGNED:
            value = getattr(data, word)
            if value is not None and value < 0:
                yield AuditFinding(
                    kind,
                    f"joint {name!r}",
                    f"the {title} is negative: {value:.4g} {unit}.",
                    value,
                    None,
                    unit,
                    "Give a number that is not negative.",
                )
