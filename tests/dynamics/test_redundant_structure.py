"""Controllability and observability of the redundant models, over the workspace."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.elastic import RedundantModel, controllability, observability
from gearwright.errors import InputError
from gearwright.functions.elastic.redundant_structure import invariant_subspace
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

ELBOW = gw.assemble(gw.load("elastic_elbow"))
MOTORS = ["j1.motor", "j2.motor", "j3.motor"]


@pytest.mark.parametrize("form", ["full", "absolute", "points"])
def test_redundant_state_is_neither_but_the_generalised_state_is_both(form):
    """Of 30 n states, or 24 n or 72 n, the 4 n of the generalised motion are controllable and observable."""
    model = RedundantModel(ELBOW, form)
    q = model.configurations(12, seed=1)
    size = 2 * model.size
    assert size > 12
    assert controllability(model, q) == (12, size, 12, 12)
    assert observability(model, q) == (12, size, 12, 12)
    assert observability(model, q, MOTORS) == (12, size, 12, 12)  # motors alone, without link sensors
    assert observability(model, q, ["j1", "j2", "j3"]) == (12, size, 12, 12)


def test_momentum_about_an_axis_without_a_motor_is_conserved():
    """Joint 1 is vertical: without its motor the momentum about it, and the mean angle, cannot be changed."""
    model = RedundantModel(ELBOW)
    q = model.configurations(6)
    assert controllability(model, q, MOTORS[1:])[2] == 10
    assert observability(model, q, ["j2", "j3", *MOTORS[1:]])[2] < 12  # nor seen


def test_ranks_are_those_of_the_kalman_matrices_of_one_joint():
    """One elastic joint, by hand: [B AB A2B A3B] and its dual have rank 4; a spring of no stiffness separates them."""
    for stiffness, rank in ((400.0, 4), (0.0, 2)):
        A = np.zeros((4, 4))
        A[:2, 2:], A[2:, :2] = np.eye(2), stiffness * np.array([[-0.5, 0.5], [1.0, -1.0]])
        B = np.array([[0.0], [0.0], [0.0], [1.0]])
        krylov = np.hstack([np.linalg.matrix_power(A, k) @ B for k in range(4)])
        assert np.linalg.matrix_rank(krylov) == rank
        assert invariant_subspace(A / np.sqrt(max(stiffness, 1.0)), B).shape == (4, rank)
    link = Link("link", mass=1.0, inertia=2.0 * np.eye(3))
    model = RedundantModel(Robot("joint", [link], [Drive("link", Motor(1.0, 1.0, 1.0), Gear(1, stiffness=400.0))]))
    assert controllability(model, [[0.3, 0.1]])[2] == 4
    assert observability(model, [[0.3, 0.1]], ["link.motor"])[2] == 4


def test_rotors_alone_couple_perpendicular_joints():
    """With a column and an arm at right angles only the rotor of the arm turns the column; Spong's model omits it."""
    up = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    links = [
        Link("column", joint=Joint("waist"), mass=6, com=(0, 0, -0.05), inertia=np.diag([0.05, 0.05, 0.03])),
        Link("arm", "column", Joint("shoulder", rotation=up), 5, (0.2, 0, 0), np.diag([0.01, 0.09, 0.09])),
    ]
    drives = [
        Drive("waist", Motor(5e-4, 0.9, 4e-4), Gear(120, stiffness=8000), axis=(0, 0, 1)),
        Drive("shoulder", Motor(3e-4, 0.8, 2.5e-4, (0, 0, -0.1)), Gear(100, stiffness=6000), axis=(0, 0, 1)),
    ]
    mech = gw.assemble(Robot("column", links, drives))
    q = [[0.3, -0.5, 0.302, -0.501]]
    assert controllability(RedundantModel(mech), q, ["shoulder.motor"])[2] == 6  # all but the momentum about the axis
    assert controllability(RedundantModel(mech, "reduced"), q, ["shoulder.motor"])[2] == 4


def test_unknown_names_and_no_configurations_are_refused():
    model = RedundantModel(ELBOW)
    with pytest.raises(InputError, match=r"controllability: .*'j9'"):
        controllability(model, model.configurations(1), ["j9"])
    with pytest.raises(InputError, match=r"observability: .*'x'"):
        observability(model, model.configurations(1), ["x"])
    with pytest.raises(InputError, match="configurations"):
        controllability(model, np.zeros((0, 6)))
