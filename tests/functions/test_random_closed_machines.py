"""200 random machines with closed loops and a rotor on every link: laws, and the projected open tree."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import ARRAYS, Floats
from gearwright.dynamics.closed_loops.closing import step_to_closed
from gearwright.dynamics.configuration import coordinate_rates
from gearwright.functions.constrained.closing import speed_directions, whole_motion
from gearwright.programs import dynamics_programs as programs
from gearwright.programs.program import flatten_scalars
from support.closed_machines import closed_state, four_bar_robot, random_closed_machine
from support.compare import relative

BLOCKS = [range(k, k + 25) for k in range(0, 200, 25)]


def complex_slope(program, mech, direction, **inputs):
    """The exact slope of a function while all coordinates move at the rates of all speeds `direction`: complex step."""
    h = 1e-30
    rates = coordinate_rates(mech.tree, [*inputs["q"]], [*direction], ARRAYS)
    moved = {name: [*values] for name, values in inputs.items()}
    moved["q"] = [x + 1j * h * dx for x, dx in zip(inputs["q"], rates, strict=True)]
    flat = flatten_scalars(program.run(mech, ARRAYS, moved, {}))
    return np.imag(flat).reshape(program.shape(mech, {})) / h


@pytest.mark.parametrize("seeds", BLOCKS, ids=str)
def test_the_projected_tree(seeds):
    for seed in seeds:
        mech = random_closed_machine(seed)
        q, v, a = closed_state(mech, seed)
        G = speed_directions(mech, q)
        whole, V, A = whole_motion("test", mech, q, v, a)
        tau = gw.inverse_dynamics(mech.tree, whole, V, A)
        size = np.abs(tau).max()
        assert relative(gw.inverse_dynamics(mech, q, v, a), G.T @ tau, size) < 1e-12
        M = gw.mass_matrix(mech, q)
        assert relative(M, G.T @ gw.mass_matrix(mech.tree, q) @ G) < 1e-12
        assert relative(gw.gravity(mech, q), G.T @ gw.gravity(mech.tree, q), size) < 1e-12
        assert gw.kinetic_energy(mech, q, v) == pytest.approx(gw.kinetic_energy(mech.tree, q, V), rel=1e-12)
        assert relative(gw.momentum(mech, q, v), gw.momentum(mech.tree, q, V)) < 1e-12


@pytest.mark.parametrize("seeds", BLOCKS, ids=str)
def test_power_balance_and_skewness(seeds):
    """v' tau = d/dt (T + U), and dM/dt - 2 C is skew; rates along the motion by complex steps."""
    for seed in seeds:
        mech = random_closed_machine(seed)
        q, v, a = closed_state(mech, seed)
        V = speed_directions(mech, q) @ v
        M, C = gw.mass_matrix(mech, q), gw.coriolis_matrix(mech, q, v)
        rate = complex_slope(programs.MASS_MATRIX, mech, V, q=q)
        skew = rate - 2 * C
        assert np.abs(skew + skew.T).max() < 1e-12 * np.abs(C).max()
        bias, size = gw.bias(mech, q, v), np.abs(gw.bias(mech.tree, q, V)).max()
        assert relative(C @ v + gw.gravity(mech, q), bias, size) < 1e-12
        powers = [v @ M @ a, 0.5 * v @ rate @ v, complex_slope(programs.POTENTIAL_ENERGY, mech, V, q=q)]
        assert gw.inverse_dynamics(mech, q, v, a) @ v == pytest.approx(sum(powers), abs=1e-12 * np.abs(powers).max())


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_by_complex_steps(seed):
    """Exact derivatives of kernels; a step along G is closed to first order, which is all a complex step needs."""
    mech = random_closed_machine(seed)
    q, v, a = closed_state(mech, seed)
    G = speed_directions(mech, q)
    for program, function, other in (
        (programs.INVERSE_DYNAMICS, gw.inverse_dynamics, {"a": a}),
        (programs.FORWARD_DYNAMICS, gw.forward_dynamics, {"tau": gw.inverse_dynamics(mech, q, v, a)}),
    ):
        inputs = {"q": q, "v": v, **other}
        kernel = gw.compile(function, mech)
        slopes = np.stack([complex_slope(program, mech, g, **inputs) for g in G.T], axis=-1)
        assert relative(kernel.jacobian("q")(*inputs.values()), slopes) < 1e-10
        moved = [
            flatten_scalars(program.run(mech, ARRAYS, {**inputs, "v": [*(v + 1e-30j * unit)]}, {}))
            for unit in np.eye(mech.n)
        ]
        assert relative(kernel.jacobian("v")(*inputs.values()), np.imag(moved).T / 1e-30) < 1e-10


class FiftyDigits(Floats):
    """The operations over numbers of 50 digits."""

    cos, sin, sqrt, exp, log, tanh = (
        staticmethod(getattr(mp, x)) for x in ("cos", "sin", "sqrt", "exp", "log", "tanh")
    )
    arctan2 = staticmethod(mp.atan2)


def long_numbers(values):
    return [mp.mpf(float(x)) for x in values]


@pytest.mark.parametrize("seed", [None, 4], ids=["four_bar", "random"])
def test_derivatives_by_differences_of_fifty_digits(seed):
    """Central differences along motions whose loops are closed to 50 digits: their error is about 1e-30."""
    mech = gw.assemble(four_bar_robot(0.3, 0.7, 0.5, 0.8, 50.0)) if seed is None else random_closed_machine(seed)
    ops, n = FiftyDigits(), mech.n
    q, v, a = closed_state(mech, 3)
    with mp.workdps(50):
        h, still = mp.mpf(10) ** -16, long_numbers(np.zeros(n))
        base = step_to_closed(mech.tree, mech.closure, long_numbers(q), still, ops, newton_steps=4)
        assert base.used_gap < mp.mpf(10) ** -90
        steps = [[h if j == k else mp.mpf(0) for j in range(n)] for k in range(n)]
        near = [
            [step_to_closed(mech.tree, mech.closure, base.q, [sign * x for x in step], ops).q for sign in (1, -1)]
            for step in steps
        ]
        for program, function, name, last in (
            (programs.INVERSE_DYNAMICS, gw.inverse_dynamics, "a", a),
            (programs.FORWARD_DYNAMICS, gw.forward_dynamics, "tau", gw.inverse_dynamics(mech, q, v, a)),
        ):
            inputs = {"q": base.q, "v": long_numbers(v), name: long_numbers(last)}

            def slope(changes, program=program, inputs=inputs):
                ends = [flatten_scalars(program.run(mech, ops, {**inputs, **change}, {})) for change in changes]
                return [float((x - y) / (2 * h)) for x, y in zip(*ends, strict=True)]

            kernel = gw.compile(function, mech)
            by_q = [slope([{"q": x} for x in pair]) for pair in near]
            moved = [
                [[x + sign * y for x, y in zip(inputs["v"], step, strict=True)] for sign in (1, -1)] for step in steps
            ]
            by_v = [slope([{"v": x} for x in pair]) for pair in moved]
            assert relative(kernel.jacobian("q")(q, v, last), np.transpose(by_q)) < 1e-10
            assert relative(kernel.jacobian("v")(q, v, last), np.transpose(by_v)) < 1e-10


@pytest.mark.parametrize("seed", range(4))
def test_linear_models(seed):
    """B = M^-1 for the accelerations, and A holds the derivatives of the forward dynamics by position and speed."""
    mech = random_closed_machine(seed)
    q, v, a = closed_state(mech, seed)
    tau, n = gw.inverse_dynamics(mech, q, v, a), mech.n
    A, B = gw.linearise(mech, q, v, tau)
    assert relative(B[n:] @ gw.mass_matrix(mech, q), np.eye(n)) < 1e-8
    kernel = gw.compile(gw.forward_dynamics, mech)
    assert relative(A[n:, :n], kernel.jacobian("q")(q, v, tau)) < 1e-8
    assert relative(A[n:, n:], kernel.jacobian("v")(q, v, tau)) < 1e-8
