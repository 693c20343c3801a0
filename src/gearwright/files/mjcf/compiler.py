"""MuJoCo's compiler in a child process with limits of time and memory, so that no file can end or block this one.

The child is started at the first file, stays for the next ones, and is started anew after it died.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 60.0
"""Wall-clock time for one file; robots with many meshes take a few seconds."""
MEMORY = 4_000_000_000
"""Bytes that the compiler may use beyond its libraries."""
MAX_MODEL_BYTES = 1_000_000_000
"""Of a compiled model, meshes and textures included."""
DYING = 5.0
"""Time for a child that closed its pipes to end, so that its cause of death is known [s]."""
PROGRAM = Path(__file__).with_name("compiler_process.py")


@dataclass(frozen=True)
class Compilation:
    """What came of one file: a model, or the reason why there is none.

    Args:
        model: the compiled model as MJB; empty without one.
        error: why MuJoCo refuses the file.
        missing: names of meshes and height fields that are not there, with the folders in which they should be.
        notes: MuJoCo's warnings.
    """

    model: bytes = b""
    error: str | None = None
    missing: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class Compiler:
    """The child process; one file at a time, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the child if it does not run: its libraries load while the caller does other things."""
        with self._lock:
            self._running()

    def compile(self, path: Path) -> Compilation:
        """Compile a file; a child that dies or takes too long is an error of the file."""
        with self._lock:
            process = self._running()
            replies: list[Compilation] = []
            asking = threading.Thread(target=_ask, args=(process, path, replies), daemon=True)
            try:
                asking.start()
                asking.join(SECONDS)
            finally:
                late = asking.is_alive()
                if not replies:  # it is late or died, or Ctrl-C was pressed: the next file gets a new one
                    self._end(late)
            if replies:
                return replies[0]
            if late:
                return Compilation(error=f"its compiler takes longer than {SECONDS:g} s. Simplify the file")
            return Compilation(error=f"its compiler ended {_cause(process)} on this file. Simplify or correct the file")

    def stop(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    def forget(self) -> None:
        """After a fork: the child belongs to the parent."""
        self._lock, self._process = threading.Lock(), None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None:
            self._process = _started()
        return self._process

    def _end(self, late: bool = True) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.0 if late else DYING)
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent is of no use any more
                    pipe.close()


def _started() -> subprocess.Popen[bytes]:
    """The child, which finds the libraries that this process finds; nothing in the working folder is imported."""
    places = [place for place in sys.path if place and os.path.isabs(place)]
    settings = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MUJOCO_GL": "disable"}
    return subprocess.Popen(
        [sys.executable, "-P", str(PROGRAM), str(MEMORY), str(MAX_MODEL_BYTES)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **settings, "PYTHONPATH": os.pathsep.join(places)},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _ask(process: Any, path: Path, replies: list[Compilation]) -> None:
    """Send a request and append the reply; nothing is appended when the child dies."""
    try:
        process.stdin.write(json.dumps(os.path.abspath(path)).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        reply = json.loads(line) if line else {}
        content = process.stdout.read(reply.get("size", 0))
    except (OSError, ValueError):  # the pipe is broken, or closed after the time was over
        return
    if reply and len(content) == reply["size"]:
        missing = tuple((name, place) for name, place in reply["missing"])
        replies.append(Compilation(content, reply["error"], missing, tuple(reply["notes"])))


def _cause(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    if code is None or code >= 0:
        return f"with code {code}"
    try:
        return f"with {signal.Signals(-code).name}"
    except ValueError:
        return f"with signal {-code}"


COMPILER = Compiler()
"""The child of this process."""
atexit.register(COMPILER.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=COMPILER.forget)
