"""MuJoCo's compiler in a child process with limits of time and memory, so that no file can crash or block this one.

The child is started for the first file, reused for the next ones, and restarted after a crash.
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

COMPILER_TIME_LIMIT = 60.0
"""Wall-clock time for one file [s]; robots with many meshes take a few seconds."""
COMPILER_MEMORY_LIMIT = 4_000_000_000
"""Bytes that the compiler may use beyond its libraries."""
MAX_MODEL_BYTES = 1_000_000_000
"""Largest size of a compiled model, including meshes and textures [bytes]."""
CHILD_EXIT_TIME = 5.0
"""Time allowed for a child with closed pipes to end, so that its exit code is known [s]."""
COMPILER_PROGRAM = Path(__file__).with_name("compiler_process.py")


@dataclass(frozen=True)
class MjcfCompilation:
    """The result of compiling one file: a model, or the error.

    Args:
        model: the compiled model as MJB; empty without one.
        error: why MuJoCo rejects the file.
        missing: names of missing meshes and height fields, with their expected folders.
        notes: MuJoCo's warnings.
    """

    model: bytes = b""
    error: str | None = None
    missing: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class MjcfCompiler:
    """The child process; one file at a time, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the child if it is not running; it loads its libraries in parallel."""
        with self._lock:
            self._running_process()

    def compile_file(self, path: Path) -> MjcfCompilation:
        """Compile a file; a crash or timeout of the child is reported as an error of the file."""
        with self._lock:
            process = self._running_process()
            replies: list[MjcfCompilation] = []
            request_thread = threading.Thread(target=_request_compilation, args=(process, path, replies), daemon=True)
            try:
                request_thread.start()
                request_thread.join(COMPILER_TIME_LIMIT)
            finally:
                is_late = request_thread.is_alive()
                if not replies:  # timeout, crash or Ctrl-C: the next file gets a new child
                    self._end_process(is_late)
            if replies:
                return replies[0]
            if is_late:
                return MjcfCompilation(
                    error=f"its compilation takes longer than {COMPILER_TIME_LIMIT:g} s. Simplify the file"
                )
            return MjcfCompilation(error=f"the compiler ended {_exit_cause(process)}. Simplify or correct the file")

    def stop(self) -> None:
        """End the child."""
        with self._lock:
            self._end_process()

    def forget_child(self) -> None:
        """After a fork: forget the child, which belongs to the parent process."""
        self._lock, self._process = threading.Lock(), None

    def _running_process(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self._end_process()
        if self._process is None:
            self._process = _start_process()
        return self._process

    def _end_process(self, late: bool = True) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.0 if late else CHILD_EXIT_TIME)
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # unsent data are obsolete
                    pipe.close()


def _start_process() -> subprocess.Popen[bytes]:
    """Start the child with the library paths of this process, without the working folder."""
    places = [place for place in sys.path if place and os.path.isabs(place)]
    settings = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MUJOCO_GL": "disable"}
    return subprocess.Popen(
        [sys.executable, "-P", str(COMPILER_PROGRAM), str(COMPILER_MEMORY_LIMIT), str(MAX_MODEL_BYTES)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **settings, "PYTHONPATH": os.pathsep.join(places)},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _request_compilation(process: Any, path: Path, replies: list[MjcfCompilation]) -> None:
    """Send a request and append the reply; append nothing if the child ends."""
    try:
        process.stdin.write(json.dumps(os.path.abspath(path)).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        reply = json.loads(line) if line else {}
        content = process.stdout.read(reply.get("size", 0))
    except (OSError, ValueError):  # the pipe is broken, or closed after the timeout
        return
    if reply and len(content) == reply["size"]:
        missing = tuple((name, place) for name, place in reply["missing"])
        replies.append(MjcfCompilation(content, reply["error"], missing, tuple(reply["notes"])))


def _exit_cause(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    if code is None or code >= 0:
        return f"with code {code}"
    try:
        return f"with {signal.Signals(-code).name}"
    except ValueError:
        return f"with signal {-code}"


MJCF_COMPILER = MjcfCompiler()
"""The child of this process."""
atexit.register(MJCF_COMPILER.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=MJCF_COMPILER.forget_child)
