"""Xacro turned into URDF, only when somebody wishes it: a xacro is a program, and expanding it runs what it says.

The files it includes are held to the rules of any robot file: in a permitted folder, bounded, without DOCTYPE. That
keeps honest files in their place; it does not make a hostile xacro harmless, for its expressions can run anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from gearwright.errors import FileError, GearwrightError, MissingExtraError
from gearwright.files.import_report import Findings
from gearwright.files.permissions import Permissions
from gearwright.files.reading import problem, read_text
from gearwright.files.size_limits import MAX_BYTES, shortened
from gearwright.files.urdf.safe_xml import children, parse_xml, refuse_doctype

RUNS_CODE = "a xacro is a program: expanding it runs whatever code is in it"
_ONE_AT_A_TIME = Lock()
"""The xacro library keeps its files and packages in the module."""


def expanded(path: Path, permissions: Permissions) -> str:
    """The URDF that a xacro file stands for.

    Raises:
        FileError: expanding it is not permitted, or fails, or an include leads out of the permitted folders.
        MissingExtraError: xacrodoc is not installed.
    """
    if not permissions.xacro:
        raise problem(path, _refusal(attached=bool(permissions.chain)))
    text = _checked_text(path)
    try:
        from xacrodoc import XacroDoc, xacrodoc
    except ImportError:
        raise MissingExtraError(
            f"{path}: reading xacro needs xacrodoc: pip install 'gearwright[xacro]'. A URDF is read without it."
        ) from None
    places = _Places(path, permissions, xacrodoc)
    with _ONE_AT_A_TIME, places.guarding():
        try:
            # Names of meshes stay as they are written: nothing they name is opened.
            urdf = str(XacroDoc.from_string(text, resolve_packages=False).dom.toxml())
        except Exception as error:  # xacro evaluates Python expressions, which can fail in any way
            raise _ours(error) or problem(path, f"xacro cannot expand it: {type(error).__name__}: {error}") from None
    if len(urdf.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise problem(path, f"it expands to more than {MAX_BYTES} bytes. A robot is far smaller: split it.")
    return urdf


def _refusal(attached: bool) -> str:
    if attached:
        return f"{RUNS_CODE}, and what is attached is only data. Convert it to a URDF or YAML file, and attach that."
    return (
        f"{RUNS_CODE}. If you trust it, say xacro=True (--xacro on the command line); otherwise "
        "expand it elsewhere and give the URDF."
    )


def _checked_text(path: Path) -> str:
    text = read_text(path)
    refuse_doctype(text, Findings(str(path)))
    return text


def _ours(error: BaseException | None) -> GearwrightError | None:
    """The error of ours that xacro wrapped into its own, if that was the cause."""
    while error is not None and not isinstance(error, GearwrightError):
        error = getattr(error, "exc", None) or error.__cause__ or error.__context__
    return error


class _Places:
    """Where the files and packages of one xacro may be."""

    def __init__(self, path: Path, permissions: Permissions, xacrodoc: Any) -> None:
        self.path, self.permissions, self.xacrodoc = path, permissions, xacrodoc
        self.folder = path.parent.resolve()

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Every file that the library opens for this xacro is looked at first."""
        engine, substitution = self.xacrodoc.xacro, self.xacrodoc.substitution_args
        old = (engine.parse, engine.abs_filename_spec, substitution._eval_find)
        engine.init_stacks(str(self.folder / self.path.name))  # else includes would be relative to the working folder
        engine.parse = self._parse(engine.parse)
        engine.abs_filename_spec = self._filename(engine.abs_filename_spec)
        substitution._eval_find = self.package
        try:
            yield
        finally:
            engine.parse, engine.abs_filename_spec, substitution._eval_find = old

    def _parse(self, parse: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(text: Any, filename: str | None = None) -> Any:
            if text is not None or filename is None:
                return parse(text, filename)
            found = self.permitted(filename)
            # A file that is missing is left to xacro: the include may be optional.
            return parse(_checked_text(found) if found.exists() else None, filename)

        return guarded

    def _filename(self, absolute: Callable[[str], str]) -> Callable[[str], str]:
        def guarded(name: str) -> str:
            path = absolute(str(name))
            if not any(sign in path for sign in "*[?"):  # each file that such a pattern finds is looked at in `parse`
                found = self.permitted(path)
                if found.exists():
                    read_text(found)
            return path

        return guarded

    def permitted(self, name: str) -> Path:
        """The file itself, links resolved; the files of a xacro are one text, so they share the folder of the first."""
        path = Path(name).resolve()
        if path.is_relative_to(self.folder) or self.permissions.allows(path):
            return path
        return self.permissions.found(self.folder, name)

    def package(self, name: str) -> str:
        """The folder of a ROS package, for `$(find name)`: permitted ones first, then what the system knows."""
        roots = (self.folder, *self.permissions.include)
        for folder in (*roots, *(root / name for root in roots)):
            if folder.is_dir() and (folder.name == name or _stated_name(folder) == name):
                return str(folder)
        try:
            return str(self.xacrodoc.packages.PackageFinder().get_path(name))
        except Exception:
            raise FileError(
                f"the package {shortened(name)} is neither the folder of the robot's file nor an included one. "
                "Allow the package's folder, or the one above it, with include=[folder] (--include FOLDER)."
            ) from None


def _stated_name(folder: Path) -> str | None:
    """What the package.xml of a folder calls it."""
    path = folder / "package.xml"
    if not path.is_file():
        return None
    names = children(parse_xml(read_text(path), Findings(str(path))), "name")
    return str(names[0].text).strip() if names else None
