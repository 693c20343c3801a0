"""What controllers refuse, in words that help; and runs that a controller spoils stop and say when."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.control import ControlLaw, Decision
from gearwright.errors import GearwrightError, InputError
from gearwright.motion import polynomial

ARM = gw.load("elbow")
STAY = [0.0, 0.0, 0.0]
PD = gw.control.pd(ARM, STAY, 100.0, 10.0)


class Spoiled(ControlLaw):
    """Good until the first joint passes 0.1 rad, then not a number."""

    mech = gw.assemble(ARM)

    def decide(self, seen):
        return Decision([seen.ops.sqrt(0.1 - seen.q[0]) + 5.0, 0.0, 0.0])


def test_a_controller_that_returns_nan_stops_the_run_and_says_when():
    with pytest.raises(InputError, match=r"controller: 'tau\.j1' is nan at t = 0\.\d+ s"):
        gw.simulate(ARM, STAY, 5.0, controller=gw.control.controller(Spoiled()))


def test_a_controller_of_the_wrong_shape_is_refused():
    with pytest.raises(InputError, match=r"returned an array of shape \(2,\) at t = 0 s; it must be \(3,\)"):
        gw.simulate(ARM, STAY, 0.1, controller=lambda t, state: [0.0, 0.0])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: gw.control.pd(ARM, [0.0, 0.0], 1.0, 1.0), "2 numbers for 3 coordinates"),
        (
            lambda: gw.control.pd(ARM, STAY, [1.0, 2.0], 1.0),
            r"kp has shape \(2,\); give one number, or one each for j1, j2, j3",
        ),
        (lambda: gw.control.pd(ARM, STAY, -1.0, 1.0), "kp=-1.0 must be"),
        (lambda: gw.control.pd(ARM, STAY, 1.0, np.nan), "kd=nan must be"),
        (lambda: gw.control.pd("elbow", STAY, 1.0, 1.0), "pd: robot='elbow' must be a robot or a machine"),
        (lambda: gw.control.pd(ARM, STAY, 1.0, 1.0, feedback="joints"), "feedback='joints' is not known"),
        (lambda: gw.control.pd(ARM, polynomial([0], [1], 1.0), 1.0, 1.0), "moves 1 coordinates"),
        (lambda: gw.control.computed_torque(ARM, STAY, 0.0), "frequency=0.0 must be"),
        (lambda: gw.control.computed_torque(ARM, STAY, model="magic"), "there is no approximation 'magic'"),
        (lambda: gw.control.computed_torque(ARM, STAY, model=gw.load("scara")), "Give a model of the same joints"),
        (lambda: gw.control.feedforward(ARM, STAY, 1.0, 1.0, "both"), "scheme='both' is not known"),
        (lambda: gw.control.cascade(ARM, STAY, 1.0, 1.0, 0.0), "Ts=0.0 must be"),
        (lambda: gw.control.cascade(ARM, STAY, 1.0, 1.0, 1.0, "heat"), "output='heat' is not known"),
        (lambda: gw.control.cascade(ARM, STAY, 1.0, 1.0, 1.0, "voltage", nominal=True), "leave them out"),
        (lambda: gw.control.sampled(PD, 0.0), "period=0.0 must be"),
        (lambda: gw.control.sampled(PD, 1e-3, delay=0.5), "delay=0.5 must be a whole number"),
        (lambda: gw.control.sampled(PD, 1e-3, speed="guessed"), "must be 'measured' or 'difference'"),
        (lambda: gw.control.sampled(PD, 1e-3, resolution=[1e-5]), "one each for j1, j2, j3"),
        (lambda: gw.control.filtered(PD, [0.0]), r"source=\[0.0\] must be a function"),
        (lambda: gw.control.filtered(PD, lambda t: [0.0]), "Return 3 finite numbers"),
        (lambda: gw.control.momentum_observer(PD, -1.0), "gain=-1.0 must be"),
        (lambda: gw.control.momentum_observer(lambda t, s: STAY), "must be a controller of gw.control"),
        (lambda: gw.control.through_drives(PD, ARM, "volts"), "output='volts' is not known"),
        (lambda: gw.control.through_drives(PD, ARM, "voltage"), "has no torque_constant"),
        (lambda: gw.control.state_feedback(ARM, STAY, np.zeros((3, 3))), r"it must be \(3, 6\)"),
        (lambda: gw.control.lqr(ARM, STAY, [1.0] * 6, [0.0] * 3), "positive definite R"),
        (lambda: gw.control.lqr(ARM, STAY, [1.0] * 4, [1.0] * 3), "Q has shape"),
        (lambda: gw.control.poles(ARM, STAY, [-1.0]), "give 6 finite poles"),
        (lambda: gw.control.controller(lambda t, s: STAY), "must be a ControlLaw"),
        (lambda: gw.control.recall("missing.csv"), "there is no such file"),
    ],
)
def test_bad_controllers_are_refused(make, words):
    with pytest.raises(GearwrightError, match=words):
        make()


def test_a_controller_of_another_machine_is_refused():
    with pytest.raises(InputError, match="Make it for this machine"):
        gw.simulate(gw.load("puma560"), None, 0.1, controller=PD)
    with pytest.raises(InputError, match=r"drives .tau"):
        gw.rollout(gw.load("puma560"), np.zeros(6), np.zeros(6), 2, 1e-3, controller=PD)
    with pytest.raises(InputError, match="was made for another robot"):
        gw.export.c(gw.load("puma560"), "nowhere", [PD])


def test_a_reference_of_the_wrong_shape_says_when():
    control = gw.control.pd(ARM, lambda t: ([0.0] * 3, [0.0] * 3), 1.0, 1.0)
    with pytest.raises(InputError, match=r"at t = 0 s; it must return \(q, v, a\) of 3, 3, 3 numbers"):
        gw.simulate(ARM, STAY, 0.1, controller=control)
