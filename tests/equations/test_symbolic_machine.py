"""Gear ratios as symbols in the matrices of every wheel and in the structure matrix (Chen and Wang, section 7)."""

import numpy as np
import pytest
import sympy as sp

import gearwright as gw
from gearwright.equations.closed_form import closed_form
from gearwright.errors import InputError

NAMES = "g14 g25 g76 g37 I4 I5 I6 I7"
g14, g25, g76, g37, I4, I5, I6, I7 = sp.symbols(NAMES)
S2, C2 = sp.sin(sp.Symbol("q2")), sp.cos(sp.Symbol("q2"))
STATE = ([0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8])
MASSES = {  # eqs (31), (32), (35), (39)
    "w4": I4 * sp.diag(g14**2, 0, 0),
    "w5": I5 * sp.Matrix([[1, g25, 0], [g25, g25**2, 0], [0, 0, 0]]),
    "w6": I6 * sp.Matrix([[0, 0, 0], [0, 1, g76 * g37], [0, g76 * g37, g76**2 * g37**2]]),
    "w7": I7 * sp.Matrix([[0, 0, g37 * S2], [0, 0, 0], [g37 * S2, 0, g37**2]]),
}


@pytest.fixture(scope="module")
def canonical():
    return gw.equations.canonical_trains(gw.load("grm3"))


def test_structure_matrix_45():
    A = closed_form(gw.actuation.structure_matrix, gw.load("grm3"), names="file")
    assert A.expression() == sp.Matrix([[g14, 1, 0], [0, g25, 1], [0, 0, g76 * g37]])
    assert A.evaluate() == pytest.approx(gw.actuation.structure_matrix(gw.load("grm3")))


@pytest.mark.parametrize("wheel", MASSES)
def test_inertia_matrices_of_wheels(wheel, canonical):
    found = closed_form("wheel_mass_matrix", canonical, names="file", wheel=wheel).expression()
    assert (found - MASSES[wheel]).expand() == sp.zeros(3, 3)


def test_coriolis_matrices_of_wheels(canonical):
    """(33), (36), (37): none for wheels 4 to 6; (40) to (42) for wheel 7."""
    for wheel in ("w4", "w5", "w6"):
        assert not any(closed_form("wheel_coriolis", canonical, names="file", wheel=wheel).entries)
    C = closed_form("wheel_coriolis", canonical, names="file", wheel="w7").expression()
    half = I7 * g37 * C2 / 2
    assert C[0].tolist() == (half * sp.Matrix([[0, 0, 0], [0, 0, 1], [0, 1, 0]])).tolist()
    assert C[1].tolist() == (-half * sp.Matrix([[0, 0, 1], [0, 0, 0], [1, 0, 0]])).tolist()
    assert C[2].tolist() == (half * sp.Matrix([[0, 1, 0], [1, 0, 0], [0, 0, 0]])).tolist()


@pytest.mark.parametrize("robot", ["grm3", "elbow", "planetary_3r", "wrist_bendix"])
def test_the_symbols_have_the_numbers_of_explain(robot):
    arm = gw.load(robot)
    n = gw.assemble(arm).n
    state = [np.linspace(*ends, n) for ends in ((0.3, -0.9), (0.7, -0.4), (1.2, 0.5))]
    told = gw.equations.explain(arm, *state)
    for k, wheel in enumerate(told.wheels):
        parts = closed_form(gw.equations.explain, arm, names="file", wheel=wheel)
        assert parts.evaluate(*state) == pytest.approx(told.forces[k], abs=1e-13)
        C = closed_form("wheel_coriolis", arm, wheel=wheel)
        assert C.evaluate(state[0]) == pytest.approx(told.coriolis(wheel), abs=1e-13)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: closed_form("wheel_coriolis", gw.load("grm3")), r"wheel_coriolis .*\bwheel\b"),
        (lambda: closed_form("wheel_coriolis", gw.load("grm3"), wheel="w9"), "'w9'.*w4, w5, w6, w7"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(InputError, match=words):
        call()
