"""Parameters of a robot or of a flat machine, named by paths and replaced by symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gearwright.algebra import Scalar, Tensor, Vec
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, assemble
from gearwright.parts import Robot, parameter, with_parameters
from gearwright.text import did_you_mean

VECTOR, ELEMENTS = ("x", "y", "z"), ("xx", "xy", "xz", "yy", "yz", "zz")


def machine_with(source: Robot | Mechanism, values: Mapping[str, Scalar]) -> Mechanism:
    """The machine with other numbers (of any kind) at the paths.

    Paths of a robot are those of its file, and what is lumped from them follows. Paths of a machine name its own flat
    numbers, each by itself: `<body>.mass`, `<body>.com.x`, `<body>.inertia.xx`, `<spin>.inertia`,
    `<spin>.ratio.<speed>`, `<spring>.stiffness`, `.damping`, `.rest`, `gravity.z`.
    """
    if isinstance(source, Robot):
        return assemble(with_parameters(source, values))
    for path, value in values.items():
        source = _replaced(source, path, value)
    return source


def nominal(source: Robot | Mechanism, path: str) -> float:
    """The number that stands at a path now."""
    if isinstance(source, Robot):
        return float(parameter(source, path))
    kind, index, words = _place(source, path)
    return float(_entry(source, kind, index, words, path))


def require_free(path: str) -> None:
    """The entries of a direction are bound to each other, so that one of them alone cannot be an input."""
    for word in str(path).split(".")[1:-1]:
        if word in ("axis", "rotation"):
            raise InputError(
                f"parameter {path!r} is part of a direction: its entries depend on each other, and one alone cannot be "
                "an input. Compile one kernel per direction."
            )


def _place(mech: Mechanism, path: str) -> tuple[str, int, Sequence[str]]:
    """Which list, which element, and the words after its name; the longest name that fits wins."""
    words = str(path).split(".")
    if words[0] == "gravity" and len(words) == 2:
        return "gravity", 0, words[1:]
    lists = _lists(mech)
    for count in range(len(words) - 1, 0, -1):
        name = ".".join(words[:count])
        for kind, elements in lists.items():
            for index, element in enumerate(elements):
                if element.name == name and _known(kind, words[count:], mech):
                    return kind, index, words[count:]
    raise InputError(f"the machine has no parameter {path!r}. {did_you_mean(path, _all_paths(mech))}")


def _lists(mech: Mechanism) -> dict[str, Sequence[Any]]:
    return {"bodies": mech.bodies, "spins": mech.spins, "springs": mech.springs}


def _known(kind: str, words: Sequence[str], mech: Mechanism) -> bool:
    return ".".join(words) in _words(kind, mech)


def _words(kind: str, mech: Mechanism) -> list[str]:
    if kind == "bodies":
        return ["mass", *(f"com.{axis}" for axis in VECTOR), *(f"inertia.{element}" for element in ELEMENTS)]
    return (
        ["inertia", *(f"ratio.{speed}" for speed in mech.speeds)]
        if kind == "spins"
        else ["stiffness", "damping", "rest"]
    )


def _all_paths(mech: Mechanism) -> list[str]:
    return [
        f"{element.name}.{word}"
        for kind, elements in _lists(mech).items()
        for element in elements
        for word in _words(kind, mech)
    ]


def _entry(mech: Mechanism, kind: str, index: int, words: Sequence[str], path: str) -> Any:
    if kind == "gravity":
        if words[0] not in VECTOR:
            raise InputError(f"the machine has no parameter {path!r}. Use gravity.x, gravity.y or gravity.z.")
        return getattr(mech.gravity, words[0])
    value = getattr(getattr(mech, kind)[index], words[0])
    if words[0] == "ratio":
        return value[mech.speeds.index(".".join(words[1:]))]
    return getattr(value, words[1]) if len(words) == 2 else value


def _replaced(mech: Mechanism, path: str, value: Scalar) -> Mechanism:
    kind, index, words = _place(mech, path)
    _entry(mech, kind, index, words, path)
    if kind == "gravity":
        return replace(mech, gravity=_changed(mech.gravity, words[0], value))
    elements = list(getattr(mech, kind))
    old = getattr(elements[index], words[0])
    if words[0] == "ratio":
        speed = mech.speeds.index(".".join(words[1:]))
        value = tuple(value if k == speed else x for k, x in enumerate(old))
    elif len(words) == 2:
        value = _changed(old, words[1], value)
    elements[index] = replace(elements[index], **{words[0]: value})
    return replace(mech, **{kind: elements})


def _changed(old: Any, entry: str, value: Scalar) -> Any:
    """A vector or tensor with one entry replaced."""
    if isinstance(old, Tensor):
        return Tensor(*(value if name == entry else x for name, x in zip(ELEMENTS, old, strict=True)))
    return Vec(*(value if name == entry else x for name, x in zip(VECTOR, old, strict=True)))
