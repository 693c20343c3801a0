"""Opening of untrusted files: size, type and location are checked before the content."""

from __future__ import annotations

from pathlib import Path

from gearwright.errors import FileError
from gearwright.file_access import open_regular
from gearwright.files.size_limits import MAX_FILE_BYTES

YAML_ENDINGS = (".yaml", ".yml")


def read_text(path: Path, content_kind: str = "a robot") -> str:
    """Return the text of a file that should contain `content_kind`; raise a FileError with the reason otherwise."""
    content = _read_bytes(path, content_kind)
    if not content.strip():
        hint = ", or see the bundled ones with `gearwright list`" if content_kind == "a robot" else ""
        raise file_error(path, f"the file is empty. Write {content_kind} into it{hint}.")
    if b"\0" in content:
        raise file_error(path, f"this is a binary file. Give {content_kind} as text: .yaml, .yml or .urdf.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise file_error(path, f"byte {error.start} is not UTF-8 text. Save the file as UTF-8.", line) from None


def _read_bytes(path: Path, content_kind: str) -> bytes:
    with open_regular(path) as file:
        try:
            content = file.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            raise file_error(path, f"the file cannot be read ({error.strerror}). Check the disk.") from None
    if len(content) > MAX_FILE_BYTES:
        raise file_error(
            path, f"the file is larger than {MAX_FILE_BYTES} bytes, the limit for {content_kind}. Split it."
        )
    return content


def file_error(path: Path, text: str, line: int | None = None) -> FileError:
    """A FileError about the whole file (or a line of it)."""
    location = f"{path}, line {line}" if line is not None else f"{path}"
    return FileError(f"{location}: {text}", [(line, "", text)])
