"""Opening a file that anybody may have written: size, kind and place are looked at before its content."""

from __future__ import annotations

from pathlib import Path

from gearwright.errors import FileError
from gearwright.file_access import open_regular
from gearwright.files.size_limits import MAX_BYTES

YAML_ENDINGS = (".yaml", ".yml")


def read_text(path: Path, what: str = "a robot") -> str:
    """The text of a file that holds `what`, or a FileError that says why there is none."""
    content = _read_bytes(path, what)
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


def _read_bytes(path: Path, what: str) -> bytes:
    with open_regular(path) as file:
        try:
            content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise problem(path, f"the file cannot be read ({error.strerror}). Check the disk.") from None
    if len(content) > MAX_BYTES:
        raise problem(path, f"the file is larger than {MAX_BYTES} bytes, too large for {what}. Split it.")
    return content


def problem(path: Path, text: str, line: int | None = None) -> FileError:
    """A FileError about the whole file (or a line of it)."""
    where = f"{path}, line {line}" if line is not None else f"{path}"
    return FileError(f"{where}: {text}", [(line, "", text)])
