"""What drives the event loop in machine code: pieces of polynomials, controllers over scalars, calls back."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.errors import InputError
from gearwright.forces import DryFriction, Line
from gearwright.parts import Friction
from gearwright.simulation.compiled_loop.chebyshev_inputs import fit_inputs
from gearwright.system.inputs import gather_inputs, series, steps

ARM = gw.assemble(gw.load("elbow"))
RUBBING = (DryFriction("rub", Line.for_machine(ARM, "j2"), friction=Friction(coulomb=1.0, static=1.3, viscous=0.1)),)


simulate = partial(gw.simulate, integrator=gw.analysis.IntegratorOptions(engine="compiled"))


def cascade(t, state, ops):
    wanted = 0.4 * ops.minimum(ops.maximum(4.0 * t, 0.0), 1.0)
    pull = 60.0 * (wanted - state.q[1]) - 4.0 * state.v[1] + 5.0 * state["sum"]
    return {"tau.j2": pull}, {"sum": wanted - state.q[1]}


def test_a_controller_over_scalars_runs_in_machine_code():
    asked = []

    def counted(t, state, ops):
        asked.append(type(t))
        return cascade(t, state, ops)

    more = {"until": 0.5, "laws": RUBBING, "samples": 26}
    quick = simulate(ARM, controller=gw.Controller(counted, states={"sum": 0.0}, breaks=(0.25,), scalars=True), **more)
    assert len(asked) < 50
    plain = lambda t, state: cascade(t, state, FLOATS)  # noqa: E731
    slow = simulate(ARM, controller=gw.Controller(plain, states={"sum": 0.0}, breaks=(0.25,)), **more)
    assert np.abs(quick["q.j2"] - slow["q.j2"]).max() < 1e-10
    assert np.abs(quick["tau.j2"] - slow["tau.j2"]).max() < 1e-8
    assert not [remark for remark in quick.remarks if "Python" in remark]


def test_a_controller_with_if_says_that_it_runs_in_python():
    def branching(t, state, ops):
        return {"tau.j2": 1.0 if state.q[1] > 0 else -1.0}

    run = simulate(ARM, until=0.05, controller=gw.Controller(branching, scalars=True), samples=3)
    assert [remark for remark in run.remarks if "controller" in remark and "Python" in remark]


def test_what_a_function_raises_comes_out():
    def fails(t, state):
        if t > 0.01:
            raise ZeroDivisionError("in the controller")
        return [0.0, 0.0, 0.0]

    with pytest.raises(ZeroDivisionError, match="controller"):
        simulate(ARM, until=0.1, controller=fails, laws=RUBBING)


def test_samples_are_pieces_however_many_and_beside_a_function():
    t = np.linspace(0.0, 1.0, 2001)
    samples = {"tau.j1": (t, np.sin(9 * t)), "tau.j2": steps(t[::3], np.cos(t[::3]))}
    for more in ({}, {"tau.j3": lambda now: np.exp(-now)}):
        given = gather_inputs(ARM, {}, samples | more)
        pieces = fit_inputs(given, 0.0, 1.0)
        for now in np.random.default_rng(1).uniform(0, 1, 50):
            assert np.abs(pieces.value_at(now) - given.values_at(now)).max() < 1e-11


def test_steps_stay_exactly_constant():
    given = gather_inputs(ARM, {}, {"tau.j1": steps([0.0, 0.2], [0.0, 12.0])})
    assert set(fit_inputs(given, 0.0, 0.4).values_over(np.linspace(0.0, 0.4, 101))[:, 0].tolist()) == {0.0, 12.0}


def test_samples_are_not_asked_one_by_one():
    asked = []

    def counted(one):
        return replace(one, at=lambda now: asked.append(now) or one.at(now))

    t = np.linspace(0.0, 0.5, 401)
    inputs = {"tau.j2": counted(series("tau.j2", t, 5 * np.sin(9 * t)))}
    run = simulate(ARM, until=0.5, inputs=inputs, laws=RUBBING, samples=26)
    assert len(asked) < 20
    assert np.abs(run["tau.j2"] - 5 * np.sin(9 * run.t)).max() < 1e-6


def test_pieces_of_inputs_are_the_inputs():
    def inputs(given):
        return gather_inputs(ARM, {}, given)

    wavy = inputs(lambda t: [np.sin(9 * t), np.exp(-t), t**3])
    series = inputs({"tau.j1": (np.linspace(0, 1, 9), np.cos(np.arange(9.0))), "tau.j2": steps([0, 0.4], [1, 2])})
    for given in (wavy, series, inputs([1.0, 2.0, 3.0]), inputs(None)):
        pieces = fit_inputs(given, 0.0, 1.0)
        for t in np.random.default_rng(0).uniform(0, 1, 50):
            assert np.abs(pieces.value_at(t) - given.values_at(t)).max() < 1e-11
    assert fit_inputs(inputs(lambda t: [abs(t - 0.3), 0.0, 0.0]), 0.0, 1.0) is None
    assert fit_inputs(inputs(lambda t: [float(0.5 < t < 0.52), 0.0, 0.0]), 0.0, 1.0) is None


def test_inputs_that_do_not_fit_are_called_back():
    jump = simulate(ARM, until=0.4, inputs=lambda t: [1.0 if t > 0.2 else 0.0, 0.0, 0.0], laws=[])
    exact = simulate(ARM, until=0.4, inputs={"tau.j1": steps([0.0, 0.2], [0.0, 1.0])}, laws=[])
    assert np.abs(jump["q.j1"] - exact["q.j1"]).max() < 1e-7


def test_an_unknown_output_of_a_controller_over_scalars_is_refused():
    with pytest.raises(InputError, match=r"'tau\.elbow'.*tau\.j1, tau\.j2, tau\.j3"):
        simulate(ARM, until=0.1, controller=gw.Controller(lambda t, state, ops: {"tau.elbow": 1.0}, scalars=True))
