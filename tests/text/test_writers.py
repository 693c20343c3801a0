"""Hostile names go through every writer; a new writer must be listed here."""

from __future__ import annotations

import ast
import random
import shutil
import subprocess
from itertools import cycle, islice
from pathlib import Path

import pytest

import gearwright
import gearwright as gw
from gearwright.compiling.kernel import KernelRequest
from gearwright.errors import FileError, GearwrightError, GearwrightWarning, InputError, MissingExtraError
from gearwright.plots.labels import plot_label
from gearwright.tracing.c_source import c_source
from gearwright.tracing.trace import trace_graph
from support.hostile_names import BORN, C_CODE, HOLDABLE, LETTERS, MARKUP, NAMES, hostile_robot, random_name
from support.hostile_writers import MISSING_LETTERS, SLOW, STRICT, WRITERS

pytestmark = pytest.mark.filterwarnings(f"ignore:({MISSING_LETTERS}):UserWarning")

PACKAGE_ROOT = Path(gearwright.__file__).parent
ROBOTS = [hostile_robot(list(islice(cycle(NAMES), start, start + BORN))) for start in range(0, len(NAMES), BORN)]
ROBOTS.append(hostile_robot(list(islice(cycle(HOLDABLE), BORN))))
"""Every name once, and those that XML can hold without the others, for which a URDF is refused."""
CODE = [hostile_robot(C_CODE[:BORN]), hostile_robot(C_CODE[-BORN:])]
TEXT = [hostile_robot(MARKUP[4 : 4 + BORN]), hostile_robot(MARKUP[BORN : 2 * BORN])]
QUICK = {writer: CODE if writer.startswith("C ") else TEXT for writer in SLOW}

CALLS = {
    "write_text",
    "write_bytes",
    "write_files",
    "savefig",
    "write_table",
    "write_json",
    "write_data",
    "echo",
    "csv_row",
    "tostring",
}
"""What a module calls to write."""
WRITING = {
    "cli/app.py": "only the version",
    "cli/commands/analyse.py": "terminal",
    "cli/commands/audit.py": "terminal",
    "cli/commands/bench.py": "terminal",
    "cli/commands/catalogue.py": "terminal",
    "cli/commands/check.py": "terminal",
    "cli/commands/closed_form.py": "closed form",
    "cli/commands/convert.py": "JSON",
    "cli/commands/draw.py": "JSON",
    "cli/commands/errata.py": "terminal",
    "cli/commands/export.py": "JSON",
    "cli/commands/compare.py": "terminal",
    "cli/commands/identify.py": "terminal",
    "cli/commands/impact.py": "terminal",
    "cli/commands/inverse_kinematics.py": "terminal",
    "cli/commands/info.py": "JSON",
    "cli/commands/list_robots.py": "terminal",
    "cli/commands/modes.py": "terminal",
    "cli/output.py": "terminal",
    "cli/commands/plan.py": "CSV and Parquet",
    "cli/commands/schema.py": "holds no names",
    "cli/commands/size.py": "terminal",
    "cli/commands/sweep.py": "CSV and Parquet",
    "cli/commands/simulate.py": "CSV and Parquet",
    "cli/commands/torque.py": "CSV and Parquet",
    "cli/commands/train.py": "terminal",
    "cli/commands/twin.py": "terminal",
    "cli/commands/figure.py": "holds no names",
    "control/joint_space/nominal.py": "CSV and Parquet",
    "export/handover/newton_check.py": "MJCF",
    "export/handover/passport.py": "passport",
    "files/tables/card_data.py": "actuator card",
    "export/c_code/c_package.py": "C package",
    "export/c_code/webassembly.py": "holds no names",
    "export/fmi/build.py": "FMU",
    "export/fmi/model_description.py": "FMU",
    "export/mujoco/mjcf.py": "MJCF",
    "export/mujoco/document.py": "MJCF",
    "export/urdf/urdf.py": "URDF",
    "files/tables/drive_tables.py": "in tests/catalogue",
    "file_access.py": "holds no names",
    "files/formats.py": "YAML",
    "files/urdf/writer.py": "URDF",
    "identification/report.py": "report",
    "identification/run_fit/fit_run.py": "in tests/identification",
    "identification/run_fit/run_excitation.py": "in tests/identification",
    "identification/run_fit/run_fit_result.py": "in tests/identification",
    "parts/builders/modal_bodies.py": "holds no names",
    "bench/compilation.py": "holds no names",
    "motion/csv_columns.py": "CSV and Parquet",
    "motion/fourier_series.py": "CSV and Parquet",
    "motion/trajectory.py": "CSV and Parquet",
    "plots/notebook.py": "figures",
    "plots/series.py": "figures",
    "studio/panels/files.py": "YAML",
    "report/page.py": "in tests/report",
    "simulation/run.py": "CSV and Parquet",
}


ELSEWHERE = {
    "terminal",
    "holds no names",
    "only the version",
    "in tests/report",
    "in tests/catalogue",
    "in tests/identification",
}
"""What is tested in other files, or needs no test."""


def writes(file: Path) -> bool:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in calls}
    return bool(names & CALLS) or "sys.stdout.write" in map(ast.unparse, calls)


def test_every_writer_is_listed():
    found = {str(file.relative_to(PACKAGE_ROOT)) for file in PACKAGE_ROOT.rglob("*.py") if writes(file)}
    listed = {name for name, kind in WRITING.items() if kind}
    assert found == listed, "list a new writer in WRITING, and test it in support/hostile_writers.py"
    assert {kind for kind in WRITING.values() if kind} <= {*WRITERS, *ELSEWHERE}


@pytest.mark.parametrize("writer", WRITERS)
def test_hostile_names_are_shown_and_not_obeyed(writer, tmp_path):
    for number, robot in enumerate(QUICK.get(writer, ROBOTS)):
        folder = tmp_path / str(number)
        folder.mkdir()
        WRITERS[writer](robot, folder)


@pytest.mark.slow
@pytest.mark.parametrize("writer", SLOW)
@pytest.mark.parametrize("number", range(len(ROBOTS)))
def test_every_hostile_name_in_slow_writers(writer, number, tmp_path):
    WRITERS[writer](ROBOTS[number], tmp_path)


def test_letters_of_any_script_pass(tmp_path):
    """As letters, not as codes."""
    robot = hostile_robot(LETTERS[1 : BORN + 1])
    gw.save(robot, tmp_path / "robot.yaml")
    gw.save(robot, tmp_path / "robot.urdf")
    for file in ("robot.yaml", "robot.urdf"):
        written = (tmp_path / file).read_text(encoding="utf-8")
        for link in robot.links:
            assert link.name in written


def test_half_a_character_is_refused(tmp_path):
    with pytest.raises(GearwrightError, match="surrogate"):
        gw.save(hostile_robot(["\ud800", *LETTERS[:8]]), tmp_path / "robot.yaml")
    with pytest.raises(GearwrightError, match="surrogate"):
        gw.Mechanism([gw.Body("a\udfff", mass=1.0, com=(1, 0, 0))])


@pytest.mark.parametrize("kind", [InputError, MissingExtraError, FileError, GearwrightWarning])
def test_messages_show_controls_but_keep_their_lines(kind):
    assert str(kind("a\x1b[31m\u202e\nb")) == "a\\x1b[31m\\u202e\nb"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_arguments_of_c_functions_take_no_name_of_their_text(tmp_path):
    """Not that of the result, of a step, or of a function of C."""
    arm = gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=1.0, com=(1, 0, 0))])
    graph = trace_graph(KernelRequest("bias", arm).trace_job())
    for q, v in (("out", "x1"), ("sin", "cos"), ("x2", "x2 "), ("a.b", "a_b_2"), ("for", "*/ evil")):
        source = tmp_path / "source.c"
        source.write_text(c_source(graph, "bias", {q: 1, v: 1}, 1), encoding="utf-8")
        subprocess.run(["gcc", *STRICT, "-fsyntax-only", source], check=True)


def test_names_in_figures_are_text_where_tex_sets_them():
    from matplotlib import rc_context

    with rc_context({"text.usetex": True}):
        assert plot_label("$x_1$\\input{a}\x1b") == (r"\$x\_1\$\textbackslash{}input\{a\}\textbackslash{}x1b")


def test_a_seed_makes_the_same_name_again():
    assert [random_name(random.Random(k)) for k in range(50)] == [random_name(random.Random(k)) for k in range(50)]
