"""Texts of targets without a writer of their own: ros2_control transmissions, Isaac Lab actuator configurations."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.export.handover.projection import JointProjection
from gearwright.export.urdf.coupled_transmissions import coupled_transmissions
from gearwright.files.urdf.coupled_transmissions import CoupledTransmission
from gearwright.functions import assemble, structure_matrix
from gearwright.parts import Robot
from gearwright.programs import approximate
from gearwright.text import file_name, xml_forbidden_character, xml_text

POWER_TOLERANCE_OF_MAPS = 1e-12
"""Relative power that a written transmission may create or lose: rounding."""


class TransmissionText(NamedTuple):
    """Transmissions as text, the largest relative power error of their maps, and motors that they do not represent."""

    text: str
    power_error: float
    not_representable: tuple[str, ...]


def ros2_control_text(robot: Robot) -> TransmissionText:
    """Return the drives and trains of a robot as ros2_control transmissions, checked for power balance.

    The speed and effort maps of SimpleTransmission, DifferentialTransmission and FourBarLinkageTransmission are those
    of ros2_control's documentation (four-bar: since the correction of issue 1746).
    """
    mech = assemble(robot).tree
    rigid = approximate(mech, "rigid") if mech.shafts else mech
    ratios = dict(zip((x.name for x in rigid.actuators), structure_matrix(rigid).T, strict=True))
    blocks, worst, written = [], 0.0, set()
    for drive in robot.drives:
        n = float(ratios[drive.title][rigid.speeds.index(drive.joint)])
        blocks.append(
            _block(drive.title, "SimpleTransmission", [(drive.title, "actuator1", n)], [(drive.joint, "joint1", 1.0)])
        )
        worst = max(worst, _power_error(np.array([[n]]), np.array([[n]])))
        written.add(drive.title)
    for coupled in coupled_transmissions(robot, mech):
        motors = [(end.name, f"actuator{k}", end.reduction) for k, end in enumerate(coupled.actuators, 1)]
        joints = [(end.name, f"joint{k}", end.reduction) for k, end in enumerate(coupled.joints, 1)]
        blocks.append(_block(coupled.name, coupled.kind, motors, joints))
        speed, effort = ros2_control_maps(coupled)
        worst = max(worst, _power_error(speed, effort))
        stated = np.array([[ratios[m][rigid.speeds.index(j)] for j, *_ in joints] for m, *_ in motors])
        worst = max(worst, float(np.abs(speed - stated).max() / np.abs(stated).max()))
        written |= {name for name, *_ in motors}
    missing = tuple(
        f"motor {name!r}: no transmission of ros2_control has its row" for name in ratios if name not in written
    )
    if worst > POWER_TOLERANCE_OF_MAPS:
        raise InputError(f"passport: the transmissions create power, {worst:.1e} of what they transmit. Check ratios.")
    name = attribute_text(robot.name)
    head = f'<?xml version="1.0"?>\n<robot name="{name}">\n<ros2_control name="{name}" type="system">\n'
    text = f"{head}{''.join(blocks)}</ros2_control>\n</robot>\n"
    return TransmissionText(xml_text(text), worst, missing)


def ros2_control_maps(coupled: CoupledTransmission) -> tuple[Array, Array]:
    """Return motor speeds per joint speed (motors, joints) and joint efforts per motor torque (joints, motors)."""
    (a1, a2), (j1, j2) = ([end.reduction for end in ends] for ends in (coupled.actuators, coupled.joints))
    if coupled.kind == "DifferentialTransmission":
        speed = [[a1 * j1, a1 * j2], [a2 * j1, -a2 * j2]]
        effort = [[j1 * a1, j1 * a2], [j2 * a1, -j2 * a2]]
    else:
        speed = [[a1 * j1, 0.0], [a2, a2 * j2]]
        effort = [[j1 * a1, a2], [0.0, j2 * a2]]
    return np.array(speed), np.array(effort)


def _power_error(speed: Array, effort: Array) -> float:
    return float(np.abs(effort - speed.T).max() / np.abs(speed).max())


End = tuple[str, str, float]


def _block(name: str, kind: str, actuators: Sequence[End], joints: Sequence[End]) -> str:
    ends = [("actuator", end) for end in actuators] + [("joint", end) for end in joints]
    lines = [
        f'    <{tag} name="{attribute_text(end[0])}" role="{end[1]}">\n'
        f"      <mechanical_reduction>{end[2]!r}</mechanical_reduction>\n    </{tag}>\n"
        for tag, end in ends
    ]
    return (
        f'  <transmission name="{attribute_text(name)}">\n    <plugin>transmission_interface/{kind}</plugin>\n'
        f"{''.join(lines)}  </transmission>\n"
    )


def attribute_text(text: str) -> str:
    """Return a text as the value of an XML attribute."""
    """Return a name as the value of an XML attribute; raise if XML cannot represent it."""
    code = xml_forbidden_character(text)
    if code is not None:
        raise InputError(f"passport: {text!r} cannot be written, since XML does not allow {code}. Rename it.")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


ISAAC_FIELDS = {
    *("joint_names_expr", "effort_limit", "velocity_limit", "effort_limit_sim", "velocity_limit_sim"),
    *("stiffness", "damping", "armature", "friction", "dynamic_friction", "viscous_friction"),
}
"""Fields of Isaac Lab's ImplicitActuatorCfg that are written; the schema of the check."""


def isaac_lab_text(robot: Robot, joints: Sequence[JointProjection]) -> str:
    """Return Python text with one `ImplicitActuatorCfg` per joint of Isaac Lab; gains are to be set by the user.

    Friction is written as effort [Nm], as Isaac Sim 5.0 and later take it.
    """
    entries = []
    for x in joints:
        numbers = {"armature": x.armature, "friction": x.friction, "dynamic_friction": x.friction}
        numbers |= {"viscous_friction": x.damping, "stiffness": 0.0, "damping": 0.0}
        numbers |= {} if x.effort is None else {"effort_limit_sim": x.effort}
        numbers |= {} if x.speed is None else {"velocity_limit_sim": x.speed}
        lines = "".join(f"        {word}={float(value)!r},\n" for word, value in numbers.items())
        pattern = repr([f"^{_pattern_text(x.joint)}$"])
        entries.append(f"    {x.joint!r}: ImplicitActuatorCfg(\n        joint_names_expr={pattern},\n{lines}    ),\n")
    title = f"{file_name(robot.name).upper()}_ACTUATORS"
    title = title if title.isidentifier() else "ACTUATORS"
    text = (
        '"""Actuators fitted by Gearwright; friction is an effort (Isaac Sim 5.0). Set stiffness and damping."""\n\n'
        f"from isaaclab.actuators import ImplicitActuatorCfg\n\n{title} = {{\n{''.join(entries)}}}\n"
    )
    check_isaac_text(text)
    return text


def _pattern_text(name: str) -> str:
    return "".join(x if x.isalnum() or x == "_" else f"\\{x}" for x in name)


def check_isaac_text(text: str) -> None:
    """Raise an error unless the text is Python with known fields of `ImplicitActuatorCfg` and plain numbers."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ImplicitActuatorCfg":
            for keyword in node.keywords:
                if keyword.arg not in ISAAC_FIELDS:
                    raise InputError(f"passport: {keyword.arg!r} is not a field of ImplicitActuatorCfg.")
                ast.literal_eval(keyword.value)
