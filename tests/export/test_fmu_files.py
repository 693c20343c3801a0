"""FMUs as files: what they hold without a compiler, names, where they start, and what is refused."""

from __future__ import annotations

import shutil
import zipfile

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.export.fmi import build
from gearwright.files import read_yaml
from gearwright.forces.law import Action, Force, Law
from gearwright.forces.line import Line
from support.fmus import arm
from support.hostile_names import BORN, C_CODE, hostile_robot

fmpy = pytest.importorskip("fmpy")
needs_compiler = pytest.mark.skipif(build.find_compiler() is None, reason="there is no C compiler")


def test_without_a_compiler_it_holds_sources_alone_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    report = gw.export.fmu(gw.load("elbow"), tmp_path / "elbow.fmu")
    assert report.platform is None
    assert "elbow.fmu" in str(report)
    assert any("gcc" in remark for remark in report.remarks)
    with zipfile.ZipFile(report.path) as archive:
        assert not [name for name in archive.namelist() if name.startswith("binaries/")]
        assert "sources/fmi2.c" in archive.namelist()


def test_the_same_robot_gives_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    one, two = (gw.export.fmu(gw.load("elbow"), tmp_path / f"{k}.fmu").path.read_bytes() for k in "ab")
    assert one == two


@needs_compiler
def test_hostile_names_become_plain_ones_and_run(tmp_path):
    from fmpy.validation import validate_fmu

    report = gw.export.fmu(hostile_robot(C_CODE[:BORN]), tmp_path / "hostile.fmu")
    assert validate_fmu(str(report.path)) == []
    assert "renamed: " in str(report)
    assert str(report).startswith(f"{report.path.name}: {len(report.inputs)} inputs")
    fmpy.simulate_fmu(str(report.path), stop_time=1e-4, output_interval=1e-4)


def test_it_starts_where_it_is_told(tmp_path):
    state = gw.State([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    report = gw.export.fmu(gw.load("elbow"), tmp_path / "elbow.fmu", state=state)
    about = fmpy.read_model_description(str(report.path))
    starts = {one.name: one.start for one in about.modelVariables}
    assert (float(starts["q.j2"]), float(starts["v.j3"])) == (0.2, 0.6)


LOOP_AND_CORD = """
robot: crank
links:
  - {name: crank, parent: base, joint: {kind: revolute, axis: [0, 1, 0]}, mass: 1, com: [0.1, 0, 0],
     inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: rod, parent: crank, joint: {kind: revolute, axis: [0, 1, 0], position: [0.2, 0, 0]}, mass: 1,
     com: [0.2, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
frames: [{name: rod_end, link: rod, position: [0.4, 0, 0]}]
loops: [{name: slot, frames: [rod_end, base], held: [z]}]
cords: [{name: stay, route: [{frame: base, position: [0, 0, 0.3]}, {frame: rod_end}], stiffness: 20, damping: 1,
  rest: [0.2, 0.2]}]
"""


@needs_compiler
@pytest.mark.parametrize(("kind", "tolerance"), [("CoSimulation", 1e-8), ("ModelExchange", 1e-6)])
def test_loops_and_cords_move_as_in_simulate(kind, tolerance, tmp_path):
    robot, state = read_yaml(LOOP_AND_CORD), gw.State([0.0, 0.0], [2.0, -3.0])
    run = gw.simulate(
        robot, state, until=0.5, samples=11, integrator=gw.analysis.IntegratorOptions(rtol=1e-12, atol=1e-12)
    )
    assert np.ptp(run["q.crank"]) > 0.3
    report = gw.export.fmu(robot, tmp_path / "crank.fmu", state=state)
    options = {"stop_time": 0.5, "output_interval": 0.05, "relative_tolerance": 1e-9, "record_events": False}
    found = fmpy.simulate_fmu(str(report.path), fmi_type=kind, output=["q.crank", "q.rod"], **options)
    for name in ("q.crank", "q.rod"):
        assert np.abs(found[name] - run[name]).max() < tolerance


class Stubborn(Law):
    """A law that decides in Python."""

    def __init__(self, mech: gw.Mechanism) -> None:
        self.name, self.line = "stubborn", Line.for_machine(mech, "j1")

    def act(self, mode, situation):
        return Action((Force(self.line, 1.0 if situation.q[0] > 0 else -1.0),))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "elbow.zip"}, r"elbow\.zip.*\.fmu"),
        ({"path": "nowhere/elbow.fmu"}, "folder 'nowhere'"),
        ({"path": "taken.fmu"}, r"taken\.fmu.*overwrite=True"),
        ({"path": "folder.fmu"}, r"folder\.fmu"),
        ({"version": "1.0"}, "version='1.0'"),
        ({"inputs": "force"}, "inputs='force'"),
        ({"inputs": "voltage"}, "inputs='voltage'"),
        ({"parameters": ["j1.motor.inertia", "j1.motor.inertia"]}, r"j1\.motor\.inertia"),
        ({"parameters": ["j9.motor.inertia"]}, "'j9'"),
        ({"state": "home"}, "'home'"),
        ({"state": [1.0]}, r"\(1,\)"),
    ],
)
def test_what_cannot_be_is_said(options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.fmu").write_text("")
    (tmp_path / "folder.fmu").mkdir()
    with pytest.raises(InputError, match=message):
        gw.export.fmu(gw.load("elbow"), **{"path": "elbow.fmu", **options})
    assert sorted(x.name for x in tmp_path.iterdir()) == ["folder.fmu", "taken.fmu"]


def test_laws_and_parameters_that_cannot_be_in_c_are_named(tmp_path):
    robot = gw.load("elbow")
    with pytest.raises(InputError, match="law 'stubborn'"):
        gw.export.fmu(robot, tmp_path / "a.fmu", laws=[Stubborn(gw.assemble(robot))])
    floor = gw.contact.Plane((0.0, 0.0, -2.0), (0.0, 0.0, 1.0))
    feet = [gw.contact.Contact(link.name, floor, name=f"{link.name}.foot") for link in robot.links[-2:]]
    with pytest.raises(InputError, match=f"contacts {feet[0].name}"):
        gw.export.fmu(robot, tmp_path / "a.fmu", extra_laws=feet)
    lossy = arm(2.0, efficiency=0.45)
    with pytest.raises(InputError, match=r"'shoulder\.gear\.efficiency'"):
        gw.export.fmu(lossy, tmp_path / "a.fmu", parameters=["upper.mass", "shoulder.gear.efficiency"])
    report = gw.export.fmu(robot, tmp_path / "taken.fmu")
    assert gw.export.fmu(robot, tmp_path / "taken.fmu", overwrite=True).path == report.path
