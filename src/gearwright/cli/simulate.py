"""`gearwright simulate`: the motion that torques or voltages bring about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Plot, RobotName, Xacro, number_list, require_ending
from gearwright.cli.output import number, remarks, say, table, write_data
from gearwright.cli.torque import parse_payload
from gearwright.errors import FileError, SimulationError
from gearwright.functions.functions import neutral
from gearwright.mechanism import Mechanism, assemble
from gearwright.text import listed, visible

if TYPE_CHECKING:
    from gearwright.simulation import Run, State

DATA = (".csv", ".parquet")
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
    initial: Annotated[
        str | None, typer.Option(metavar="q1,q2,...", help="Where it starts, at rest [rad, m]; neutral unless given.")
    ] = None,
    speeds: Annotated[str | None, typer.Option(metavar="v1,v2,...", help="Speeds at the start [rad/s, m/s].")] = None,
    payload: Annotated[
        str | None,
        typer.Option(metavar="MASS@x,y,z", help="A point mass [kg] on the last link, at x, y, z [m] from its joint."),
    ] = None,
    until: Annotated[float, typer.Option(metavar="SECONDS", help="How long.")] = 1.0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="RUN.csv", help="Where to write: .csv or .parquet.")
    ] = None,
    plot: Plot = None,
    method: Annotated[
        str | None, typer.Option(metavar="METHOD", help="adaptive, stiff, euler or rk4; chosen unless given.")
    ] = None,
    step: Annotated[float | None, typer.Option(metavar="SECONDS", help="Step of euler and rk4.")] = None,
    samples: Annotated[int, typer.Option(metavar="COUNT", help="How many rows to write.")] = 1001,
    plain: Annotated[
        bool, typer.Option("--plain", help="Without the friction, losses and stops that the robot's file states.")
    ] = False,
    xacro: Xacro = False,
    include: Include = None,
) -> None:
    """Simulate a robot, open loop: motion for given torques or voltages.

    The robot moves with the friction, losses and stops of its file; without a file of torques it swings freely. The
    result is CSV with columns t, q.<coordinate>, v.<speed>, a.<speed>, tau.<speed>, states of motors, and the energies.
    Given series are joined smoothly, plateaus stay flat; before the first row and after the last they are constant.
    Ctrl-C keeps what was computed.

    Example: gearwright simulate elbow --torque tau.csv --initial 0,0.5,0 --payload 2@0,0,0.1 --until 1.5 -o run.csv
    """
    from gearwright.simulation import Run, simulate

    require_ending("--output", output, DATA)
    loaded = load(robot, xacro=xacro, include=include or ())
    if payload is not None:
        loaded = loaded.with_payload(*parse_payload(payload))
    try:
        run = simulate(
            loaded,
            _start(assemble(loaded), initial, speeds),
            until,
            inputs=None if torque is None else _series(torque),
            laws=() if plain else None,
            method=method,
            step=step,
            samples=samples,
        )
    except SimulationError as error:
        if isinstance(error.run, Run) and output is not None:
            _write(error.run, output, plot)
        raise
    _write(run, output, plot)
    if run.t[-1] < until * (1 - 1e-9):
        raise typer.Exit(INTERRUPTED)


def _write(run: Run, output: Path | None, plot: Path | None) -> None:
    for remark in run.remarks:
        say(remark)
    if not len(run.t):  # stopped before the first sample
        raise typer.Exit(INTERRUPTED)
    if output is not None:
        run.save(output)
        _summary(run)
        say(f"{len(run.t)} rows written to {output}.")
    elif plot is None:
        from gearwright.simulation.run_files import csv_text

        write_data(csv_text(run.t, run.series))
    if plot is not None:
        run.plot(path=plot)
        say(f"Picture written to {plot}.")


def _summary(run: Run) -> None:
    rows = [
        (name.removeprefix("q."), number(float(q[0])), number(float(q[-1])), number(float(abs(q).max())))
        for name, q in run.series.items()
        if name.startswith("q.")
    ]
    remarks().print(table(["coordinate", "start", "end", "largest"], rows))
    for happening in run.events[:8]:
        say(f"t = {happening.t:.6g} s: {visible(happening.name)} -> {happening.what}")
    if len(run.events) > 8:
        say(f"... and {len(run.events) - 8} more events.")
    say(f"Energy book-keeping: off by {run.drift:.1e} of the largest energy that moved.")


def _start(mech: Mechanism, initial: str | None, speeds: str | None) -> State:
    from gearwright.simulation import State

    q = neutral(mech) if initial is None else number_list("--initial", initial, mech.coordinates)
    return State(q, None if speeds is None else number_list("--speeds", speeds, mech.speeds))


def _series(path: Path) -> dict[str, object]:
    """Every column of a file but t as an input over time."""
    from gearwright.simulation.run_files import read_series

    if not path.exists():
        raise FileError(f"--torque {path}: there is no such file. Give a CSV file with columns t, tau.<speed>, ...")
    t, columns, _ = read_series(path)
    inputs = {name: (t, x) for name, x in columns.items() if name.partition(".")[0] not in ("q", "v", "a", "energy")}
    if not inputs:
        raise FileError(f"{path}: it has no column tau.<speed> or <drive>.voltage; it has {listed(columns)}.")
    if len(inputs) < len(columns):
        say(f"{path}: only {listed(inputs)} used; a motion in the file is not an input.")
    return dict(inputs)
