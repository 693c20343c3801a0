"""What a robot file may do beyond being data in one folder: nothing, unless its reader is told otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from gearwright.errors import FileError, InputError
from gearwright.files.size_limits import MAX_FILES, MAX_NESTING, shortened


class _Count:
    """How many files were opened for one robot, shared by all that attach each other."""

    files = 1


@dataclass(frozen=True)
class Permissions:
    """What the person who loads a robot allows.

    Args:
        xacro: expand a xacro, which runs code that the file holds.
        include: folders besides that of the file from which files may be included.
        chain: the files that attach this one.

    >>> Permissions.given(xacro=True).attaching(Path("arm.yaml"), Path("claw.xacro")).xacro
    False
    """

    xacro: bool = False
    include: tuple[Path, ...] = ()
    chain: tuple[Path, ...] = ()
    count: _Count = field(default_factory=_Count, repr=False, compare=False)

    @classmethod
    def given(cls, xacro: bool = False, include: Iterable[str | Path] = ()) -> Permissions:
        """From what a caller states.

        Raises:
            InputError: `include` is not a list of folders that exist.
        """
        if isinstance(include, str | Path):
            raise InputError(f"include={str(include)!r} is a text. Give a list of folders: include=[{str(include)!r}].")
        return cls(bool(xacro), tuple(_folder(place) for place in include))

    def found(self, folder: Path, name: str) -> Path:
        """The file of that name, seen from a folder: below it or below a folder that is allowed, links resolved.

        Raises:
            FileError: the name leads elsewhere.
        """
        try:
            path = (folder / name).resolve()
            own = not Path(name).is_absolute() and path.is_relative_to(folder.resolve())
        except (OSError, ValueError, RuntimeError):  # a NUL in the name, links in a circle
            raise FileError(f"{shortened(name)} is not the name of a file. Correct it.") from None
        if not own and not self.allows(path):
            raise FileError(
                f"{name!r} leads out of the folder of the robot's file, to {str(path.parent)!r}. Put the file into the "
                "robot's folder, or allow its own with include=[folder] (--include FOLDER)."
            )
        return path

    def allows(self, path: Path) -> bool:
        """Whether a resolved path is below an included folder."""
        return any(path.is_relative_to(folder) for folder in self.include)

    def attaching(self, path: Path | None, other: Path) -> Permissions:
        """For a file that another one attaches: it never runs code, and neither chains nor their number grow on.

        Raises:
            FileError: the file attaches itself, or there are too many of them.
        """
        chain = (*self.chain, *([path.resolve()] if path is not None else []))
        if other in chain or len(chain) >= MAX_NESTING:
            raise FileError(
                f"{other.name!r} attaches itself, or robots are nested deeper than {MAX_NESTING}. Attach another one."
            )
        self.count.files += 1
        if self.count.files > MAX_FILES:
            raise FileError(f"the robot is made of more than {MAX_FILES} files. Attach fewer, or write them as one.")
        return Permissions(False, self.include, chain, self.count)


def _folder(place: str | Path) -> Path:
    try:
        path = Path(place).resolve()
        found = path.is_dir()
    except (OSError, TypeError, ValueError, RuntimeError):
        found = False
    if not found:
        raise InputError(f"include: {place!r} is not a folder. Give folders that exist.")
    return path
