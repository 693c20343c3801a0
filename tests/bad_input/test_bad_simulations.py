"""Bad input of simulations: each message names what is wrong, and the way out."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.control import sampled_controller
from gearwright.errors import InputError, SimulationError

BALL = gw.Mechanism([gw.Body("ball", joint="prismatic", axis=(0, 0, 1), mass=1.0)])
ELBOW = gw.assemble(gw.load("elbow"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"state": [0.0, 0.1]}, r"shape \(2,\).*j1, j2, j3"),
        ({"state": ([0, 0, 0], [0, 0])}, "v has shape"),
        ({"state": np.zeros((2, 3, 3))}, "shape"),
        ({"state": "rest"}, "is not a State"),
        ({"state": gw.State([0, 0, 0], states={"j1.current": 1.0})}, "'j1.current', which no law"),
        ({"until": -1.0}, "positive"),
        ({"until": "soon"}, "until='soon' must be a number"),
        ({"samples": 1}, "2 or more"),
        ({"samples": [0.0, 3.0]}, "up to `until`"),
        ({"method": "magic"}, "no method 'magic'"),
        ({"inputs": [1.0, 2.0]}, r"shape \(2,\)"),
        ({"inputs": {"tau.j9": 1.0}}, "no input 'tau.j9'"),
        ({"inputs": {"tau.j1": "high"}}, "a number, a function of time"),
        ({"inputs": {"tau.j1": float("inf")}}, "finite"),
        ({"inputs": {"tau.j1": ([0, 1], [1, 2, 3])}}, "increasing times"),
        ({"inputs": {"tau.j1": ([0, 0], [1, 2])}}, "increasing times"),
        ({"inputs": lambda t: [0.0, np.nan, 0.0]}, "tau.j2.*nan at t = 0 s"),
        ({"controller": lambda t, s: [0.0]}, r"shape \(1,\) at t = 0 s"),
        ({"controller": lambda t, s: "left"}, "at t = 0 s"),
        ({"controller": lambda t, s: {"tau.j7": 1.0}}, "no input 'tau.j7'"),
        ({"controller": 3.0}, "not a function"),
        ({"controller": lambda t, s: s["j1.current"] * np.ones(3)}, "no state 'j1.current'"),
        ({"laws": [3]}, r"laws=\[3\] must be a sequence of laws"),
    ],
)
def test_what_is_wrong_is_said(arguments, message):
    state = arguments.pop("state", [0.0, 0.1, 0.2])
    until = arguments.pop("until", 0.1)
    with pytest.raises(InputError, match=message):
        gw.simulate(ELBOW, state, until, **arguments)


def test_a_controller_that_returns_nan_stops_the_run_with_its_time():
    with pytest.raises(InputError, match=r"'tau.ball' is nan at t = 0\.5 s"):
        gw.simulate(BALL, [0.0], 1.0, controller=sampled_controller(lambda t, s: [np.nan if t > 0.45 else 0.0], 0.1))


def test_a_run_that_blows_up_names_time_joint_and_growth_and_keeps_what_was_computed():
    with pytest.raises(SimulationError, match=r"unstable: .*'ball' grows .*came to t = 0\.18") as caught:
        gw.simulate(BALL, [1.0], 10.0, controller=lambda t, s: [100 * np.exp(30 * t) * s.q[0]])
    assert isinstance(caught.value.run, gw.Run)
    assert 0.1 < caught.value.run.t[-1] < 0.3


def test_wrong_controllers_are_refused():
    with pytest.raises(InputError, match="period"):
        sampled_controller(lambda t, s: [0.0], -0.1)
    sampled = gw.Controller(lambda t, s: [0.0], period=0.1, states={"i": 0.0})
    with pytest.raises(InputError, match="next values by name"):
        gw.simulate(BALL, [0.0], 1.0, controller=sampled)
    with pytest.raises(InputError, match="must return"):
        gw.simulate(BALL, [0.0], 1.0, controller=gw.Controller(lambda t, s: [0.0], states={"i": 0.0}))


def test_only_robots_and_machines_are_simulated():
    with pytest.raises(InputError, match=r"robot_or_mech=.* must be a robot or a machine"):
        gw.simulate("elbow")
