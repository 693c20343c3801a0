"""`gearwright simulate`: forward dynamics for given torques or voltages, or under a controller."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import (
    IncludeOption,
    JsonOption,
    PayloadOption,
    PlotOption,
    RobotArgument,
    XacroOption,
    parse_seconds,
    require_ending,
    with_payload_option,
)
from gearwright.cli.output import (
    STANDARD_OUTPUT,
    PlainConsole,
    column_data,
    mention_figure,
    number_text,
    plain_table,
    print_remark,
    remark_screen,
    result_screen,
    write_data,
    write_json,
)
from gearwright.cli.simulation_inputs import constant_inputs, input_series
from gearwright.cli.start_pose import read_coordinates, read_speeds, start_within_limits
from gearwright.cli.tracking_summary import MotionFollowing, motion_following
from gearwright.errors import SimulationError
from gearwright.files.yaml.environment_file import with_environment
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.parts import Robot
from gearwright.text import visible_text

if TYPE_CHECKING:
    from gearwright.simulation import Run, State

RUN_FILE_ENDINGS = (".csv", ".parquet")
INTERRUPTED_EXIT = 130
"""The exit code of an interrupted run; its results so far are kept."""


def simulate_robot(
    robot: RobotArgument,
    torque: Annotated[
        Path | None,
        typer.Option(
            metavar="TAU.csv",
            help="Columns t, tau.<speed>, or inputs of motors such as <drive>.voltage; missing inputs are zero.",
        ),
    ] = None,
    input_texts: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=VALUE",
            help="A constant input, or steps: j1.voltage=12, tau.j2=0:0,0.5:3 (time:value). A kind (tau, torque, "
            "voltage, current_reference) in place of the name means all inputs of that kind. May be repeated.",
        ),
    ] = None,
    initial: Annotated[
        str | None,
        typer.Option(
            metavar="q1,q2,...",
            help="Initial configuration [rad, m, or with units], or the name of a state of the file; with closed loops "
            "the independent coordinates. Default: neutral, or the middle of a joint's range if that excludes zero; "
            "at rest.",
        ),
    ] = None,
    speeds: Annotated[
        str | None, typer.Option(metavar="v1,v2,...", help="Initial speeds [rad/s, m/s]. Default: zero.")
    ] = None,
    motion: Annotated[
        Path | None,
        typer.Option(metavar="MOTION.csv", help="A joint motion to track: columns t, q.<joint>, optionally v. and a."),
    ] = None,
    controller: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Tracking controller: pd, computed_torque, feedforward or cascade."),
    ] = None,
    frequency: Annotated[
        float | None, typer.Option(metavar="RAD/S", help="Natural frequency of the controlled joints. Default: 20.")
    ] = None,
    damping: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="Damping ratio of the controlled joints. Default: 1 (critical)."),
    ] = None,
    payload: PayloadOption = None,
    environment: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A YAML file with `environment` and `loops`, added to those of the robot."),
    ] = None,
    until: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", parser=parse_seconds, help="Duration. Default: that of the motion, or 1 s."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="RUN.csv", help="Output file: .csv or .parquet; - for CSV on standard output."
        ),
    ] = None,
    plot: PlotOption = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD", help="adaptive, stiff, projected, moreau, euler, rk4. Default: chosen by the model."
        ),
    ] = None,
    step: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", parser=parse_seconds, help="Step size of all methods except adaptive and stiff."
        ),
    ] = None,
    samples: Annotated[int, typer.Option(metavar="COUNT", help="Number of rows.")] = 1001,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain", help="Ignore friction, losses and stops of the robot's file; closed loops stay closed."
        ),
    ] = False,
    saturate: Annotated[
        bool, typer.Option("--saturate", help="Limit forces to the effort limits of joints and motors.")
    ] = False,
    floating_base: Annotated[
        bool, typer.Option("--floating-base", help="Make the root link of a URDF a floating base, as for a quadruped.")
    ] = False,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Simulate a robot: the motion for given torques or voltages, or under a tracking controller.

    Friction, losses and stops of the robot file apply. Without inputs the robot moves freely under gravity. A summary
    is printed. With -o the result is CSV with columns t, q.<coordinate>, v.<speed>, a.<speed>, tau.<speed>, states of
    motors, and the energies. Input series are interpolated smoothly without overshoot; before the first row and after
    the last they are constant. After Ctrl-C the results so far are kept.

    A controller uses the model of the robot file, without the payload given here and without friction. Its figure shows
    references, errors, and torques with their limits.

    Example: gearwright simulate elbow --torque tau.csv --initial 0,0.5,0 --payload 2@0,0,0.1 --until 1.5 -o run.csv

    Example: gearwright simulate elbow --motion motion.csv --controller computed_torque -o run.csv --plot run.png
    """
    from gearwright.simulation import IntegratorOptions, Run, simulate

    if output != STANDARD_OUTPUT:
        require_ending("--output", output, RUN_FILE_ENDINGS)
    loaded = load(robot, floating_base=floating_base, xacro=xacro, include=include or ())
    following = motion_following(loaded, motion, controller, frequency, damping)
    if payload is not None:
        loaded = with_payload_option(loaded, payload)
    if environment is not None:
        loaded = with_environment(loaded, environment)
    mech = assemble_tree(loaded)
    span = until if until is not None else 1.0 if following is None else following.motion.duration
    inputs = {**({} if torque is None else input_series(torque)), **constant_inputs(input_texts or (), mech)}
    try:
        run = simulate(
            loaded,
            _start_state(loaded, mech, initial, speeds, following),
            span,
            inputs=inputs or None,
            controller=None if following is None else following.controller,
            laws=loop_laws(loaded) if plain else None,
            method=method,
            integrator=IntegratorOptions(step=step),
            samples=samples,
            saturate=saturate,
        )
    except SimulationError as error:
        if isinstance(error.run, Run) and output is not None:
            _write_run(error.run, output, plot, following, json)
        raise
    _write_run(run, output, plot, following, json)
    if run.t[-1] < span * (1 - 1e-9):
        raise typer.Exit(INTERRUPTED_EXIT)


def _write_run(run: Run, output: Path | None, plot: Path | None, following: MotionFollowing | None, json: bool) -> None:
    for remark in run.remarks:
        print_remark(remark)
    if not len(run.t):  # stopped before the first sample
        raise typer.Exit(INTERRUPTED_EXIT)
    if output is not None and output != STANDARD_OUTPUT:
        run.save(output)
    if json:
        write_json(_run_data(run, output))
    elif output == STANDARD_OUTPUT:
        from gearwright.simulation.run import csv_text

        write_data(csv_text(run.t, run.series))
    elif output is not None:
        _print_summary(run, remark_screen())
        print_remark(f"{len(run.t)} rows written to {output}.")
    elif plot is None:
        _print_summary(run, result_screen())
    if following is not None:
        print_remark(following.error_summary(run))
    if plot is not None and following is not None:
        following.draw_tracking(run, plot)
    elif plot is not None:
        run.plot(path=plot)
    mention_figure(plot)


def _coordinate_ranges(run: Run) -> dict[str, dict[str, float]]:
    return {
        name.removeprefix("q."): {"start": float(q[0]), "end": float(q[-1]), "largest": float(abs(q).max())}
        for name, q in run.series.items()
        if name.startswith("q.")
    }


def _run_data(run: Run, output: Path | None) -> dict[str, Any]:
    """Return the result as plain data; the rows only if they were not written to a file."""
    events = [{"t": event.t, "name": event.name, "kind": event.kind} for event in run.events]
    facts = {"coordinates": _coordinate_ranges(run), "events": events, "drift": run.drift, "remarks": list(run.remarks)}
    if output in (None, STANDARD_OUTPUT):
        return {**facts, "columns": column_data(run.t, run.series)}
    return {**facts, "file": str(output)}


def _print_summary(run: Run, screen: PlainConsole) -> None:
    rows = [(name, *map(number_text, numbers.values())) for name, numbers in _coordinate_ranges(run).items()]
    screen.print(plain_table(["coordinate", "start", "end", "largest"], rows))
    for happening in run.events[:8]:
        print_remark(f"t = {happening.t:.6g} s: {visible_text(happening.name)} -> {happening.kind}")
    if len(run.events) > 8:
        print_remark(f"... and {len(run.events) - 8} more events.")
    print_remark(f"Energy balance: error {run.drift:.1e} of the largest change of energy.")


def _start_state(
    robot: Robot, mech: Mechanism, initial: str | None, speeds: str | None, following: MotionFollowing | None
) -> State:
    """Return the initial state: as given, else that of the tracked motion, else at rest within the limits."""
    from gearwright.simulation import State

    if initial is not None:
        begin = State(read_coordinates("--initial", initial, robot, mech))
    elif following is not None:
        begin = following.start_state
    else:
        begin = State(start_within_limits(robot, mech))
    return begin if speeds is None else replace(begin, v=read_speeds("--speeds", speeds, robot, mech))
