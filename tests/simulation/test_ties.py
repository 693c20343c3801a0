"""At a limit where nothing moves, modes are chosen by where things go, not by rounding; in Python and machine code."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.forces import Line, Load
from gearwright.forces.transmission.hysteresis import MaxwellSlip
from gearwright.forces.transmission.kinematic_error import ElementDeflection
from gearwright.system.modes.mode_settling import find_consistent_modes
from gearwright.system.system import System

DISC = gw.Mechanism([gw.Body("j", axis=(0, 0, 1), mass=1.0, inertia=np.diag([0.5] * 3))], gravity=(0, 0, 0))
LEVEL, WIDTH = 2.0, 0.1
RUB = MaxwellSlip("rub", ElementDeflection(Line.for_machine(DISC, "j")), LEVEL, WIDTH)
LAWS = (RUB, Load("push", Line.for_machine(DISC, "j")))
SLIDES = {1: "forward", -1: "backward"}
SPEEDS = (0.0, 3e-30, 1e-12, 5e-10, 1.5e-9)
"""Rounding, and what locating an event leaves [rad/s]."""


def settled(side: int, speed: float, push: float, mode: str) -> tuple[str, int]:
    """The mode after settling at a limit, and how often it changed."""
    system = System(DISC, LAWS)
    x, u = np.zeros(system.size), np.zeros(system.input_size)
    x[system.v], x[system.law_slice.start] = speed, side * WIDTH
    u[-1] = side * LEVEL + push
    found = find_consistent_modes(system, 0.0, x, u, (mode, "on"))
    return found.modes[0], len(found.changes)


@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("push", [3.0, 0.0, -3.0])
@pytest.mark.parametrize("side", [1, -1])
def test_a_slider_at_its_limit_settles_at_once(side, push, speed):
    """Whatever the mode it comes with, and whatever the sign of a speed that is rounding."""
    for w in (speed, -speed):
        for mode in ("stick", SLIDES[side]):
            found, changes = settled(side, w, push, mode)
            assert found in ("stick", SLIDES[side])
            assert changes <= 1
            if speed <= 1e-12 and push != 0:
                assert found == (SLIDES[side] if side * push > 0 else "stick")


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_slider_at_its_limit_starts_where_it_is_pushed(side, engine):
    """It moves in either sense with the same force, within its limit, and its books balance."""
    for w in (1e-12, -1e-12):
        for push in (3.0, -3.0):
            start = gw.State([0.0], [w], {"rub.deflection": side * WIDTH})
            inputs = {"push": side * LEVEL + push}
            run = gw.simulate(
                DISC,
                start,
                0.02,
                laws=LAWS,
                inputs=inputs,
                samples=5,
                integrator=gw.analysis.IntegratorOptions(engine=engine),
            )
            slides = side * push > 0
            assert run.modes["rub"][-1] == (SLIDES[side] if slides else "stick")
            assert np.abs(run["rub.torque"]).max() <= LEVEL * (1 + 1e-8)
            assert run.drift < 1e-9
            if slides:
                np.testing.assert_allclose(run["v.j"], push / 0.5 * run.t, atol=1e-9)
