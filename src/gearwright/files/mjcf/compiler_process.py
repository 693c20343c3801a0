"""MuJoCo's compiler as a program: reads paths from standard input, writes compiled models to standard output.

Started by `compiler.py` as a script, without Gearwright, so that it is ready soon. A request is a line of JSON with the
path of an MJCF file; a reply is a line of JSON, followed by as many bytes of the compiled model (MJB) as it says.
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

PERIOD = 0.02
"""How often memory is looked at where the system does not enforce a limit [s]."""
USER_DATA = ("actuator", "body", "cam", "geom", "jnt", "sensor", "site", "tendon")
"""Kinds of elements for which a file may reserve numbers of its user, which no robot needs."""


def main(memory: int, largest: int) -> None:
    """Answer requests until standard input ends.

    Args:
        memory: what the compiler may use beyond its libraries [bytes].
        largest: size of a compiled model [bytes].
    """
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what MuJoCo prints must not get between the replies
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits
    import mujoco

    _limit_memory(memory)
    for request in sys.stdin.buffer:
        reply, content = _answer(mujoco, Path(json.loads(request)), largest)
        _send(replies, {**reply, "size": len(content)}, content)


def _send(replies: BinaryIO, reply: dict[str, Any], content: bytes) -> None:
    replies.write(json.dumps(reply).encode() + b"\n")
    replies.write(content)
    replies.flush()


def _limit_memory(memory: int) -> None:
    """Let allocations fail beyond a bound; macOS does not keep to it, so the process ends itself there."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "darwin":
        threading.Thread(target=_end_beyond, args=(memory,), daemon=True).start()
        return
    with suppress(OSError, ValueError):
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))


def _end_beyond(memory: int) -> None:
    import resource

    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < memory:
        time.sleep(PERIOD)
    os._exit(1)


def _answer(mujoco: Any, path: Path, largest: int) -> tuple[dict[str, Any], bytes]:
    """The reply to a request and the compiled model; MuJoCo's warnings are among the notes."""
    notes: list[str] = []
    reply: dict[str, Any] = {"error": None, "missing": [], "notes": notes}
    content = b""
    mujoco.set_mju_user_warning(notes.append)  # else they are printed, and logged into the working folder
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        try:
            spec = mujoco.MjSpec.from_file(str(path))
            reply["missing"] = _missing(spec, path.parent)
            if not reply["missing"]:
                content = _compiled(mujoco, spec, largest)
        except MemoryError:
            reply["error"] = "it needs more memory than the compiler may use"
        except Exception as error:  # a library with errors of its own
            reply["error"] = " ".join(str(error).split()) or type(error).__name__
    notes += [str(warning.message) for warning in recorded]
    return reply, content


def _missing(spec: Any, folder: Path) -> list[tuple[str, str]]:
    """Meshes and height fields that are not there, each with the folder in which it should be."""
    names = [asset.file for asset in (*spec.meshes, *spec.hfields) if asset.file]
    place = folder / spec.meshdir
    return [(name, str(place)) for name in names if not (place / name).is_file() and not (folder / name).is_file()]


def _compiled(mujoco: Any, spec: Any, largest: int) -> bytes:
    """The compiled model as MJB. Room that the file reserves for simulations is left to MuJoCo's own estimate."""
    import numpy as np

    spec.memory, spec.nuserdata = -1, 0
    for kind in USER_DATA:
        setattr(spec, f"nuser_{kind}", -1)
    model = spec.compile()
    size = int(mujoco.mj_sizeModel(model))
    if size > largest:
        raise ValueError(f"the compiled model has {size} bytes; at most {largest} are read")
    content = np.empty(size, np.uint8)
    mujoco.mj_saveModel(model, None, content)
    return content.tobytes()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
