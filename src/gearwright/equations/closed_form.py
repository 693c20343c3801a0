"""Closed forms: symbolic equations of a machine, from the same recursions that compute them numerically."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Operations
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.equations import closed_form_text
from gearwright.equations.angles import AngleGroups, parallel_groups
from gearwright.equations.closed_form_loops import LoopSymbols
from gearwright.equations.closed_form_writer import ClosedFormWriter
from gearwright.equations.symbol_names import NUMBERED_NAMES, SymbolNames, file_symbol_names
from gearwright.equations.symbolic_machine import (
    SYMBOL_KINDS,
    machine_with_ratios,
    planet_table,
    substitute_symbols,
    symbolic_machine,
)
from gearwright.equations.trigonometric_polynomial import symbol_polynomial
from gearwright.errors import InputError
from gearwright.functions.actuation import STRUCTURE_MATRIX
from gearwright.functions.explain import WHEEL_CORIOLIS, WHEEL_FORCES, WHEEL_MASS_MATRIX, wheel_index
from gearwright.mechanism import Mechanism, RobotOrMech, tree_of
from gearwright.programs import ClosedMechanism, dynamics_programs, kinematic_programs, machine_of
from gearwright.programs.inputs import refuse_symbols
from gearwright.programs.program import Program, flatten_scalars

CLOSED_FORM_PROGRAMS = {
    program.name: program
    for program in (
        dynamics_programs.MASS_MATRIX,
        dynamics_programs.CORIOLIS_MATRIX,
        dynamics_programs.GRAVITY_FORCES,
        dynamics_programs.BIAS,
        dynamics_programs.INVERSE_DYNAMICS,
        dynamics_programs.KINETIC_ENERGY,
        dynamics_programs.POTENTIAL_ENERGY,
        kinematic_programs.JACOBIAN,
        kinematic_programs.JOINT_AXES,
        kinematic_programs.JOINT_AXIS_DERIVATIVES,
        dynamics_programs.REGRESSOR,
        dynamics_programs.AXIAL_RATES,
        WHEEL_FORCES,
        WHEEL_MASS_MATRIX,
        WHEEL_CORIOLIS,
        STRUCTURE_MATRIX,
    )
}
NUMBERING_PROGRAMS = (dynamics_programs.MASS_MATRIX, dynamics_programs.GRAVITY_FORCES)
"""Functions that number the base parameters, in this order, for every requested function."""
GEOMETRIC_FUNCTIONS = (
    *("jacobian", "joint_axes", "joint_axis_derivatives"),
    *("regressor", "axial_rates", "structure_matrix"),
)
"""Functions without inertial parameters."""
MOTION_SYMBOLS = {"q": "q", "v": "dq", "a": "ddq"}
"""Letter of the symbols of each input, numbered from 1."""


@dataclass(frozen=True)
class ClosedForm:
    """The result of a function as symbolic expressions.

    Args:
        function: name of the function.
        shape: shape of the result.
        entries: flat SymPy expressions in the short names of `waves`, `groups`, `symbols` and the motion.
        waves: c2, s23, ... as SymPy expressions of the angles.
        groups: p1, p2, ...: the base parameters as SymPy expressions of the symbols.
        symbols: the quantities kept as symbols, name -> value.
        meanings: meaning of each kept symbol.
        motion: the motion symbols, q1 -> speed name.
        loops: with closed loops, the symbols of the map from independent to all speeds as SymPy expressions: G31 of
            dq3 = G31 dq1, its determinant d1, and g3 of ddq3 = G31 ddq1 + g3.

    A notebook typesets it.
    """

    function: str
    shape: tuple[int, ...]
    entries: tuple[Any, ...]
    waves: dict[str, Any]
    groups: dict[str, Any]
    symbols: dict[str, float]
    meanings: dict[str, str]
    motion: dict[str, str]
    loops: dict[str, Any] = field(default_factory=dict)

    def expression(self) -> Any:
        """The result as SymPy expression, vector, matrix or array, with all abbreviations expanded."""
        import sympy as sp

        loops = list(reversed(self.loops.items()))
        full = [entry.subs(self.groups).subs(loops).subs(self.groups).subs(self.waves) for entry in self.entries]
        if not self.shape:
            return full[0]
        if len(self.shape) > 2:
            return sp.Array(full, self.shape)
        return sp.Matrix(*(self.shape if len(self.shape) == 2 else (*self.shape, 1)), full)

    @property
    def group_values(self) -> dict[str, float]:
        """The values of the base parameters, by their names in `groups`."""
        return {name: float(group.subs(self.symbols)) for name, group in self.groups.items()}

    def latex(self) -> str:
        """As LaTeX, abbreviations after the entries."""
        return closed_form_text.latex_text(self)

    def markdown(self) -> str:
        """As Markdown with LaTeX mathematics, and a table of the symbols with their values."""
        return closed_form_text.markdown_text(self)

    def python(self) -> str:
        """As a Python function of the motion, with the symbols as keyword arguments."""
        return closed_form_text.python_text(self)

    def c(self) -> str:
        """As a C99 function."""
        return closed_form_text.c_text(self)

    def _repr_latex_(self) -> str:
        return "$" + self.latex() + "$"

    @cached_property
    def _compiled_function(self) -> Callable[..., Any]:
        scope: dict[str, Any] = {}
        exec(compile(self.python(), f"<closed form of {self.function}>", "exec"), scope)  # text generated above
        function: Callable[..., Any] = scope[self.function]
        return function

    def evaluate(self, *state: ArrayLike, **symbols: float) -> Array:
        """Return the values at one state (q, then v and a if the function takes them), with `symbols` by name."""
        unknown = [name for name in symbols if name not in self.symbols]
        if unknown:
            raise InputError(f"closed form: there is no symbol {unknown[0]!r}. Use one of {', '.join(self.symbols)}.")
        return np.array(self._compiled_function(*state, **symbols), dtype=float).reshape(self.shape)


@check_arguments
def closed_form(
    function: Callable[..., Any] | str,
    machine: RobotOrMech,
    keep: str | Iterable[str] = SYMBOL_KINDS,
    progress: Callable[[int, int], None] | None = None,
    names: str = "numbers",
    base_parameters: Mapping[str, str] | None = None,
    **options: Any,
) -> ClosedForm:
    """Return the symbolic equations of a machine, with compact trigonometry (c2, s23) and base parameters p1, p2, ...

    Args:
        function: mass_matrix, coriolis_matrix, gravity, bias, inverse_dynamics, kinetic_energy, potential_energy,
            jacobian, joint_axes, joint_axis_derivatives, regressor, axial_rates or structure_matrix; for one wheel
            explain (its three shares of every force), wheel_mass_matrix (M_j/i of Chen and Wang) or wheel_coriolis
            (C_j/i,r).
        machine: a machine or robot without free and spherical joints.
        keep: symbolic quantities: "inertias", "lengths", "ratios", "gravity", "springs", "planets" (their number), or
            names of symbols; all others are replaced by their values. Zeros drop out.
        progress: called with (done, total) as entries are finished.
        names: "numbers" (Izz2, lx3, J2, k2, p1) or "file", as in the robot's file and the literature (I2zz in the axes
            of the link's frame there, a2, Im2, kr2, pi1; g14 for wheel w4 and link1).
        base_parameters: name -> expression in the symbols ("pi2": "m2x + a2*m3"): the base parameters to write the
            equations in, under these names, such as those of a publication (`gearwright.works.ELBOW_PARAMETERS`).
            Unless given, they are found and numbered.
        options: further arguments of the function: `body` of jacobian (also a wheel), joint_axes and
            joint_axis_derivatives, `point` and `axes` of jacobian; `wheel` of explain, wheel_mass_matrix and
            wheel_coriolis.

    For a machine and a `keep`, a base parameter has the same name in every function: those of the mass matrix come
    first, then those of gravity, then those of the function alone.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", axis=(0, 1, 0), mass=2, com=(0.5, 0, 0), inertia=np.diag([0, 0.1, 0.1]))
    >>> gw.closed_form(gw.gravity, gw.Mechanism([arm])).expression()
    Matrix([[-g*mx1*cos(q1)]])
    """
    program = _find_program(function)
    kept_kinds = (keep,) if isinstance(keep, str) else tuple(keep)
    if isinstance(machine, Mechanism):
        refuse_symbols("closed_form", machine)
    numeric = machine_of("closed_form", machine)
    symbol_names = _symbol_names(names, machine)
    mech, ratios = machine_with_ratios("closed_form", machine, kept_kinds, symbol_names)
    try:
        symbolic, symbols = symbolic_machine(mech, kept_kinds, ratios, symbol_names)
    except TypeError:
        refuse_symbols("closed_form", mech)
        raise
    angles = AngleGroups(parallel_groups(symbolic), tuple(f"q{i + 1}" for i in range(symbolic.nq)))
    ops: Operations = angles  # type: ignore[assignment]  # a recursion needs cos and sin only
    moving = {f"{letter}{i + 1}" for letter in MOTION_SYMBOLS.values() for i in range(mech.n)}
    planets = planet_table(machine, symbols)
    loops = LoopSymbols(numeric, symbolic, ops) if isinstance(numeric, ClosedMechanism) else None
    target = symbolic if loops is None else loops.closed_machine
    moving |= set() if loops is None else set(loops.definitions)

    def program_values(wanted: Program, fixed: dict[str, Any]) -> list[Any]:
        inputs = _motion_symbols(wanted, symbolic) if loops is None else {x: loops.inputs[x] for x in wanted.inputs}
        values = flatten_scalars(wanted.run(target, ops, inputs, fixed))
        return [substitute_symbols(value, planets) for value in values]

    writer = ClosedFormWriter(angles, symbols.values, moving, symbol_names.group, base_parameters)
    for earlier_program in () if base_parameters else _programs_numbered_before(program):
        writer.number_groups(program_values(earlier_program, {}))
    fixed = _fixed_options(program, mech, options)
    entries = tuple(writer.write_entries(program_values(program, fixed), progress or (lambda done, total: None)))
    definitions = {} if loops is None else _written_definitions(writer, loops, entries)
    return ClosedForm(
        program.name,
        program.shape(target, fixed),
        entries,
        writer.waves,
        writer.named_groups(),
        {name: value for name, value in symbols.values.items() if name in writer.used},
        {name: text for name, text in symbols.meanings.items() if name in writer.used},
        _motion_names(program, mech, loops),
        definitions,
    )


def _motion_names(program: Program, mech: Mechanism, loops: LoopSymbols | None) -> dict[str, str]:
    """Return the symbols of the inputs with the names of joints."""
    if loops is not None:
        return {symbol: name for x in program.inputs for symbol, name in loops.motion[x].items()}
    return {
        f"{MOTION_SYMBOLS[name]}{i + 1}": title
        for name in program.inputs
        for i, title in enumerate(program.entry_names(mech, name))
    }


def _written_definitions(writer: ClosedFormWriter, loops: LoopSymbols, entries: Iterable[Any]) -> dict[str, Any]:
    """Return the definitions of the symbols of loops in use, each after those that it contains."""
    import sympy as sp

    used = {str(x) for entry in entries for x in getattr(entry, "free_symbols", ())}
    written: dict[str, Any] = {}
    for name, (value, divisor) in reversed(loops.definitions.items()):
        if name in used:
            (written[name],) = writer.write_entries([value], lambda done, total: None)
            if divisor:
                written[name] /= sp.Symbol(divisor)
            used |= {str(x) for x in written[name].free_symbols}
    return dict(reversed(written.items()))


def _symbol_names(names: str, machine: RobotOrMech) -> SymbolNames:
    if names not in ("numbers", "file"):
        raise InputError(f"closed_form: names {names!r} is unknown. Use 'numbers' or 'file'.")
    return (
        NUMBERED_NAMES if names == "numbers" else file_symbol_names(machine, tree_of("closed_form", machine, "names"))
    )


def _motion_symbols(program: Program, mech: Mechanism) -> dict[str, list[Any]]:
    """Return the symbols q1, dq1, ddq1, ... of a program's inputs."""
    return {
        name: [symbol_polynomial(f"{MOTION_SYMBOLS[name]}{i + 1}") for i in range(mech.n)] for name in program.inputs
    }


def _programs_numbered_before(program: Program) -> tuple[Program, ...]:
    """Return the functions whose base parameters are numbered before those of a program."""
    if program.name in GEOMETRIC_FUNCTIONS:
        return ()
    return (
        NUMBERING_PROGRAMS[: NUMBERING_PROGRAMS.index(program)] if program in NUMBERING_PROGRAMS else NUMBERING_PROGRAMS
    )


def _fixed_options(program: Program, mech: Mechanism, options: dict[str, Any]) -> dict[str, Any]:
    """Return the checked constant arguments."""
    unknown = [name for name in options if name not in program.options]
    missing = [name for name in ("body", "wheel") if name in program.options and name not in options]
    if unknown or missing:
        takes = " and ".join(program.options) or "no options"
        stated_options = ", ".join(options) or "none"
        remedy = f"Give {missing[0]}, by its name." if missing else f"Remove {unknown[0]}."
        raise InputError(f"closed_form: {program.name} takes {takes}; given: {stated_options}. {remedy}")
    if "wheel" in options:
        return {"wheel": wheel_index("closed_form", mech, options["wheel"])}
    if "body" not in options:
        return {}
    program.check_options(mech, options)
    return dict(options)


def _find_program(function: Callable[..., Any] | str) -> Program:
    name = function if isinstance(function, str) else getattr(function, "__name__", str(function))
    if name not in CLOSED_FORM_PROGRAMS:
        raise InputError(
            f"closed_form: no closed form of {name!r} is available. Use one of {', '.join(CLOSED_FORM_PROGRAMS)}."
        )
    return CLOSED_FORM_PROGRAMS[name]
