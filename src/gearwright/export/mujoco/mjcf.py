"""Robots as MJCF for MuJoCo, with wheels in one of three forms and a report of what is not representable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import FileError, InputError
from gearwright.export.mujoco.actuators import write_actuators
from gearwright.export.mujoco.coordinates import MujocoCoordinates
from gearwright.export.mujoco.document import MjcfDocument, add_element, build_document, document_text, exact_numbers
from gearwright.export.mujoco.loops import write_loops
from gearwright.export.mujoco.rotors import ROTOR_FORMS, RotorForm
from gearwright.file_access import write_files
from gearwright.files.formats import MJCF_ENDINGS
from gearwright.files.import_report import ImportFindings
from gearwright.files.mjcf.source import mujoco_module
from gearwright.functions import forward_dynamics, integrate, neutral
from gearwright.mechanism import Mechanism, tree_of
from gearwright.parts import Robot, gear_losses
from gearwright.system.state import State
from gearwright.text import did_you_mean, listed_names, visible_lines

MJCF_DRIVE_INPUTS = ("torque", "voltage")
ERROR_CHECK_STATES = 20
"""Random states for the acceleration error."""


@dataclass(frozen=True)
class MjcfReport:
    """Report of an MJCF export.

    Args:
        files: the files written.
        rotors: the form of the wheels.
        acceleration_error: largest difference of MuJoCo's accelerations from those of the exact machine over random
            states, relative to the largest acceleration; without contacts, limits, friction, actuators and loops.
        not_representable: data of the robot that the file does not represent.
        scales: motion of the joint in MuJoCo per unit of the shaft's coordinate, where it is not 1.
    """

    files: tuple[Path, ...]
    rotors: RotorForm
    acceleration_error: float
    not_representable: tuple[str, ...] = ()
    scales: Mapping[str, float] | None = None

    def __str__(self) -> str:
        head = f"{self.files[0]}: wheels {self.rotors}, acceleration error {self.acceleration_error:.1e}"
        scaled = [f"joint {name!r}: coordinate scaled by {x:g}" for name, x in (self.scales or {}).items()]
        return visible_lines(
            "\n  ".join([head, *scaled, *(f"not representable: {omission}" for omission in self.not_representable)])
        )


@check_arguments
def mjcf(
    robot: Robot | Mechanism,
    path: str | Path,
    rotors: RotorForm = "reflected",
    drives: Literal["torque", "voltage"] = "torque",
    sidecar: bool = True,
) -> MjcfReport:
    """Write a robot as MJCF for MuJoCo and return a report of what is not representable.

    - "reflected": the kinetic energy of every wheel as armature of actuators, joints and tendons; exact for coupled
      wrists except the reaction on carriers.
    - "diagonal": armature of joints only, as is common.
    - "bodies": every wheel as a body, with stiff equalities; nearly exact, slower.

    Args:
        robot: the robot, or a machine, which has no limits, friction and motor data.
        path: the file, `.xml`.
        rotors: the form of the wheels.
        drives: "torque": inputs are motor torques; "voltage": motors with electrical data become MuJoCo's `dcmotor`.
        sidecar: write data that MJCF cannot represent to `<name>.gearwright.yaml`, from which `load` restores the
            robot.

    Raises:
        InputError: MuJoCo does not accept a link (effective links), a name or a symbol; the message names it.
        MissingExtraError: MuJoCo is not installed.
    """
    from gearwright.files.urdf.sidecar import sidecar_path

    mech = tree_of("export.mjcf", robot)
    if not isinstance(path, str | Path):
        raise InputError(f"export.mjcf: path={path!r} is not a file name. Give one that ends in .xml.")
    for word, choice, choices in (("rotors", rotors, ROTOR_FORMS), ("drives", drives, MJCF_DRIVE_INPUTS)):
        if choice not in choices:
            raise InputError(f"export.mjcf: {word} is {choice!r}. {did_you_mean(choice, choices)}")
    path = Path(path)
    if path.suffix.lower() not in MJCF_ENDINGS:
        raise FileError(f"{path}: the ending {path.suffix!r} is not .xml. Rename the file to write.")
    parts = robot if isinstance(robot, Robot) else Robot("machine", ())
    output = build_document(mech, parts.name, rotors, {link.name: link for link in parts.links})
    write_actuators(output, parts, voltage=drives == "voltage")
    write_loops(output, parts)
    _report_omissions(output, parts)
    model = _compile_model(document_text(output))
    coordinates = MujocoCoordinates(mech, model, output.joints, output.scales, output.hinges)
    _write_states(output, parts, coordinates)
    text = document_text(output)
    files = {path: text, **_sidecar_files(output, parts, path, text, sidecar and isinstance(robot, Robot))}
    write_files(files)
    if sidecar and isinstance(robot, Robot) and sidecar_path(path) not in files:
        sidecar_path(path).unlink(missing_ok=True)  # a sidecar of another robot would be read too
    error = acceleration_error(mech, coordinates)
    return MjcfReport(tuple(files), rotors, error, tuple(output.not_representable), output.scales)


def _compile_model(text: str) -> Any:
    mujoco = mujoco_module()
    try:
        return mujoco.MjModel.from_xml_string(text)
    except (ValueError, mujoco.FatalError) as error:
        raise InputError(f"MuJoCo rejects the robot: {' '.join(str(error).split())}") from None


def _write_states(output: MjcfDocument, robot: Robot, coordinates: MujocoCoordinates) -> None:
    for state in robot.states:
        initial = State.from_robot(robot, state.name, output.mech)
        q, v = np.asarray(initial.q, dtype=float), np.asarray(initial.v, dtype=float)
        words = {
            "qpos": exact_numbers(coordinates.mujoco_positions(q)),
            "qvel": exact_numbers(coordinates.speed_matrix(q) @ v),
        }
        add_element(output.section_element("keyframe"), "key", name=output.unique_name("key", state.name), **words)


def _sidecar_files(output: MjcfDocument, robot: Robot, path: Path, text: str, is_requested: bool) -> dict[Path, str]:
    """Return the sidecar with the data that MJCF does not represent."""
    from gearwright.files.mjcf.reader import robot_from_model
    from gearwright.files.mjcf.sidecar import mjcf_sidecar_text
    from gearwright.files.urdf.sidecar import sidecar_path

    beside = sidecar_path(path)
    if not is_requested:
        if beside.exists():
            output.not_representable.append(
                f"{beside.name} exists in the same folder and is read too: remove it if it belongs to another robot"
            )
        return {}
    alone = robot_from_model(_compile_model(text), ImportFindings(str(path)), path.stem)
    if not {link.name for link in robot.links} <= {link.name for link in alone.links}:
        output.not_representable.append(
            "the data of a sidecar: a massless link and its joint have different names. Save as YAML"
        )
        return {}
    return {beside: mjcf_sidecar_text(robot, alone, path.name)}


def _report_omissions(output: MjcfDocument, robot: Robot) -> None:
    for drive in robot.drives:
        words = ("torsion", "efficiency", "mesh_efficiency", "back_efficiency", "no_load_torque", "losses")
        omissions = [word for word in words if getattr(drive.gear, word, None) not in (None, 0.0, ())]
        if not omissions and gear_losses(drive.gear):
            omissions = ["losses"]  # computed from its teeth or its friction
        if omissions:
            output.not_representable.append(f"of the gear of {drive.title!r}: {listed_names(omissions)}")
    for link in robot.links:
        if link.joint.total_friction.kind in ("stribeck", "lugre"):
            output.not_representable.append(
                f"of the friction of joint {link.joint_name!r}: all but Coulomb and viscous friction"
            )
        if link.joint.total_friction.lubricant is not None:
            output.not_representable.append(
                f"of the friction of joint {link.joint_name!r}: temperature-dependent viscosity"
            )
        if any(shape.kind == "mesh" for shape in link.shapes):
            output.not_representable.append(f"the meshes of link {link.name!r}")
    for cord in robot.cords:
        output.not_representable.append(f"cord {cord.name!r}, in the MJCF itself: a spatial tendon is not written")


def acceleration_error(mech: Mechanism, coordinates: MujocoCoordinates, seed: int = 0) -> float:
    """Return the largest difference of accelerations from those of the exact machine, relative to the largest."""
    mujoco, rng = mujoco_module(), np.random.default_rng(seed)
    model, worst, largest = coordinates.model, 0.0, 0.0
    data = mujoco.MjData(model)
    bits = mujoco.mjtDisableBit
    off = bits.mjDSBL_LIMIT | bits.mjDSBL_FRICTIONLOSS | bits.mjDSBL_ACTUATION | bits.mjDSBL_CONTACT
    model.opt.disableflags |= int(off)
    law_damping = _law_damping(mech, coordinates)
    data.eq_active[np.isin(model.eq_type, [int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD)])] = 0
    for _ in range(ERROR_CHECK_STATES):
        q, v, tau = _random_state(mech, rng)
        data.qpos, data.qvel = coordinates.mujoco_positions(q), coordinates.speed_matrix(q) @ v
        data.qfrc_applied = coordinates.mujoco_forces(q, tau) + law_damping * data.qvel
        mujoco.mj_forward(model, data)
        exact = np.asarray(forward_dynamics(mech, q, v, tau))
        worst = max(worst, float(np.abs(coordinates.machine_accelerations(q, v, data.qacc) - exact).max(initial=0.0)))
        largest = max(largest, float(np.abs(exact).max(initial=0.0)))
    return worst / largest if largest else worst


def _law_damping(mech: Mechanism, coordinates: MujocoCoordinates) -> Array:
    """Return the joint damping that the machine does not have, since viscous friction is a law."""
    damping = np.array(coordinates.model.dof_damping, dtype=float)
    for spring in mech.springs:
        if len(spring.terms) == 1:
            ((k, c),) = spring.terms
            name = mech.speeds[k]
            dof = int(coordinates.model.joint(coordinates.joints[name]).dofadr[0])
            spring_damping = float(spring.damping) * (float(c) / coordinates.scales.get(name, 1.0)) ** 2
            damping[dof] = max(damping[dof] - spring_damping, 0.0)
    return damping


def _random_state(mech: Mechanism, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    q = np.asarray(integrate(mech, neutral(mech), _random_speeds(mech, rng)))
    return q, _random_speeds(mech, rng), rng.normal(size=mech.n)


def _random_speeds(mech: Mechanism, rng: np.random.Generator) -> Array:
    """Return random steps or speeds; shafts move with their joints, since spring forces would dominate otherwise."""
    x = rng.normal(size=mech.n)
    for spring in mech.springs:
        shafts = [(k, c) for k, c in spring.terms if k >= mech.n - len(mech.shafts)]
        if shafts and spring.stiffness:
            k, c = shafts[-1]
            x[k] = -sum(coefficient * x[j] for j, coefficient in spring.terms if j != k) / c
    return x
