"""The commands put together, and what happens when one of them fails."""

from __future__ import annotations

import io
import os
import sys
import traceback
import warnings
from typing import Annotated, NoReturn

import typer

from gearwright import __version__
from gearwright.cli import (
    analyse,
    bench,
    catalogue,
    check,
    closed_form,
    compare,
    convert,
    demonstrate,
    export,
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
    sweep,
    torque,
    train,
    work_figure,
)
from gearwright.cli.output import complain, say
from gearwright.errors import GearwrightError, GearwrightWarning

BAD_INPUT = 2
INTERNAL_ERROR = 70
MOST_LINES = 12
"""Of a warning; a published URDF may give rise to hundreds."""

app = typer.Typer(
    name="gearwright",
    help="The complete dynamics of geared robots: every rotor, gear and planet, exactly.",
    no_args_is_help=True,
    add_completion=False,
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


app.command("list")(list_robots.list_robots)
app.command("catalogue")(catalogue.catalogue)
app.command("info")(info.info)
app.command("check")(check.check)
app.command("inverse-kinematics")(inverse_kinematics.inverse_kinematics)
app.command("plan")(plan.plan)
app.command("torque")(torque.torque)
app.command("simulate")(simulate.simulate_robot)
app.command("impact")(impact.impact)
app.command("compare")(compare.compare)
app.command("analyse")(analyse.analyse_task)
app.command("size")(size.size)
app.command("sweep")(sweep.sweep)
app.command("modes")(modes.modes)
app.command("closed-form")(closed_form.closed_form)
app.command("train")(train.train)
app.command("figure")(work_figure.work_figure)
app.command("convert")(convert.convert)
app.command("export")(export.export)
app.command("excite")(identify.excite_robot)
app.command("identify")(identify.identify_robot)
app.command("bench")(bench.bench)
app.command("schema")(schema.schema)
app.command("demo")(demonstrate.demonstrate)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and leave the process: 0 well, 2 bad input, 70 a bug of ours, 130 interrupted."""
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
    return f"{error.filename}: {reason}." if error.filename is not None else f"{reason}."


def _internal(error: Exception) -> None:
    if os.environ.get("GEARWRIGHT_TRACEBACK"):
        traceback.print_exception(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    complain(
        f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}, line {place.lineno}). This is a bug in "
        "Gearwright, not in your input. Set GEARWRIGHT_TRACEBACK=1 to see the whole story, and please report it."
    )
