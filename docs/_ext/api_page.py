"""The reference of the public names: those of `gearwright` itself by topic, then a page per namespace."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from types import ModuleType

import gearwright
from gearwright import errors

INTRODUCTION = """# Python reference

Everything below is imported as `import gearwright as gw`. What most people need is in `gw` itself (`gw.load`,
`gw.inverse_dynamics`) and on this page by topic; the rest stands in namespaces (`gw.analysis.compare`), each with a
page of its own and with the types that its functions return. Every function that takes a machine takes a robot too.
Units are SI and radians; arrays are float64, their last axis is the coordinate and leading axes are a batch (see
[conventions](../../conventions.md)). Results draw themselves: `result.plot(path="figure.png")`; notebooks show them.
"""
TOPICS = {
    "Robots and machines": (
        "load save assemble approximate Mechanism Body Spin Spring Actuator BodyFrame laws neutral integrate difference"
    ),
    "Kinematics": "placement jacobian jacobian_rate centre_of_mass inverse_kinematics",
    "Dynamics": (
        "inverse_dynamics forward_dynamics mass_matrix coriolis_matrix gravity bias reactions momentum kinetic_energy "
        "potential_energy energies constrained_dynamics impact linearise"
    ),
    "Motors and drives": "actuator_torques actuator_speeds demands motor_motion",
    "Simulation": "simulate rollout Run State Event Controller",
    "Design": "analyse report size_drives sweep studio",
    "Parameters and equations": ("parameters parameter_names regressor base_parameters identify closed_form"),
    "Machine code and other tools": "compile Kernel casadi_function casadi_rates jax_function torch_function",
}
"""The names of `gearwright` itself, by what one does with them."""
MEMBERS = ":members:"


def api_pages() -> dict[str, str]:
    """Per name of a page its text."""
    spaces = [name for name in gearwright.__all__ if isinstance(getattr(gearwright, name), ModuleType)]
    topics = {topic: names.split() for topic, names in TOPICS.items()}
    described = {id(getattr(gearwright, name)): f"gw.{name}" for names in topics.values() for name in names}
    pages = {f"gw_{name}": text for name, text in _spaces(spaces, described)}
    front = [INTRODUCTION, _table(spaces), *(_topic(topic, names) for topic, names in topics.items()), _tree(pages)]
    return {
        "api": "\n".join([*front, "## Errors\n", _directives("autoexception", "gearwright.errors", _errors())]),
        **pages,
    }


def _topic(topic: str, names: list[str]) -> str:
    """Functions and classes of a topic in their order."""
    kinds = {name: "autoclass" if inspect.isclass(getattr(gearwright, name)) else "autofunction" for name in names}
    directives = [
        _directives(kind, "gearwright", [name], *([MEMBERS] if kind == "autoclass" else []))
        for name, kind in kinds.items()
    ]
    return "\n".join([f"## {topic}\n", *directives])


def _tree(pages: Iterable[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```", ""])


def _table(spaces: Iterable[str]) -> str:
    """One row per namespace: its name and the first sentence of its docstring."""
    rows = [f"| [`gw.{name}`](gw_{name}.md) | {_sentence(getattr(gearwright, name))} |" for name in spaces]
    return "\n".join(["| namespace | what is there |", "|---|---|", *rows, ""])


def _sentence(space: ModuleType) -> str:
    return (inspect.getdoc(space) or "").splitlines()[0]


def _spaces(names: Iterable[str], described: dict[int, str]) -> Iterator[tuple[str, str]]:
    """The namespaces; what stands in several is described in the first of them (`described`: identity -> where)."""
    for name in names:
        space = getattr(gearwright, name)
        own = [x for x in space.__all__ if id(getattr(space, x)) not in described]
        yield name, _space(name, own, [described[id(getattr(space, x))] for x in space.__all__ if x not in own])
        described |= {id(getattr(space, x)): f"gw.{name}.{x}" for x in own}


def _space(name: str, own: Iterable[str], elsewhere: Iterable[str]) -> str:
    """A namespace: what it is, what of it is described elsewhere, its functions and its classes."""
    space, module = getattr(gearwright, name), f"gearwright.{name}"
    functions = [x for x in own if inspect.isfunction(getattr(space, x))]
    classes = [x for x in own if inspect.isclass(getattr(space, x))]
    also = ", ".join(f"`{x}`" for x in elsewhere)
    sections = [f"# gw.{name}\n\n{_sentence(space)}\n", f"Described elsewhere: {also}.\n" if also else ""]
    sections += ["## Functions\n", _directives("autofunction", module, functions)] if functions else []
    sections += ["## Types\n", _directives("autoclass", module, classes, MEMBERS)] if classes else []
    return "\n".join(sections)


def _errors() -> list[str]:
    return [name for name, thing in vars(errors).items() if inspect.isclass(thing) and issubclass(thing, Exception)]


def _directives(kind: str, module: str, names: Iterable[str], *options: str) -> str:
    lines = ["```{eval-rst}"]
    for name in names:
        lines += [f".. {kind}:: {module}.{name}", *(f"   {option}" for option in options), ""]
    return "\n".join([*lines, "```", ""])
