"""Robots as URDF for other tools, with a sidecar that keeps what URDF cannot say.

The <inertial> of a link is that of the augmented link: with its wheels and the payload at rest. A tool that knows no
rotors so computes the joints' part of Gearwright's approximation "none"; Gearwright reads the two files together and
gets the robot back.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gearwright import files
from gearwright.errors import InputError
from gearwright.files.formats import write_text
from gearwright.mechanism import Mechanism, assemble
from gearwright.parts import Robot

if TYPE_CHECKING:
    from gearwright.files.urdf_writer import Inertial


def save(robot: Robot, path: str | Path) -> None:
    """Write a robot to a file; the ending chooses the format: .yaml, .yml or .urdf.

    What URDF cannot say is written beside it, see `write_urdf`.

    Raises:
        FileError: an unknown ending, or the file cannot be written.
        InputError: a number of the robot is a symbol.
    """
    if isinstance(robot, Robot) and isinstance(path, str | Path) and Path(path).suffix.lower() == ".urdf":
        write_urdf(robot, path)
    else:
        files.save(robot, path)


def write_urdf(robot: Robot, path: str | Path) -> None:
    """Write `arm.urdf`, which Pinocchio, MuJoCo and others load, and `arm.gearwright.yaml` with the rest of the robot.

    Raises:
        FileError: a file cannot be written.
        InputError: a number of the robot is a symbol, or a name holds characters that XML cannot.
    """
    from gearwright.export.coupled import coupled_transmissions
    from gearwright.files.urdf_reader import read_urdf_with_report
    from gearwright.files.urdf_sidecar import sidecar_of, sidecar_text
    from gearwright.files.urdf_writer import urdf_text

    path = Path(path)
    if not robot.links:
        raise InputError(f"robot {robot.name!r} has no links: there is nothing to write.")
    mech = assemble(robot)
    text = urdf_text(robot, _inertials(mech), coupled_transmissions(robot, mech))
    alone, _ = read_urdf_with_report(text)
    write_text(path, text)
    write_text(sidecar_of(path), sidecar_text(robot, alone, path.name))


def _inertials(mech: Mechanism) -> dict[str, Inertial]:
    """Per link what a tool without wheels must see: the bodies of the flat machine."""
    from gearwright.files.urdf_writer import Inertial

    return {body.name: Inertial(body.mass, body.com, body.inertia) for body in mech.bodies}
