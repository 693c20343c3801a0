"""`gearwright torque`: the forces of a recorded or planned motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Output, RobotName, Xacro, number_list
from gearwright.cli.output import number, remarks, say, table, write_data
from gearwright.errors import InputError
from gearwright.files.formats import write_text
from gearwright.functions.functions import inverse_dynamics
from gearwright.mechanism import Mechanism, approximate, assemble


def torque(
    robot: RobotName,
    trajectory: Annotated[
        Path,
        typer.Argument(metavar="TRAJECTORY.csv", help="Columns t, q.<coordinate>, and v.<speed>, a.<speed> if known."),
    ],
    output: Output = None,
    payload: Annotated[
        str | None,
        typer.Option(metavar="MASS@x,y,z", help="A point mass [kg] on the last link, at x, y, z [m] from its joint."),
    ] = None,
    wheels: Annotated[
        str, typer.Option(metavar="KIND", help="How rotors and gears count: exact, reflected, diagonal or none.")
    ] = "exact",
    initial: Annotated[
        str | None, typer.Option(metavar="q1,q2,...", help="Where a motion of a.<speed> alone starts [rad, m].")
    ] = None,
    speeds: Annotated[
        str | None, typer.Option(metavar="v1,v2,...", help="How fast it starts [rad/s, m/s]; at rest unless given.")
    ] = None,
    xacro: Xacro = False,
    include: Include = None,
) -> None:
    """Compute the torques of a motion in a CSV file.

    The result is CSV with columns t, tau.<speed>. Torques are those at the gear output (joint side), wheels included.
    Speeds and accelerations missing in the file are derived from the times by a quintic spline;
    accelerations alone are integrated from --initial and --speeds.

    Example: gearwright torque elbow swing.csv -o tau.csv --payload 2.5@0,0,0.1
    """
    from gearwright.motion.recording import read_recording, write_columns

    loaded = load(robot, xacro=xacro, include=include or ())
    if payload is not None:
        mass, position = parse_payload(payload)
        loaded = loaded.with_payload(mass, position)
    mech = approximate(assemble(loaded), wheels)
    start = None if initial is None else number_list("--initial", initial, mech.coordinates)
    speed = 0.0 if speeds is None else number_list("--speeds", speeds, mech.speeds)
    motion, notes = read_recording(trajectory, mech, start, speed)
    for note in notes:
        say(note)
    tau = inverse_dynamics(mech, motion.q, motion.v, motion.a)
    text = write_columns([f"tau.{name}" for name in mech.speeds], tau, motion.t)
    if output is None:
        write_data(text)
        return
    write_text(output, text)
    _summary(mech, tau)
    say(f"{len(tau)} rows written to {output}.")


def _summary(mech: Mechanism, tau: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    rows = [
        (name, number(low), number(high))
        for name, low, high in zip(mech.speeds, tau.min(axis=0), tau.max(axis=0), strict=True)
    ]
    remarks().print(table(["joint", "lowest [Nm or N]", "highest"], rows))


def parse_payload(text: str) -> tuple[float, tuple[float, float, float]]:
    """Mass and place of `MASS@x,y,z`; the place may be left out.

    >>> parse_payload("2.5@0,0,0.1")
    (2.5, (0.0, 0.0, 0.1))
    """
    mass, _, place = text.partition("@")
    try:
        x, y, z = (float(part) for part in (place or "0,0,0").split(","))
        return float(mass), (x, y, z)
    except ValueError:
        raise InputError(
            f"--payload {text!r} is not MASS@x,y,z. Give the mass in kg and its place in m, such as 2.5@0,0,0.1."
        ) from None
