"""The report and the commands."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from gearwright import assemble
from gearwright.catalogue import load
from gearwright.cli.app import app
from gearwright.errors import GearwrightWarning
from gearwright.functions.dynamics import parameters
from gearwright.identification import fit_consistent, identify, write_report
from gearwright.motion.csv_files import write_columns
from identification.arms import elbow, measured

PNG = b"\x89PNG\r\n"


def log_file(tmp_path, seed=2, robot=None, per_newton_metre=None):
    """Positions and torques of a moving arm, or the currents that make them."""
    log = measured(robot or elbow(), seed, noise=0.2)
    letter, forces = ("tau", log.torques) if per_newton_metre is None else ("i", log.torques @ per_newton_metre)
    names = [f"{word}.j{k}" for word in ("q", letter) for k in (1, 2, 3)]
    path = tmp_path / f"{letter}{seed}.csv"
    path.write_text(write_columns(names, np.column_stack([log.q, forces]), log.times))
    return path


def identified(*arguments):
    """What the identify command prints as JSON."""
    result = CliRunner().invoke(app, ["identify", "elbow", *map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout[result.stdout.index("{") : result.stdout.rindex("}") + 1])


def test_report_has_figures_tables_and_remarks(tmp_path):
    robot = elbow()
    with pytest.warns(GearwrightWarning, match="white"):  # the torques do contain the rotors
        found = identify(robot, measured(robot, 2, noise=0.2), side="link")
    page = write_report(found, tmp_path / "new" / "report", found.validate(measured(robot, 3)), fit_consistent(found))
    folder = page.parent
    for name in ("torques.png", "residuals.png", "parameters.png"):
        assert (folder / name).read_bytes().startswith(PNG)
    text = (folder / "report.md").read_text()
    assert all(word in text for word in ("validation error", "link side", "95 % interval", found.names[0], "nominal"))
    assert f" {found.cutoff:.3g} Hz" in text
    assert "white" in text
    html = page.read_text()
    assert html.startswith("<!doctype html>")
    assert html.count("<table>") == html.count("</table>") >= 3
    assert 'src="torques.png"' in html
    assert found.names[0] in html


def test_stated_friction_is_nominal_in_the_report(tmp_path):
    robot = elbow()
    rough = [replace(link, joint=replace(link.joint, damping=7.25, friction=3.5)) for link in robot.links]
    found = identify(replace(robot, links=tuple(rough)), measured(robot, 2, noise=0.2))
    text = (write_report(found, tmp_path).parent / "report.md").read_text()
    nominal = {cells[0]: cells[-1] for cells in (line.strip("| ").split(" | ") for line in text.splitlines())}
    assert (nominal["j1.viscous"], nominal["j2.coulomb"], nominal["j3.offset"]) == ("7.25", "3.5", "0")
    assert nominal["link2.mcx + 0.4 link3.m"] == "2.225"


def test_identify_command_writes_report_and_robot(tmp_path):
    path = log_file(tmp_path)
    out, folder = tmp_path / "identified.yaml", tmp_path / "report"
    data = identified(path, "-o", out, "--report", folder)
    assert len(data["base_parameters"]) == 26
    assert max(data["validation_error"].values()) < 0.2
    assert (folder / "index.html").is_file()
    joint = load(out).link_of_joint("j1").joint
    assert abs(joint.damping - 8.0) < 0.3


def test_identify_command_writes_urdf(tmp_path):
    path = log_file(tmp_path)
    yaml, urdf = tmp_path / "identified.yaml", tmp_path / "identified.urdf"
    for out in (yaml, urdf):
        identified(path, "-o", out)
    there, here = (parameters(assemble(load(out))) for out in (urdf, yaml))
    assert np.abs(there - here).max() < 1e-9


def test_identify_command_prints_a_table(tmp_path):
    result = CliRunner().invoke(
        app, ["identify", "elbow", str(log_file(tmp_path)), "--validate", str(log_file(tmp_path, 4))]
    )
    assert result.exit_code == 0, result.output
    assert "j3.rotor.J" in result.stdout
    assert "validation" in result.stdout


def test_identify_command_takes_motor_currents(tmp_path):
    """Motors of 0.05, 0.1 and 0.2 Nm/A behind the elbow's gears of 120, 100 and 80."""
    gains = np.array([0.05, 0.1, 0.2])
    path = log_file(tmp_path, per_newton_metre=np.diag(1 / (gains * [120, 100, 80])))
    data = identified(path, "--gains", "j1=0.05, j2=0.1,j3=0.2")
    viscous = {entry["name"]: entry["value"] for entry in data["base_parameters"]}
    assert abs(viscous["j1.viscous"] - 8.0) < 0.3
    assert abs(viscous["j3.viscous"] - 3.0) < 0.3
    result = CliRunner().invoke(app, ["identify", "elbow", str(path), "--gains", "j1"])
    assert "j1=0.1" in str(result.exception)


def test_identify_command_finds_a_payload(tmp_path):
    loaded = elbow().with_payload(2.5, (0.35, 0.02, 0.05))
    options = [log_file(tmp_path), "--payload", log_file(tmp_path, 3, loaded)]
    found = identified(*options)["payload"]
    assert found["body"] == "link3"
    assert abs(found["mass"] - 2.5) < 0.1
    assert np.abs(np.subtract(found["position"], (0.35, 0.02, 0.05))).max() < 0.02
    result = CliRunner().invoke(app, ["identify", "elbow", *map(str, options)])
    assert f"payload on link3: {found['mass']:.4g} kg" in result.stdout


def test_a_report_needs_no_solver(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    arguments = ["identify", "elbow", str(log_file(tmp_path)), "--report", str(tmp_path / "report")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "gearwright[identify]" in result.output
    assert "consistent" not in (tmp_path / "report" / "report.md").read_text()
    assert CliRunner().invoke(app, [*arguments, "-o", str(tmp_path / "robot.yaml")]).exit_code != 0


def test_excite_command_writes_a_motion(tmp_path):
    out = tmp_path / "motion.csv"
    options = ["--steps", "2", "--starts", "1", "--rate", "20", "--period", "5"]
    result = CliRunner().invoke(app, ["excite", "elbow", "-o", str(out), *options])
    assert result.exit_code == 0, result.output
    header = out.read_text().splitlines()[0]
    assert header.startswith("t,q.j1")
    assert len(out.read_text().splitlines()) == 102
