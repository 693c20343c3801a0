"""An analysis as plain numbers, for JSON and for tables."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

from gearwright.algebra import Vec
from gearwright.parts import Robot

if TYPE_CHECKING:
    from gearwright.analysis.cycle.characteristics import Characteristics
    from gearwright.analysis.drives.limit_checks import LimitCheck
    from gearwright.analysis.task_analysis import Analysis

CHARACTERISTICS = {
    "peak_torque": "Nm",
    "rms_torque": "Nm",
    "peak_output_torque": "Nm",
    "mean_output_torque": "Nm",
    "peak_speed": "rad/s",
    "peak_motor_torque": "Nm",
    "rms_motor_torque": "Nm",
    "peak_motor_speed": "rad/s",
    "mean_motor_speed": "rad/s",
    "peak_current": "A",
    "rms_current": "A",
    "peak_voltage": "V",
    "peak_power": "W",
    "energy": "J",
    "energy_without_regeneration": "J",
    "winding_temperature": "K",
    "housing_temperature": "K",
    "peak_joint_force": "N",
    "peak_tilting_moment": "Nm",
    "peak_mesh_force": "N",
    "peak_gear_bearing_force": "N",
    "inertia_ratio": "",
    "frequency": "Hz",
    "life": "h",
}
"""What is told of every drive, and its unit at a joint that turns."""
SLIDING = {
    "peak_torque": "N",
    "rms_torque": "N",
    "peak_output_torque": "N",
    "mean_output_torque": "N",
    "peak_speed": "m/s",
}
"""The units of a joint that slides."""


def summary(analysis: Analysis) -> dict[str, Any]:
    """Everything that is one number, by names; None where it is not known, the text "inf" where it is infinite."""
    about = {
        "robot": analysis.robot.name,
        "task": analysis.task.name,
        "cycle_time": analysis.task.cycle.duration,
        "payloads": [_payload(stretch.robot) for stretch in analysis.task.stretches(analysis.robot)],
        "possible": analysis.possible,
        "verdict": analysis.verdict.text,
    }
    perturbed = analysis.perturbed
    errors = {} if perturbed is None else {"accuracy": perturbed.accuracy, "joint_error": perturbed.peak_joint_error}
    return {
        **about,
        **_characteristics(analysis),
        "perturbed": None if perturbed is None else {**errors, **_characteristics(perturbed)},
        "unchecked": [asdict(one) for one in analysis.unchecked],
        "remarks": list(analysis.remarks),
    }


def _characteristics(found: Characteristics) -> dict[str, Any]:
    """Those of the prescribed motion, or of the closed loop."""
    return {
        "energy": found.energy,
        "drives": {
            name: {word: _plain(getattr(drive, word)) for word in CHARACTERISTICS}
            for name, drive in found.drives.items()
        },
        "tooth_forces": {
            name: {one.name: float(one.size.max()) for one in forces} for name, forces in found.teeth.items()
        },
        "tooth_force_components": {
            name: {one.name: one.peaks for one in forces} for name, forces in found.teeth.items()
        },
        "links": {
            name: {
                **{word: getattr(link, word) for word in ("peak_stress", "strength", "peak_deflection", "peak_twist")},
                "peak_forces": link.loads.peak_forces,
                "peak_moments": link.loads.peak_moments,
            }
            for name, link in found.links.items()
        },
        "tip": None if found.tip is None else {"deflection": found.tip.peak, "shares": found.tip.shares()},
        "limits": [_limit(check) for check in found.limits],
    }


def _payload(robot: Robot) -> dict[str, Any] | None:
    """What is carried on a part of the cycle, and where it sits; None for nothing."""
    load = robot.payload
    if load is None:
        return None
    carrier = load.link if load.link is not None else robot.last_link().name
    place = {"link": carrier, "position": [float(x) for x in Vec.of(load.position)], "place": robot.payload_place}
    return {"mass": float(load.mass), **place}


def _limit(check: LimitCheck) -> dict[str, Any]:
    return {
        "name": check.name,
        "value": _plain(check.value),
        "limit": _plain(check.limit),
        "unit": check.unit,
        "margin": _plain(check.margin),
        "kept": check.kept,
        "advice": check.advice,
        "source": check.source,
    }


def _plain(value: float | None) -> float | str | None:
    """JSON has no infinity."""
    return value if value is None or isfinite(value) else str(value)
