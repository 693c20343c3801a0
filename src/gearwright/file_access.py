"""Reading and replacing files, for the whole package.

Only regular files are read: a pipe or a device could block or never end. Every file is written under a temporary name
in its folder and renamed when it is complete, so that a full disk or an interruption leaves the old file intact.
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

_NON_BLOCKING_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_IN_PLACE_FOLDERS = ("/dev/", "/proc/")
"""Special files and redirections of a shell: they are written to, never replaced."""


def unreadable_reason(path: Path) -> str | None:
    """Return why a path is not a readable regular file, or None.

    >>> unreadable_reason(Path("missing.yaml"))
    'there is no such file. Check the name and the folder.'
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "there is no such file. Check the name and the folder."
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        return f"the file cannot be read ({error}). Check its name."
    return _irregular_reason(mode)


def _irregular_reason(mode: int) -> str | None:
    if stat.S_ISDIR(mode):
        return "this is a folder. Give the name of a file in it."
    return None if stat.S_ISREG(mode) else "this is a pipe or a device, not a regular file. Give a regular file."


def require_regular_file(path: Path) -> None:
    """Raise an error for an irregular file before another library opens it by its name.

    Raises:
        FileError: the file does not exist, or is a folder, a pipe or a device.
    """
    reason = unreadable_reason(path)
    if reason is not None:
        raise _file_error(path, reason)


def open_regular(path: Path) -> BinaryIO:
    """Return a regular file, open for reading, without blocking; the opened file itself is checked, not only its name.

    Raises:
        FileError: the file does not exist, cannot be read, or is a folder, a pipe or a device.
    """
    require_regular_file(path)
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | _NON_BLOCKING_FLAGS), "rb")
    except OSError as error:
        raise _file_error(path, f"the file cannot be read ({error.strerror}). Check its permissions.") from None
    reason = _irregular_reason(os.fstat(file.fileno()).st_mode)
    if reason is not None:
        file.close()
        raise _file_error(path, reason)
    return file


def _file_error(path: Path, reason: str) -> FileError:
    return FileError(f"{path}: {reason}", [(None, "", reason)])


@contextmanager
def replacement_file(path: Path) -> Iterator[Path]:
    """Yield the name of a new, empty file next to `path`; it replaces `path` when the block ends without error.

    The new file has the permissions of the old one, and a symbolic link is followed. After an error the new file is
    removed and the old one is unchanged. A device or a pipe is written to directly.

    Raises:
        FileError: the file cannot be written.
    """
    try:
        old_status = _file_status(path)
        if old_status is not None and (
            not stat.S_ISREG(old_status.st_mode) or os.path.abspath(path).startswith(_IN_PLACE_FOLDERS)
        ):
            yield path
            return
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f".{target.stem[:40]}.{secrets.token_hex(8)}{target.suffix[:20]}")
        try:
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            yield temporary
            _flush_to_disk(temporary)
            if old_status is not None:
                os.chmod(temporary, stat.S_IMODE(old_status.st_mode))
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(
            f"{path}: cannot be written ({reason}). Check the folder, its permissions and the free space. The "
            "previous file is unchanged."
        ) from None


def _file_status(path: Path) -> os.stat_result | None:
    """Return the status of a file; None if it does not exist. A write-protected file is an error."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    except ValueError as error:  # a NUL in the name
        raise OSError(str(error)) from None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(EISDIR, "this is a folder")
    if not os.access(path, os.W_OK):
        raise PermissionError(EACCES, "the file is write-protected")
    return status


def _flush_to_disk(path: Path) -> None:
    """Flush a file to the disk before it is renamed: otherwise a power failure may leave an empty file.

    Some file systems report only here that the disk is full.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        return
    handle = os.open(path, os.O_RDWR | _NON_BLOCKING_FLAGS)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def create_folder(path: Path) -> Path:
    """Create a folder and those above it, unless they exist; return it.

    Raises:
        FileError: the folder cannot be created, or there is a file of this name.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{path}: the folder cannot be created ({reason}). Give another folder.") from None
    return path


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write a set of files: none is replaced before all are written. Texts are UTF-8 with line feeds.

    Raises:
        FileError: a file cannot be written; then none was replaced.
    """
    with ExitStack() as stack:
        for path, content in contents.items():
            new = stack.enter_context(replacement_file(path))
            new.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
            _flush_to_disk(new)


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8; after an error the old file is unchanged.

    Raises:
        FileError: the file cannot be written.
    """
    write_files({path: text})
