"""`gearwright bench`: computing times compared with those of installed peer libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JsonOption, PlotOption, XacroOption
from gearwright.cli.output import (
    heading_text,
    mention_figure,
    number_text,
    plain_table,
    print_remark,
    result_screen,
    write_json,
)

if TYPE_CHECKING:
    from gearwright.bench.report import BenchmarkReport

BENCH_ROBOTS = ("ur5_like", "panda_like", "panda_like_calibrated", "humanoid_30", "manutec_r3")
TARGET_MISSED_EXIT = 1


def run_bench(
    robots: Annotated[
        list[str] | None, typer.Argument(metavar="ROBOT", help=f"Robots. Default: {', '.join(BENCH_ROBOTS)}.")
    ] = None,
    states: Annotated[int, typer.Option(min=1, metavar="N", help="States per batch.")] = 10_000,
    rounds: Annotated[
        int, typer.Option(min=1, metavar="N", help="Paired rounds; use 21 or more for numbers to publish.")
    ] = 21,
    plot: PlotOption = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Compare computing times with every installed peer library.

    All run in one thread on this machine, alternately. A ratio is the peer's time divided by Gearwright's: the median
    of paired rounds. Lines with pass or FAIL are targets; the exit code is 1 if one is missed.

    Example: gearwright bench panda_like --states 1000
    """
    from gearwright.bench.bench import bench as measured

    loaded = {name: load(name, xacro=xacro, include=include or ()) for name in robots or BENCH_ROBOTS}
    report = measured(loaded, states, rounds, print_remark)
    if plot is not None:
        report.plot(plot)
    if json:
        write_json(report.as_data())
    else:
        _show_report(report)
    mention_figure(plot)
    if not report.is_met:
        raise typer.Exit(TARGET_MISSED_EXIT)


def _show_report(report: BenchmarkReport) -> None:
    screen = result_screen()
    screen.print(report.as_data()["machine"])
    for robot, task in dict.fromkeys((line.robot, line.task) for line in report.comparisons):
        screen.print()
        screen.print(heading_text(robot, f": {task}"))
        lines = [line for line in report.comparisons if (line.robot, line.task) == (robot, task)]
        rows = [(line.contender, f"{line.nanoseconds:.0f}", f"{line.ratio:.1f}") for line in lines]
        screen.print(plain_table(["contender", "ns per state", "ratio"], rows))
    screen.print()
    screen.print(heading_text("Inverse dynamics of chains"))
    sizes = [
        (str(s.joints), str(s.operations), number_text(s.compilation, 3), number_text(s.nanoseconds))
        for s in report.chain_timings
    ]
    screen.print(plain_table(["joints", "operations", "compilation s", "ns per state"], sizes, text=0))
    screen.print()
    for promise in report.targets:
        screen.print(str(promise), soft_wrap=True)
    if report.missing_peers:
        print_remark(f"Not installed: {', '.join(report.missing_peers)}.")
