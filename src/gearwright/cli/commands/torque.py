"""`gearwright torque`: inverse dynamics of a recorded or planned motion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import (
    IncludeOption,
    JsonOption,
    OutputOption,
    PayloadOption,
    PlotOption,
    RobotArgument,
    XacroOption,
    parse_numbers,
    with_payload_option,
)
from gearwright.cli.output import (
    column_data,
    mention_figure,
    number_text,
    plain_table,
    print_remark,
    remark_screen,
    write_data,
    write_json,
)
from gearwright.errors import InputError
from gearwright.file_access import write_text
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.forces.laws_of_robot import laws
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.programs import approximate

if TYPE_CHECKING:
    from gearwright.motion import Motion, Trajectory
    from gearwright.motion_demands.result import MotionDemands


def compute_torques(
    robot: RobotArgument,
    trajectory: Annotated[
        Path,
        typer.Argument(metavar="TRAJECTORY.csv", help="Columns t, q.<coordinate>, and v.<speed>, a.<speed> if known."),
    ],
    output: OutputOption = None,
    payload: PayloadOption = None,
    wheels: Annotated[
        str, typer.Option(metavar="KIND", help="Model of rotors and gears: exact, reflected, diagonal or none.")
    ] = "exact",
    initial: Annotated[
        str | None,
        typer.Option(metavar="q1,q2,...", help="Initial positions of a motion given by a.<speed> only [rad, m]."),
    ] = None,
    speeds: Annotated[
        str | None,
        typer.Option(metavar="v1,v2,...", help="Initial speeds of such a motion [rad/s, m/s]. Default: zero."),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Ignore friction, damping and losses of the robot's file.")
    ] = False,
    motors: Annotated[
        bool, typer.Option("--motors", help="Add torques, speeds, currents, voltages and heat of the motors.")
    ] = False,
    plot: PlotOption = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Compute the torques of a motion in a CSV file.

    The result is CSV with columns t, tau.<speed>. Torques are those at the gear output (joint side), including wheels,
    friction and losses: with them as input, `gearwright simulate` reproduces the motion. For a robot with elastic
    drives the joint motion is sufficient. Missing speeds and accelerations are derived with a quintic spline;
    accelerations alone are integrated from --initial and --speeds.

    Example: gearwright torque elbow swing.csv -o tau.csv --payload 2.5@tool
    """
    from gearwright.motion.csv_files import write_columns
    from gearwright.motion_demands.demands import demands

    loaded = load(robot, xacro=xacro, include=include or ())
    if payload is not None:
        loaded = with_payload_option(loaded, payload)
    mech = approximate(assemble_tree(loaded), wheels)
    motion, notes = _read_motion(trajectory, mech, initial, speeds)
    motion_demands = demands(
        loaded if wheels == "exact" else mech,
        motion,
        laws=loop_laws(loaded) if plain else None if wheels == "exact" else laws(loaded, mech),
        actuators=None if motors else (),
    )
    if plot is not None:
        motion_demands.plot(path=plot)
    for note in (*notes, *motion_demands.remarks):
        print_remark(note)
    names = [f"tau.{name}" for name in mech.speeds]
    names += [name for name in motion_demands.series if name not in names] if motors else []
    text = write_columns(names, np.column_stack([motion_demands[name] for name in names]), motion_demands.t)
    if output is not None:
        write_text(output, text)
    if json:
        write_json(_demand_data(loaded.name, motion_demands, names, output))
    elif output is None:
        write_data(text)
    else:
        _print_summary(motion_demands, names)
    if output is not None:
        print_remark(f"{len(motion_demands.t)} rows written to {output}.")
    mention_figure(plot)


def _read_motion(
    path: Path, mech: Mechanism, initial: str | None, speeds: str | None
) -> tuple[Motion | Trajectory, tuple[str, ...]]:
    """Return the motion of a file: of all coordinates, or of the joints only for elastic drives."""
    from gearwright.motion import recorded
    from gearwright.motion.csv_columns import read_columns
    from gearwright.motion.csv_files import read_recording

    header = read_columns(path).header
    if not any(name.startswith("a.") for name in header) or any(name.startswith(("q.", "v.")) for name in header):
        for option, text in (("--initial", initial), ("--speeds", speeds)):
            if text is not None:
                raise InputError(
                    f"{option} {text}: only a motion given by a.<speed> alone needs initial values. Omit the option."
                )
    if mech.shafts and not any(f"{letter}.{shaft}" in header for letter in "qva" for shaft in mech.shafts):
        note = f"{path}: the joint motion is interpolated by a spline; the motor motion follows from it."
        return recorded(path, smoothness=6, robot=mech), (note,)
    start = None if initial is None else parse_numbers("--initial", initial, mech.coordinates)
    return read_recording(path, mech, start, 0.0 if speeds is None else parse_numbers("--speeds", speeds, mech.speeds))


def _series_extremes(motion_demands: MotionDemands, names: Sequence[str]) -> dict[str, dict[str, float]]:
    return {
        name: {
            "lowest": float(motion_demands[name].min()),
            "highest": float(motion_demands[name].max()),
            "rms": motion_demands.rms(name),
        }
        for name in names
    }


def _demand_data(
    robot: str, motion_demands: MotionDemands, names: Sequence[str], output: Path | None
) -> dict[str, Any]:
    """Return the result as plain data; the rows only if they were not written to a file."""
    facts = {"robot": robot, "series": _series_extremes(motion_demands, names), "remarks": list(motion_demands.remarks)}
    if output is None:
        return {**facts, "columns": column_data(motion_demands.t, {name: motion_demands[name] for name in names})}
    return {**facts, "file": str(output)}


def _print_summary(motion_demands: MotionDemands, names: Sequence[str]) -> None:
    rows = [
        (name, *map(number_text, extremes.values()))
        for name, extremes in _series_extremes(motion_demands, names).items()
    ]
    remark_screen().print(plain_table(["series", "lowest", "highest", "rms"], rows))
