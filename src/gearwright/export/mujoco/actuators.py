"""Drives as actuators of an MJCF document: motors, servos, DC motors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gearwright.export.mujoco.document import Document, add, number, numbers
from gearwright.forces.robot_lines import motors_of
from gearwright.parts import Friction, Motor, Robot, Servo
from gearwright.parts.drives.thermal import ZERO_CELSIUS


def write_actuators(made: Document, robot: Robot, *, voltage: bool) -> None:
    """Every motor of a robot; `voltage`: those with electrical data as `dcmotor`, whose input is a voltage."""
    motors = dict(motors_of(robot))
    servos = {part.title: part.servo for part in robot.drives} | {part.name: part.servo for part in robot.tendons}
    for actuator in made.mech.actuators:
        row = {made.mech.speeds[k]: float(b) for k, b in actuator.terms}
        motor, servo = motors.get(actuator.name, Motor()), servos.get(actuator.name)
        words = {"name": made.name("actuator", actuator.name), **_transmission(made, actuator.name, row)}
        armature = made.wheels.actuators.get(actuator.name, 0.0)
        words |= {"armature": number(armature)} if armature else {}
        section = made.section("actuator")
        if voltage and motor.torque_constant is not None and motor.resistance is not None:
            add(section, "dcmotor", **words, **_dc_motor(motor))
            _report_losses(made, actuator.name, motor, electrical=True)
        elif servo is not None:
            add(section, "general", **words, **_servo(servo))
            _report_losses(made, actuator.name, motor, electrical=False)
        else:
            add(section, "motor", **words, **_torque(motor))
            _report_losses(made, actuator.name, motor, electrical=False)
        if not voltage or motor.torque_constant is None or motor.resistance is None:
            _rub(made, row, motor)


def _transmission(made: Document, name: str, row: Mapping[str, float]) -> dict[str, str]:
    terms = made.coefficients(row)
    if len(terms) == 1:
        ((joint, ratio),) = terms.items()
        return {"joint": joint, "gear": number(ratio)}
    return {"tendon": made.tendon(f"{name}.row", row)}


def _torque(motor: Motor) -> dict[str, str]:
    if motor.max_torque is None or not motor.max_torque > 0:
        return {}
    ends = numbers((-motor.max_torque, motor.max_torque))
    return {"ctrlrange": ends, "forcerange": ends}


def _servo(servo: Servo) -> dict[str, str]:
    words = {"gainprm": number(servo.input_gain), "biastype": "affine"}
    words["biasprm"] = numbers((servo.offset, -servo.kp, -servo.kv))
    for word, ends in (("forcerange", servo.torque), ("ctrlrange", servo.input)):
        if ends is not None and ends[0] < ends[1]:
            words[word] = numbers(ends)
    if servo.time_constant:
        words |= {"dyntype": "filterexact", "dynprm": number(servo.time_constant)}
    return words


def _dc_motor(motor: Motor) -> dict[str, str]:
    constant = motor.torque_constant
    words = {"motorconst": numbers((constant, constant)), "resistance": number(motor.resistance)}
    if motor.has_inductance:
        words["inductance"] = number(motor.inductance)
    limits = [motor.max_torque, motor.max_current, motor.max_current_rate]
    if any(limits):
        words["saturation"] = numbers(x or 0.0 for x in limits)
    if motor.cogging is not None:
        words["cogging"] = numbers((motor.cogging.amplitude, motor.cogging.periods, motor.cogging.phase))
    friction = motor.friction
    if isinstance(friction, Friction) and friction.kind == "lugre":
        numbers_of = (friction.stiffness, friction.damping, friction.coulomb, friction.breakaway)
        words["lugre"] = numbers((*numbers_of, friction.stribeck_speed or 0.0))
    if motor.heat is not None and motor.heat.housing_capacity is None:
        words["thermal"] = _thermal(motor.heat)
    return words


def _thermal(heat: Any) -> str:
    resistance = heat.winding_housing + heat.housing_ambient
    celsius = (heat.reference - ZERO_CELSIUS, heat.ambient - ZERO_CELSIUS)
    return numbers((resistance, heat.winding_capacity, 0.0, heat.copper, *celsius))


def _rub(made: Document, row: Mapping[str, float], motor: Motor) -> None:
    """Friction at a motor's shaft, at the joint it drives alone."""
    friction, terms = motor.total_friction, made.coefficients(row)
    if friction.kind == "none":
        return
    if len(terms) != 1:
        made.lost.append("friction at the shaft of a motor that drives several joints")
        return
    ((joint, ratio),) = terms.items()
    element = next(e for e in made.root.iter("joint") if e.get("name") == joint)
    for word, x in (("frictionloss", friction.coulomb * abs(ratio)), ("damping", friction.viscous * ratio**2)):
        total = float(element.get(word, "0")) + float(x)
        element.attrib |= {word: number(total)} if total else {}


def _report_losses(made: Document, name: str, motor: Motor, *, electrical: bool) -> None:
    lost = ["torque ripple"] if motor.ripple is not None else []
    lost += ["largest speed"] if motor.max_speed is not None else []
    if not electrical:
        lost += ["winding"] if motor.torque_constant is not None and motor.resistance is not None else []
        lost += [word for word in ("cogging", "heat") if getattr(motor, word) is not None]
    elif motor.heat is not None and motor.heat.housing_capacity is not None:
        lost += ["heat"]
    if lost:
        made.lost.append(f"of motor {name!r}: {', '.join(lost)}")
