"""The command line: all commands in groups by purpose, each with `--quiet`, and how errors become exit codes."""

from __future__ import annotations

import inspect
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from gearwright import __version__
from gearwright.cli.commands import (
    analyse,
    bench,
    catalogue,
    check,
    closed_form,
    compare,
    convert,
    demo,
    draw,
    export,
    figure,
    identify,
    impact,
    info,
    inverse_kinematics,
    list_robots,
    modes,
    plan,
    schema,
    simulate,
    size,
    studio,
    sweep,
    torque,
    train,
)
from gearwright.cli.output import complain, say, silence
from gearwright.errors import GearwrightError, GearwrightWarning

# Groups of commands

EPILOG = """Begin:  gearwright info elbow

Help of one command, with examples:  gearwright simulate --help

Exit codes: 0 well, 2 bad input or a problem found, 3 a limit is not kept (analyse, size), 70 a bug of Gearwright, 130
interrupted.
"""
Quiet = Annotated[bool, typer.Option("--quiet", help="Print results and errors only: no remarks, no progress bar.")]


class Commands(TyperGroup):
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


def quietable(function: Callable[..., None]) -> Callable[..., None]:
    """A command that can be told, by --quiet, to keep its remarks to itself."""

    @wraps(function)
    def command(*given: Any, quiet: bool = False, **named: Any) -> None:
        with silence(quiet):
            function(*given, **named)

    signature = inspect.signature(function, eval_str=True)
    word = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
    parameters = [*signature.parameters.values(), word]
    vars(command)["__signature__"] = signature.replace(parameters=parameters)
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


# The application

BAD_INPUT = 2
INTERNAL_ERROR = 70
MOST_LINES = 12
"""Of a warning; a published URDF may give rise to hundreds."""

app = typer.Typer(
    name="gearwright",
    help="The complete dynamics of geared robots: every rotor, gear and planet, exactly.",
    no_args_is_help=True,
    cls=Commands,
    epilog=EPILOG,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gearwright {__version__}")
        raise typer.Exit


@app.callback()
def gearwright(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """The complete dynamics of geared robots: every rotor, gear and planet, exactly."""


LOOK, MOVE, DESIGN, EQUATIONS, FILES, IDENTIFY, SELF = (
    "Look at a robot",
    "Move it",
    "Design its drives",
    "Read its equations",
    "Hand it to other tools",
    "Find its parameters",
    "Gearwright itself",
)
COMMANDS: tuple[tuple[str, str, Callable[..., None]], ...] = (
    (LOOK, "list", list_robots.list_robots),
    (LOOK, "info", info.info),
    (LOOK, "check", check.check),
    (LOOK, "train", train.train),
    (LOOK, "modes", modes.modes),
    (LOOK, "draw", draw.draw),
    (LOOK, "studio", studio.studio),
    (MOVE, "inverse-kinematics", inverse_kinematics.inverse_kinematics),
    (MOVE, "plan", plan.plan),
    (MOVE, "torque", torque.torque),
    (MOVE, "simulate", simulate.simulate_robot),
    (MOVE, "impact", impact.impact),
    (MOVE, "compare", compare.compare),
    (DESIGN, "analyse", analyse.analyse_task),
    (DESIGN, "size", size.size),
    (DESIGN, "sweep", sweep.sweep),
    (DESIGN, "catalogue", catalogue.catalogue),
    (EQUATIONS, "closed-form", closed_form.closed_form),
    (EQUATIONS, "figure", figure.work_figure),
    (FILES, "convert", convert.convert),
    (FILES, "export", export.export),
    (FILES, "schema", schema.schema),
    (IDENTIFY, "excite", identify.excite_robot),
    (IDENTIFY, "identify", identify.identify_robot),
    (SELF, "demo", demo.demonstrate),
    (SELF, "bench", bench.bench),
)
for _group, _name, _function in COMMANDS:
    app.command(_name, rich_help_panel=_group)(quietable(_function))


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and leave the process with the exit codes that EPILOG lists."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # letters that the terminal does not have become codes
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", GearwrightWarning)
            warnings.showwarning = _remark
            app(arguments, prog_name="gearwright")
    except GearwrightError as error:
        complain(str(error))
        sys.exit(BAD_INPUT)
    except OSError as error:
        complain(_plainly(error))
        sys.exit(BAD_INPUT)
    except Exception as error:
        _internal(error)
        sys.exit(INTERNAL_ERROR)
    sys.exit(0)


def _remark(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """What the library accepted with a warning is for the person; other libraries' warnings are not."""
    if issubclass(category, GearwrightWarning):
        lines = str(message).splitlines()
        more = [f"  ... and {len(lines) - MOST_LINES} more."] if len(lines) > MOST_LINES else []
        say("\n".join(["Note: " + lines[0], *lines[1:MOST_LINES], *more]))


def _plainly(error: OSError) -> str:
    """A sentence for a file that cannot be opened, read or written."""
    reason = error.strerror or str(error)
    return f"{reason}." if error.filename is None else f"{error.filename}: {reason}. {_way_out(error)}"


def _way_out(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "Check the name and the folder."
    if isinstance(error, IsADirectoryError):
        return "Give the name of a file in it."
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return "A folder is wanted there: choose another name."
    return "Check its permissions and the space on the disk."


def _internal(error: Exception) -> None:
    if os.environ.get("GEARWRIGHT_TRACEBACK"):
        traceback.print_exception(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    complain(
        f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}, line {place.lineno}). This is a bug in "
        "Gearwright, not in your input. Set GEARWRIGHT_TRACEBACK=1 to see the whole story, and please report it."
    )
