"""Redundant models and motor motion in machine code: the same as over NumPy, and asked for in the same way."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.functions import special_kernels
from support.compare import relative

ARM = gw.assemble(gw.load("elastic_elbow"))
RNG = np.random.default_rng(6)


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """Every call from now on in machine code; counts the calls that were not."""
    missed = []
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "on")
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path))
    plain = special_kernels.evaluate_program
    monkeypatch.setattr(special_kernels, "evaluate_program", lambda *given: missed.append(1) or plain(*given))
    return missed


@pytest.mark.parametrize("form", ["full", "absolute"])
def test_redundant_models(form, compiled, monkeypatch):
    model = gw.elastic.RedundantModel(ARM, form)
    q, v, a = RNG.normal(size=(3, 5, ARM.n))
    quick = (*model.project(q, v), model.reactions(q, v, a), *model.rates(q, model.velocities(q, v), a))
    assert not compiled
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")
    slow = (*model.project(q, v), model.reactions(q, v, a), *model.rates(q, model.velocities(q, v), a))
    for found, expected in zip(quick, slow, strict=True):
        assert relative(found, expected) < 1e-12
    assert pickle.loads(pickle.dumps(model)).size == model.size
    assert model.jacobian(np.zeros((0, ARM.n))).shape == (0, model.size, ARM.n)


def test_motor_motion(compiled, monkeypatch):
    """One motion and batches, with more derivatives than are needed and with fewer."""
    joints = ARM.n // 2
    motion = RNG.normal(size=(8, 3, 1, joints))
    broad = [motion[0], *(x[:, 0] for x in motion[1:])]
    quick = [gw.motor_motion(ARM, *given[:5], given[5:]) for given in (motion, broad, motion[:, 0, 0])]
    assert not compiled
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")
    slow = [gw.motor_motion(ARM, *given[:5], given[5:]) for given in (motion, broad, motion[:, 0, 0])]
    for one, other in zip(quick, slow, strict=True):
        for found, expected in zip(one, other, strict=True):
            assert relative(found, expected) < 1e-12
    with pytest.raises(InputError, match=r"j1\.motor.*7th"):
        gw.motor_motion(ARM, *motion[:5])


def test_what_is_known_of_a_machine_does_not_outlive_it():
    from gearwright.functions.elastic import elastic_machines

    mech = replace(ARM, gravity=(0, 0, -1.0))
    gw.motor_motion(mech, *np.zeros((5, ARM.n // 2)), np.zeros((3, ARM.n // 2)))
    assert id(mech) in elastic_machines._MOTOR_MOTION_SETUPS
    number = id(mech)
    del mech
    assert number not in elastic_machines._MOTOR_MOTION_SETUPS


def test_kernels_come_when_they_pay(monkeypatch, tmp_path):
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "auto")
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path))
    made, plain = [], special_kernels.compile_graph
    monkeypatch.setattr(special_kernels, "compile_graph", lambda *given: made.append(1) or plain(*given))
    model = gw.elastic.RedundantModel(ARM)
    for _ in range(10):
        model.weights(np.zeros(ARM.n))
    assert not made
    model.weights(np.zeros((300_000, ARM.n)))
    assert made == [1]
