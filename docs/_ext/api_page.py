"""The reference of the public names, room by room."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from types import ModuleType

import gearwright
from gearwright import errors

INTRODUCTION = """# Python reference

Everything below is imported as `import gearwright as gw`. What most people need stands at the front door (`gw.load`,
`gw.inverse_dynamics`); the rest stands in namespaces (`gw.analysis.compare`), each with the types that its functions
return. Every function that takes a machine takes a robot too. Units are SI and radians; arrays are float64, their last
axis is the coordinate and leading axes are a batch (see [conventions](../../conventions.md)).
"""


def api_page() -> str:
    """A list of the namespaces, then the front door, then namespace by namespace, then the errors."""
    names = [name for name in gearwright.__all__ if not name.startswith("__")]
    spaces = [name for name in names if isinstance(getattr(gearwright, name), ModuleType)]
    front = [name for name in names if name not in spaces]
    sections = [
        INTRODUCTION,
        _table(spaces),
        "## Functions\n",
        _directives("autofunction", "gearwright", [n for n in front if not inspect.isclass(getattr(gearwright, n))]),
        "## Values\n",
        _directives("autoclass", "gearwright", [n for n in front if inspect.isclass(getattr(gearwright, n))], MEMBERS),
        *_spaces(spaces, {id(getattr(gearwright, name)): f"gw.{name}" for name in front}),
        "## Errors\n",
        _directives("autoexception", "gearwright.errors", _errors()),
    ]
    return "\n".join(sections)


MEMBERS = ":members:"


def _table(spaces: Iterable[str]) -> str:
    """One row per namespace: its name and the first sentence of its docstring."""
    rows = [f"| [`gw.{name}`](#gw-{name}) | {_sentence(getattr(gearwright, name))} |" for name in spaces]
    return "\n".join(["| namespace | what is there |", "|---|---|", *rows, ""])


def _sentence(space: ModuleType) -> str:
    return (inspect.getdoc(space) or "").splitlines()[0]


def _spaces(names: Iterable[str], described: dict[int, str]) -> Iterator[str]:
    """The namespaces; what stands in several is described in the first of them (`described`: identity -> where)."""
    for name in names:
        space = getattr(gearwright, name)
        own = [x for x in space.__all__ if id(getattr(space, x)) not in described]
        yield _space(name, own, [described[id(getattr(space, x))] for x in space.__all__ if x not in own])
        described |= {id(getattr(space, x)): f"gw.{name}.{x}" for x in own}


def _space(name: str, own: Iterable[str], elsewhere: Iterable[str]) -> str:
    """A namespace: what it is, what of it is described above, its functions and its classes."""
    space, module = getattr(gearwright, name), f"gearwright.{name}"
    functions = [x for x in own if inspect.isfunction(getattr(space, x))]
    classes = [x for x in own if inspect.isclass(getattr(space, x))]
    members = () if name == "parts" else (MEMBERS,)  # the fields of parts are in the reference of files
    also = ", ".join(f"`{x}`" for x in elsewhere)
    sections = [
        f"(gw-{name})=\n## gw.{name}\n\n{_sentence(space)}\n",
        f"Described above: {also}.\n" if also else "",
        _directives("autofunction", module, functions),
        _directives("autoclass", module, classes, *members),
    ]
    return "\n".join(sections)


def _errors() -> list[str]:
    return [name for name, thing in vars(errors).items() if inspect.isclass(thing) and issubclass(thing, Exception)]


def _directives(kind: str, module: str, names: Iterable[str], *options: str) -> str:
    lines = ["```{eval-rst}"]
    for name in names:
        lines += [f".. {kind}:: {module}.{name}", *(f"   {option}" for option in options), ""]
    return "\n".join([*lines, "```", ""])
