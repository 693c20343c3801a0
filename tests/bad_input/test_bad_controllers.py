"""What controllers refuse, by argument and value; runs that a controller spoils stop and name the time."""

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
    with pytest.raises(InputError, match=r"'tau\.j1'.* nan .* 0\.\d+ s"):
        gw.simulate(ARM, STAY, 5.0, controller=gw.control.controller(Spoiled()))


def test_a_controller_of_the_wrong_shape_is_refused():
    with pytest.raises(InputError, match=r"shape \(2,\) at t = 0 s.*\(3,\)"):
        gw.simulate(ARM, STAY, 0.1, controller=lambda t, state: [0.0, 0.0])


@pytest.mark.parametrize(
    ("make", "fact"),
    [
        (lambda: gw.control.pd(ARM, [0.0, 0.0], 1.0, 1.0), r"2 .* 3 coordinates"),
        (
            lambda: gw.control.pd(ARM, STAY, [1.0, 2.0], 1.0),
            r"kp .*\(2,\).* j1, j2, j3",
        ),
        (lambda: gw.control.pd(ARM, STAY, -1.0, 1.0), r"kp=-1\.0"),
        (lambda: gw.control.pd(ARM, STAY, 1.0, np.nan), "kd=nan"),
        (lambda: gw.control.pd("elbow", STAY, 1.0, 1.0), "pd: robot='elbow'"),
        (lambda: gw.control.pd(ARM, STAY, 1.0, 1.0, feedback="joints"), "feedback='joints'"),
        (lambda: gw.control.pd(ARM, polynomial([0], [1], 1.0), 1.0, 1.0), "1 coordinates"),
        (lambda: gw.control.computed_torque(ARM, STAY, 0.0), r"frequency=0\.0"),
        (lambda: gw.control.computed_torque(ARM, STAY, model="magic"), "'magic'"),
        (
            lambda: gw.control.computed_torque(ARM, STAY, model=gw.load("scara")),
            "shoulder, elbow, lift, roll.*j1, j2, j3",
        ),
        (lambda: gw.control.feedforward(ARM, STAY, 1.0, 1.0, "both"), "scheme='both'"),
        (lambda: gw.control.cascade(ARM, STAY, 1.0, 1.0, 0.0), r"Ts=0\.0"),
        (lambda: gw.control.cascade(ARM, STAY, 1.0, 1.0, 1.0, "heat"), "output='heat'"),
        (lambda: gw.control.cascade(ARM, STAY, 1.0, 1.0, 1.0, "voltage", nominal=True), "output='force'.*'voltage'"),
        (lambda: gw.control.with_sampling(PD, 0.0), r"period=0\.0"),
        (lambda: gw.control.with_sampling(PD, 1e-3, delay=0.5), r"delay=0\.5"),
        (lambda: gw.control.with_sampling(PD, 1e-3, speed="guessed"), r"'guessed'.*'measured'.*'difference'"),
        (lambda: gw.control.with_sampling(PD, 1e-3, resolution=[1e-5]), r"resolution .* j1, j2, j3"),
        (lambda: gw.control.with_reference_filter(PD, [0.0]), r"source=\[0\.0\]"),
        (lambda: gw.control.with_reference_filter(PD, lambda t: [0.0]), r"\b3\b"),
        (lambda: gw.control.momentum_observer(PD, -1.0), r"gain=-1\.0"),
        (lambda: gw.control.momentum_observer(lambda t, s: STAY), r"controller=.*gw\.control"),
        (lambda: gw.control.with_motor_outputs(PD, ARM, "volts"), "output='volts'"),
        (lambda: gw.control.with_motor_outputs(PD, ARM, "voltage"), "torque_constant"),
        (lambda: gw.control.state_feedback(ARM, STAY, np.zeros((3, 3))), r"\(3, 3\).*\(3, 6\)"),
        (lambda: gw.control.lqr(ARM, STAY, [1.0] * 6, [0.0] * 3), r"\bR\b"),
        (lambda: gw.control.lqr(ARM, STAY, [1.0] * 4, [1.0] * 3), r"Q .*\(4,\)"),
        (lambda: gw.control.poles(ARM, STAY, [-1.0]), r"\b6\b.* poles"),
        (lambda: gw.control.controller(lambda t, s: STAY), "ControlLaw"),
        (lambda: gw.control.load_nominal("missing.csv"), r"missing\.csv"),
    ],
)
def test_bad_controllers_are_refused(make, fact):
    with pytest.raises(GearwrightError, match=fact):
        make()


def test_a_controller_of_another_machine_is_refused():
    with pytest.raises(InputError, match=r"j1, j2, j3.* 6 coordinates"):
        gw.simulate(gw.load("puma560"), None, 0.1, controller=PD)
    with pytest.raises(InputError, match=r"drives .tau"):
        gw.rollout(gw.load("puma560"), np.zeros(6), np.zeros(6), 2, 1e-3, controller=PD)
    with pytest.raises(InputError, match=r"export\.c: .*\bpd\b"):
        gw.export.c(gw.load("puma560"), "nowhere", [PD])


def test_a_reference_of_the_wrong_shape_says_when():
    control = gw.control.pd(ARM, lambda t: ([0.0] * 3, [0.0] * 3), 1.0, 1.0)
    with pytest.raises(InputError, match=r"t = 0 s.*\(q, v, a\).* 3, 3, 3 "):
        gw.simulate(ARM, STAY, 0.1, controller=control)
