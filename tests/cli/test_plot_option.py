"""One way to draw: every command that draws takes --plot FILE, every result that draws has plot(path)."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
import typer

import gearwright as gw
from gearwright.analysis import Comparison, FrequencyMap, FrequencyResponse, ReductionComparison, Sensitivities, compare
from gearwright.cli.app import app
from gearwright.design import Sizing, Sweep
from gearwright.motion.default_motion import default_motion
from gearwright.simulation import Run

DRAWING = (
    *("analyse", "bench", "compare", "errata", "figure", "impact", "modes"),
    *("plan", "simulate", "size", "sweep", "torque", "train"),
)
ONE_ARGUMENT = ("compare", "figure", "modes", "simulate", "train")
RESULTS = (Comparison, FrequencyMap, FrequencyResponse, ReductionComparison, Run, Sensitivities, Sizing, Sweep)


def options(command: str) -> dict[str, str]:
    found = typer.main.get_command(app).commands[command]
    return {name: str(parameter.metavar) for parameter in found.params for name in parameter.opts}


@pytest.mark.parametrize("command", DRAWING)
def test_every_command_that_draws_takes_a_file(command):
    assert options(command)["--plot"] == "FILE"
    assert "--figure" not in options(command)


def test_no_other_option_draws():
    for command in typer.main.get_command(app).commands:
        assert command in DRAWING or "--plot" not in options(command)


@pytest.mark.parametrize("command", ONE_ARGUMENT)
def test_a_wrong_ending_is_refused_before_the_work(command, refused):
    refused(command, "no_such_robot", "--plot", "drawn.doc", words=["--plot drawn.doc", ".png, .svg or .pdf"])


@pytest.mark.parametrize("result", RESULTS)
def test_every_result_that_draws_has_plot_with_a_path(result):
    path = inspect.signature(result.plot).parameters["path"]
    assert path.default is None
    assert not hasattr(result, "figure")


def test_plot_returns_the_figure_and_saves_it(tmp_path: Path):
    robot = gw.load("elbow")
    mech = gw.assemble(robot)
    comparison = compare(mech, default_motion(robot, mech))
    assert len(comparison.plot().axes) == 9
    page = comparison.plot(tmp_path / "elbow.svg", most=2)
    assert len(page.axes) == 6
    assert "<svg" in (tmp_path / "elbow.svg").read_text()
    run = gw.simulate(robot, until=0.01, samples=11)
    assert run.plot(path=tmp_path / "run.png").axes
    assert (tmp_path / "run.png").exists()
