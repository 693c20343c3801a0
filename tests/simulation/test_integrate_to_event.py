"""Integrators where numbers are hard to tell apart."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass, replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.forces import Action, DryFriction, Force, Law, Line, LuGre, Outcome
from gearwright.parts import Friction
from gearwright.simulation.integrators.integrate_to_event import IntegrationProblem
from gearwright.simulation.integrators.methods import make_integrator
from gearwright.simulation.integrators.stiffness_detection import fastest_decay


@pytest.mark.parametrize("method", ["adaptive", "stiff"])
def test_rates_whose_squares_vanish(method):
    for exponent in range(150, 185):  # somewhere there, one estimate of the error is zero and the other is not
        size = 10.0**-exponent

        def rates(t, x, size=size):
            return np.array([size * np.cos(30 * t)])

        problem = IntegrationProblem(rates, None, 0.0, np.array([2.0]), 0.1, 1e-10, 1e-12, first_step=1e-2)
        assert make_integrator(method, problem).advance_to(0.1).x == pytest.approx([2.0])


@pytest.mark.parametrize("method", ["adaptive", "stiff"])
@pytest.mark.parametrize("spacings", [1, 2, 5, 20, 1000])
def test_a_bound_a_few_numbers_away(method, spacings):
    start = 0.7
    bound = start + spacings * float(np.spacing(start))
    problem = IntegrationProblem(lambda t, x: -3.0 * x, None, start, np.array([2.0]), bound, 1e-10, 1e-12)
    reached = make_integrator(method, problem).advance_to(bound)
    assert (reached.t, reached.is_event) == (bound, False)
    assert reached.x == pytest.approx([2.0 * np.exp(-3.0 * (bound - start))], rel=1e-15)


def test_a_decay_beside_as_fast_a_growth_is_none():
    """An inverted pendulum without friction comes and goes alike: an implicit method would only lose its energy."""
    upright = np.array([0.1, 0.2])
    assert fastest_decay(lambda x: np.array([x[1], 25.0 * x[0]]), upright) == 0.0
    assert fastest_decay(lambda x: np.array([x[1], 25.0 * x[0] - 500.0 * x[1]]), upright) == pytest.approx(
        500, rel=1e-3
    )


@pytest.mark.parametrize("depth", [1e-2, 1e-4, 1e-6, 1e-8])
def test_a_guard_that_is_below_zero_between_two_checks_only(depth):
    """1 - depth + sin(t + phase) is negative for 2 sqrt(2 depth), a small part of a step; a gap while it falls only."""
    for phase in np.linspace(0.0, 0.3, 16):

        def rates(t, x):
            return np.array([x[1], -x[0]])

        def falling(t, x, depth=depth):
            gap = 1.0 - depth + x[0]
            return np.array([1.0, np.maximum(gap, 1e-8) if x[1] >= 0 else gap])

        start = np.array([np.sin(phase), np.cos(phase)])
        problem = IntegrationProblem(rates, falling, 0.0, start, 12.0, 1e-10, 1e-12, longest_step=0.2)
        reached = make_integrator("adaptive", problem).advance_to(12.0)
        assert reached.is_event
        assert reached.t == pytest.approx(1.5 * np.pi - phase - np.arccos(1.0 - depth), abs=3e-5)
        above = replace(problem, guard_levels=lambda t, x, depth=depth: np.array([1.0 + depth + x[0]]))
        assert not make_integrator("adaptive", above).advance_to(12.0).is_event


PENDULUM = gw.Mechanism(
    [
        gw.Body("a", axis=(0, 1, 0), mass=3, com=(0, 0, -0.3), inertia=np.eye(3) * 0.05),
        gw.Body("b", 0, axis=(0, 1, 0), position=(0, 0, -0.5), mass=1, com=(0, 0, -0.3), inertia=np.eye(3) * 0.05),
    ]
)


@pytest.mark.parametrize("beside", [False, True])
def test_the_method_follows_a_run_that_becomes_stiff(beside):
    """Bristles at rest decay slowly; once they slide, at 1e7 1/s. Events beside them do not start the count anew.

    Laws with modes take more explicit steps before another method pays: theirs are cheap in machine code.
    """
    own = Friction(coulomb=1.0, static=1.5, stribeck_speed=0.05, viscous=0.1, stiffness=1e7, damping=1e3)
    laws = [LuGre("bristles", Line.for_machine(PENDULUM, "a"), own)]
    until = 0.2 if beside else 0.05
    if beside:
        laws += [DryFriction("dry", Line.for_machine(PENDULUM, "b"), friction=Friction(coulomb=0.1))]
    run = gw.simulate(PENDULUM, [1.0, 0.3], until=until, laws=laws, samples=11)
    assert "adaptive" in run.remarks[0]
    assert re.search(r"\bstiff\b.* t = \d", run.remarks[1])
    slow = gw.simulate(
        PENDULUM,
        [1.0, 0.3],
        until=until,
        laws=laws,
        samples=11,
        method="stiff",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
    )
    assert np.abs(run.q - slow.q).max() < 1e-7


def test_a_law_that_jumps_to_and_fro_ends_the_watch_and_not_the_run():
    """A switch without modes pushes against every speed: nothing can be found between its two sides."""

    @dataclass(frozen=True)
    class Switch(Law):
        name: str

        def act(self, mode, s):
            return Action(forces=(Force(Line.for_machine(PENDULUM, "a"), s.ops.where(s.v[0] > 0, -5.0, 5.0)),))

        def follow(self, mode, s, reaction):
            return Outcome(dissipated=5.0 * s.ops.absolute(s.v[0]))

    run = gw.simulate(
        PENDULUM,
        [0.1, 0.0],
        until=1e-2,
        laws=[Switch("switch")],
        samples=3,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-4, atol=1e-4),
    )
    assert run.t[-1] == 1e-2
    assert np.abs(run["v.a"]).max() < 1e-2


@pytest.fixture
def heedful():
    """Ctrl-C as Python hears it by itself, also where the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heedful")
@pytest.mark.parametrize("method", ["adaptive", "stiff"])
def test_an_interruption_is_obeyed_between_steps(method):
    """Ctrl-C is noted wherever it comes, also within a library that would swallow it."""
    mech = gw.assemble(gw.load("elbow"))
    sent = []

    def interrupt(t, state):
        if t > 2.0 and not sent:
            sent.append(t)
            signal.raise_signal(signal.SIGINT)
        return np.zeros(3)

    run = gw.simulate(mech, [0.0, 0.5, 0.0], until=5.0, controller=interrupt, method=method)
    assert sent
    assert 1.0 < run.t[-1] < 3.0
    assert "user" in run.remarks[-1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
