"""A closed form as LaTeX, Markdown, Python and C."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any

from gearwright.text import markdown_text as shown

if TYPE_CHECKING:
    from gearwright.equations.closed_form import ClosedForm

FUNCTION_LETTERS = {
    "mass_matrix": "M",
    "coriolis_matrix": "C",
    "gravity": "g",
    "bias": "b",
    "inverse_dynamics": r"\tau",
    "kinetic_energy": "T",
    "potential_energy": "V",
    "jacobian": "J",
    "regressor": "Y",
    "axial_rates": "h",
    "explain": r"\tau",
    "wheel_mass_matrix": "M",
    "wheel_coriolis": "C",
    "structure_matrix": "A",
    "joint_axes": "z",
    "joint_axis_derivatives": r"\partial z",
}


def latex_text(form: ClosedForm) -> str:
    """The entries, then the base parameters, in an aligned block."""
    lines = [f"{name} &= {_expression_tex(form, entry)}" for name, entry in _named_entries(form)]
    definitions = {**form.loops, **form.groups}
    lines += [f"{_symbol_tex(name)} &= {_expression_tex(form, value)}" for name, value in definitions.items()]
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def markdown_text(form: ClosedForm) -> str:
    """Return a page with the equations and a table of symbols."""
    text = [f"# {form.function}", "", "$$", latex_text(form), "$$", ""]
    text += ["Abbreviations: c and s with joint numbers are the cosine and sine of the sum of those joint angles.", ""]
    text += ["| symbol | value | meaning |", "|---|---|---|"]
    text += [
        f"| ${_symbol_tex(name)}$ | {value:g} | {shown(form.meanings[name])} |" for name, value in form.symbols.items()
    ]
    text += [f"| ${_symbol_tex(name)}$ | | {shown(speed)} |" for name, speed in form.motion.items()]
    return "\n".join(text) + "\n"


def python_text(form: ClosedForm) -> str:
    """Return a Python function of the motion that needs only the standard library."""
    from sympy import pycode

    inputs = _input_symbols(form)
    keywords = [f"{name}={value!r}" for name, value in form.symbols.items()]
    head = f"def {form.function}({', '.join([*inputs, *keywords])}):"
    lines = ["from math import cos, sin", "", "", head]
    lines += [f"    {', '.join(names)}, = {letter}" for letter, names in inputs.items()]
    for name, value in {**form.waves, **form.groups, **form.loops}.items():
        lines.append(f"    {name} = {pycode(value).replace('math.', '')}")
    entries = [pycode(entry).replace("math.", "") for entry in form.entries]
    lines.append(f"    return {_nested_list_text(entries, form.shape)}")
    return "\n".join(lines) + "\n"


def c_text(form: ClosedForm) -> str:
    """Return a C99 function that writes the flat result in row-major order; the symbols are constants."""
    from sympy import ccode

    inputs = _input_symbols(form)
    arguments = [f"const double {letter}[{len(names)}]" for letter, names in inputs.items()]
    size = max(1, len(form.entries))
    lines = ["#include <math.h>", "", f"void {form.function}({', '.join(arguments)}, double out[{size}])", "{"]
    lines += [f"    const double {name} = {value!r};" for name, value in form.symbols.items()]
    definitions = {**form.waves, **form.groups, **form.loops}
    used = {str(x) for e in (*form.entries, *definitions.values()) for x in e.free_symbols}
    for letter, names in inputs.items():
        lines += [f"    const double {name} = {letter}[{i}];" for i, name in enumerate(names) if name in used]
        if not used & set(names):
            lines.append(f"    (void){letter};")
    lines += [f"    const double {name} = {ccode(value)};" for name, value in definitions.items()]
    lines += [f"    out[{i}] = {ccode(entry)};" for i, entry in enumerate(form.entries)]
    return "\n".join([*lines, "}"]) + "\n"


def _input_symbols(form: ClosedForm) -> dict[str, list[str]]:
    """q, v, a with the symbols of their entries."""
    letters = {"q": "q", "dq": "v", "ddq": "a"}
    symbols_by_input: dict[str, list[str]] = {}
    for name in form.motion:
        symbols_by_input.setdefault(letters[name.rstrip("0123456789")], []).append(name)
    return symbols_by_input


def _nested_list_text(entries: list[str], shape: tuple[int, ...]) -> str:
    if not shape:
        return entries[0]
    if len(shape) == 1:
        return "[" + ", ".join(entries) + "]"
    size = len(entries) // max(1, shape[0])
    rows = [_nested_list_text(entries[i : i + size], shape[1:]) for i in range(0, len(entries), max(1, size))]
    return "[\n        " + ",\n        ".join(rows) + ",\n    ]"


def _named_entries(form: ClosedForm) -> list[tuple[str, Any]]:
    """Entries with their indices; a symmetric matrix by its upper triangle."""
    letter = FUNCTION_LETTERS[form.function]
    places = list(product(*(range(1, size + 1) for size in form.shape)))
    upper = form.function in ("mass_matrix", "wheel_mass_matrix")
    return [
        (f"{letter}_{{{_index_text(place)}}}" if place else letter, entry)
        for place, entry in zip(places, form.entries, strict=True)
        if not upper or place[1] >= place[0]
    ]


def _index_text(place: tuple[int, ...]) -> str:
    """23, or 12,3 where a number has two digits."""
    return ("," if max(place) > 9 else "").join(map(str, place))


def _expression_tex(form: ClosedForm, expression: Any) -> str:
    import sympy as sp

    names = {symbol: _symbol_tex(symbol.name) for symbol in expression.free_symbols}
    return sp.latex(expression, symbol_names=names)


def _symbol_tex(name: str) -> str:
    """q2 as q_2, dq2 as a dotted q, Ixx3 and I3xx as I_{xx,3} and I_{3,xx}, c23 as c_{23}, p1 and pi1 as pi_1."""
    letters, digits, axes = re.fullmatch(r"([A-Za-z]+?)([\d_m]*)([a-z]*)", name).groups()  # type: ignore[union-attr]
    dots = {"dq": r"\dot{q}", "ddq": r"\ddot{q}", "p": r"\pi", "pi": r"\pi"}
    if letters in dots:
        return f"{dots[letters]}_{{{digits}}}"
    places = [letters[1:], digits, axes] if letters[1:] else [digits, axes]
    below = ",".join(place for place in places if place)
    return f"{letters[0]}_{{{below}}}" if below else letters
