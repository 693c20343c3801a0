"""Files of every kind: a pipe or a device is refused at once, and a full disk leaves the old file as it was."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import stat
import sys
import threading
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import drives
from gearwright.control import NominalControl
from gearwright.design.parameter_sweep.points import read_points
from gearwright.errors import FileError, GearwrightError
from gearwright.file_access import open_regular, replacement_file, write_files, write_text
from gearwright.files.urdf.srdf import with_rotors
from gearwright.files.yaml.environment_file import with_environment
from gearwright.files.yaml.task_reader import read_task
from gearwright.identification import RunFitOptions, RunLog, fit_run, read_run_log
from gearwright.identification.experiment.log import read_log
from gearwright.motion import polynomial
from gearwright.motion.csv_files import read_recording
from gearwright.parts import FlexibleBody, load_flexible_body
from gearwright.planning.paths.task_motions import task_motions
from gearwright.plots.film import write_film
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


def fitted(store: Path):
    pendulum = gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=1.0, com=(0, 0, -0.3))])
    t = np.linspace(0.0, 0.1, 30)
    return fit_run(pendulum, [RunLog(t, {}, {"q.arm": t})], ["arm.mass"], options=RunFitOptions(store=store))


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
    "body.npz": load_flexible_body,
    "twin.csv": lambda path: read_run_log(path, {}, {"q.arm": "q"}),
    "fit.json": lambda path: fitted(path),
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


def edited(path: Path) -> None:
    source = path.with_name("source.yaml")
    if not source.exists():
        gw.save(ELBOW, source)
    gw.save(ELBOW.with_payload(1.0), path, based_on=source)


WRITERS = {
    "robot.yaml": lambda path: gw.save(ELBOW, path),
    "robot.urdf": lambda path: gw.save(ELBOW, path),
    "robot.xml": lambda path: gw.save(ELBOW, path),
    "motion.csv": lambda path: SWING.save(path, rate=500),
    "run.csv": lambda path: moved().save(path),
    "run.parquet": lambda path: moved().save(path),
    "figure.png": lambda path: SWING.plot(path=path),
    "robot.fmu": lambda path: gw.export.fmu(ELBOW, path, overwrite=True),
    "film.gif": lambda path: write_film(lambda axes, k: axes.plot([0, k]), 3, 10.0, path, 0.5),
    "report.html": lambda path: gw.report(gw.analyse(ELBOW, SWING), path),
    "edited.yaml": edited,
    "nominal.csv": lambda path: NominalControl(("a",), np.linspace(0, 1, 90), *np.ones((3, 90, 1))).save(path),
    "body.npz": FlexibleBody([[1.0, 0, 0]], [0.5], [[[0, 1.0, 0, 0, 0, 1.5]]], [[120.0]]).save,
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
def test_a_full_disk_keeps_the_results_of_a_sweep(tmp_path):
    store, ratios = tmp_path / "sweep.db", {"j2.gear.ratio": [50.0, 60.0, 70.0]}
    found = gw.sweep(ELBOW, ratios, SWING, store=store)
    with closing(sqlite3.connect(store)) as base:
        base.execute("DELETE FROM points WHERE point = 2")
        base.commit()
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        kept = base.execute("SELECT * FROM points").fetchall()
    with full_disk(), pytest.raises(FileError, match=r"sweep\.db"):
        gw.sweep(ELBOW, ratios, SWING, store=store)
    with closing(sqlite3.connect(store)) as base:
        assert base.execute("SELECT * FROM points").fetchall() == kept
    again = gw.sweep(ELBOW, ratios, SWING, store=store)
    assert all((again.numbers[name] == values).all() for name, values in found.numbers.items())


FOLDERS = {
    "a folder of figures": lambda path: SWING.plot(path=path / "figure.png"),
    "a folder of motions": lambda path: SWING.save(path / "motion.csv"),
    "a folder of runs": lambda path: moved().save(path / "run.csv"),
    "a folder of films": lambda path: write_film(lambda axes, k: None, 1, 10.0, path / "film.gif", 0.5),
    "a C package": lambda path: gw.export.c(ELBOW, path, ["gravity"]),
    "an exported robot": lambda path: gw.export.export(ELBOW, "urdf", path),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_that_cannot_be_made_is_named(name, tmp_path):
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / "a\0b"):
        with pytest.raises(FileError, match="folder"):
            FOLDERS[name](path)
    assert (tmp_path / "file").read_text() == "mine"


def test_only_one_module_makes_folders():
    """`file_access` answers what the file system refuses; the kernel cache has rules of its own."""
    source = Path(gw.__file__).parent
    makers = {
        str(path.relative_to(source).as_posix())
        for path in source.rglob("*.py")
        if re.search(r"\.mkdir\(|makedirs\(", path.read_text(encoding="utf-8"))
    }
    assert makers == {"file_access.py", "compiling/host/disk_cache.py"}


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
