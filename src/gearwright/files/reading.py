"""Opening a file that anybody may have written: size, kind and place are looked at before its content."""

from __future__ import annotations

from pathlib import Path

from gearwright.errors import FileError
from gearwright.files.size_limits import MAX_BYTES

YAML_ENDINGS = (".yaml", ".yml")


def read_text(path: Path, what: str = "a robot") -> str:
    """The text of a file that holds `what`, or a FileError that says why there is none."""
    content = _read_bytes(path)
    if not content.strip():
        hint = ", or see the bundled ones with `gearwright list`" if what == "a robot" else ""
        raise problem(path, f"the file is empty. Write {what} into it{hint}.")
    if b"\0" in content:
        raise problem(path, f"this is a binary file. Give {what} as text: .yaml, .yml or .urdf.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise problem(path, f"byte {error.start} is not UTF-8 text. Save the file as UTF-8.", line) from None


def _read_bytes(path: Path) -> bytes:
    reason = _unreadable(path)
    if reason is not None:
        raise problem(path, reason)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise problem(path, f"the file cannot be read ({error.strerror}). Check its permissions.") from None
    if len(content) > MAX_BYTES:
        raise problem(path, f"the file is larger than {MAX_BYTES} bytes. A robot is far smaller: split it.")
    return content


def _unreadable(path: Path) -> str | None:
    """Why there is nothing to read, or None."""
    try:
        if path.is_dir():
            return "this is a folder. Give the name of a file in it."
        if not path.exists():
            return "there is no such file. Check the name and the folder."
        return None if path.is_file() else "this is not a regular file. Give a robot's file."
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        return f"the file cannot be read ({error}). Check its name."


def problem(path: Path, text: str, line: int | None = None) -> FileError:
    """A FileError about the whole file (or a line of it)."""
    where = f"{path}, line {line}" if line is not None else f"{path}"
    return FileError(f"{where}: {text}", [(line, "", text)])
