"""Robots as URDF for other tools, with a sidecar that keeps what URDF cannot say.

The <inertial> of a link is that of the augmented link: with its wheels and the payload at rest. A tool that knows no
rotors so computes the joints' part of Gearwright's approximation "none"; Gearwright reads the two files together and
gets the robot back.
"""

from __future__ import annotations

from pathlib import Path

from gearwright import files
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.export.mujoco.mjcf import mjcf
from gearwright.export.urdf.wheel_forms import WheelForm
from gearwright.file_access import write_files
from gearwright.files.formats import MJCF_ENDINGS
from gearwright.mechanism import assemble
from gearwright.parts import Robot


@check_arguments
def save(robot: Robot, path: str | Path) -> None:
    """Write a robot to a file; the ending chooses the format: .yaml, .yml, .urdf, or .xml for MuJoCo.

    What URDF and MJCF cannot say is written beside them, see `export.write_urdf` and `export.mjcf`.

    Raises:
        FileError: an unknown ending, or the file cannot be written.
        InputError: a number of the robot is a symbol.
    """
    ending = Path(path).suffix.lower() if isinstance(robot, Robot) and isinstance(path, str | Path) else ""
    if ending == ".urdf":
        write_urdf(robot, path)
    elif ending in MJCF_ENDINGS:
        mjcf(robot, path)
    else:
        files.save(robot, path)


@check_arguments
def write_urdf(robot: Robot, path: str | Path, wheels: WheelForm = "at rest") -> tuple[str, ...]:
    """Write `arm.urdf`, which Pinocchio, MuJoCo and others load, and `arm.gearwright.yaml` with the rest of the robot.

    Args:
        robot: the robot.
        path: the file, `.urdf`.
        wheels: "at rest": in the links that carry them, so that a tool without rotors sees their mass; "mimic": every
            wheel is a link that turns on its carrier and follows its joint by <mimic>, which is exact for tools that
            keep to it; "transmission": the same with a <transmission> instead, for tools that read those.

    Returns:
        What the URDF does not say of the wheels; the sidecar says everything.

    Raises:
        FileError: a file cannot be written.
        InputError: a number of the robot is a symbol, or a name holds characters that XML cannot.
    """
    from gearwright.export.urdf.coupled_transmissions import coupled_transmissions
    from gearwright.export.urdf.wheels import with_wheels
    from gearwright.files.urdf.reader import read_urdf_with_report
    from gearwright.files.urdf.sidecar import sidecar_of, sidecar_text
    from gearwright.files.urdf.writer import urdf_text

    if not isinstance(robot, Robot):
        raise InputError(
            f"write_urdf: a {type(robot).__name__} is not a robot. Give what gw.load(...) returns; a machine is "
            "written by export.mjcf."
        )
    path = Path(path)
    if not robot.links:
        raise InputError(f"robot {robot.name!r} has no links: there is nothing to write.")
    mech = assemble(robot)
    made = with_wheels(robot, mech, wheels)
    coupled = coupled_transmissions(robot, mech) if wheels == "at rest" else ()  # they state rotors that are links now
    text = urdf_text(made.robot, made.inertials, coupled)
    alone, _ = read_urdf_with_report(text)
    write_files({path: text, sidecar_of(path): sidecar_text(robot, alone, path.name)})
    return made.lost
