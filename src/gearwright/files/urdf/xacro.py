"""Expansion of xacro to URDF, only with permission: a xacro is a program, and expanding it runs its code.

Included files must satisfy the rules of any robot file: a permitted folder, limited size, no DOCTYPE. This does not
make a hostile xacro harmless, since its expressions can run any code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from gearwright.errors import FileError, GearwrightError, MissingExtraError
from gearwright.files.import_report import ImportFindings
from gearwright.files.permissions import Permissions
from gearwright.files.reading import file_error, read_text
from gearwright.files.size_limits import MAX_FILE_BYTES, quoted_short
from gearwright.files.urdf.safe_xml import children_of_tags, parse_xml, refuse_doctype

XACRO_RUNS_CODE = "a xacro is a program: expanding it runs the code in it"
_XACRO_LOCK = Lock()
"""Lock of the xacro library, whose state is global to the module."""


def expand_xacro(path: Path, permissions: Permissions) -> str:
    """Return the URDF of a xacro file.

    Raises:
        FileError: expanding it is not permitted, or fails, or an include leads out of the permitted folders.
        MissingExtraError: xacrodoc is not installed.
    """
    if not permissions.xacro:
        raise file_error(path, _refusal_text(attached=bool(permissions.chain)))
    text = _checked_text(path)
    try:
        from xacrodoc import XacroDoc, xacrodoc
    except ImportError:
        raise MissingExtraError(
            f"{path}: reading xacro needs xacrodoc: pip install 'gearwright[xacro]'. A URDF does not need it."
        ) from None
    places = _XacroFiles(path, permissions, xacrodoc)
    with _XACRO_LOCK, places.guard_files():
        try:
            # Names of meshes stay as written: their files are not opened.
            urdf = str(XacroDoc.from_string(text, resolve_packages=False).dom.toxml())
        except Exception as error:  # xacro evaluates Python expressions, which can fail in any way
            raise _wrapped_error(error) or file_error(
                path, f"xacro cannot expand it: {type(error).__name__}: {error}"
            ) from None
    if len(urdf.encode("utf-8", "surrogatepass")) > MAX_FILE_BYTES:
        raise file_error(path, f"it expands to more than {MAX_FILE_BYTES} bytes, the limit for a robot. Split it.")
    return urdf


def _refusal_text(attached: bool) -> str:
    if attached:
        return (
            f"{XACRO_RUNS_CODE}, which is not allowed for attachments. Convert it to a URDF or YAML file, and "
            "attach that."
        )
    return (
        f"{XACRO_RUNS_CODE}. If you trust it, give xacro=True (--xacro on the command line); otherwise expand it "
        "elsewhere and give the URDF."
    )


def _checked_text(path: Path) -> str:
    text = read_text(path)
    refuse_doctype(text, ImportFindings(str(path)))
    return text


def _wrapped_error(error: BaseException | None) -> GearwrightError | None:
    """Return the Gearwright error that caused an error of the xacro library, if any."""
    while error is not None and not isinstance(error, GearwrightError):
        error = getattr(error, "exc", None) or error.__cause__ or error.__context__
    return error


class _XacroFiles:
    """The permitted files and packages of one xacro."""

    def __init__(self, path: Path, permissions: Permissions, xacrodoc: Any) -> None:
        self.path, self.permissions, self.xacrodoc = path, permissions, xacrodoc
        self.folder = path.parent.resolve()

    @contextmanager
    def guard_files(self) -> Iterator[None]:
        """Context in which every file that the library opens for this xacro is checked first."""
        engine, substitution = self.xacrodoc.xacro, self.xacrodoc.substitution_args
        old = (engine.parse, engine.abs_filename_spec, substitution._eval_find)
        engine.init_stacks(
            str(self.folder / self.path.name)
        )  # otherwise includes would be relative to the working folder
        engine.parse = self._guarded_parse(engine.parse)
        engine.abs_filename_spec = self._guarded_filename(engine.abs_filename_spec)
        substitution._eval_find = self.package_folder
        try:
            yield
        finally:
            engine.parse, engine.abs_filename_spec, substitution._eval_find = old

    def _guarded_parse(self, parse: Callable[..., Any]) -> Callable[..., Any]:
        def parse_permitted(text: Any, filename: str | None = None) -> Any:
            if text is not None or filename is None:
                return parse(text, filename)
            permitted_path = self.resolve_permitted(filename)
            # xacro handles a missing file: the include may be optional.
            return parse(_checked_text(permitted_path) if permitted_path.exists() else None, filename)

        return parse_permitted

    def _guarded_filename(self, absolute: Callable[[str], str]) -> Callable[[str], str]:
        def permitted_filename(name: str) -> str:
            path = absolute(str(name))
            if not any(sign in path for sign in "*[?"):  # each file found by such a pattern is checked in `parse`
                permitted_path = self.resolve_permitted(path)
                if permitted_path.exists():
                    read_text(permitted_path)
            return path

        return permitted_filename

    def resolve_permitted(self, name: str) -> Path:
        """Return the file with links resolved; all files of a xacro share the folder of the first."""
        path = Path(name).resolve()
        if path.is_relative_to(self.folder) or self.permissions.allows_path(path):
            return path
        return self.permissions.resolve_file(self.folder, name)

    def package_folder(self, name: str) -> str:
        """Return the folder of a ROS package, for `$(find name)`: permitted folders first, then those of the system."""
        roots = (self.folder, *self.permissions.include)
        for folder in (*roots, *(root / name for root in roots)):
            if folder.is_dir() and (folder.name == name or _package_name(folder) == name):
                return str(folder)
        try:
            return str(self.xacrodoc.packages.PackageFinder().get_path(name))
        except Exception:
            raise FileError(
                f"the package {quoted_short(name)} is neither in the folder of the robot file nor in an included "
                "folder. Permit the package's folder, or its parent, with include=[folder] (--include FOLDER)."
            ) from None


def _package_name(folder: Path) -> str | None:
    """Return the package name in the package.xml of a folder."""
    path = folder / "package.xml"
    if not path.is_file():
        return None
    names = children_of_tags(parse_xml(read_text(path), ImportFindings(str(path))), "name")
    return str(names[0].text).strip() if names else None
