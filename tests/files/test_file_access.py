"""Files of every kind: a pipe or a device is refused at once, and a full disk leaves the old file as it was."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import drives
from gearwright.design.parameter_sweep.points import read_points
from gearwright.errors import FileError, GearwrightError
from gearwright.file_access import open_regular, replacement_file, write_files, write_text
from gearwright.files.urdf.srdf import with_rotors
from gearwright.files.yaml.environment_file import with_environment
from gearwright.files.yaml.task_reader import read_task
from gearwright.identification.experiment.log import read_log
from gearwright.motion import polynomial
from gearwright.motion.csv_files import read_recording
from gearwright.planning.paths.task_motions import task_motions
from gearwright.scene.link_solids import _load_mesh
from gearwright.simulation.run import Run

ELBOW = gw.load("elbow")
SWING = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=0.5)
SECONDS = 30
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="this system cannot limit the size of files")

MJCF = '<mujoco>{extra}<worldbody><body name="b"><joint name="j"/><geom size="0.1"/></body></worldbody></mujoco>'
TASK = "task: t\nmotions: [{{file: {name}}}]\n"
URDF = '<robot name="r"><link name="a"/></robot>'


@contextmanager
def at_once():
    """No reader may wait for what nobody writes."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_):
        raise TimeoutError("a reader waits for a pipe")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def in_mjcf(text: str):
    def read(pipe: Path):
        path = pipe.with_name("model.xml")
        path.write_text(MJCF.format(extra=text.format(name=pipe.name)))
        return gw.load(path)

    return read


def with_sidecar(pipe: Path):
    urdf = pipe.with_name("arm.urdf")
    urdf.write_text(URDF)
    os.rename(pipe, pipe.with_name("arm.gearwright.yaml"))
    return gw.load(urdf)


def in_task(pipe: Path):
    path = pipe.with_name("task.yaml")
    path.write_text(TASK.format(name=pipe.name))
    return task_motions(ELBOW, read_task(path).motions, folder=path.parent)


def attached(pipe: Path):
    path = pipe.with_name("arm.yaml")
    path.write_text(
        "robot: r\nlinks: [{name: a, parent: base, joint: {axis: [0, 0, 1]}, mass: 1}]\nframes: [{name: f, link: a}]\n"
        f"attach: [{{robot: {pipe.name}, frame: f, prefix: p}}]\n"
    )
    return gw.load(path)


READERS = {
    "robot.yaml": gw.load,
    "robot.urdf": gw.load,
    "robot.xml": gw.load,
    "robot.xacro": lambda path: gw.load(path, xacro=True),
    "side.yaml": with_sidecar,
    "attached.yaml": attached,
    "rotors.srdf": lambda path: with_rotors(ELBOW, path),
    "walls.yaml": lambda path: with_environment(ELBOW, path),
    "task.yml": read_task,
    "motion.csv": in_task,
    "recording.csv": lambda path: read_recording(path, gw.assemble(ELBOW)),
    "log.csv": lambda path: read_log(path, ELBOW),
    "run.csv": Run.read,
    "run.parquet": Run.read,
    "nominal.csv": gw.control.load_nominal,
    "table.csv": drives,
    "points.csv": read_points,
    "sweep.db": lambda path: gw.sweep(ELBOW, {"j2.gear.ratio": [50.0]}, SWING, store=path),
    "mesh.stl": _load_mesh,
    "mesh.dae": _load_mesh,
    "include.xml": in_mjcf('<include file="{name}"/>'),
    "model.mjcf": in_mjcf('<asset><model name="m" file="{name}"/></asset>'),
    "mesh.obj": in_mjcf('<asset><mesh file="{name}"/></asset>'),
    "field.png": in_mjcf('<asset><hfield name="h" file="{name}" size="1 1 1 1"/></asset>'),
    "colour.png": in_mjcf('<asset><texture type="2d" file="{name}"/></asset>'),
    "sky.png": in_mjcf('<asset><texture type="cube" fileup="{name}"/></asset>'),
    "skin.skn": in_mjcf('<asset><skin file="{name}"/></asset>'),
    "below.stl": in_mjcf('<compiler meshdir="x" strippath="true"/><asset><mesh file="../y/{name}"/></asset>'),
}


@needs_pipes
@pytest.mark.parametrize("name", READERS)
def test_a_pipe_is_refused_at_once(name, tmp_path):
    pipe, read = tmp_path / name, READERS[name]
    (tmp_path / "x").mkdir()
    os.mkfifo(pipe)
    with at_once(), pytest.raises(GearwrightError) as caught:
        read(pipe)
    assert isinstance(caught.value, FileError)
    assert " pipe " in str(caught.value)  # as a word: the folder of the test is named after it


@needs_pipes
def test_a_device_and_a_folder_are_refused(tmp_path):
    for path in (Path("/dev/zero"), Path("/dev/null"), tmp_path, tmp_path / "gone", Path("a\0b")):
        with at_once(), pytest.raises(FileError):
            open_regular(path)


@needs_pipes
def test_a_pipe_that_takes_the_place_of_a_file_is_refused(tmp_path, monkeypatch):
    """Between the look and the opening: what was opened is what is judged."""
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("gearwright.file_access.unreadable_reason", lambda _: None)
    with at_once(), pytest.raises(FileError, match=" pipe "):
        open_regular(tmp_path / "pipe")


def moved() -> Run:
    return gw.simulate(gw.assemble(ELBOW), until=0.05)


WRITERS = {
    "robot.yaml": lambda path: gw.save(ELBOW, path),
    "robot.urdf": lambda path: gw.save(ELBOW, path),
    "robot.xml": lambda path: gw.save(ELBOW, path),
    "motion.csv": lambda path: SWING.save(path, rate=500),
    "run.csv": lambda path: moved().save(path),
    "run.parquet": lambda path: moved().save(path),
    "figure.png": lambda path: SWING.plot(path=path),
    "robot.fmu": lambda path: gw.export.fmu(ELBOW, path, overwrite=True),
    "elbow.c": lambda path: gw.export.c(ELBOW, path.parent, ["gravity"], name="elbow"),
}


@contextmanager
def full_disk(most: int = 300):
    """Files of this process cannot grow beyond some bytes; Python ignores the signal and gets an OSError."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@needs_limits
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_file_whole(name, tmp_path):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / name
    WRITERS[name](path)  # the new file is right, and whatever is compiled is compiled
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    with full_disk(), pytest.raises((GearwrightError, OSError)):
        WRITERS[name](path)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


@needs_limits
def test_files_that_belong_together_are_replaced_together(tmp_path):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    write_files({first: "old", second: "old"})
    with full_disk(), pytest.raises(FileError, match=r"b\.txt"):
        write_files({first: "new", second: "x" * 1000})
    assert (first.read_text(), second.read_text()) == ("old", "old")
    assert len(list(tmp_path.iterdir())) == 2


def test_an_interruption_leaves_nothing_behind(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "old")

    def write_half():
        with replacement_file(path) as new:
            new.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@needs_limits
def test_permissions_and_links_stay(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    write_text(tmp_path / "fresh.txt", "x")
    (tmp_path / "usual.txt").write_text("x")
    assert (tmp_path / "fresh.txt").stat().st_mode == (tmp_path / "usual.txt").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
def test_a_protected_file_is_not_replaced(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(FileError, match="protected"):
        write_text(path, "new")
    assert path.read_text() == "old"


@needs_pipes
def test_what_a_shell_redirects_is_written_to(tmp_path):
    """`-o /dev/stdout > all.txt` writes to the file that is open; it does not put another one in its place."""
    with (tmp_path / "all.txt").open("w+") as file:
        write_text(Path(f"/dev/fd/{file.fileno()}"), "into the open file")
        assert file.read() == "into the open file"
    reading, writing = os.pipe()
    text: list[bytes] = []
    with os.fdopen(reading, "rb") as file:
        reader = threading.Thread(target=lambda: text.append(file.read()))
        reader.start()
        write_text(Path(f"/dev/fd/{writing}"), "through a pipe")
        os.close(writing)
        reader.join(SECONDS)
    assert text == [b"through a pipe"]


def test_numbers_are_the_same_after_replacing(tmp_path):
    for count in (50, 500):
        SWING.save(tmp_path / "motion.csv", rate=count)
    assert len(np.loadtxt(tmp_path / "motion.csv", delimiter=",", skiprows=1)) == 251
