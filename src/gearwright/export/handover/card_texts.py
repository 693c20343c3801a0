"""Actuator cards as text for other programs: MuJoCo's dcmotor, Newton's joint settings, URDF."""

from __future__ import annotations

from typing import Literal, NamedTuple

from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.export.handover.target_texts import attribute_text
from gearwright.export.mujoco.actuators import dc_motor_attributes
from gearwright.files import ActuatorCard, drive_of_card
from gearwright.parts import Drive
from gearwright.text import did_you_mean

CardTarget = Literal["mujoco", "newton", "urdf"]
CARD_TARGETS: tuple[CardTarget, ...] = ("mujoco", "newton", "urdf")


class CardText(NamedTuple):
    """An actuator as text for another program, and data of the card that the text does not represent."""

    text: str
    not_representable: tuple[str, ...]


@check_arguments
def card_text(card: ActuatorCard, target: CardTarget, joint: str = "joint") -> CardText:
    """Return an actuator card as text for another program.

    - "mujoco": attributes of the joint (friction loss, damping) and a `dcmotor` (a `motor` without winding).
    - "newton": arguments of `newton.ModelBuilder.JointDofConfig`.
    - "urdf": limits and friction of the joint, and a transmission with the rotor's inertia.

    Args:
        card: the card.
        target: the program.
        joint: name of the driven joint.

    >>> import gearwright as gw
    >>> print(card_text(gw.export.actuator_card("mx106_m1"), "newton").text)
    JointDofConfig(armature=0.02661, damping=0.0352, friction=0.1035, effort_limit=10.67, velocity_limit=6.588)
    """
    if target not in CARD_TARGETS:
        raise InputError(f"card_text: target {target!r} is unknown. {did_you_mean(target, CARD_TARGETS)}")
    drive = drive_of_card(card, joint)
    friction = drive.motor.total_friction
    missing = ["friction in proportion to the load"] if friction.load is not None else []
    missing += ["temperature-dependent viscosity"] if friction.lubricant is not None else []
    missing += ["Stribeck effect"] if friction.static is not None else []
    if target == "mujoco":
        return CardText(_mujoco_text(drive, joint), tuple(missing))
    missing += ["winding"] if drive.motor.resistance is not None else []
    missing += ["heat"] if drive.motor.heat is not None else []
    text = _newton_text(drive) if target == "newton" else _urdf_text(drive, joint)
    return CardText(text, tuple(missing))


def _joint_numbers(drive: Drive) -> dict[str, float]:
    """Return armature, damping, friction and limits at the joint; limits of the winding where no others are stated."""
    motor, n = drive.motor, abs(float(drive.gear.ratio))
    friction = motor.total_friction
    numbers = {"armature": float(motor.inertia) * n * n, "damping": float(friction.viscous) * n * n}
    numbers["friction"] = float(friction.coulomb) * n
    torque, speed = motor.torque_limit, motor.max_speed
    if motor.max_voltage is not None and motor.torque_constant is not None:
        if torque is None and motor.resistance:
            torque = motor.torque_constant * motor.max_voltage / motor.resistance
        speed = motor.max_voltage / motor.torque_constant if speed is None else speed
    numbers |= {} if torque is None else {"effort_limit": float(torque) * n}
    return numbers | ({} if speed is None else {"velocity_limit": float(speed) / n})


def _newton_text(drive: Drive) -> str:
    words = ", ".join(f"{word}={float(f'{x:.4g}')!r}" for word, x in _joint_numbers(drive).items())
    return f"JointDofConfig({words})"


def _urdf_text(drive: Drive, joint: str) -> str:
    x, n, joint = _joint_numbers(drive), float(drive.gear.ratio), attribute_text(joint)
    limit = f'<limit effort="{x.get("effort_limit", 0.0)!r}" velocity="{x.get("velocity_limit", 0.0)!r}"/>'
    dynamics = f'<dynamics damping="{x["damping"]!r}" friction="{x["friction"]!r}"/>'
    return (
        f'<joint name="{joint}" type="continuous">\n  {limit}\n  {dynamics}\n</joint>\n'
        f'<transmission name="{joint}_transmission">\n  <type>transmission_interface/SimpleTransmission</type>\n'
        f'  <joint name="{joint}"/>\n  <actuator name="{joint}_motor">\n'
        f"    <mechanicalReduction>{n!r}</mechanicalReduction>\n"
        f"    <motorInertia>{float(drive.motor.inertia)!r}</motorInertia>\n  </actuator>\n</transmission>\n"
    )


def _mujoco_text(drive: Drive, joint: str) -> str:
    x, n, motor, joint = _joint_numbers(drive), float(drive.gear.ratio), drive.motor, attribute_text(joint)
    is_winding = motor.torque_constant is not None and motor.resistance is not None
    friction = "" if motor.total_friction.kind == "lugre" else f' frictionloss="{x["friction"]!r}"'
    head = f'<joint name="{joint}" damping="{x["damping"]!r}"{friction}/>\n'
    words = {"joint": joint, "gear": repr(n), "armature": repr(float(motor.inertia))}
    if is_winding:
        words |= dc_motor_attributes(motor)
    elif "effort_limit" in x:
        limit = x["effort_limit"] / abs(n)
        words["forcerange"] = f"{-limit!r} {limit!r}"
    attributes = " ".join(f'{word}="{value}"' for word, value in words.items())
    return f"{head}<{'dcmotor' if is_winding else 'motor'} {attributes}/>\n"
