"""`gearwright torque`: the forces of a recorded or planned motion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, Output, Payload, Plot, RobotName, Xacro, number_list, with_load
from gearwright.cli.output import columns, mention_figure, number, remarks, say, table, write_data, write_json
from gearwright.errors import InputError
from gearwright.file_access import write_text
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.forces.laws_of_robot import laws
from gearwright.mechanism import Mechanism, approximate, assemble

if TYPE_CHECKING:
    from gearwright.motion import Motion, Trajectory
    from gearwright.motion_demands.result import MotionDemands


def torque(
    robot: RobotName,
    trajectory: Annotated[
        Path,
        typer.Argument(metavar="TRAJECTORY.csv", help="Columns t, q.<coordinate>, and v.<speed>, a.<speed> if known."),
    ],
    output: Output = None,
    payload: Payload = None,
    wheels: Annotated[
        str, typer.Option(metavar="KIND", help="How rotors and gears count: exact, reflected, diagonal or none.")
    ] = "exact",
    initial: Annotated[
        str | None, typer.Option(metavar="q1,q2,...", help="Where a motion of a.<speed> alone starts [rad, m].")
    ] = None,
    speeds: Annotated[
        str | None, typer.Option(metavar="v1,v2,...", help="How fast it starts [rad/s, m/s]; at rest unless given.")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Without the friction, damping and losses that the robot's file states.")
    ] = False,
    motors: Annotated[
        bool, typer.Option("--motors", help="Add torques, speeds, currents, voltages and heat of the motors.")
    ] = False,
    plot: Plot = None,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Compute the torques of a motion in a CSV file.

    The result is CSV with columns t, tau.<speed>. Torques are those at the gear output (joint side), wheels, friction
    and losses included: fed with them, `gearwright simulate` gives the motion back. Of a robot with elastic drives the
    motion of the joints is enough. Speeds and accelerations missing in the file are derived from the times by a quintic
    spline; accelerations alone are integrated from --initial and --speeds.

    Example: gearwright torque elbow swing.csv -o tau.csv --payload 2.5@tool
    """
    from gearwright.motion.csv_files import write_columns
    from gearwright.motion_demands.demands import demands

    loaded = load(robot, xacro=xacro, include=include or ())
    if payload is not None:
        loaded = with_load(loaded, payload)
    mech = approximate(assemble(loaded), wheels)
    motion, notes = _motion(trajectory, mech, initial, speeds)
    found = demands(
        loaded if wheels == "exact" else mech,
        motion,
        laws=loop_laws(loaded) if plain else None if wheels == "exact" else laws(loaded, mech),
        actuators=None if motors else (),
    )
    if plot is not None:
        found.plot(path=plot)
    for note in (*notes, *found.remarks):
        say(note)
    names = [f"tau.{name}" for name in mech.speeds]
    names += [name for name in found.series if name not in names] if motors else []
    text = write_columns(names, np.column_stack([found[name] for name in names]), found.t)
    if output is not None:
        write_text(output, text)
    if json:
        write_json(_facts(loaded.name, found, names, output))
    elif output is None:
        write_data(text)
    else:
        _summary(found, names)
    if output is not None:
        say(f"{len(found.t)} rows written to {output}.")
    mention_figure(plot)


def _motion(
    path: Path, mech: Mechanism, initial: str | None, speeds: str | None
) -> tuple[Motion | Trajectory, tuple[str, ...]]:
    """The motion in a file: of all coordinates, or of the joints alone of a machine with elastic drives."""
    from gearwright.motion.csv_columns import read_columns
    from gearwright.motion.csv_files import read_recording
    from gearwright.motion.recorded_motion import recorded

    header = read_columns(path).header
    if not any(name.startswith("a.") for name in header) or any(name.startswith(("q.", "v.")) for name in header):
        for option, text in (("--initial", initial), ("--speeds", speeds)):
            if text is not None:
                raise InputError(f"{option} {text}: only a motion of a.<speed> alone needs a start. Leave it out.")
    if mech.shafts and not any(f"{letter}.{shaft}" in header for letter in "qva" for shaft in mech.shafts):
        note = f"{path}: the joints' motion is joined by a spline, from which that of the motors follows."
        return recorded(path, smoothness=6, robot=mech), (note,)
    start = None if initial is None else number_list("--initial", initial, mech.coordinates)
    return read_recording(path, mech, start, 0.0 if speeds is None else number_list("--speeds", speeds, mech.speeds))


def _extremes(found: MotionDemands, names: Sequence[str]) -> dict[str, dict[str, float]]:
    return {
        name: {"lowest": float(found[name].min()), "highest": float(found[name].max()), "rms": found.rms(name)}
        for name in names
    }


def _facts(robot: str, found: MotionDemands, names: Sequence[str], output: Path | None) -> dict[str, Any]:
    """What a program wants to know; the rows themselves unless they went into a file."""
    facts = {"robot": robot, "series": _extremes(found, names), "remarks": list(found.remarks)}
    if output is None:
        return {**facts, "columns": columns(found.t, {name: found[name] for name in names})}
    return {**facts, "file": str(output)}


def _summary(found: MotionDemands, names: Sequence[str]) -> None:
    rows = [(name, *map(number, extremes.values())) for name, extremes in _extremes(found, names).items()]
    remarks().print(table(["series", "lowest", "highest", "rms"], rows))
