"""Mistakes of a first day: every message names the thing and the way out, and nothing is passed over in silence."""

from __future__ import annotations

import pytest

import gearwright as gw
from gearwright.errors import InputError

FOLDER = "this is a folder. Give the name of a file in it."
TASK = """
task: nod
motions:
  - {to: {j2: 0.5}, speed: 1%s}
"""
BARE = """
robot: bare
links:
  - {name: rod, parent: base, joint: {name: j2, axis: [0, 1, 0]}, mass: 2, com: [0.3, 0, 0]}
"""


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "nod.yaml"
    path.write_text(TASK % ", acceleration: 5")
    return path


@pytest.fixture
def bare(tmp_path):
    """An arm without drives."""
    path = tmp_path / "bare.yaml"
    path.write_text(BARE)
    return path


def test_a_folder_in_place_of_a_file(refused, tmp_path):
    refused("info", tmp_path, words=[FOLDER])
    refused("plan", "elbow", tmp_path, words=[FOLDER])
    refused("torque", "elbow", tmp_path, words=[FOLDER])
    refused("catalogue", "--file", tmp_path, words=[FOLDER])


def test_files_that_are_not_there_or_in_the_way(refused, run, tmp_path, task):
    refused("catalogue", "--file", tmp_path / "none.csv", words=["none.csv", "Check the name and the folder."])
    refused("demo", "--folder", task, words=["nod.yaml", "File exists", "Give another folder."])


@pytest.mark.parametrize("option", ["--report", "--plot"])
def test_a_place_where_nothing_can_be_written_is_refused_before_the_work(refused, task, monkeypatch, option):
    """Before the robot is even looked for."""
    name = "out.html" if option == "--report" else "out.png"
    refused("analyse", "no robot", task, option, task / name, words=[f"{option} ", "nod.yaml is a file, not a folder"])
    monkeypatch.setattr("os.access", lambda path, mode: False)
    refused("analyse", "no robot", task, option, task.parent / name, words=["is not writable. Choose another"])


def test_a_folder_that_lacks_is_made_for_pictures_and_refused_for_the_rest(run, refused, task):
    folder = task.parent / "new"
    refused("analyse", "no robot", task, "--report", folder / "out.html", words=["--report", "Create it"])
    refused("size", "no robot", task, "-o", folder / "out.yaml", words=["--output", "Create it"])
    assert run("analyse", "elbow", task, "--plot", folder / "out.png").code == 0
    assert (folder / "out.png").exists()


def test_a_task_in_place_of_a_robot(refused, task):
    words = ["nod.yaml, line 4", "this is a task file"]
    message = refused("info", task, words=words)
    assert "Did you mean" not in message


def test_a_task_in_place_of_a_motion(refused, task):
    words = ["A CSV file names its columns (t, q.<joint>, ...)"]
    refused("simulate", "elbow", "--motion", task, "--controller", "pd", words=words)


def test_a_limit_that_nobody_states(refused, task):
    task.write_text(TASK % "")
    message = refused("plan", "elbow", task, words=["acceleration with the motion"])
    assert "=" not in message  # words of Python do not help who writes a file


def test_words_that_a_function_wants(refused):
    refused("closed-form", "elbow", "-f", "jacobian", words=["takes body and point", "Give body, by its name."])
    with pytest.raises(InputError, match=r"gravity takes no options; given: body\. Remove body\."):
        gw.closed_form(gw.gravity, gw.load("elbow"), body="link1")


def test_all_branches_of_a_redundant_arm(refused):
    words = ["7 joints move 'link7'", "start="]
    refused("inverse-kinematics", "panda_like", "--frame", "link7", "--xyz", ".3,.3,.3", "--all", words=words)


def test_robots_without_drives_are_told(run, bare, task):
    analysed, compared = run("analyse", bare, task), run("compare", bare)
    assert (analysed.code, compared.code) == (3, 0)  # the task cannot be done without motors
    assert "bare has no drives" in " ".join(analysed.err.split())
    assert "The robot has no wheels" in " ".join(compared.err.split())


def test_a_time_that_is_no_number_is_named_without_words_of_the_parser(refused):
    refused("simulate", "elbow", "--until", "abc", words=["'--until': 'abc' is not a number"])


def test_empty_lists_of_a_task_are_named(refused, tmp_path):
    empty = tmp_path / "empty.yaml"
    empty.write_text("task: none\nmotions: []\n", encoding="utf-8")
    refused("plan", "elbow", empty, words=["line 2", "motions", "no entries, 1 or more"])


def test_help_names_every_method(run):
    from gearwright.simulation.simulate import SIMULATION_METHODS

    help_text = run("simulate", "--help").out
    assert all(method in help_text for method in SIMULATION_METHODS)


@pytest.fixture
def swing(tmp_path):
    path = tmp_path / "swing.csv"
    gw.motion.polynomial([0, 0, 0], [0.2, 0.1, -0.1], 0.4, robot=gw.load("elbow")).save(path, rate=50)
    return path


def test_options_that_would_do_nothing(refused, swing, task, tmp_path):
    """What somebody asks for happens, or is refused; it is never passed over."""
    refused("simulate", "elbow", "--frequency", 5, words=["--frequency 5", "Add --motion and --controller."])
    refused("simulate", "elbow", "--damping", 0.5, words=["--damping 0.5", "--controller"])
    for option in ("--initial", "--speeds"):
        refused("torque", "elbow", swing, option, "0,0,0", words=[f"{option} 0,0,0", "Omit the option."])
    refused("figure", "--plot", tmp_path / "x.png", words=["x.png", "`gearwright figure`"])
    over = ("--over", "j2.gear.ratio=50", "--workers", 1)
    refused("sweep", "elbow", task, *over, "--of", "j2.energy", words=["--of j2.energy", "Add --plot FILE."])
    refused("analyse", "elbow", task, "--interactive", words=["--interactive", "Add --report FILE."])
    picture, film = tmp_path / "arm.png", tmp_path / "arm.gif"
    refused("draw", "elbow", "-o", picture, "--rate", 5, words=["--rate: a picture"])
    refused("draw", "elbow", "-o", film, "--no-names", words=["--names: an animation"])
    exploded = ("draw", "elbow", "-o", picture, "--exploded", "j1")
    refused(*exploded, "--side", words=["--side: an exploded view", "a side view"])
    refused(*exploded, "--q", "0,0,0", words=["--q: an exploded view"])
    refused("draw", "elbow", "-o", picture, "--side", "--azimuth", 10, words=["--azimuth: a side view"])
    refused("draw", "elbow", "-o", film, "--side", words=["--side: an animation", "a side view"])


def test_a_run_that_follows_a_motion_starts_with_the_speeds_given(run, swing, tmp_path):
    follow = ("simulate", "elbow", "--motion", swing, "--controller", "pd", "--until", 0.02, "--samples", 3)
    assert run(*follow, "--speeds", "0.5,0,0", "-o", tmp_path / "run.csv").code == 0
    assert gw.Run.read(tmp_path / "run.csv").v[0].tolist() == [0.5, 0.0, 0.0]


def test_a_misspelt_robot_is_recognised_by_check_too(refused):
    refused("check", "elbo", words=["there is no bundled robot 'elbo'. Did you mean 'elbow'?"])
