"""`gearwright export --to mjcf` and `--to urdf`, and `gearwright convert` from and to MJCF."""

from __future__ import annotations

import json

import pytest

import gearwright as gw
from gearwright.files import write_yaml


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_export_writes_and_reports(run, here):
    done = run("export", "elbow", "--to", "mjcf", "--rotors", "bodies")
    assert done.code == 0, done.err
    assert "elbow.xml" in done.out
    assert "acceleration" in done.out + done.err
    assert write_yaml(gw.load(here / "elbow_mjcf" / "elbow.xml")) == write_yaml(gw.load("elbow"))


def test_urdf_with_wheels(run, here):
    done = run("export", "wrist_puma", "--to", "urdf", "-o", "out")
    assert done.code == 0, done.err
    assert "wheel" in done.out + done.err
    assert (here / "out" / "wrist_puma.urdf").exists()


def test_convert_there_and_back(run, here):
    assert run("convert", "elbow", "elbow.xml").code == 0
    assert run("convert", "elbow.xml", "again.yaml").code == 0
    assert write_yaml(gw.load("again.yaml")) == write_yaml(gw.load("elbow"))
    assert run("convert", "elbow", "elbow.xml").code != 0, "it exists already"
    assert run("check", "elbow.xml").code == 0


def test_check_names_a_body_that_was_renamed(run, here):
    body = '<body name="base"><joint name="j"/><geom size="0.1"/></body>'
    (here / "base.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    code, _, err = run("check", "base.xml")
    assert code == 0
    assert "'base_2'" in err


def test_info_tells_how_it_was_read(run, here):
    (here / "arm.xml").write_text(
        '<mujoco><option density="3"/><worldbody><body name="base"><joint/><geom size="0.1"/></body>'
        "</worldbody></mujoco>"
    )
    told = json.loads(run("info", "arm.xml", "--json").out)
    assert any("'base'" in note for note in told["notes"])
    assert any("fluid" in what for what in told["left_out"])


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--to", "mjcf", "--rotors", "boddies"], ["bodies"]),
        (["--to", "c", "--rotors", "bodies"], ["rotors", "'c'"]),
        (["--to", "mjc"], ["mjcf"]),
        (["--to", "mjcf", "--drives", "steam"], ["drives='steam'"]),
    ],
)
def test_bad_options(run, here, words, names):
    done = run("export", "elbow", *words)
    assert done.code != 0
    assert all(name in " ".join(done.err.split()) for name in names)
