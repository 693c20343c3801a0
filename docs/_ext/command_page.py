"""The reference of the command line, from the commands themselves."""

from __future__ import annotations

import inspect
from typing import Any

import typer

from gearwright.cli.app import app

INTRODUCTION = """# Command line

`gearwright COMMAND --help` prints what is below; `gearwright --install-completion` teaches the shell to complete
commands, options and robots. A robot is the name of a bundled one or a file, YAML, URDF or MJCF; a xacro file is a
program, and is expanded (with `--xacro`) only if you trust it. Results go to standard output, remarks and errors to
standard error, so that output can be piped; `--json` prints results for a program (what is infinite is null there),
`--quiet` keeps the remarks back.
Exit codes: 0 well, 2 bad input or a problem found, 70 a bug of Gearwright, 130 interrupted. Colour only appears on a
terminal.
"""


def command_page() -> str:
    """One section per command."""
    group: Any = typer.main.get_command(app)
    return "\n".join([INTRODUCTION, *(_section(name, command) for name, command in group.commands.items())])


def _section(name: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    usage = " ".join(["gearwright", name, *map(_place, arguments), *(["[OPTIONS]"] if options else [])])
    lines = [f"## {name}", "", f"```text\n{usage}\n```", "", _prose(command.help or ""), ""]
    lines += [line for a in arguments for line in (f"`{_title(a)}`", f": {a.help or ''}", "")]
    lines += [line for o in options for line in (f"`{_spelling(o)}`", f": {o.help or ''}{_default(o)}", "")]
    return "\n".join(lines)


def _title(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _place(argument: Any) -> str:
    """An argument as usage lines show it: brackets when it may be left out, dots when there may be several."""
    text = _title(argument) if argument.required else f"[{_title(argument)}]"
    return f"{text}..." if argument.nargs == -1 else text


def _prose(text: str) -> str:
    """Help text as paragraphs; an example becomes a code block."""
    paragraphs = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        words = " ".join(paragraph.split())
        example = words.startswith("Example: ")
        paragraphs.append(f"```sh\n{words.removeprefix('Example: ')}\n```" if example else words)
    return "\n\n".join(paragraphs)


def _spelling(option: Any) -> str:
    value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    return ", ".join(sorted([*option.opts, *option.secondary_opts], key=len)) + value


def _default(option: Any) -> str:
    plain = option.default is None or option.is_flag or callable(option.default)
    return "" if plain else f" Default: `{option.default}`."
