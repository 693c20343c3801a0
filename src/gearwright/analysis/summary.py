"""An analysis as plain numbers, for JSON and for tables."""

from __future__ import annotations

from dataclasses import asdict, fields
from math import isfinite
from typing import TYPE_CHECKING, Any

from gearwright.algebra import Vec
from gearwright.parts import Box, Robot, Tube

if TYPE_CHECKING:
    from gearwright.analysis.cycle.characteristics import Characteristics
    from gearwright.analysis.drives.advice_value import Advice
    from gearwright.analysis.drives.limit_checks import LimitCheck
    from gearwright.analysis.task_analysis import Analysis

CHARACTERISTIC_UNITS = {
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
"""Characteristics of every drive, and their units at a revolute joint."""
PRISMATIC_UNITS = {
    "peak_torque": "N",
    "rms_torque": "N",
    "peak_output_torque": "N",
    "mean_output_torque": "N",
    "peak_speed": "m/s",
}
"""Units at a prismatic joint."""


def summary(analysis: Analysis) -> dict[str, Any]:
    """All scalar results by name; None if unknown, the text "inf" if infinite."""
    overview = {
        "robot": analysis.robot.name,
        "task": analysis.task.name,
        "cycle_time": analysis.task.cycle.duration,
        "payloads": [_payload_summary(phase.robot) for phase in analysis.task.payload_phases(analysis.robot)],
        "possible": analysis.is_feasible,
        "verdict": analysis.verdict.text,
    }
    perturbed = analysis.perturbed
    errors = {} if perturbed is None else {"accuracy": perturbed.accuracy, "joint_error": perturbed.peak_joint_error}
    return {
        **overview,
        **_characteristic_values(analysis),
        "perturbed": None if perturbed is None else {**errors, **_characteristic_values(perturbed)},
        "unchecked": [asdict(unchecked_limit) for unchecked_limit in analysis.unchecked],
        "remarks": list(analysis.remarks),
    }


def _characteristic_values(characteristics: Characteristics) -> dict[str, Any]:
    """Characteristics of the prescribed motion, or of the closed loop."""
    return {
        "energy": characteristics.energy,
        "drives": {
            name: {field: _json_number(getattr(drive, field)) for field in CHARACTERISTIC_UNITS}
            for name, drive in characteristics.drives.items()
        },
        "tooth_forces": {
            name: {force.name: float(force.size.max()) for force in forces}
            for name, forces in characteristics.tooth_loads.items()
        },
        "tooth_force_components": {
            name: {force.name: force.peak_components for force in forces}
            for name, forces in characteristics.tooth_loads.items()
        },
        "links": {
            name: {
                **{
                    field: getattr(link, field)
                    for field in ("peak_stress", "strength", "peak_deflection", "peak_twist")
                },
                "peak_forces": link.loads.peak_forces,
                "peak_moments": link.loads.peak_moments,
            }
            for name, link in characteristics.links.items()
        },
        "tip": None
        if characteristics.tip is None
        else {"deflection": characteristics.tip.peak_deflection, "shares": characteristics.tip.peak_contributions()},
        "limits": [_limit_summary(check) for check in characteristics.limits],
    }


def _payload_summary(robot: Robot) -> dict[str, Any] | None:
    """Payload of a phase of the cycle with its position; None without payload."""
    load = robot.payload
    if load is None:
        return None
    carrier = load.link if load.link is not None else robot.last_link().name
    place = {
        "link": carrier,
        "position": [float(x) for x in Vec.from_values(load.position)],
        "place": robot.payload_place,
    }
    return {"mass": float(load.mass), **place}


def _limit_summary(check: LimitCheck) -> dict[str, Any]:
    return {
        "name": check.name,
        "value": _json_number(check.value),
        "limit": _json_number(check.limit),
        "unit": check.unit,
        "margin": _json_number(check.margin),
        "kept": check.is_satisfied,
        "advice": check.advice_text,
        "recommendations": [_advice_summary(advice) for advice in check.advice],
        "source": check.source,
    }


def _advice_summary(advice: Advice) -> dict[str, Any]:
    """The fields that a recommendation states."""
    stated = {field.name: getattr(advice, field.name) for field in fields(advice)}
    stated = {name: value for name, value in stated.items() if not (value is None or value is False or value == ())}
    return {name: _json_field(value) for name, value in stated.items()}


def _json_field(value: object) -> object:
    if isinstance(value, Tube | Box):
        return asdict(value)
    if isinstance(value, tuple):
        return list(value)
    return _json_number(value) if isinstance(value, float) else value


def _json_number(value: float | None) -> float | str | None:
    """The number for JSON, which has no infinity."""
    return value if value is None or isfinite(value) else str(value)
