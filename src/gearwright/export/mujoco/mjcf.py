"""Robots as MJCF for MuJoCo, with their wheels in one of three forms and a report of what that form loses."""

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
from gearwright.export.mujoco.coordinates import Coordinates
from gearwright.export.mujoco.document import Document, add, document, numbers, written
from gearwright.export.mujoco.loops import write_loops
from gearwright.export.mujoco.rotors import FORMS, Form
from gearwright.file_access import write_files
from gearwright.files.formats import MJCF_ENDINGS
from gearwright.files.import_report import Findings
from gearwright.files.mjcf.source import mujoco_module
from gearwright.functions.dynamics import forward_dynamics, integrate, neutral
from gearwright.mechanism import Mechanism, machine_of
from gearwright.parts import Robot, losses_of
from gearwright.system.state import State
from gearwright.text import did_you_mean, lines, listed

DRIVES = ("torque", "voltage")
STATES = 20
"""Random states over which the error of the accelerations is taken."""


@dataclass(frozen=True)
class MjcfReport:
    """What was written, and what MuJoCo makes of it.

    Args:
        files: the files written.
        rotors: the form of the wheels.
        acceleration_error: largest difference of MuJoCo's accelerations from those of the exact machine over random
            states, relative to the largest acceleration; contacts, limits, friction, actuators and loops are left out.
        lost: what the file does not say of the robot.
        scales: per shaft how far MuJoCo's joint moves per unit of ours, where it is not 1.
    """

    files: tuple[Path, ...]
    rotors: Form
    acceleration_error: float
    lost: tuple[str, ...] = ()
    scales: Mapping[str, float] | None = None

    def __str__(self) -> str:
        head = f"{self.files[0]}: wheels {self.rotors}, accelerations within {self.acceleration_error:.1e} of the exact"
        scaled = [f"joint {name!r} turns {x:g} times as far as here" for name, x in (self.scales or {}).items()]
        return lines("\n  ".join([head, *scaled, *(f"lost: {what}" for what in self.lost)]))


@check_arguments
def mjcf(
    robot: Robot | Mechanism,
    path: str | Path,
    rotors: Form = "reflected",
    drives: Literal["torque", "voltage"] = "torque",
    sidecar: bool = True,
) -> MjcfReport:
    """Write a robot as MJCF for MuJoCo, and say what the form chosen loses.

    - "reflected": every wheel's energy as armature of actuators, joints and tendons; coupled wrists are right.
    - "diagonal": armature of joints only, as most people write it.
    - "bodies": every wheel a body of its own, held by stiff equalities; nearly exact, slower.

    Args:
        robot: the robot; of a bare machine there are no limits, friction and motor data.
        path: the file, `.xml`.
        rotors: the form of the wheels.
        drives: "torque": inputs are motor torques; "voltage": motors with electrical data become MuJoCo's `dcmotor`.
        sidecar: write what MJCF cannot say of a robot into `<name>.gearwright.yaml`, so that `load` gives it back.

    Raises:
        InputError: MuJoCo does not take a link (effective links), a name or a symbol; the message names it.
        MissingExtraError: MuJoCo is not installed.
    """
    from gearwright.files.urdf.sidecar import sidecar_of

    mech = machine_of("export.mjcf", robot)
    if not isinstance(path, str | Path):
        raise InputError(f"export.mjcf: path={path!r} is not the name of a file. Give one that ends in .xml.")
    for word, given, known in (("rotors", rotors, FORMS), ("drives", drives, DRIVES)):
        if given not in known:
            raise InputError(f"export.mjcf: {word} is {given!r}. {did_you_mean(given, known)}")
    path = Path(path)
    if path.suffix.lower() not in MJCF_ENDINGS:
        raise FileError(f"{path}: the ending {path.suffix!r} is not .xml. Rename the file to write.")
    parts = robot if isinstance(robot, Robot) else Robot("machine", ())
    made = document(mech, parts.name, rotors, {link.name: link for link in parts.links})
    write_actuators(made, parts, voltage=drives == "voltage")
    write_loops(made, parts)
    _report_losses(made, parts)
    model = _compiled(written(made))
    where = Coordinates(mech, model, made.joints, made.scales, made.hinges)
    _write_states(made, parts, where)
    text = written(made)
    files = {path: text, **_sidecar(made, parts, path, text, sidecar and isinstance(robot, Robot))}
    write_files(files)
    if sidecar and isinstance(robot, Robot) and sidecar_of(path) not in files:
        sidecar_of(path).unlink(missing_ok=True)  # one of another robot would be read along
    error = acceleration_error(mech, where)
    return MjcfReport(tuple(files), rotors, error, tuple(made.lost), made.scales)


def _compiled(text: str) -> Any:
    mujoco = mujoco_module()
    try:
        return mujoco.MjModel.from_xml_string(text)
    except (ValueError, mujoco.FatalError) as error:
        raise InputError(f"MuJoCo refuses the robot: {' '.join(str(error).split())}") from None


def _write_states(made: Document, robot: Robot, where: Coordinates) -> None:
    for state in robot.states:
        found = State.named(robot, state.name, made.mech)
        q, v = np.asarray(found.q, dtype=float), np.asarray(found.v, dtype=float)
        words = {"qpos": numbers(where.positions(q)), "qvel": numbers(where.matrix(q) @ v)}
        add(made.section("keyframe"), "key", name=made.name("key", state.name), **words)


def _sidecar(made: Document, robot: Robot, path: Path, text: str, wanted: bool) -> dict[Path, str]:
    """What MJCF does not give back, for a file beside it."""
    from gearwright.files.mjcf.reader import robot_of_model
    from gearwright.files.mjcf.sidecar import mjcf_sidecar_text
    from gearwright.files.urdf.sidecar import sidecar_of

    beside = sidecar_of(path)
    if not wanted:
        if beside.exists():
            made.lost.append(f"{beside.name} stands beside it and is read along: remove it if it is of another robot")
        return {}
    alone = robot_of_model(_compiled(text), Findings(str(path)), path.stem)
    if not {link.name for link in robot.links} <= {link.name for link in alone.links}:
        made.lost.append(
            "what a sidecar would keep: a link without mass is called otherwise than its joint. Save as YAML"
        )
        return {}
    return {beside: mjcf_sidecar_text(robot, alone, path.name)}


def _report_losses(made: Document, robot: Robot) -> None:
    for drive in robot.drives:
        words = ("torsion", "efficiency", "mesh_efficiency", "back_efficiency", "no_load_torque", "losses")
        lost = [word for word in words if getattr(drive.gear, word, None) not in (None, 0.0, ())]
        if not lost and losses_of(drive.gear):
            lost = ["losses"]  # that follow from its teeth or its friction
        if lost:
            made.lost.append(f"of the gear of {drive.title!r}: {listed(lost)}")
    for link in robot.links:
        if link.joint.total_friction.kind in ("stribeck", "lugre"):
            made.lost.append(f"of the friction of joint {link.joint_name!r}: all but Coulomb and viscous friction")
        if any(shape.kind == "mesh" for shape in link.shapes):
            made.lost.append(f"the meshes of link {link.name!r}")
    for cord in robot.cords:
        made.lost.append(f"cord {cord.name!r}, in the MJCF itself: a spatial tendon is not written")


def acceleration_error(mech: Mechanism, where: Coordinates, seed: int = 0) -> float:
    """Largest difference of accelerations from those of the exact machine, relative to the largest."""
    mujoco, rng = mujoco_module(), np.random.default_rng(seed)
    model, worst, largest = where.model, 0.0, 0.0
    data = mujoco.MjData(model)
    bits = mujoco.mjtDisableBit
    off = bits.mjDSBL_LIMIT | bits.mjDSBL_FRICTIONLOSS | bits.mjDSBL_ACTUATION | bits.mjDSBL_CONTACT
    model.opt.disableflags |= int(off)
    own = _without_laws(mech, where)
    data.eq_active[np.isin(model.eq_type, [int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD)])] = 0
    for _ in range(STATES):
        q, v, tau = _random_state(mech, rng)
        data.qpos, data.qvel = where.positions(q), where.matrix(q) @ v
        data.qfrc_applied = where.forces(q, tau) + own * data.qvel
        mujoco.mj_forward(model, data)
        exact = np.asarray(forward_dynamics(mech, q, v, tau))
        worst = max(worst, float(np.abs(where.accelerations(q, v, data.qacc) - exact).max(initial=0.0)))
        largest = max(largest, float(np.abs(exact).max(initial=0.0)))
    return worst / largest if largest else worst


def _without_laws(mech: Mechanism, where: Coordinates) -> Array:
    """Damping at the joints that the machine does not have: viscous friction is a law."""
    damping = np.array(where.model.dof_damping, dtype=float)
    for spring in mech.springs:
        if len(spring.terms) == 1:
            ((k, c),) = spring.terms
            name = mech.speeds[k]
            dof = int(where.model.joint(where.joints[name]).dofadr[0])
            taken = float(spring.damping) * (float(c) / where.scales.get(name, 1.0)) ** 2
            damping[dof] = max(damping[dof] - taken, 0.0)
    return damping


def _random_state(mech: Mechanism, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    q = np.asarray(integrate(mech, neutral(mech), _near(mech, rng)))
    return q, _near(mech, rng), rng.normal(size=mech.n)


def _near(mech: Mechanism, rng: np.random.Generator) -> Array:
    """Random steps or speeds; shafts move with what they drive, or their springs would hide everything else."""
    x = rng.normal(size=mech.n)
    for spring in mech.springs:
        shafts = [(k, c) for k, c in spring.terms if k >= mech.n - len(mech.shafts)]
        if shafts and spring.stiffness:
            k, c = shafts[-1]
            x[k] = -sum(other * x[j] for j, other in spring.terms if j != k) / c
    return x
