"""`gearwright impact`: figures with exact, diagonal and no rotors."""

from __future__ import annotations

import json

import pytest

import gearwright as gw

COMMAND = ("impact", "elbow", "--frame", "tool", "--normal", "0,0,1", "--initial", "0.2,-0.5,1")


def test_table(run):
    code, out, _ = run(*COMMAND, "--speeds", "0,-1,-0.5")
    assert code == 0
    assert all(word in out for word in ("exact", "diagonal", "none", "impulse"))


def test_json_is_what_the_library_finds(run):
    facts = json.loads(run(*COMMAND, "--speeds", "0,-1,-0.5", "--restitution", "0.3", "--json").out)
    mech, q, v = gw.assemble(gw.load("elbow")), [0.2, -0.5, 1.0], [0.0, -1.0, -0.5]
    after, impulse = gw.impact(mech, q, v, gw.jacobian(mech, q, "tool")[2:3], 0.3)
    exact = facts["models"]["exact"]
    assert exact["impulse"] == pytest.approx(impulse[0])
    assert exact["energy_lost"] == pytest.approx(gw.kinetic_energy(mech, q, v) - gw.kinetic_energy(mech, q, after))
    assert exact["reflected_mass"] > 5 * facts["models"]["none"]["reflected_mass"]


def test_picture(run, tmp_path):
    code, _, err = run(*COMMAND, "--speeds", "0,-1,-0.5", "--plot", tmp_path / "blow.svg")
    assert code == 0
    assert "blow.svg" in "".join(err.split())
    assert "<svg" in (tmp_path / "blow.svg").read_text()


@pytest.mark.parametrize(
    ("speeds", "words"), [("0,1,0.5", "does not approach"), ("0,1", "--speeds")], ids=["leaves", "short"]
)
def test_bad_input(run, speeds, words):
    code, _, err = run(*COMMAND, "--speeds", speeds)
    assert code == 2
    assert words in " ".join(err.split())


def test_a_run_with_an_environment_file(run, tmp_path):
    floor = tmp_path / "floor.yaml"
    floor.write_text("environment:\n  - {name: floor, frame: tool, surface: {plane: {point: [0, 0, -0.3]}}}\n")
    code, out, _ = run("simulate", "elbow", "--environment", str(floor), "--until", "0.05", "--samples", "3", "-o", "-")
    assert code == 0
    assert "floor.gap" in out.splitlines()[0]
    floor.write_text("robot: other\n")
    code, _, err = run("simulate", "elbow", "--environment", str(floor), "--until", "0.05")
    assert code == 2
    assert "environment" in err


PLANE = "surface: {plane: {point: [0, 0, -0.3]}}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "`environment:`"),
        ("- 3\n", "`environment:`"),
        ("environment:\n", "floor.yaml, line 1: environment: "),
        ("enviroment: []\n", "'environment'"),
        (f"environment:\n- {{name: a, frame: tol, {PLANE}}}\n", "line 2: environment[0].frame: "),
        ("environment:\n- {name: a, frame: tool}\n", "line 2: environment[0]: the field 'surface'"),
        (
            f"environment:\n- {{name: a, frame: tool, {PLANE}, friction: -1}}\n",
            "line 2: environment[0]: environment 'a'",
        ),
        (
            f"environment:\n- {{name: a, frame: tool, {PLANE}}}\n" * 1 + f"- {{name: a, frame: tool, {PLANE}}}\n",
            "line 3",
        ),
        ("loops:\n- {name: rod, frames: [tool], held: [x]}\n", "line 2: loops[0].frames"),
        ("environment:\n- {name: a, frame: tool, surface: {plane: {point: [0, 0, 0.5]}}}\n", "0.5 m inside"),
    ],
)
def test_an_environment_that_cannot_be_read_says_where(run, tmp_path, text, words):
    floor = tmp_path / "floor.yaml"
    floor.write_text(text)
    code, _, err = run("simulate", "elbow", "--environment", str(floor), "--until", "0.05")
    assert code == 2
    assert words.replace(" ", "") in "".join(err.split())


def test_the_picture_of_a_run_with_an_environment(run, tmp_path):
    floor, picture = tmp_path / "floor.yaml", tmp_path / "run.png"
    floor.write_text(f"environment:\n- {{name: floor, frame: tool, {PLANE}, friction: 0.3}}\n")
    start = ("--initial=0.2,-0.3,0.4", "--until", "0.3", "--samples", "61")
    code, _, _ = run("simulate", "elbow", "--environment", str(floor), *start, "--plot", str(picture))
    assert code == 0
    assert picture.stat().st_size > 10_000
