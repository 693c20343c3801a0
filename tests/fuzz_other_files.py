"""Break what is read besides robots: MJCF, tasks, catalogues, stores, logs, flexible bodies, edits, studio messages.

`python -m tests.fuzz_other_files` takes the options of `tests.fuzz`; the seed chooses the kind. Each input gives a
result or one error of ours, soon; no message lets the studio write a file, stop or call itself faulty.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import logging
import os
import random
import sqlite3
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import fuzz
import gearwright as gw
from gearwright.catalogue import drives
from gearwright.errors import GearwrightError, GearwrightWarning
from gearwright.files.yaml.task_reader import read_task
from gearwright.files.yaml.writer import robot_fields
from gearwright.identification import RunFitOptions, fit_run, read_run_log
from gearwright.motion import polynomial
from gearwright.parts import FlexibleBody, Gear, Link, Robot, load_flexible_body, with_flexible_body
from gearwright.planning.paths.task_motions import task_motions
from support.mutations import broken
from support.studio_client import StudioClient

COUNT = 20_000
RATIOS = {"j2.gear.ratio": [50.0, 60.0, 70.0]}
SWING = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=0.5)
ELEMENTS = (
    '<include file="{name}"/>',
    '<asset><model name="m" file="{name}"/></asset>',
    '<asset><mesh name="m" file="{name}"/></asset>',
    '<asset><hfield name="h" nrow="{count}" ncol="{count}" size="1 1 1 1"/></asset>',
    '<asset><texture type="2d" builtin="flat" width="{count}" height="{count}"/></asset>',
    '<size nkey="{count}" nuser_body="{count}" memory="{count}M"/>',
    '<worldbody><replicate count="{count}"><body><joint/><geom size="1"/></body></replicate></worldbody>',
    '<worldbody><body><composite type="cable" count="{count} 1 1"/></body></worldbody>',
    '<worldbody><body name="w"><attach model="m" body="x" prefix="y"/></body></worldbody>',
)
FILES = ("robot.xml", "pipe.xml", "/dev/zero", "/proc/self/mem", "..", "", "gone.xml", "x" * 300, "entity.xml")
TASKS = (
    "task: nod\nmotions:\n  - {to: [30 deg, 0, 0.2], speed: 1, acceleration: 5}\n  - {pause: 500 ms}\n"
    "payload: {mass: 2, position: [0, 0, 0.1]}\nrepetitions: 3\nambient: 25\n",
    "task: pick\nmotions:\n  - {to: {j2: 0.5}, speed: 1, acceleration: 8, jerk: 60}\n  - {file: motion.csv}\n"
    "  - {to: [0, 0, 0], duration: 1 s}\nrepetitions: continuous\n",
)
VALUES = (
    None,
    True,
    -1,
    0,
    2**63,
    1.5,
    float("nan"),
    float("inf"),
    1e308,
    "",
    "x" * 1000,
    "../../x",
    [],
    [1, "a"],
    {},
)
MESSAGES = ("GuiUpdateMessage", "GuiUpdateMessage", "GuiUpdateMessage", "GuiButtonHoldMessage", "GuiFormSubmitMessage")
MESSAGES += ("FileTransferStartUpload", "FileTransferPart", "ShareUrlRequest", "CommandTriggerMessage", "Unknown", "")
MESSAGES += ("TransformControlsUpdateMessage", "ViewerCameraMessage", "SceneNodeClickMessage", "ScenePointerMessage")
PATIENCE = 60
ROBOT = gw.load("elbow")


class Kind(NamedTuple):
    """Something that is read: how its files end, and a function of a random source and a folder that reads one."""

    ending: str
    attempt: Callable[[random.Random, Path], str]


def _answer(read: Callable[[], object]) -> str:
    """The word "read", or the name of the error of ours; anything else is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        try:
            read()
        except GearwrightError as error:
            if not str(error).strip():
                raise AssertionError("an error without a message") from error
            return type(error).__name__
    return "read"


@cache
def _mjcf_texts() -> tuple[str, ...]:
    """Some bundled robots as MJCF."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        for name in ("elbow", "scara", "planetary_3r", "elastic_elbow", "harmonic_6"):
            gw.export.mjcf(gw.load(name), Path(folder, f"{name}.xml"), sidecar=False)
        return tuple(path.read_text() for path in sorted(Path(folder).glob("*.xml")))


def _mjcf(rng: random.Random, folder: Path) -> str:
    texts = _mjcf_texts()
    content = broken(rng.randrange(10**9), texts)[1] if rng.random() < 0.5 else rng.choice(texts).encode()
    for _ in range(rng.choice((0, 1, 1, 3))):
        words = {"name": rng.choice(FILES), "count": rng.choice((0, -1, 3, 50, 5_000, 10**6, 10**9, 10**30))}
        element = rng.choice(ELEMENTS).format(**words).encode()
        content = content.replace(b"<worldbody>", element + b"<worldbody>", 1)
    (folder / "robot.xml").write_bytes(content)
    os.mkfifo(folder / "pipe.xml")
    (folder / "entity.xml").write_text('<!DOCTYPE r [<!ENTITY e "x">]><mujoco><worldbody/></mujoco>')
    return _answer(lambda: gw.assemble(gw.load(folder / "robot.xml")))


def _task(rng: random.Random, folder: Path) -> str:
    _, content = broken(rng.randrange(10**9), TASKS)
    _, motion = broken(rng.randrange(10**9), [SWING.csv(ROBOT, rate=20)])
    (folder / "task.yaml").write_bytes(content)
    (folder / "motion.csv").write_bytes(motion)
    return _answer(lambda: task_motions(ROBOT, read_task(folder / "task.yaml").motions, folder=folder))


@cache
def _tables() -> tuple[str, ...]:
    """The first rows of the bundled catalogues."""
    place = Path(gw.__file__).parent / "catalogue"
    texts = [(place / name).read_text(encoding="utf-8") for name in ("motors.csv", "gearboxes.csv")]
    return tuple("".join(text.splitlines(keepends=True)[:8]) for text in texts)


def _catalogue(rng: random.Random, folder: Path) -> str:
    _, content = broken(rng.randrange(10**9), _tables())
    (folder / "table.csv").write_bytes(content)
    return _answer(lambda: drives(folder / "table.csv", bundled=False))


@cache
def _store() -> bytes:
    """The store of a finished sweep, in one file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sweep.db")
        gw.sweep(ROBOT, RATIOS, SWING, store=path)
        with contextlib.closing(sqlite3.connect(path)) as base:
            base.execute("PRAGMA journal_mode=DELETE")
        return path.read_bytes()


def _sweep_store(rng: random.Random, folder: Path) -> str:
    path, content = folder / "sweep.db", _store()
    if rng.random() < 0.5:
        path.write_bytes(_damaged(rng, content))
    else:
        path.write_bytes(content)
        with contextlib.closing(sqlite3.connect(path)) as base:
            column = rng.choice(("numbers", "error", "point"))
            values = (None, 0, -1, 2.5, b"\0", "x", "{}", "[]", '{"peak.j2": "1"}', '{"peak.j2": 1e999}', "[" * 9_999)
            with contextlib.suppress(sqlite3.Error):
                base.execute(f"UPDATE OR REPLACE points SET {column} = ?", (rng.choice(values),))
                base.commit()
    return _answer(lambda: _finished(gw.sweep(ROBOT, RATIOS, SWING, store=path)))


def _finished(found: gw.design.Sweep) -> None:
    assert all(values.dtype == float for values in found.numbers.values()), "a column turned into something else"


def _damaged(rng: random.Random, content: bytes) -> bytes:
    """Some bytes changed, and perhaps the end cut off."""
    broken_bytes = bytearray(content)
    for _ in range(rng.choice((1, 3, 30))):
        broken_bytes[rng.randrange(len(broken_bytes))] = rng.randrange(256)
    return bytes(broken_bytes[: rng.choice((len(content), len(content), rng.randrange(len(content))))])


@cache
def _archive() -> bytes:
    """The file of a flexible body."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "body.npz")
        FlexibleBody([[1.0, 0, 0]], [0.5], [[[0, 1.0, 0, 0, 0, 1.5]]], [[120.0]]).save(path)
        return path.read_bytes()


def _flexible_body(rng: random.Random, folder: Path) -> str:
    path = folder / "body.npz"
    path.write_bytes(_damaged(rng, _archive()) if rng.random() < 0.9 else _archive())
    return _answer(lambda: with_flexible_body(Robot("rod", [Link("boom", mass=1.0)]), "boom", load_flexible_body(path)))


@cache
def _pendulum() -> tuple[gw.Mechanism, str, bytes]:
    """A machine, the text of a log of it, and the store of a fit to that log."""
    mech = gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=1.0, com=(0, 0, -0.3))])
    run = gw.simulate(mech, ([0.5], [0.0]), 0.3, samples=31)
    text = "t,tau,q\n" + "".join(
        f"{t!r},0.0,{q!r}\n" for t, q in zip(run.t.tolist(), run.q[:, 0].tolist(), strict=True)
    )
    with tempfile.TemporaryDirectory() as folder:
        log, store = Path(folder, "log.csv"), Path(folder, "fit.json")
        log.write_text(text)
        _fit(mech, log, store)
        return mech, text, store.read_bytes()


def _fit(mech: gw.Mechanism, log: Path, store: Path | None) -> object:
    options = RunFitOptions(evaluations=2, horizons=(), store=store)
    return fit_run(mech, [read_run_log(log, {"tau.arm": "tau"}, {"q.arm": "q"})], ["arm.mass"], options=options)


def _run_log(rng: random.Random, folder: Path) -> str:
    mech, text, _ = _pendulum()
    (folder / "log.csv").write_bytes(broken(rng.randrange(10**9), [text])[1])
    return _answer(lambda: _fit(mech, folder / "log.csv", None))


def _fit_store(rng: random.Random, folder: Path) -> str:
    mech, text, store = _pendulum()
    (folder / "log.csv").write_text(text)
    content = _damaged(rng, store) if rng.random() < 0.5 else broken(rng.randrange(10**9), [store.decode()])[1]
    (folder / "fit.json").write_bytes(content)
    return _answer(lambda: _fit(mech, folder / "log.csv", folder / "fit.json"))


def _edit(rng: random.Random, folder: Path) -> str:
    """A changed robot is written over a broken file of it: that file is edited, written anew, or kept with an error."""
    texts = [original.text for original in fuzz.originals() if original.ending == ".yaml" and original.urdf is None]
    content = broken(rng.randrange(10**9), texts)[1] if rng.random() < 0.5 else rng.choice(texts).encode()
    content = content.replace(b"\n", rng.choice((b"\n", b"\n", b"\r\n", b" # a: {b}\n")))
    path, plain = folder / "robot.yaml", folder / "plain.yml"
    path.write_bytes(content)

    def write() -> None:
        changed = _changed(gw.load(path), rng)
        gw.save(changed, path, based_on=path)
        gw.save(changed, plain)
        assert robot_fields(gw.load(path)) == robot_fields(gw.load(plain)), "the edit states another robot"

    answer = _answer(write)
    assert answer == "read" or path.read_bytes() == content, "the file was lost"
    return answer


def _changed(robot: Robot, rng: random.Random) -> Robot:
    links, drives = list(robot.links), list(robot.drives)
    k = rng.randrange(len(links))
    links[k] = replace(links[k], mass=links[k].mass + rng.choice((0.0, 0.25)))
    if drives and rng.random() < 0.5:
        k = rng.randrange(len(drives))
        drives[k] = replace(drives[k], gear=Gear(ratio=77.0))
    name = rng.choice((robot.name, "a b", "x: y", "- z", "# c", "'q'", "|", "null", "1e3"))
    return replace(robot, name=name, links=links, drives=drives)


@cache
def _studio() -> tuple[Any, Path]:
    """A running studio in a folder of its own, which may write one file."""
    from gearwright.studio.open import studio

    logging.disable(logging.CRITICAL)  # viser complains about each message that is none
    folder = tempfile.TemporaryDirectory()
    place = Path(folder.name)
    gw.save(ROBOT, place / "robot.yaml")
    running = studio(place / "robot.yaml", port=0, open_browser=False, save_to=place / "saved.yaml")
    atexit.register(folder.cleanup)
    atexit.register(running.stop)
    return running, place


def _studio_messages(rng: random.Random, folder: Path) -> str:
    running, place = _studio()
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        with StudioClient(running) as client:
            client.wait_for_button("Save to saved.yaml")
            known = list(client.elements)
            page = _newest(running)
            for _ in range(10):
                _send(rng, client, known)
            end = time.monotonic() + PATIENCE
            while not page.closed and not page.is_idle():
                assert time.monotonic() < end, "the page does not come to rest"
                time.sleep(0.01)
            assert "bug in Gearwright" not in str(page.status.content), page.status.content
        with StudioClient(running) as client:  # another visitor is served as before
            client.wait_for_button("Save to saved.yaml")
    assert {path.name for path in place.iterdir()} <= {"robot.yaml", "saved.yaml"}, "another file was written"
    return "read"


def _newest(running: Any) -> Any:
    end = time.monotonic() + PATIENCE
    while not running.pages:
        assert time.monotonic() < end, "no page was made"
        time.sleep(0.01)
    return running.pages[-1]


def _send(rng: random.Random, client: StudioClient, known: list[str]) -> None:
    """One message that may be anything."""
    from websockets.exceptions import ConnectionClosed

    word = rng.choice(("value", "value", "value", "label", "update_cb", "min", ""))
    fields = {"uuid": rng.choice((*known, "")), "updates": {word: rng.choice(VALUES)}}
    others = {
        name: rng.choice(VALUES) for name in rng.sample(("name", "position", "wxyz", "mime_type", "size_bytes"), 2)
    }
    try:
        if rng.random() < 0.05:
            client.socket.send(rng.choice((b"", b"\xff" * 100, "text", rng.randbytes(50))))
        else:
            client.send(rng.choice(MESSAGES), **(fields if rng.random() < 0.8 else {**fields, **others}))
    except ConnectionClosed:  # viser ends the connection of who sends nonsense
        return


KINDS = {
    "MJCF": Kind(".xml", _mjcf),
    "task": Kind(".yaml", _task),
    "catalogue": Kind(".csv", _catalogue),
    "sweep store": Kind(".db", _sweep_store),
    "flexible body": Kind(".npz", _flexible_body),
    "run log": Kind(".csv", _run_log),
    "fit store": Kind(".json", _fit_store),
    "YAML edit": Kind(".yaml", _edit),
    "studio": Kind(".bin", _studio_messages),
}
PREPARED: dict[str, Callable[[], object]] = {
    "MJCF": _mjcf_texts,
    "sweep store": _store,
    "flexible body": _archive,
    "run log": _pendulum,
    "fit store": _pendulum,
    "YAML edit": fuzz.originals,
    "studio": _studio,
}
"""What is made once, and not under the alarm."""
OFTEN = tuple(name for name in KINDS if name != "studio") * 6 + ("studio",)
"""Of so many inputs one is for the studio, whose pages take longer."""


def attempt(seed: int, folder: Path, kind: str | None = None) -> tuple[str, fuzz.Failure | None]:
    """Read the input of a seed in a folder of its own."""
    name = kind or OFTEN[seed % len(OFTEN)]
    PREPARED.get(name, lambda: None)()
    with tempfile.TemporaryDirectory(dir=folder) as place:
        read = partial(KINDS[name].attempt, random.Random(seed), Path(place))
        result, trace = fuzz.under_alarm(read, 3 * PATIENCE if name == "studio" else None)
        if trace is None:
            return f"{name}: {result}", None
        files = sorted(path for path in Path(place).iterdir() if path.suffix == KINDS[name].ending and path.is_file())
        content = files[0].read_bytes() if files else b""
        return result, fuzz.Failure(seed, KINDS[name].ending, content, f"{name}\n{trace}")


if __name__ == "__main__":
    sys.exit(fuzz.main(attempt, COUNT, "Breaking other files"))
