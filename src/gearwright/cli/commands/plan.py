"""`gearwright plan`: joint motion for the motions of a task file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JsonOption, OutputOption, PlotOption, RobotArgument, XacroOption
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
from gearwright.text import listed_names

if TYPE_CHECKING:
    from gearwright.files.fields.task import TaskFields
    from gearwright.motion import Trajectory


def plan_task(
    robot: RobotArgument,
    task: Annotated[Path, typer.Argument(metavar="TASK.yaml", help="A sequence of motions; see the manual.")],
    output: OutputOption = None,
    rate: Annotated[float, typer.Option(metavar="HZ", help="Rows per second.")] = 100.0,
    plot: PlotOption = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Plan the motions of a task file.

    The result is CSV with columns t, q.<coordinate>, v.<speed>, a.<speed>, which `gearwright torque` and `gearwright
    simulate --motion` read. A motion without limits uses those of the robot.

    Example: gearwright plan ur5_like pick.yaml -o motion.csv --plot motion.svg
    """
    from gearwright.files.yaml.task_reader import read_task
    from gearwright.motion import chain
    from gearwright.planning.paths.task_motions import task_motions, with_task_payload

    words = read_task(task)
    loaded = with_task_payload(load(robot, xacro=xacro, include=include or ()), words.payload)
    trajectories = task_motions(loaded, words.motions, words.start, task.parent)
    chained = chain(*trajectories)
    if words.repetitions not in (None, 1) or words.pause:
        print_remark("One repetition is planned, without the pause after it.")
    if plot is not None:
        chained.plot(path=plot)
    if output is not None:
        chained.save(output, rate=rate)
    if json:
        facts = {"robot": loaded.name, "duration": chained.duration, "motions": _motion_data(words, trajectories)}
        write_json(
            {**facts, **({"columns": _trajectory_columns(chained, rate)} if output is None else {"file": str(output)})}
        )
    elif output is None:
        write_data(chained.csv(rate=rate))
    else:
        _print_summary(words, trajectories)
    _mention_steps(trajectories)
    mention_figure(plot)
    if output is not None:
        print_remark(f"{chained.duration:.6g} s at {rate:g} rows per second written to {output}.")


def _trajectory_columns(trajectory: Trajectory, rate: float) -> dict[str, list[float]]:
    """Return the columns of the file, for JSON."""
    motion = trajectory.sample(max(2, round(trajectory.duration * rate) + 1))
    blocks = {"q": motion.q, "v": motion.v, "a": motion.a}
    series = {
        f"{word}.{name}": block[:, k] for word, block in blocks.items() for k, name in enumerate(trajectory.names)
    }
    return column_data(motion.t, series)


def _motion_data(words: TaskFields, trajectories: Sequence[Trajectory]) -> list[dict[str, Any]]:
    """Return every motion with its duration and its largest speed and acceleration."""
    return [
        {
            "kind": motion.kind,
            "duration": trajectory.duration,
            "largest_speed": float(trajectory.peak(1).max()),
            "largest_acceleration": float(trajectory.peak(2).max()),
        }
        for motion, trajectory in zip(words.motions, trajectories, strict=True)
    ]


def _print_summary(words: TaskFields, trajectories: Sequence[Trajectory]) -> None:
    rows = [
        (str(k), kind, *map(number_text, numbers))
        for k, (kind, *numbers) in enumerate(facts.values() for facts in _motion_data(words, trajectories))
    ]
    remark_screen().print(plain_table(["motion", "kind", "seconds", "fastest joint", "acceleration"], rows, text=2))


def _mention_steps(trajectories: Sequence[Trajectory]) -> None:
    """Print a remark if the planned acceleration has steps, which interpolation of the file's rows smooths."""
    jumping = [str(k) for k, trajectory in enumerate(trajectories) if trajectory.smoothness < 2]
    if jumping:
        print_remark(
            f"The acceleration has steps in motion {listed_names(jumping)}. Rows of a file are interpolated smoothly, "
            "so accelerations and torques exceed their limits near a step. Limit the jerk, or add a smoothing such as "
            "20 ms."
        )
