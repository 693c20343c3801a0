"""One recursion, many scalars: every program over every kind of number gives what floats give."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from contextlib import nullcontext
from fractions import Fraction
from typing import Any

import casadi
import numpy as np
import pytest
import sympy

import gearwright as gw
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.programs import dynamics_programs
from gearwright.programs.program import Program, flatten_scalars
from support.compare import relative
from support.machines import random_design, random_state

BRANCHING = ("INTEGRATE", "CLOSED_STEP", "DIFFERENCE")
"""Programs that branch on the size of a rotation."""
RECURSIONS = [
    value for name, value in vars(dynamics_programs).items() if isinstance(value, Program) and name not in BRANCHING
]


class ComplexNumbers:
    cos, sin, sqrt = staticmethod(cmath.cos), staticmethod(cmath.sin), staticmethod(cmath.sqrt)


class Rationals:
    cos, sin = staticmethod(lambda x: Fraction(math.cos(x))), staticmethod(lambda x: Fraction(math.sin(x)))


class CasadiExpressions:
    cos, sin, sqrt = casadi.cos, casadi.sin, casadi.sqrt


class Expressions:
    cos, sin, sqrt = sympy.cos, sympy.sin, sympy.sqrt


def machine(joints: tuple[str, ...] = ("revolute", "prismatic", "revolute"), seed: int = 4):
    rng = np.random.default_rng(seed)
    design = random_design(rng, joints, wheels=len(joints), shafts=1, springs=1, chain=True)
    mech = design.written()
    return mech, random_state(rng, mech)


def inputs(program: Program, mech: gw.Mechanism, state: Any) -> dict[str, list[float]]:
    values = {"q": state.q, "v": state.v, "a": state.a, "tau": state.a}
    return {name: values[name].tolist() for name in program.input_sizes(mech, {})}


def fixed(program: Program) -> dict[str, Any]:
    needs_body = program.name in ("placement", "jacobian", "jacobian_rate")
    return {"body": 1, "point": (0.1, 0.2, 0.3)} if needs_body else {}


def direct(ops: Any, number: Callable[[float], Any], back: Callable[[Any], float]):
    """A backend whose scalars carry their values."""

    def run(program: Program, mech: gw.Mechanism, given: dict[str, list[float]]) -> list[float]:
        scalars = {name: [number(x) for x in values] for name, values in given.items()}
        return [back(x) for x in flatten_scalars(program.run(mech, ops, scalars, fixed(program)))]

    return run


def over_casadi(program: Program, mech: gw.Mechanism, given: dict[str, list[float]]) -> list[float]:
    symbols = {name: casadi.SX.sym(name, len(values)) for name, values in given.items()}
    entries = {name: [symbol[k] for k in range(symbol.numel())] for name, symbol in symbols.items()}
    result = casadi.vertcat(*flatten_scalars(program.run(mech, CasadiExpressions, entries, fixed(program))))
    return casadi.Function("f", list(symbols.values()), [result])(*given.values()).full().ravel().tolist()


def over_sympy(program: Program, mech: gw.Mechanism, given: dict[str, list[float]]) -> list[float]:
    symbols = {name: sympy.symbols(f"{name}:{len(values)}") for name, values in given.items()}
    result = flatten_scalars(program.run(mech, Expressions, symbols, fixed(program)))
    flat = [x for values in symbols.values() for x in values]
    return sympy.lambdify(flat, list(result), cse=True)(*(x for values in given.values() for x in values))


def over_jax(program: Program, mech: gw.Mechanism, given: dict[str, list[float]]) -> list[float]:
    import jax
    import jax.numpy as jnp

    def traced(values: dict[str, Any]) -> Any:
        entries = {name: [array[k] for k in range(array.size)] for name, array in values.items()}
        return jnp.stack(
            [jnp.asarray(x, float) for x in flatten_scalars(program.run(mech, jnp, entries, fixed(program)))]
        )

    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else nullcontext():
        return np.asarray(traced({name: jnp.asarray(values) for name, values in given.items()})).tolist()


BACKENDS = {
    "arrays": direct(ARRAYS, lambda x: np.array([x, -x]), lambda x: float(np.ravel(x)[0])),
    "complex": direct(ComplexNumbers, complex, lambda x: complex(x).real),
    "fractions": direct(Rationals, Fraction, float),
    "casadi": over_casadi,
    "sympy": over_sympy,
    "jax": over_jax,
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", RECURSIONS, ids=[p.name for p in RECURSIONS])
def test_same_answer(program, backend):
    joints = ("revolute", "prismatic") if backend == "sympy" else ("revolute", "prismatic", "revolute")
    mech, state = machine(joints)
    given = inputs(program, mech, state)
    expected = flatten_scalars(program.run(mech, FLOATS, given, fixed(program)))
    assert relative(BACKENDS[backend](program, mech, given), expected, scale=1e-3) < 1e-11


@pytest.mark.parametrize("backend", ["arrays", "complex", "fractions", "casadi"])
@pytest.mark.parametrize("program", [p for p in RECURSIONS if p.name != "lagrange_form"], ids=lambda p: p.name)
@pytest.mark.parametrize("joints", [("free", "spherical", "revolute"), ("planar", "helical", "universal")])
def test_same_answer_with_several_speeds(program, backend, joints):
    mech, state = machine(joints)
    given = inputs(program, mech, state)
    expected = flatten_scalars(program.run(mech, FLOATS, given, fixed(program)))
    assert relative(BACKENDS[backend](program, mech, given), expected, scale=1e-3) < 1e-11


def step(values: list[float], k: int) -> list[complex]:
    """A complex step along one entry: the imaginary part of a result is its exact derivative."""
    return [complex(x, 1e-30 if i == k else 0.0) for i, x in enumerate(values)]


def test_complex_step_of_kinetic_energy_is_momentum():
    """dT/dv = M v to the last digits."""
    mech, s = machine()
    slope = [
        flatten_scalars(
            dynamics_programs.KINETIC_ENERGY.run(
                mech, ComplexNumbers, {"q": s.q.tolist(), "v": step(s.v.tolist(), k)}, {}
            )
        )[0].imag
        for k in range(mech.n)
    ]
    assert relative(np.array(slope) * 1e30, gw.mass_matrix(mech, s.q) @ s.v) < 1e-14


def test_complex_step_of_potential_energy_is_force():
    """dV/dq = gravity and springs."""
    mech, s = machine()
    slope = [
        flatten_scalars(dynamics_programs.POTENTIAL_ENERGY.run(mech, ComplexNumbers, {"q": step(s.q.tolist(), k)}, {}))[
            0
        ].imag
        for k in range(mech.n)
    ]
    assert relative(np.array(slope) * 1e30, gw.bias(mech, s.q, 0 * s.v)) < 1e-13


def test_an_inertia_may_be_a_symbol_in_the_parts():
    """Spin and carrier follow one symbol through `assemble` and the recursion."""
    from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

    def robot(J: Any, m: Any) -> Robot:
        tensor = np.diag([0.02, 0.03, 0.04]).tolist()
        links = [
            Link("upper", mass=2, com=(0.2, 0, 0), inertia=tensor),
            Link("fore", "upper", Joint(axis=(0, 1, 0), position=(0.4, 0, 0)), 1, (0.1, 0, 0), tensor),
        ]
        return Robot("arm", links, [Drive("fore", Motor(J, m, position=(0.1, 0, 0)), Gear(50), "upper", (0, 0, 1))])

    J, m = casadi.SX.sym("J"), casadi.SX.sym("m")
    q, v, a = [0.3, 0.4], [0.5, -0.6], [0.7, 0.8]
    symbolic = gw.assemble(robot(J, m))
    tau = flatten_scalars(
        dynamics_programs.INVERSE_DYNAMICS.run(symbolic, CasadiExpressions, {"q": q, "v": v, "a": a}, {})
    )
    function = casadi.Function("tau", [J, m], [casadi.vertcat(*tau)])
    for values in ((1e-3, 0.5), (2e-3, 0.7)):
        expected = gw.inverse_dynamics(gw.assemble(robot(*values)), q, v, a)
        assert relative(function(*values).full().ravel(), expected) < 1e-13
