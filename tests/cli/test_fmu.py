"""`gearwright export --to fmu`; compiling is left to tests/export."""

from __future__ import annotations

import shutil
import zipfile

import pytest


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    return tmp_path


def test_export_writes_and_says_what_is_missing(run, here):
    done = run("export", "elbow", "--to", "fmu", "--fmi", "3.0", "--input", "tau.j2", "--parameter", "j1.gear.ratio")
    assert done.code == 0, done.err
    assert "elbow.fmu" in done.out
    assert "sources" in " ".join((done.out + done.err).split())
    with zipfile.ZipFile(here / "elbow_fmu" / "elbow.fmu") as archive:
        description = archive.read("modelDescription.xml").decode()
    assert 'fmiVersion="3.0"' in description
    assert 'name="j1.gear.ratio"' in description
    assert 'name="tau.j2"' in description
    assert 'name="tau.j1"' not in description


def test_a_file_that_is_there_is_kept_unless_told(run, refused, here):
    export = ("export", "elbow", "--to", "fmu", "-o", "out", "--input", "motor_torque")
    assert run(*export).code == 0
    refused(*export, words=["elbow.fmu", "--overwrite"])
    assert run(*export, "--overwrite").code == 0


def test_options_of_other_targets_are_refused(refused, here):
    refused("export", "elbow", "--to", "fmu", "--rotors", "bodies", words=["rotors", "'fmu'"])
    refused("export", "elbow", "--to", "c", "--fmi", "3.0", words=["version", "'c'"])
    refused("export", "elbow", "--to", "fmu", "--input", "force", words=["inputs='force'"])
