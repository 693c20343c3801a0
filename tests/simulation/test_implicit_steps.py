"""Implicit steps of the event loop: Radau IIA of order 9, for circuits and dampers far faster than the motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm

import gearwright as gw
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Robot
from gearwright.simulation.compiled_loop.source import elimination, implicit_steps
from gearwright.simulation.compiled_loop.source import step_coefficients as radau
from support.fmus import arm

NODES = np.array(radau.RADAU_TIMES)
COUNT = radau.RADAU_STAGES


def circuit_arm(time_constant: float) -> Robot:
    """Two links with friction, lossy gears, and motors of a resistance of 0.8 Ohm."""
    robot = arm(Friction(coulomb=1.0, static=1.5, viscous=0.2), efficiency=0.8)
    drives = [replace(x, motor=replace(x.motor, inductance=0.8 * time_constant)) for x in robot.drives]
    return replace(robot, drives=drives)


VOLTAGES = {"shoulder.voltage": lambda t: 12.0 * np.sin(9.0 * t), "elbow.voltage": lambda t: 8.0 * np.cos(7.0 * t)}


def run(robot: Robot, method: str | None, rtol: float = 1e-8, until: float = 0.5, **more) -> gw.simulation.Run:
    options = gw.analysis.IntegratorOptions(rtol=rtol, atol=rtol / 100, engine="compiled")
    return gw.simulate(robot, None, until, method=method, samples=51, integrator=options, **more)


def difference(one: gw.simulation.Run, other: gw.simulation.Run) -> float:
    return float(max(np.abs(one.q - other.q).max(), np.abs(one.v - other.v).max()))


def test_coefficients_are_those_of_radau_iia_of_order_nine():
    """The method is collocation at the Radau points; eigenvectors decouple it, and the defect is that at the start."""
    legendre = np.polynomial.legendre.Legendre
    assert np.abs(legendre.basis(COUNT)(2 * NODES - 1) - legendre.basis(COUNT - 1)(2 * NODES - 1)).max() < 1e-14
    powers = NODES[:, None] ** np.arange(COUNT + 1)
    inverse = np.array(radau.RADAU_INVERSE).reshape(COUNT, COUNT)
    assert np.abs(inverse @ (powers[:, 1:] / np.arange(1, COUNT + 1)) - powers[:, :-1]).max() < 1e-12
    shifts = np.array(radau.RADAU_SHIFTS) + 1j * np.array(radau.RADAU_TURNS)
    rows = np.array(radau.RADAU_ROWS) + 1j * np.array(radau.RADAU_ROWS_IMAGINARY)
    columns = np.array(radau.RADAU_COLUMNS) + 1j * np.array(radau.RADAU_COLUMNS_IMAGINARY)
    rows, columns = rows.reshape(-1, COUNT), columns.reshape(-1, COUNT)
    assert np.abs((columns.T @ rows).real - np.eye(COUNT)).max() < 1e-12
    assert np.abs(((columns.T * shifts) @ rows).real - inverse).max() < 1e-11
    slopes = np.concatenate(([1.0], np.zeros(COUNT - 1)))
    assert np.abs(np.array(radau.RADAU_DEFECT) @ powers[:, 1:] + slopes).max() < 1e-13
    polynomial = np.array(radau.RADAU_POLYNOMIAL).reshape(COUNT, COUNT)
    assert np.abs(polynomial @ powers[:, 1:] - np.eye(COUNT)).max() < 1e-11


def test_complex_systems_are_solved():
    rng = np.random.default_rng(4)
    matrix, right = (rng.normal(size=size) + 1j * rng.normal(size=size) for size in ((7, 7), 7))
    real, imaginary, pivots = matrix.real.ravel().copy(), matrix.imag.ravel().copy(), np.zeros(7, dtype=np.int64)
    x, y = right.real.copy(), right.imag.copy()
    assert elimination.factorise_complex(real, imaginary, pivots, 7) == 0
    elimination.solve_factorised(real, imaginary, pivots, x, y, 7)
    assert np.abs(matrix @ (x + 1j * y) - right).max() < 1e-12
    assert elimination.factorise_complex(np.zeros(4), np.zeros(4), pivots, 2) == 1


def test_roots_of_errors():
    for x in (1e-12, 3e-4, 0.7, 1.0, 20.0, 1e9):
        assert implicit_steps.error_root(x) == pytest.approx(x ** (1 / (COUNT + 1)), rel=1e-3)


def test_implicit_and_explicit_steps_find_the_same_motion_and_events():
    """A winding of 0.1 ms beside friction that sticks and gears with losses; tighter tolerances come closer."""
    robot = circuit_arm(1e-4)
    exact = run(robot, "adaptive", 1e-12, inputs=VOLTAGES)
    coarse, fine = (run(robot, "stiff", rtol, inputs=VOLTAGES) for rtol in (1e-6, 1e-9))
    assert difference(fine, exact) < 1e-8
    assert difference(fine, exact) < 0.1 * difference(coarse, exact)
    assert [(x.name, x.kind) for x in fine.events] == [(x.name, x.kind) for x in exact.events]
    assert len(fine.events) > 8
    assert fine.drift < 1e-6


def test_the_limit_of_fast_windings_is_that_without_inductance():
    """With L/R = 0.1 us and 10 ns, 10^7 and 10^8 explicit steps; the difference is proportional to L."""
    rigid = run(circuit_arm(0.0), "adaptive", inputs=VOLTAGES)
    far, near = (difference(run(circuit_arm(tau), "stiff", inputs=VOLTAGES), rigid) for tau in (1e-7, 1e-8))
    assert near < 2e-7
    assert far == pytest.approx(10.0 * near, rel=0.05)


def test_fast_decay_is_followed_exactly():
    """A wheel on a stiff damped shaft with a given torque: linear, so that matrix exponentials give the motion."""
    K, D, torque = 4e5, 2e4, 3.0
    link = Link("wheel", joint=Joint("turn", axis=(0, 0, 1)), inertia=2.0 * np.eye(3))
    robot = Robot("shaft", [link], [Drive("turn", Motor(inertia=1e-4), Gear(100.0, stiffness=K, damping=D))])
    found = run(robot, None, 1e-9, 3.0, inputs={"tau.turn.motor": torque})
    assert "stiff" in found.remarks[0]
    mech = gw.assemble(robot)
    M = gw.mass_matrix(mech, gw.neutral(mech))
    d = np.array([1.0, -1.0])
    twist = np.linalg.solve(M, -np.outer(d, d))
    whole = np.zeros((5, 5))
    whole[:2, 2:4], whole[2:4, :2], whole[2:4, 2:4] = np.eye(2), K * twist, D * twist
    whole[2:4, 4] = np.linalg.solve(M, [0.0, torque])
    expected = np.array([(expm(whole * t) @ [0.0, 0.0, 0.0, 0.0, 1.0])[:4] for t in found.t])
    assert np.abs(np.column_stack([found.q, found.v]) - expected).max() < 1e-9 * np.abs(expected).max()


def test_machine_code_chooses_implicit_steps_by_the_fastest_decay():
    """2.5e4 explicit steps of 1.6e-5 s are slower than implicit ones; 50 of them are not."""
    long, short = (run(circuit_arm(2e-5), None, until=until, inputs=VOLTAGES) for until in (0.5, 1e-3))
    assert "stiff" in long.remarks[0]
    assert "adaptive" in short.remarks[0]
