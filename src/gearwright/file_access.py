"""Opening and replacing files, once for the whole package.

Only regular files are read: a pipe or a device that a file names would block or never end. Every file is written beside
its place and moved there when it is complete, so that a full disk or an interruption leaves the old file whole.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from errno import EACCES, EISDIR
from pathlib import Path
from typing import BinaryIO

from gearwright.errors import FileError

_NOT_BLOCKING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_WRITTEN_IN_PLACE = ("/dev/", "/proc/")
"""Special files and what a shell redirects: they are written to, never replaced."""


def unreadable(path: Path) -> str | None:
    """Why a path is no regular file that can be read, or None.

    >>> unreadable(Path("missing.yaml"))
    'there is no such file. Check the name and the folder.'
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "there is no such file. Check the name and the folder."
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        return f"the file cannot be read ({error}). Check its name."
    return _irregular(mode)


def _irregular(mode: int) -> str | None:
    if stat.S_ISDIR(mode):
        return "this is a folder. Give the name of a file in it."
    return None if stat.S_ISREG(mode) else "this is a pipe or a device, not a regular file. Give a regular file."


def refuse_irregular(path: Path) -> None:
    """Refuse a path that another library is about to open by its name.

    Raises:
        FileError: there is no such file, or it is a folder, a pipe or a device.
    """
    reason = unreadable(path)
    if reason is not None:
        raise _refusal(path, reason)


def open_regular(path: Path) -> BinaryIO:
    """A regular file, open for reading; never blocks. What was opened is checked, not only what the name led to before.

    Raises:
        FileError: there is no such file, it cannot be read, or it is a folder, a pipe or a device.
    """
    refuse_irregular(path)
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | _NOT_BLOCKING), "rb")
    except OSError as error:
        raise _refusal(path, f"the file cannot be read ({error.strerror}). Check its permissions.") from None
    reason = _irregular(os.fstat(file.fileno()).st_mode)
    if reason is not None:
        file.close()
        raise _refusal(path, reason)
    return file


def _refusal(path: Path, reason: str) -> FileError:
    return FileError(f"{path}: {reason}", [(None, "", reason)])


@contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """The name of a new, empty file beside `path` to write to; it takes the place of `path` when the block ends well.

    The new file has the permissions of the old one, and a symbolic link keeps leading to the file that it names. After
    an error the new file is removed and the old one is as it was. A device or a pipe is written to directly.

    Raises:
        FileError: the file cannot be written.
    """
    try:
        old = _facts(path)
        if old is not None and (not stat.S_ISREG(old.st_mode) or os.path.abspath(path).startswith(_WRITTEN_IN_PLACE)):
            yield path
            return
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f".{target.stem[:40]}.{secrets.token_hex(8)}{target.suffix[:20]}")
        try:
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            yield temporary
            _flush(temporary)
            if old is not None:
                os.chmod(temporary, stat.S_IMODE(old.st_mode))
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(
            f"{path}: cannot be written ({reason}). Check the folder, its permissions and the free space. What was "
            "there before is unchanged."
        ) from None


def _facts(path: Path) -> os.stat_result | None:
    """What the file at a path is; None where there is none yet. Nothing that is write-protected is replaced."""
    try:
        facts = os.stat(path)
    except FileNotFoundError:
        return None
    except ValueError as error:  # a NUL in the name
        raise OSError(str(error)) from None
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(EISDIR, "this is a folder")
    if not os.access(path, os.W_OK):
        raise PermissionError(EACCES, "the file is write-protected")
    return facts


def _flush(path: Path) -> None:
    """Have the system store a file before its name is given away: else a power failure may leave an empty one."""
    handle = os.open(path, os.O_RDWR | _NOT_BLOCKING)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write files that belong together: none is replaced before all are written. Texts are UTF-8 with line feeds.

    Raises:
        FileError: a file cannot be written; then none was replaced.
    """
    with ExitStack() as stack:
        for path, content in contents.items():
            new = stack.enter_context(replacement(path))
            new.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8, or leave the one that is there as it is.

    Raises:
        FileError: the file cannot be written.
    """
    write_files({path: text})
