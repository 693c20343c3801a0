"""`gearwright modes`: the table, JSON, figures and what it refuses."""

from __future__ import annotations

import json

import pytest

import gearwright as gw
from support.elastic_arms import elastic_elbow


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "soft_elbow.yaml"
    gw.save(elastic_elbow(damping=2.0), path)
    return path


def test_table(run, arm):
    code, out, _ = run("modes", arm, "--q", "0.3,-0.5,0.8", "--free")
    assert code == 0
    assert "frequency" in out
    assert "[Hz]" in out
    assert "j3.motor" in out
    assert len([line for line in out.splitlines() if line.strip()[:1].isdigit()]) == 6
    held = run("modes", arm, "--q", "0.3,-0.5,0.8").out  # rigid motions are held
    assert len([line for line in held.splitlines() if line.strip()[:1].isdigit()]) == 3


def test_a_bundled_arm_does_not_lead_with_a_motion_that_falls(run):
    """Three rigid motions of harmonic_6 stand still in gravity, one falls: control holds them."""
    rows = json.loads(run("modes", "harmonic_6", "--json").out)["modes"]
    assert len(rows) == 6
    assert not any(mode["growth"] for mode in rows)
    assert "unstable" not in run("modes", "harmonic_6").out
    assert "unstable" in run("modes", "harmonic_6", "--free").out


def test_json(run, arm):
    facts = json.loads(run("modes", arm, "--q", "0.3,-0.5,0.8", "--held", "--json").out)
    expected = gw.analysis.vibration_modes(gw.assemble(elastic_elbow(damping=2.0)), [0.3, -0.5, 0.8], "held")
    assert [mode["frequency"] for mode in facts["modes"]] == pytest.approx(expected.frequencies)
    assert [mode["damping"] for mode in facts["modes"]] == pytest.approx(expected.damping)
    assert sum(facts["modes"][0]["energy"].values()) == pytest.approx(1)
    assert facts["q"] == {"j1": 0.3, "j2": -0.5, "j3": 0.8}


def test_figures(run, arm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("modes", arm, "--plot", "map.png", "--map", "j2,j3").code == 0
    assert "modes.png" in run("modes", arm, "--plot", "modes.png").err
    for name in ("map.png", "modes.png"):
        assert (tmp_path / name).stat().st_size > 10_000
    assert (tmp_path / "map.png").read_bytes() != (tmp_path / "modes.png").read_bytes()


def test_refusals(refused, arm):
    refused("modes", "elbow", words=["stiffness"])
    refused("modes", arm, "--q", "0.3,1", words=["0.3,1", "j1, j2, j3"])
    refused("modes", arm, "--q", "a,b,c", words=["a,b,c"])
    refused("modes", arm, "--q", "home", words=["home", "0,0.5,-0.3"])
    refused("modes", arm, "--map", "j2,j9", "--plot", "map.png", words=["'j9'", "j1, j2, j3"])
    refused("modes", arm, "--map", "j2,j3", words=["--plot FILE"])


def test_an_unstable_mode_is_called_so(run, tmp_path):
    """A pendulum that stands on its head: free, it falls with sqrt(g / l); the shaft of its motor does not hold it."""
    path = tmp_path / "standing.yaml"
    path.write_text(
        "robot: standing\nlinks:\n  - {name: rod, parent: base, joint: {name: j, axis: [0, 1, 0]}, mass: 1, "
        "com: [0, 0, 0.5]}\ndrives:\n  - {joint: j, motor: {inertia: 1e-6}, gear: {ratio: 10, stiffness: 50}}\n"
    )
    code, out, _ = run("modes", path, "--free")
    assert code == 0
    assert "unstable" in out
    growth = [mode["growth"] for mode in json.loads(run("modes", path, "--free", "--json").out)["modes"]]
    assert sum(x > 0 for x in growth) == 1
