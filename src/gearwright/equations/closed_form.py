"""Closed forms: the equations of a machine to read, from the same recursions that compute them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Operations
from gearwright.arrays import Array
from gearwright.equations import closed_form_text
from gearwright.equations.parameter_groups import Coefficient, Groups, simplest_first
from gearwright.equations.symbolic_machine import KINDS, Angles, parallel_groups, symbolic_machine
from gearwright.equations.trig_polynomial import Monomial, Trig, symbol
from gearwright.equations.trig_products import Wave, products
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.programs import programs
from gearwright.programs.inputs import refuse_symbols
from gearwright.programs.program import Program, flatten

PROGRAMS = {
    program.name: program
    for program in (
        programs.MASS_MATRIX,
        programs.CORIOLIS_MATRIX,
        programs.GRAVITY,
        programs.BIAS,
        programs.INVERSE_DYNAMICS,
        programs.KINETIC_ENERGY,
        programs.POTENTIAL_ENERGY,
    )
}
MOTION = {"q": "q", "v": "dq", "a": "ddq"}
"""Per input the letter of its symbols, numbered from 1."""


@dataclass(frozen=True)
class ClosedForm:
    """The result of a function as expressions.

    Args:
        function: name of the function.
        shape: shape of the result.
        entries: flat SymPy expressions in the short names of `waves`, `groups`, `symbols` and the motion.
        waves: c2, s23, ... as SymPy expressions of the angles.
        groups: p1, p2, ...: the base parameters as SymPy expressions of the symbols.
        symbols: the kept numbers, name -> value.
        meanings: what each kept symbol is.
        motion: the motion symbols, q1 -> speed name.

    A notebook shows it as mathematics.
    """

    function: str
    shape: tuple[int, ...]
    entries: tuple[Any, ...]
    waves: dict[str, Any]
    groups: dict[str, Any]
    symbols: dict[str, float]
    meanings: dict[str, str]
    motion: dict[str, str]

    def expression(self) -> Any:
        """The result as SymPy expression, vector or matrix, with all abbreviations written out."""
        import sympy as sp

        full = [entry.subs(self.groups).subs(self.waves) for entry in self.entries]
        if not self.shape:
            return full[0]
        return sp.Matrix(*(self.shape if len(self.shape) == 2 else (*self.shape, 1)), full)

    def latex(self) -> str:
        """As LaTeX, abbreviations after the entries."""
        return closed_form_text.latex(self)

    def markdown(self) -> str:
        """As Markdown with LaTeX mathematics, and a table of the symbols with their values."""
        return closed_form_text.markdown(self)

    def python(self) -> str:
        """As a Python function of the motion, with the kept numbers as keyword arguments."""
        return closed_form_text.python(self)

    def c(self) -> str:
        """As a C99 function."""
        return closed_form_text.c(self)

    def _repr_latex_(self) -> str:
        return "$" + self.latex() + "$"

    @cached_property
    def _call(self) -> Callable[..., Any]:
        scope: dict[str, Any] = {}
        exec(compile(self.python(), f"<closed form of {self.function}>", "exec"), scope)  # our own generated text
        function: Callable[..., Any] = scope[self.function]
        return function

    def evaluate(self, *state: ArrayLike, **symbols: float) -> Array:
        """The numbers at one state (q, then v and a if the function takes them), other values of symbols by name."""
        unknown = [name for name in symbols if name not in self.symbols]
        if unknown:
            raise InputError(f"closed form: no symbol {unknown[0]!r}. Known are: {', '.join(self.symbols)}.")
        return np.array(self._call(*state, **symbols), dtype=float).reshape(self.shape)


def closed_form(
    function: Callable[..., Any] | str,
    machine: RobotOrMech,
    keep: Iterable[str] = KINDS,
    progress: Callable[[int, int], None] | None = None,
) -> ClosedForm:
    """The equations of a machine: compact trigonometry (c2, s23) and base parameters p1, p2, ...

    Args:
        function: mass_matrix, coriolis_matrix, gravity, bias, inverse_dynamics, kinetic_energy or potential_energy.
        machine: a machine or robot without free and spherical joints.
        keep: what stays symbolic: "inertias", "lengths", "ratios", "gravity", "springs", or names of symbols; the rest
            is put in as numbers. Zeros vanish.
        progress: called with (done, total) as entries are finished.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", axis=(0, 1, 0), mass=2, com=(0.5, 0, 0), inertia=np.diag([0, 0.1, 0.1]))
    >>> gw.closed_form(gw.gravity, gw.Mechanism([arm])).expression()
    Matrix([[-g*mx1*cos(q1)]])
    """
    program = _program(function)
    mech = machine_of("closed_form", machine)
    kept = (keep,) if isinstance(keep, str) else tuple(keep)
    try:
        symbolic, names = symbolic_machine(mech, kept)
    except TypeError:
        refuse_symbols("closed_form", mech)
        raise
    angles = Angles(parallel_groups(symbolic), tuple(f"q{i + 1}" for i in range(symbolic.nq)))
    inputs = {name: [symbol(f"{MOTION[name]}{i + 1}") for i in range(symbolic.n)] for name in program.inputs}
    ops: Operations = angles  # type: ignore[assignment]  # a recursion needs cos and sin only
    values = flatten(program.run(symbolic, ops, inputs, {}))
    writer = _Writer(angles, names.values, {f"{letter}{i + 1}" for letter in MOTION.values() for i in range(mech.n)})
    entries = writer.entries(values, progress or (lambda done, total: None))
    return ClosedForm(
        program.name,
        program.shape(symbolic, {}),
        tuple(entries),
        writer.waves,
        writer.named_groups(),
        {name: value for name, value in names.values.items() if name in writer.used},
        {name: text for name, text in names.meanings.items() if name in writer.used},
        {
            f"{MOTION[name]}{i + 1}": title
            for name in program.inputs
            for i, title in enumerate(program.entry_names(mech, name))
        },
    )


def _titles(mech: Mechanism, name: str) -> tuple[str, ...]:
    """What the entries of an input are called."""
    return mech.coordinates if name == "q" else mech.speeds


def _program(function: Callable[..., Any] | str) -> Program:
    name = function if isinstance(function, str) else getattr(function, "__name__", str(function))
    if name not in PROGRAMS:
        raise InputError(f"closed_form: {name!r} has no closed form here. Use one of {', '.join(PROGRAMS)}.")
    return PROGRAMS[name]


@dataclass
class _Writer:
    """Turns trigonometric polynomials into SymPy expressions with shared abbreviations."""

    angles: Angles
    values: dict[str, float]
    motion: Collection[str]
    waves: dict[str, Any] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        inertial = ("m", "I", "J")
        self.groups = Groups([name for name in self.values if not name.startswith(inertial)])

    def entries(self, values: list[Any], progress: Callable[[int, int], None]) -> Iterator[Any]:
        """The expressions; every coefficient is resolved first, short ones before long ones."""
        split = [self._split(value) for value in values]
        for coefficient in simplest_first([c for entry in split for c in entry.values()]):
            self.groups.resolve(coefficient)
        for number, entry in enumerate(split):
            progress(number + 1, len(split))
            yield self._expression(entry)

    def _split(self, value: Any) -> dict[tuple[tuple[tuple[Wave, int], ...], Monomial], Coefficient]:
        """Terms by waves and motion, each with its coefficient in the kept symbols."""
        if not isinstance(value, Trig):
            value = Trig({((), ()): float(value)} if value else {})
        found: dict[Any, Coefficient] = defaultdict(dict)
        for product, factor in products(value).items():
            moving = tuple(x for x in product.monomial if x[0] in self.motion)
            kept = tuple(x for x in product.monomial if x[0] not in self.motion)
            self.used.update(name for name, _ in kept)
            found[product.waves, moving][kept] = factor
        return found

    def _expression(self, entry: dict[Any, Coefficient]) -> Any:
        import sympy as sp

        total = sp.Integer(0)
        for (waves, moving), coefficient in sorted(entry.items(), key=repr):
            front, parts = self.groups.resolve(coefficient)
            factor = sp.Add(*(number(x) * self._group(k) for k, x in parts.items()))
            for wave, power in waves:
                factor *= sp.Symbol(self._wave(wave)) ** power
            total += factor * power_product((*front, *moving))
        return total

    def _wave(self, wave: Wave) -> str:
        import sympy as sp

        kind, group, k = wave
        joints = [(self.angles.groups[group][place] + 1, factor) for place, factor in enumerate(k) if factor]
        many = any(joint > 9 for joint, _ in joints)
        label = ("_" if many else "").join(("" if f > 0 else "m") + str(joint) * abs(f) for joint, f in joints)
        name = kind + label
        total = sp.Add(*(f * sp.Symbol(f"q{joint}") for joint, f in joints))
        self.waves[name] = (sp.cos if kind == "c" else sp.sin)(total)
        return name

    def _group(self, number_of_group: int) -> Any:
        """A group by its name p1, p2, ..., or itself when it is a single symbol."""
        import sympy as sp

        _, combination = self.groups.basis[number_of_group]
        if len(combination) == 1:
            return power_product(next(iter(combination)))
        return sp.Symbol(f"p{self._numbers().index(number_of_group) + 1}")

    def _numbers(self) -> list[int]:
        return [k for k, (_, combination) in enumerate(self.groups.basis) if len(combination) > 1]

    def named_groups(self) -> dict[str, Any]:
        """The definitions of p1, p2, ..."""
        import sympy as sp

        return {
            f"p{place + 1}": sp.Add(*(number(x) * power_product(m) for m, x in self.groups.basis[k][1].items()))
            for place, k in enumerate(self._numbers())
        }


def power_product(powers: Iterable[tuple[str, int]]) -> Any:
    """A product of powers of symbols."""
    import sympy as sp

    return sp.Mul(*(sp.Symbol(name) ** power for name, power in powers))


def number(x: float) -> Any:
    """A number to read: a whole number or simple fraction where it is one, else a float."""
    import sympy as sp

    for denominator in (1, 2, 3, 4, 6, 8, 12, 16, 32):
        if abs(x * denominator - round(x * denominator)) < 1e-12 * max(1.0, abs(x)) and abs(x) < 1e6:
            return sp.Rational(round(x * denominator), denominator)
    return sp.Float(x, 15)
