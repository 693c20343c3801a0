"""Permissions of a robot file: by default it is data in one folder only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from gearwright.errors import FileError, InputError
from gearwright.files.size_limits import MAX_ATTACHMENT_DEPTH, MAX_FILES, quoted_short


class _FileCount:
    """The number of files opened for one robot, shared by all its attachments."""

    files = 1


@dataclass(frozen=True)
class Permissions:
    """The permissions given when a robot is loaded.

    Args:
        xacro: expand a xacro, which runs the code in the file.
        include: folders besides that of the file from which files may be included.
        chain: the files that attach this file.

    >>> Permissions.from_arguments(xacro=True).for_attachment(Path("arm.yaml"), Path("claw.xacro")).xacro
    False
    """

    xacro: bool = False
    include: tuple[Path, ...] = ()
    chain: tuple[Path, ...] = ()
    count: _FileCount = field(default_factory=_FileCount, repr=False, compare=False)

    @classmethod
    def from_arguments(cls, xacro: bool = False, include: Iterable[str | Path] = ()) -> Permissions:
        """Return permissions from the arguments of a caller.

        Raises:
            InputError: `include` is not a list of folders that exist.
        """
        if isinstance(include, str | Path):
            raise InputError(
                f"include={str(include)!r} is a string. Give a list of folders: include=[{str(include)!r}]."
            )
        return cls(bool(xacro), tuple(_checked_folder(place) for place in include))

    def resolve_file(self, folder: Path, name: str) -> Path:
        """Return the file of a name relative to a folder, with links resolved: below it or below an included folder.

        Raises:
            FileError: the file is in another folder.
        """
        try:
            path = (folder / name).resolve()
            is_inside = not Path(name).is_absolute() and path.is_relative_to(folder.resolve())
        except (OSError, ValueError, RuntimeError):  # a NUL in the name, cyclic links
            raise FileError(f"{quoted_short(name)} is not a valid file name. Correct it.") from None
        if not is_inside and not self.allows_path(path):
            raise FileError(
                f"{name!r} is outside the folder of the robot file, in {str(path.parent)!r}. Put the file into the "
                "robot's folder, or permit its folder with include=[folder] (--include FOLDER)."
            )
        return path

    def allows_path(self, path: Path) -> bool:
        """Whether a resolved path is below an included folder."""
        return any(path.is_relative_to(folder) for folder in self.include)

    def for_attachment(self, path: Path | None, attached: Path) -> Permissions:
        """Return the permissions of an attached file: it never runs code, and depth and number of files are limited.

        Raises:
            FileError: the file attaches itself, or there are too many files.
        """
        chain = (*self.chain, *([path.resolve()] if path is not None else []))
        if attached in chain or len(chain) >= MAX_ATTACHMENT_DEPTH:
            raise FileError(
                f"{attached.name!r} attaches itself, or robots are nested deeper than {MAX_ATTACHMENT_DEPTH} levels. "
                "Attach another robot."
            )
        self.count.files += 1
        if self.count.files > MAX_FILES:
            raise FileError(f"the robot consists of more than {MAX_FILES} files. Attach fewer, or merge them.")
        return Permissions(False, self.include, chain, self.count)


def _checked_folder(place: str | Path) -> Path:
    try:
        path = Path(place).resolve()
        is_folder = path.is_dir()
    except (OSError, TypeError, ValueError, RuntimeError):
        is_folder = False
    if not is_folder:
        raise InputError(f"include: {place!r} is not an existing folder. Give existing folders.")
    return path
