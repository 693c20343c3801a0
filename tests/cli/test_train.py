"""`gearwright train`: the three-joint geared mechanism of Chen and Wang, and robots without trains."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest


def test_structure_matrix_of_chen_and_wang(run):
    facts = json.loads(run("train", "grm3", "--json").out)
    A = np.array(facts["structure_matrix"])
    # Generalized forces and motor torques of the worked example, state A.
    assert np.abs(A @ [2.64888758, 8.61431435, -0.16434889] - [0.6676516, 17.06427981, 0.61630834]).max() < 1e-7
    ratios = {wheel["name"]: wheel["ratio"] for wheel in facts["wheels"]}
    assert ratios == {"w4": {"j1": -3}, "w5": {"j2": 2}, "w6": {"j3": -3.75}, "w7": {"j3": 2.5}}
    on = {wheel["name"]: (wheel["on"], wheel["primary_link"]) for wheel in facts["wheels"]}
    assert on == {"w4": ("base", "base"), "w5": ("link1", "base"), "w6": ("link2", "link1"), "w7": ("link2", "link2")}


def test_share_of_one_rotor(run):
    # At zero the elbow arm's mass matrix has the diagonal (8.4592, 4.2289, 1.3775), the rotors 120^2 5e-4, ...
    wheels = json.loads(run("train", "elbow", "--json").out)["wheels"]
    shares = [wheel["share"][speed] for wheel, speed in zip(wheels, ("j1", "j2", "j3"), strict=True)]
    assert shares == pytest.approx([7.2 / 8.4592, 3 / 4.2289, 1.28 / 1.3775], rel=1e-12)


def test_table_and_figure(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("train", "grm3", "--plot", "grm3_graph.png")
    assert code == 0
    assert "Structure matrix" in out
    assert "-3.75 j3" in out
    assert "grm3_graph.png" in err
    assert (tmp_path / "grm3_graph.png").read_bytes().startswith(b"\x89PNG")


def test_robots_without_trains(run, refused, tmp_path):
    assert run("train", "elbow").code == 0
    picture = tmp_path / "planetary.svg"
    assert run("train", "planetary_3r", "--plot", picture).code == 0
    drawn = re.findall("<!-- (.+?) -->", picture.read_text())  # matplotlib repeats every text as a comment
    assert [title for title in drawn if "graph" in title] == ["graph as drawn", "canonical graph"]
    assert {"equivalent open-loop chain", "virtual links: primary links with their wheels"} <= set(drawn)
    for words, times in {"j1.sun": 3, "j2.planets": 3, "j3.motor": 3, "spring": 2, "2.667": 2, "-0.5": 2}.items():
        assert drawn.count(words) == times, words
    bare = tmp_path / "bare.yaml"
    bare.write_text(
        "robot: bare\nlinks:\n  - {name: arm, parent: base, joint: {axis: [0, 1, 0]}, mass: 1, com: [1, 0, 0]}\n"
    )
    refused("train", bare, words=["no wheels"])


def test_what_averaging_neglects_is_stated(run):
    """An oval wave generator with 1.3e-5 and 1.1e-5 kg m2 across: half the difference."""
    file = Path(__file__).parents[2] / "examples" / "gears" / "harmonic.yaml"
    assert json.loads(run("train", file, "--json").out)["averaging_errors"] == {"arm": pytest.approx(1e-6)}
    assert "at most 1e-06 kg m2" in " ".join(run("train", file).out.split())


def test_motor_space_of_a_linkage(run, tmp_path):
    import gearwright as gw
    from support.parallel_ankle import ANKLE_JOINTS, ankle_machine, parallel_ankle

    gw.save(parallel_ankle(), tmp_path / "ankle.yaml")
    path = str(tmp_path / "ankle.yaml")
    facts = json.loads(run("train", path, "--joints", "pitch,roll", "--posture", "0.2,0.1", "--json").out)
    space = gw.actuation.motor_space(parallel_ankle(), ankle_machine().closed([0.2, 0.1]), ANKLE_JOINTS)
    assert facts["ratios"] == pytest.approx(space.ratios, rel=1e-9)
    figure = tmp_path / "space.png"
    code, out, _ = run("train", path, "--joints", "pitch,roll", "--plot", str(figure))
    assert code == 0
    assert "left" in out
    assert figure.stat().st_size > 1000
    assert run("train", path, "--joints", "pitch,toe").code != 0
    assert run("train", path, "--posture", "1").code != 0
