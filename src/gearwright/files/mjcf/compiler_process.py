"""MuJoCo's compiler as a program: reads paths from standard input, writes compiled models to standard output.

Started by `compiler.py` as a script, without Gearwright, for a fast start. A request is a line of JSON with the path of
an MJCF file; a reply is a line of JSON, followed by the stated number of bytes of the compiled model (MJB).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

MEMORY_CHECK_PERIOD = 0.02
"""Interval of memory checks where the system does not enforce a limit [s]."""
USER_DATA_KINDS = ("actuator", "body", "cam", "geom", "jnt", "sensor", "site", "tendon")
"""Kinds of elements for which a file may reserve user data, which a robot does not need."""


def main(memory: int, largest: int) -> None:
    """Answer requests until standard input ends.

    Args:
        memory: limit for the compiler beyond its libraries [bytes].
        largest: limit of the size of a compiled model [bytes].
    """
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep MuJoCo's output out of the replies
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the waiting process
    import mujoco

    _limit_memory(memory)
    for request in sys.stdin.buffer:
        reply, content = _reply_to_request(mujoco, Path(json.loads(request)), largest)
        _send_reply(replies, {**reply, "size": len(content)}, content)


def _send_reply(replies: BinaryIO, reply: dict[str, Any], content: bytes) -> None:
    replies.write(json.dumps(reply).encode() + b"\n")
    replies.write(content)
    replies.flush()


def _limit_memory(memory: int) -> None:
    """Limit the memory of this process; macOS does not enforce the limit, so the process ends itself there."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "darwin":
        threading.Thread(target=_exit_beyond_memory, args=(memory,), daemon=True).start()
        return
    with suppress(OSError, ValueError):
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))


def _exit_beyond_memory(memory: int) -> None:
    import resource

    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < memory:
        time.sleep(MEMORY_CHECK_PERIOD)
    os._exit(1)


def _reply_to_request(mujoco: Any, path: Path, largest: int) -> tuple[dict[str, Any], bytes]:
    """Return the reply to a request and the compiled model; the notes contain MuJoCo's warnings."""
    notes: list[str] = []
    reply: dict[str, Any] = {"error": None, "missing": [], "notes": notes}
    content = b""
    mujoco.set_mju_user_warning(notes.append)  # otherwise they are printed, and logged in the working folder
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        try:
            spec = mujoco.MjSpec.from_file(str(path))
            reply["missing"] = _missing_files(spec, path.parent)
            if not reply["missing"]:
                content = _compiled_model(mujoco, spec, largest)
        except MemoryError:
            reply["error"] = "it needs more memory than the limit of the compiler"
        except Exception as error:  # the library has its own error types
            reply["error"] = " ".join(str(error).split()) or type(error).__name__
    notes += [str(warning.message) for warning in recorded]
    return reply, content


def _missing_files(spec: Any, folder: Path) -> list[tuple[str, str]]:
    """Return the missing meshes and height fields, each with its expected folder."""
    names = [asset.file for asset in (*spec.meshes, *spec.hfields) if asset.file]
    place = folder / spec.meshdir
    return [(name, str(place)) for name in names if not (place / name).is_file() and not (folder / name).is_file()]


def _compiled_model(mujoco: Any, spec: Any, largest: int) -> bytes:
    """Return the compiled model as MJB, with MuJoCo's estimate instead of memory that the file reserves."""
    import numpy as np

    spec.memory, spec.nuserdata = -1, 0
    for kind in USER_DATA_KINDS:
        setattr(spec, f"nuser_{kind}", -1)
    model = spec.compile()
    size = int(mujoco.mj_sizeModel(model))
    if size > largest:
        raise ValueError(f"the compiled model has {size} bytes, more than the limit of {largest}")
    content = np.empty(size, np.uint8)
    mujoco.mj_saveModel(model, None, content)
    return content.tobytes()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
