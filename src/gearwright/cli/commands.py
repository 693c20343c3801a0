"""How commands are offered: in groups by purpose, each with `--quiet`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gearwright.cli.output import silence

EPILOG = """Begin:  gearwright info elbow

Help of one command, with examples:  gearwright simulate --help

Exit codes: 0 well, 2 bad input or a problem found, 70 a bug of Gearwright, 130 interrupted.
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
