"""Drives as actuators of an MJCF document: motors, servos, DC motors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gearwright.export.mujoco.document import MjcfDocument, add_element, exact_number, exact_numbers
from gearwright.forces.robot_lines import robot_motors
from gearwright.parts import Friction, Motor, Robot, Servo
from gearwright.parts.drives.thermal import ZERO_CELSIUS


def write_actuators(mjcf: MjcfDocument, robot: Robot, *, voltage: bool) -> None:
    """Write every motor of a robot; `voltage`: those with electrical data as `dcmotor`, with a voltage input."""
    motors = dict(robot_motors(robot))
    servos = {part.title: part.servo for part in robot.drives} | {part.name: part.servo for part in robot.tendons}
    for actuator in mjcf.mech.actuators:
        row = {mjcf.mech.speeds[k]: float(b) for k, b in actuator.terms}
        motor, servo = motors.get(actuator.name, Motor()), servos.get(actuator.name)
        attributes = {
            "name": mjcf.unique_name("actuator", actuator.name),
            **_transmission_attributes(mjcf, actuator.name, row),
        }
        armature = mjcf.wheels.actuators.get(actuator.name, 0.0)
        attributes |= {"armature": exact_number(armature)} if armature else {}
        section = mjcf.section_element("actuator")
        if voltage and motor.torque_constant is not None and motor.resistance is not None:
            add_element(section, "dcmotor", **attributes, **dc_motor_attributes(motor))
            _report_motor_omissions(mjcf, actuator.name, motor, electrical=True)
        elif servo is not None:
            add_element(section, "general", **attributes, **_servo_attributes(servo))
            _report_motor_omissions(mjcf, actuator.name, motor, electrical=False)
        else:
            add_element(section, "motor", **attributes, **_torque_attributes(motor))
            _report_motor_omissions(mjcf, actuator.name, motor, electrical=False)
        if not voltage or motor.torque_constant is None or motor.resistance is None:
            _add_motor_friction(mjcf, row, motor)


def _transmission_attributes(mjcf: MjcfDocument, name: str, row: Mapping[str, float]) -> dict[str, str]:
    terms = mjcf.joint_coefficients(row)
    if len(terms) == 1:
        ((joint, ratio),) = terms.items()
        return {"joint": joint, "gear": exact_number(ratio)}
    return {"tendon": mjcf.add_tendon(f"{name}.row", row)}


def _torque_attributes(motor: Motor) -> dict[str, str]:
    if motor.max_torque is None or not motor.max_torque > 0:
        return {}
    ends = exact_numbers((-motor.max_torque, motor.max_torque))
    return {"ctrlrange": ends, "forcerange": ends}


def _servo_attributes(servo: Servo) -> dict[str, str]:
    attributes = {"gainprm": exact_number(servo.input_gain), "biastype": "affine"}
    attributes["biasprm"] = exact_numbers((servo.offset, -servo.kp, -servo.kv))
    for word, ends in (("forcerange", servo.torque), ("ctrlrange", servo.input)):
        if ends is not None and ends[0] < ends[1]:
            attributes[word] = exact_numbers(ends)
    if servo.time_constant:
        attributes |= {"dyntype": "filterexact", "dynprm": exact_number(servo.time_constant)}
    return attributes


def dc_motor_attributes(motor: Motor) -> dict[str, str]:
    """Return the attributes of a `dcmotor` with the data of a motor."""
    constant = motor.torque_constant
    attributes = {"motorconst": exact_numbers((constant, constant)), "resistance": exact_number(motor.resistance)}
    if motor.has_inductance:
        attributes["inductance"] = exact_number(motor.inductance)
    limits = [motor.max_torque, motor.max_current, motor.max_current_rate]
    if any(limits):
        attributes["saturation"] = exact_numbers(x or 0.0 for x in limits)
    if motor.cogging is not None:
        attributes["cogging"] = exact_numbers((motor.cogging.amplitude, motor.cogging.periods, motor.cogging.phase))
    friction = motor.friction
    if isinstance(friction, Friction) and friction.kind == "lugre":
        numbers_of = (friction.stiffness, friction.damping, friction.coulomb, friction.breakaway_friction)
        attributes["lugre"] = exact_numbers((*numbers_of, friction.stribeck_speed or 0.0))
    if motor.heat is not None and motor.heat.housing_capacity is None:
        attributes["thermal"] = _thermal_text(motor.heat)
    return attributes


def _thermal_text(heat: Any) -> str:
    resistance = heat.winding_housing + heat.housing_ambient
    celsius = (heat.reference - ZERO_CELSIUS, heat.ambient - ZERO_CELSIUS)
    return exact_numbers((resistance, heat.winding_capacity, 0.0, heat.copper, *celsius))


def _add_motor_friction(mjcf: MjcfDocument, row: Mapping[str, float], motor: Motor) -> None:
    """Write the friction of a motor's shaft at its joint, if it drives only one."""
    friction, terms = motor.total_friction, mjcf.joint_coefficients(row)
    if friction.kind == "none":
        return
    if len(terms) != 1:
        mjcf.not_representable.append("friction at the shaft of a motor that drives several joints")
        return
    ((joint, ratio),) = terms.items()
    element = next(e for e in mjcf.root.iter("joint") if e.get("name") == joint)
    for attribute, x in (("frictionloss", friction.coulomb * abs(ratio)), ("damping", friction.viscous * ratio**2)):
        total = float(element.get(attribute, "0")) + float(x)
        element.attrib |= {attribute: exact_number(total)} if total else {}


def _report_motor_omissions(mjcf: MjcfDocument, name: str, motor: Motor, *, electrical: bool) -> None:
    omissions = ["torque ripple"] if motor.ripple is not None else []
    omissions += ["load-dependent friction"] if motor.total_friction.load is not None else []
    omissions += ["temperature-dependent viscosity"] if motor.total_friction.lubricant is not None else []
    omissions += ["largest speed"] if motor.max_speed is not None else []
    if not electrical:
        omissions += ["winding"] if motor.torque_constant is not None and motor.resistance is not None else []
        omissions += [word for word in ("cogging", "heat") if getattr(motor, word) is not None]
    elif motor.heat is not None and motor.heat.housing_capacity is not None:
        omissions += ["heat"]
    if omissions:
        mjcf.not_representable.append(f"of motor {name!r}: {', '.join(omissions)}")
