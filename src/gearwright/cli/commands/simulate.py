"""`gearwright simulate`: the motion that torques or voltages bring about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import (
    Include,
    Json,
    Payload,
    Plot,
    RobotName,
    Xacro,
    number_list,
    require_ending,
    seconds,
    with_load,
)
from gearwright.cli.output import (
    Screen,
    columns,
    mention_figure,
    number,
    remarks,
    results,
    say,
    table,
    write_data,
    write_json,
)
from gearwright.cli.simulation_inputs import inputs_of, series_of
from gearwright.cli.start_pose import begin_within_limits, coordinates_of
from gearwright.cli.tracking_summary import Following, controlled
from gearwright.errors import SimulationError
from gearwright.files.yaml.environment_file import with_environment
from gearwright.mechanism import Mechanism, assemble
from gearwright.parts import Robot
from gearwright.text import visible

if TYPE_CHECKING:
    from gearwright.simulation import Run, State

DATA = (".csv", ".parquet")
STANDARD_OUTPUT = Path("-")
INTERRUPTED = 130
"""The exit code of a run that was stopped, though what it computed is kept."""


def simulate_robot(
    robot: RobotName,
    torque: Annotated[
        Path | None,
        typer.Option(
            metavar="TAU.csv",
            help="Columns t, tau.<speed>, or inputs of motors such as <drive>.voltage; what is missing is zero.",
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=VALUE",
            help="A constant input, or steps: j1.voltage=12, tau.j2=0:0,0.5:3 (time:value). A kind (tau, torque, "
            "voltage, current_reference) in place of the name means all of them. May be repeated.",
        ),
    ] = None,
    initial: Annotated[
        str | None,
        typer.Option(
            metavar="q1,q2,...",
            help="Where it starts, at rest [rad, m, or with units], or a state that the file names; unless given, "
            "neutral, or the middle of a range without zero.",
        ),
    ] = None,
    speeds: Annotated[str | None, typer.Option(metavar="v1,v2,...", help="Speeds at the start [rad/s, m/s].")] = None,
    motion: Annotated[
        Path | None,
        typer.Option(
            metavar="MOTION.csv", help="A motion of the joints to follow: columns t, q.<joint>, maybe v. and a."
        ),
    ] = None,
    controller: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What follows it: pd, computed_torque, feedforward or cascade."),
    ] = None,
    frequency: Annotated[
        float | None, typer.Option(metavar="RAD/S", help="Natural frequency of the controlled joints; 20 unless given.")
    ] = None,
    damping: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="Their damping; 1, which is critical, unless given.")
    ] = None,
    payload: Payload = None,
    environment: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A YAML file with `environment` and `loops`, beside those of the robot."),
    ] = None,
    until: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", parser=seconds, help="How long; 1 s, or as the motion, unless given."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="RUN.csv", help="Where to write: .csv or .parquet; - for CSV here."),
    ] = None,
    plot: Plot = None,
    method: Annotated[
        str | None,
        typer.Option(metavar="METHOD", help="adaptive, stiff, projected, moreau, euler, rk4; chosen unless given."),
    ] = None,
    step: Annotated[
        float | None, typer.Option(metavar="SECONDS", parser=seconds, help="Step of all but adaptive and stiff.")
    ] = None,
    samples: Annotated[int, typer.Option(metavar="COUNT", help="How many rows to write.")] = 1001,
    plain: Annotated[
        bool, typer.Option("--plain", help="Without the friction, losses and stops that the robot's file states.")
    ] = False,
    saturate: Annotated[
        bool, typer.Option("--saturate", help="Cut forces at the effort of their joints and motors.")
    ] = False,
    floating_base: Annotated[
        bool, typer.Option("--floating-base", help="Let the root link of a URDF float, as that of a quadruped does.")
    ] = False,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Simulate a robot: the motion for given torques or voltages, or under a controller that follows a motion.

    The robot moves with the friction, losses and stops of its file; without a file of torques it swings freely. A
    summary is shown. With -o the result is CSV with columns t, q.<coordinate>, v.<speed>, a.<speed>, tau.<speed>,
    states of motors, and the energies.
    Given series are joined smoothly, plateaus stay flat; before the first row and after the last they are constant.
    Ctrl-C keeps what was computed.

    A controller knows the robot of the file, without the payload given here and without friction. Its picture shows
    references, errors, and torques against their limits.

    Example: gearwright simulate elbow --torque tau.csv --initial 0,0.5,0 --payload 2@0,0,0.1 --until 1.5 -o run.csv

    Example: gearwright simulate elbow --motion motion.csv --controller computed_torque -o run.csv --plot run.png
    """
    from gearwright.simulation import Run, simulate

    if output != STANDARD_OUTPUT:
        require_ending("--output", output, DATA)
    loaded = load(robot, floating_base=floating_base, xacro=xacro, include=include or ())
    following = controlled(loaded, motion, controller, frequency, damping)
    if payload is not None:
        loaded = with_load(loaded, payload)
    if environment is not None:
        loaded = with_environment(loaded, environment)
    mech = assemble(loaded)
    span = until if until is not None else 1.0 if following is None else following.motion.duration
    inputs = {**({} if torque is None else series_of(torque)), **inputs_of(given or (), mech)}
    try:
        run = simulate(
            loaded,
            _start(loaded, mech, initial, speeds, following),
            span,
            inputs=inputs or None,
            controller=None if following is None else following.controller,
            laws=() if plain else None,
            method=method,
            step=step,
            samples=samples,
            saturate=saturate,
        )
    except SimulationError as error:
        if isinstance(error.run, Run) and output is not None:
            _write(error.run, output, plot, following, json)
        raise
    _write(run, output, plot, following, json)
    if run.t[-1] < span * (1 - 1e-9):
        raise typer.Exit(INTERRUPTED)


def _write(run: Run, output: Path | None, plot: Path | None, following: Following | None, json: bool) -> None:
    for remark in run.remarks:
        say(remark)
    if not len(run.t):  # stopped before the first sample
        raise typer.Exit(INTERRUPTED)
    if output is not None and output != STANDARD_OUTPUT:
        run.save(output)
    if json:
        write_json(_facts(run, output))
    elif output == STANDARD_OUTPUT:
        from gearwright.simulation.run import csv_text

        write_data(csv_text(run.t, run.series))
    elif output is not None:
        _summary(run, remarks())
        say(f"{len(run.t)} rows written to {output}.")
    elif plot is None:
        _summary(run, results())
    if following is not None:
        say(following.summary(run))
    if plot is not None and following is not None:
        following.draw(run, plot)
    elif plot is not None:
        run.plot(path=plot)
    mention_figure(plot)


def _coordinates(run: Run) -> dict[str, dict[str, float]]:
    return {
        name.removeprefix("q."): {"start": float(q[0]), "end": float(q[-1]), "largest": float(abs(q).max())}
        for name, q in run.series.items()
        if name.startswith("q.")
    }


def _facts(run: Run, output: Path | None) -> dict[str, Any]:
    """What a program wants to know; the rows themselves unless they went into a file."""
    events = [{"t": event.t, "name": event.name, "what": event.what} for event in run.events]
    facts = {"coordinates": _coordinates(run), "events": events, "drift": run.drift, "remarks": list(run.remarks)}
    if output in (None, STANDARD_OUTPUT):
        return {**facts, "columns": columns(run.t, run.series)}
    return {**facts, "file": str(output)}


def _summary(run: Run, screen: Screen) -> None:
    rows = [(name, *map(number, numbers.values())) for name, numbers in _coordinates(run).items()]
    screen.print(table(["coordinate", "start", "end", "largest"], rows))
    for happening in run.events[:8]:
        say(f"t = {happening.t:.6g} s: {visible(happening.name)} -> {happening.what}")
    if len(run.events) > 8:
        say(f"... and {len(run.events) - 8} more events.")
    say(f"Energy book-keeping: off by {run.drift:.1e} of the largest energy that moved.")


def _start(
    robot: Robot, mech: Mechanism, initial: str | None, speeds: str | None, following: Following | None
) -> State:
    """What is given; else where and how fast the motion to follow begins; else at rest, within the limits."""
    from gearwright.simulation import State

    v = None if speeds is None else number_list("--speeds", speeds, mech.speeds)
    if initial is not None:
        return State(coordinates_of("--initial", initial, robot, mech), v)
    if following is not None:
        begin = following.start
        return begin if v is None else replace(begin, v=v)
    return State(begin_within_limits(robot, mech), v)
