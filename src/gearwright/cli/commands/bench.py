"""`gearwright bench`: speed against the peers that are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, Plot, Xacro
from gearwright.cli.output import heading, mention_figure, number, results, say, table, write_json

if TYPE_CHECKING:
    from gearwright.bench.report import Report

ROBOTS = ("ur5_like", "panda_like", "panda_like_calibrated", "humanoid_30", "manutec_r3")
MISSED = 1


def bench(
    robots: Annotated[
        list[str] | None, typer.Argument(metavar="ROBOT", help=f"Robots; {', '.join(ROBOTS)} unless given.")
    ] = None,
    states: Annotated[int, typer.Option(min=1, metavar="N", help="States per batch.")] = 10_000,
    rounds: Annotated[int, typer.Option(min=1, metavar="N", help="Paired rounds; 21 or more to quote.")] = 21,
    plot: Plot = None,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Time Gearwright and every installed peer in turns.

    All run in one thread on this machine, in alternation; a ratio is the peer's time over Gearwright's, the median of
    paired rounds. Lines with pass or FAIL are numbers that must hold; the exit code is 1 when one does not.

    Example: gearwright bench panda_like --states 1000
    """
    from gearwright.bench.bench import bench as measured

    loaded = {name: load(name, xacro=xacro, include=include or ()) for name in robots or ROBOTS}
    report = measured(loaded, states, rounds, say)
    if plot is not None:
        report.plot(plot)
    if json:
        write_json(report.as_data())
    else:
        _show(report)
    mention_figure(plot)
    if not report.kept:
        raise typer.Exit(MISSED)


def _show(report: Report) -> None:
    screen = results()
    screen.print(report.as_data()["machine"])
    for robot, task in dict.fromkeys((line.robot, line.task) for line in report.comparisons):
        screen.print()
        screen.print(heading(robot, f": {task}"))
        lines = [line for line in report.comparisons if (line.robot, line.task) == (robot, task)]
        rows = [(line.contender, f"{line.nanoseconds:.0f}", f"{line.ratio:.1f}") for line in lines]
        screen.print(table(["contender", "ns per state", "ratio"], rows))
    screen.print()
    screen.print(heading("Inverse dynamics of chains"))
    sizes = [(str(s.joints), str(s.operations), number(s.compilation, 3), number(s.nanoseconds)) for s in report.sizes]
    screen.print(table(["joints", "operations", "compilation s", "ns per state"], sizes, text=0))
    screen.print()
    for promise in report.promises:
        screen.print(str(promise), soft_wrap=True)
    if report.missing:
        say(f"Not installed: {', '.join(report.missing)}.")
