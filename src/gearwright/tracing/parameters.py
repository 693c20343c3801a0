"""Parameters of a robot or of a flat machine, named by paths and replaced by symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gearwright.algebra import Scalar, Tensor, Vec
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.parts import Robot, parameter, with_parameters
from gearwright.text import did_you_mean

VECTOR_ENTRIES, TENSOR_ENTRIES = ("x", "y", "z"), ("xx", "xy", "xz", "yy", "yz", "zz")


def machine_with_values(source: Robot | Mechanism, values: Mapping[str, Scalar]) -> Mechanism:
    """The machine with other numbers at the paths, which may be symbols.

    Paths of a robot are those of its file, and lumped quantities follow from them. Paths of a machine name its numbers
    individually: `<body>.mass`, `<body>.com.x`, `<body>.inertia.xx`, `<spin>.inertia`, `<spin>.ratio.<speed>`,
    `<spring>.stiffness`, `.damping`, `.rest`, `gravity.z`.
    """
    if isinstance(source, Robot):
        return assemble_tree(with_parameters(source, values))
    for path, value in values.items():
        source = _with_parameter(source, path, value)
    return source


def nominal_value(source: Robot | Mechanism, path: str) -> float:
    """The present number at a path."""
    if isinstance(source, Robot):
        return float(parameter(source, path))
    kind, index, words = _locate_parameter(source, path)
    return float(_parameter_value(source, kind, index, words, path))


def require_free(path: str) -> None:
    """Raise an error for an entry of a direction: its entries are dependent, so one alone cannot be an input."""
    for word in str(path).split(".")[1:-1]:
        if word in ("axis", "rotation"):
            raise InputError(
                f"parameter {path!r} is part of a direction: its entries are dependent, so one alone cannot be an "
                "input. Compile one kernel per direction."
            )


def _locate_parameter(mech: Mechanism, path: str) -> tuple[str, int, Sequence[str]]:
    """The list, the element, and the rest of the path after its name; the longest matching name is taken."""
    words = str(path).split(".")
    if words[0] == "gravity" and len(words) == 2:
        return "gravity", 0, words[1:]
    lists = _elements_by_kind(mech)
    for count in range(len(words) - 1, 0, -1):
        name = ".".join(words[:count])
        for kind, elements in lists.items():
            for index, element in enumerate(elements):
                if element.name == name and _is_parameter(kind, words[count:], mech):
                    return kind, index, words[count:]
    raise InputError(f"the machine has no parameter {path!r}. {did_you_mean(path, _all_paths(mech))}")


def _elements_by_kind(mech: Mechanism) -> dict[str, Sequence[Any]]:
    return {"bodies": mech.bodies, "spins": mech.spins, "springs": mech.springs}


def _is_parameter(kind: str, words: Sequence[str], mech: Mechanism) -> bool:
    return ".".join(words) in _parameter_words(kind, mech)


def _parameter_words(kind: str, mech: Mechanism) -> list[str]:
    if kind == "bodies":
        return [
            "mass",
            *(f"com.{axis}" for axis in VECTOR_ENTRIES),
            *(f"inertia.{element}" for element in TENSOR_ENTRIES),
        ]
    return (
        ["inertia", *(f"ratio.{speed}" for speed in mech.speeds)]
        if kind == "spins"
        else ["stiffness", "damping", "rest"]
    )


def _all_paths(mech: Mechanism) -> list[str]:
    return [
        f"{element.name}.{word}"
        for kind, elements in _elements_by_kind(mech).items()
        for element in elements
        for word in _parameter_words(kind, mech)
    ]


def _parameter_value(mech: Mechanism, kind: str, index: int, words: Sequence[str], path: str) -> Any:
    if kind == "gravity":
        if words[0] not in VECTOR_ENTRIES:
            raise InputError(f"the machine has no parameter {path!r}. Use gravity.x, gravity.y or gravity.z.")
        return getattr(mech.gravity, words[0])
    value = getattr(getattr(mech, kind)[index], words[0])
    if words[0] == "ratio":
        return value[mech.speeds.index(".".join(words[1:]))]
    return getattr(value, words[1]) if len(words) == 2 else value


def _with_parameter(mech: Mechanism, path: str, value: Scalar) -> Mechanism:
    kind, index, words = _locate_parameter(mech, path)
    _parameter_value(mech, kind, index, words, path)
    if kind == "gravity":
        return replace(mech, gravity=_with_entry(mech.gravity, words[0], value))
    elements = list(getattr(mech, kind))
    old = getattr(elements[index], words[0])
    if words[0] == "ratio":
        speed = mech.speeds.index(".".join(words[1:]))
        value = tuple(value if k == speed else x for k, x in enumerate(old))
    elif len(words) == 2:
        value = _with_entry(old, words[1], value)
    elements[index] = replace(elements[index], **{words[0]: value})
    return replace(mech, **{kind: elements})


def _with_entry(old: Any, entry: str, value: Scalar) -> Any:
    """A vector or tensor with one entry replaced."""
    if isinstance(old, Tensor):
        return Tensor(*(value if name == entry else x for name, x in zip(TENSOR_ENTRIES, old, strict=True)))
    return Vec(*(value if name == entry else x for name, x in zip(VECTOR_ENTRIES, old, strict=True)))
