"""The report and the commands."""

from __future__ import annotations

import json

import numpy as np
from typer.testing import CliRunner

from gearwright.catalogue import load
from gearwright.cli.app import app
from gearwright.identification import consistent, identify, write_report
from gearwright.motion.recording import write_columns
from identification.arms import elbow, measured

PNG = b"\x89PNG\r\n"


def log_file(tmp_path, seed=2):
    log = measured(elbow(), seed, noise=0.2)
    names = [f"{letter}.j{k}" for letter in ("q", "tau") for k in (1, 2, 3)]
    path = tmp_path / f"log{seed}.csv"
    path.write_text(write_columns(names, np.column_stack([log.q, log.tau]), log.times))
    return path


def test_report_has_figures_tables_and_remarks(tmp_path):
    robot = elbow()
    found = identify(robot, measured(robot, 2, noise=0.2), side="link")
    page = write_report(found, tmp_path / "new" / "report", found.validate(measured(robot, 3)), consistent(found))
    folder = page.parent
    for name in ("torques.png", "residuals.png", "parameters.png"):
        assert (folder / name).read_bytes().startswith(PNG)
    text = (folder / "report.md").read_text()
    assert all(word in text for word in ("validation error", "link side", "95 % interval", found.names[0], "nominal"))
    html = page.read_text()
    assert html.startswith("<!doctype html>")
    assert html.count("<table>") == html.count("</table>") >= 3
    assert 'src="torques.png"' in html
    assert found.names[0] in html


def test_identify_command_writes_report_and_robot(tmp_path):
    path = log_file(tmp_path)
    out, folder = tmp_path / "identified.yaml", tmp_path / "report"
    result = CliRunner().invoke(
        app, ["identify", "elbow", str(path), "-o", str(out), "--report", str(folder), "--json"]
    )
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout[result.stdout.index("{") : result.stdout.rindex("}") + 1])
    assert len(data["base_parameters"]) == 26
    assert max(data["validation_error"].values()) < 0.2
    assert (folder / "index.html").is_file()
    joint = load(out).link_of_joint("j1").joint
    assert abs(joint.damping - 8.0) < 0.3


def test_identify_command_prints_a_table(tmp_path):
    result = CliRunner().invoke(
        app, ["identify", "elbow", str(log_file(tmp_path)), "--validate", str(log_file(tmp_path, 4))]
    )
    assert result.exit_code == 0, result.output
    assert "j3.rotor.J" in result.stdout
    assert "validation" in result.stdout


def test_excite_command_writes_a_motion(tmp_path):
    out = tmp_path / "motion.csv"
    options = ["--steps", "2", "--starts", "1", "--rate", "20", "--period", "5"]
    result = CliRunner().invoke(app, ["excite", "elbow", "-o", str(out), *options])
    assert result.exit_code == 0, result.output
    header = out.read_text().splitlines()[0]
    assert header.startswith("t,q.j1")
    assert len(out.read_text().splitlines()) == 102
