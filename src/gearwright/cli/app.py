"""The command line: all commands in groups by purpose, each with `--quiet`, and how errors become exit codes."""

from __future__ import annotations

import ast
import inspect
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import cached_property, wraps
from importlib import import_module
from pkgutil import get_data
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info
from typer.models import CommandInfo

from gearwright._version import __version__
from gearwright.cli.output import print_error, print_remark, silence_remarks
from gearwright.errors import GearwrightError, GearwrightWarning

# Groups of commands

EPILOG = """Start here:  gearwright info elbow

Help for one command, with examples:  gearwright simulate --help

Exit codes: 0 success, 2 bad input or a problem found, 3 a limit is exceeded (analyse, size), 70 internal error
(a bug in Gearwright), 130 interrupted.
"""
QuietOption = Annotated[
    bool, typer.Option("--quiet", help="Print results and errors only: no remarks, no progress bar.")
]


class GroupedCommands(TyperGroup):
    """The commands in groups, in the order in which they were added; every summary is shown whole."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one list per group."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            group = str(getattr(command, "rich_help_panel", ""))
            groups.setdefault(group, []).append((name, command.get_short_help_str(limit=200)))
        for group, rows in groups.items():
            with formatter.section(group):
                formatter.write_dl(rows)


def with_quiet_option(function: Callable[..., None]) -> Callable[..., None]:
    """Return the command with an option --quiet that suppresses its remarks."""

    @wraps(function)
    def quiet_command(*positional: Any, quiet: bool = False, **named: Any) -> None:
        with silence_remarks(quiet):
            function(*positional, **named)

    signature = inspect.signature(function, eval_str=True)
    quiet_parameter = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=QuietOption)
    parameters = [*signature.parameters.values(), quiet_parameter]
    vars(quiet_command)["__signature__"] = signature.replace(parameters=parameters)
    quiet_command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return quiet_command


# The application

BAD_INPUT_EXIT = 2
INTERNAL_ERROR_EXIT = 70
MAX_WARNING_LINES = 12
"""Lines of one warning that are printed; a published URDF may cause hundreds."""

app = typer.Typer(
    name="gearwright",
    help="The complete dynamics of geared robots: every rotor, gear and planet, exactly.",
    no_args_is_help=True,
    cls=GroupedCommands,
    epilog=EPILOG,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"gearwright {__version__}")
        raise typer.Exit


@app.callback()
def gearwright(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """The complete dynamics of geared robots: every rotor, gear and planet, exactly."""


LOOK_GROUP, MOVE_GROUP, DESIGN_GROUP, EQUATIONS_GROUP, FILES_GROUP, IDENTIFY_GROUP, SELF_GROUP = (
    "Inspect a robot",
    "Kinematics and dynamics",
    "Drive design",
    "Equations and figures",
    "File formats and export",
    "Parameter identification",
    "Gearwright itself",
)
COMMANDS: tuple[tuple[str, str, str], ...] = (
    (LOOK_GROUP, "list", "list_robots.list_robots"),
    (LOOK_GROUP, "info", "info.show_info"),
    (LOOK_GROUP, "check", "check.check_file"),
    (LOOK_GROUP, "audit", "audit.audit_model"),
    (LOOK_GROUP, "train", "train.show_train"),
    (LOOK_GROUP, "modes", "modes.show_modes"),
    (LOOK_GROUP, "draw", "draw.draw_robot"),
    (LOOK_GROUP, "studio", "studio.open_studio"),
    (MOVE_GROUP, "inverse-kinematics", "inverse_kinematics.solve_inverse_kinematics"),
    (MOVE_GROUP, "plan", "plan.plan_task"),
    (MOVE_GROUP, "torque", "torque.compute_torques"),
    (MOVE_GROUP, "simulate", "simulate.simulate_robot"),
    (MOVE_GROUP, "impact", "impact.show_impact"),
    (MOVE_GROUP, "compare", "compare.compare_models"),
    (DESIGN_GROUP, "analyse", "analyse.analyse_task"),
    (DESIGN_GROUP, "size", "size.choose_drives"),
    (DESIGN_GROUP, "sweep", "sweep.sweep_task"),
    (DESIGN_GROUP, "catalogue", "catalogue.show_catalogue"),
    (EQUATIONS_GROUP, "closed-form", "closed_form.write_equations"),
    (EQUATIONS_GROUP, "figure", "figure.work_figure"),
    (EQUATIONS_GROUP, "errata", "errata.show_errata"),
    (FILES_GROUP, "convert", "convert.convert_file"),
    (FILES_GROUP, "export", "export.export_robot"),
    (FILES_GROUP, "schema", "schema.write_schema"),
    (IDENTIFY_GROUP, "excite", "identify.excite_robot"),
    (IDENTIFY_GROUP, "identify", "identify.identify_robot"),
    (IDENTIFY_GROUP, "twin", "twin.fit_twin"),
    (SELF_GROUP, "demo", "demo.demonstrate"),
    (SELF_GROUP, "bench", "bench.run_bench"),
)
"""Group, name, and the function in a module of `gearwright.cli.commands`."""


class CommandOnDemand(TyperCommand):
    """A command whose module is imported when its options or its function are used, not for the list of commands."""

    @cached_property
    def _loaded(self) -> Any:
        module, function = next(place for _, name, place in COMMANDS if name == self.name).split(".")
        function = getattr(import_module(f"gearwright.cli.commands.{module}"), function)
        info = CommandInfo(name=self.name, callback=with_quiet_option(function))
        return get_command_from_info(info, pretty_exceptions_short=False, rich_markup_mode=None)

    params = property(lambda self: self._loaded.params, lambda self, _: None)
    callback = property(lambda self: self._loaded.callback, lambda self, _: None)


def _help_stub(place: str) -> Callable[[], None]:
    """Return a function with the docstring of a command, read without importing its module."""
    module, name = place.split(".")
    source = get_data("gearwright.cli", f"commands/{module}.py")
    functions = [x for x in ast.parse(source or b"").body if isinstance(x, ast.FunctionDef) and x.name == name]

    def stub() -> None:
        """The docstring follows."""

    stub.__doc__ = ast.get_docstring(functions[0])
    return stub


for _group, _name, _place in COMMANDS:
    app.command(_name, rich_help_panel=_group, cls=CommandOnDemand)(_help_stub(_place))


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit the process with one of the codes listed in EPILOG."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # characters that the terminal cannot show are escaped
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", GearwrightWarning)
            warnings.showwarning = _print_warning
            app(arguments, prog_name="gearwright")
    except GearwrightError as error:
        print_error(str(error))
        sys.exit(BAD_INPUT_EXIT)
    except OSError as error:
        print_error(_os_error_text(error))
        sys.exit(BAD_INPUT_EXIT)
    except Exception as error:
        _report_internal_error(error)
        sys.exit(INTERNAL_ERROR_EXIT)
    sys.exit(0)


def _print_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Print warnings of this library as remarks; ignore those of other libraries."""
    if issubclass(category, GearwrightWarning):
        lines = str(message).splitlines()
        rest_text = [f"  ... and {len(lines) - MAX_WARNING_LINES} more."] if len(lines) > MAX_WARNING_LINES else []
        print_remark("\n".join(["Note: " + lines[0], *lines[1:MAX_WARNING_LINES], *rest_text]))


def _os_error_text(error: OSError) -> str:
    """Return the message for a file that cannot be opened, read or written."""
    reason = error.strerror or str(error)
    return f"{reason}." if error.filename is None else f"{error.filename}: {reason}. {_os_error_remedy(error)}"


def _os_error_remedy(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "Check the name and the folder."
    if isinstance(error, IsADirectoryError):
        return "Give the name of a file in it."
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return "A folder is needed there. Choose another name."
    return "Check its permissions and the free disk space."


def _report_internal_error(error: Exception) -> None:
    if os.environ.get("GEARWRIGHT_TRACEBACK"):
        traceback.print_exception(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    print_error(
        f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}, line {place.lineno}). This is a bug in "
        "Gearwright, not in your input. Set GEARWRIGHT_TRACEBACK=1 to print the traceback, and please report it."
    )
