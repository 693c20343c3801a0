"""Robots as URDF for other tools, with a sidecar for data that URDF cannot represent.

The <inertial> of a link is that of the augmented link: with its wheels and the payload at rest. A tool without rotors
thus computes the joint part of Gearwright's approximation "none"; Gearwright reads both files and restores the robot.
"""

from __future__ import annotations

from pathlib import Path

from gearwright import files
from gearwright.algebra import ZERO, Tensor
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.export.mujoco.mjcf import mjcf
from gearwright.export.urdf.loops import LoopForm, loops_for_urdf
from gearwright.export.urdf.wheel_forms import WheelForm
from gearwright.file_access import write_files
from gearwright.files.formats import MJCF_ENDINGS, require_editable
from gearwright.mechanism import assemble_tree
from gearwright.parts import Robot


@check_arguments
def save(robot: Robot, path: str | Path, based_on: str | Path | None = None) -> None:
    """Write a robot to a file; the ending selects the format: .yaml, .yml, .urdf, or .xml for MuJoCo.

    Data that URDF and MJCF cannot represent is written to a sidecar, see `export.write_urdf` and `export.mjcf`.

    Args:
        robot: the robot.
        path: the file.
        based_on: for .yaml: a robot file in YAML whose comments, order and units are kept where the robot is the same.

    Raises:
        FileError: an unknown ending, or the file cannot be written.
        InputError: a parameter of the robot is symbolic, or `based_on` or the file is not YAML.
    """
    ending = Path(path).suffix.lower() if isinstance(robot, Robot) and isinstance(path, str | Path) else ""
    if based_on is not None and ending:
        require_editable(Path(based_on), Path(path))
    if ending == ".urdf":
        write_urdf(robot, path)
    elif ending in MJCF_ENDINGS:
        mjcf(robot, path)
    else:
        files.save(robot, path, based_on)


@check_arguments
def write_urdf(
    robot: Robot, path: str | Path, wheels: WheelForm = "at rest", loops: LoopForm = "urdf_plus"
) -> tuple[str, ...]:
    """Write `arm.urdf`, which Pinocchio, MuJoCo and others load, and `arm.gearwright.yaml` with the rest of the robot.

    Args:
        robot: the robot.
        path: the file, `.urdf`.
        wheels: "at rest": lumped into the links that carry them, so that their mass is included; "mimic": every wheel
            is a link on its carrier that follows its joint by <mimic>, which is exact for tools that support it;
            "transmission": the same with a <transmission> instead, for tools that support those.
        loops: form of closed loops: "urdf_plus": as <loop>; "list": as pairs of links, with the driven joints, in
            `arm.yaml` beside the URDF, which parallel robots are often published with.

    Returns:
        Wheels and loops that the URDF does not represent; the sidecar has all data.

    Raises:
        FileError: a file cannot be written.
        InputError: a parameter of the robot is symbolic, or a name has characters that XML does not allow.
    """
    from gearwright.export.urdf.coupled_transmissions import coupled_transmissions
    from gearwright.export.urdf.wheels import with_wheels
    from gearwright.files.urdf.reader import read_urdf_with_report
    from gearwright.files.urdf.sidecar import sidecar_path, sidecar_text
    from gearwright.files.urdf.writer import LinkInertial, urdf_text

    if not isinstance(robot, Robot):
        raise InputError(
            f"write_urdf: a {type(robot).__name__} is not a robot. Give what gw.load(...) returns; a machine is "
            "written by export.mjcf."
        )
    path = Path(path)
    if not robot.links:
        raise InputError(f"robot {robot.name!r} has no links, so there is nothing to write. Add a link.")
    mech = assemble_tree(robot)
    explicit = with_wheels(robot, mech, wheels)
    coupled = coupled_transmissions(robot, mech) if wheels == "at rest" else ()  # otherwise the rotors are links
    closed = loops_for_urdf(explicit.robot, mech, loops)
    no_inertia = LinkInertial(0.0, ZERO, Tensor(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    text = urdf_text(closed.robot, {**explicit.inertials, **dict.fromkeys(closed.added_links, no_inertia)}, coupled)
    alone, _ = read_urdf_with_report(text)
    outputs = {path: text, sidecar_path(path): sidecar_text(robot, alone, path.name)}
    write_files(outputs if closed.loop_list is None else {**outputs, path.with_suffix(".yaml"): closed.loop_list})
    return (*explicit.not_representable, *closed.not_representable)
