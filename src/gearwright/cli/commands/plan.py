"""`gearwright plan`: the motions of a task file as a motion of the joints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, Output, Plot, RobotName, Xacro
from gearwright.cli.output import columns, mention_figure, number, remarks, say, table, write_data, write_json
from gearwright.text import listed

if TYPE_CHECKING:
    from gearwright.files.fields.task import TaskWords
    from gearwright.motion import Trajectory


def plan(
    robot: RobotName,
    task: Annotated[Path, typer.Argument(metavar="TASK.yaml", help="Motions one after the other; see the manual.")],
    output: Output = None,
    rate: Annotated[float, typer.Option(metavar="HZ", help="Rows per second.")] = 100.0,
    plot: Plot = None,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Plan the motions of a task file.

    The result is CSV with columns t, q.<coordinate>, v.<speed>, a.<speed>, which `gearwright torque` and `gearwright
    simulate --motion` read. Limits of the robot hold where a motion states none.

    Example: gearwright plan ur5_like pick.yaml -o motion.csv --plot motion.svg
    """
    from gearwright.files.yaml.task_reader import read_task
    from gearwright.motion import chain
    from gearwright.planning.paths.task_motions import carrying, task_motions

    words = read_task(task)
    loaded = carrying(load(robot, xacro=xacro, include=include or ()), words.payload)
    ways = task_motions(loaded, words.motions, words.start, task.parent)
    whole = chain(*ways)
    if words.repetitions not in (None, 1) or words.pause:
        say("One repetition is planned, without the pause after it.")
    if plot is not None:
        whole.plot(path=plot)
    if output is not None:
        whole.save(output, rate=rate)
    if json:
        facts = {"robot": loaded.name, "duration": whole.duration, "motions": _facts(words, ways)}
        write_json({**facts, **({"columns": _columns(whole, rate)} if output is None else {"file": str(output)})})
    elif output is None:
        write_data(whole.csv(rate=rate))
    else:
        _summary(words, ways)
    _mention_steps(ways)
    mention_figure(plot)
    if output is not None:
        say(f"{whole.duration:.6g} s at {rate:g} rows per second written to {output}.")


def _columns(whole: Trajectory, rate: float) -> dict[str, list[float]]:
    """The rows of the file, for a program."""
    moved = whole.sample(max(2, round(whole.duration * rate) + 1))
    blocks = {"q": moved.q, "v": moved.v, "a": moved.a}
    series = {f"{word}.{name}": block[:, k] for word, block in blocks.items() for k, name in enumerate(whole.names)}
    return columns(moved.t, series)


def _facts(words: TaskWords, ways: Sequence[Trajectory]) -> list[dict[str, Any]]:
    """Every motion with its length and its largest speed and acceleration."""
    return [
        {
            "kind": one.kind,
            "duration": way.duration,
            "largest_speed": float(way.peak(1).max()),
            "largest_acceleration": float(way.peak(2).max()),
        }
        for one, way in zip(words.motions, ways, strict=True)
    ]


def _summary(words: TaskWords, ways: Sequence[Trajectory]) -> None:
    rows = [
        (str(k), kind, *map(number, numbers))
        for k, (kind, *numbers) in enumerate(facts.values() for facts in _facts(words, ways))
    ]
    remarks().print(table(["motion", "kind", "seconds", "fastest joint", "acceleration"], rows, text=2))


def _mention_steps(ways: Sequence[Trajectory]) -> None:
    """Say so where a file cannot keep what was planned: its rows are joined smoothly, across steps too."""
    jumping = [str(k) for k, way in enumerate(ways) if way.smoothness < 2]
    if jumping:
        say(
            f"The acceleration has steps in motion {listed(jumping)}. Rows of a file are joined smoothly, so that "
            "accelerations and torques go beyond their limits near a step. Give a jerk, or a smoothing such as 20 ms."
        )
