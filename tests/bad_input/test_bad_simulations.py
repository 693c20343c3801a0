"""Bad input of simulations: each error names the argument and its value."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.control import sampled_controller
from gearwright.errors import InputError, SimulationError

BALL = gw.Mechanism([gw.Body("ball", joint="prismatic", axis=(0, 0, 1), mass=1.0)])
ELBOW = gw.assemble(gw.load("elbow"))


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        ({"state": [0.0, 0.1]}, r"shape \(2,\).*j1, j2, j3"),
        ({"state": ([0, 0, 0], [0, 0])}, r"\bv\b.*\(2,\)"),
        ({"state": np.zeros((2, 3, 3))}, r"shape \(2, 3, 3\)"),
        ({"state": "rest"}, "'rest'"),
        ({"state": gw.State([0, 0, 0], states={"j1.current": 1.0})}, "'j1.current'"),
        ({"until": -1.0}, r"until=-1\.0"),
        ({"until": "soon"}, "until='soon'"),
        ({"samples": 1}, "samples=1"),
        ({"samples": [0.0, 3.0]}, r"samples.*until"),
        ({"method": "magic"}, "'magic'"),
        ({"inputs": [1.0, 2.0]}, r"shape \(2,\)"),
        ({"inputs": {"tau.j9": 1.0}}, r"'tau\.j9'"),
        ({"inputs": {"tau.j1": "high"}}, r"tau\.j1.*high"),
        ({"inputs": {"tau.j1": float("inf")}}, r"tau\.j1.*inf"),
        ({"inputs": {"tau.j1": ([0, 1], [1, 2, 3])}}, r"tau\.j1.*times"),
        ({"inputs": {"tau.j1": ([0, 0], [1, 2])}}, r"tau\.j1.*times"),
        ({"inputs": lambda t: [0.0, np.nan, 0.0]}, "tau.j2.*nan at t = 0 s"),
        ({"controller": lambda t, s: [0.0]}, r"shape \(1,\) at t = 0 s"),
        ({"controller": lambda t, s: "left"}, "at t = 0 s"),
        ({"controller": lambda t, s: {"tau.j7": 1.0}}, r"'tau\.j7'"),
        ({"controller": 3.0}, r"controller: 3\.0"),
        ({"controller": lambda t, s: s["j1.current"] * np.ones(3)}, r"'j1\.current'"),
        ({"laws": [3]}, r"laws=\[3\]"),
    ],
)
def test_bad_arguments_are_named(arguments, fact):
    state = arguments.pop("state", [0.0, 0.1, 0.2])
    until = arguments.pop("until", 0.1)
    with pytest.raises(InputError, match=fact):
        gw.simulate(ELBOW, state, until, **arguments)


def test_a_controller_that_returns_nan_stops_the_run_with_its_time():
    with pytest.raises(InputError, match=r"'tau.ball'.* nan .*t = 0\.5 s"):
        gw.simulate(BALL, [0.0], 1.0, controller=sampled_controller(lambda t, s: [np.nan if t > 0.45 else 0.0], 0.1))


def test_a_run_that_blows_up_names_time_joint_and_growth_and_keeps_what_was_computed():
    with pytest.raises(SimulationError, match=r"'ball'.*t = 0\.18") as caught:
        gw.simulate(BALL, [1.0], 10.0, controller=lambda t, s: [100 * np.exp(30 * t) * s.q[0]])
    assert isinstance(caught.value.run, gw.Run)
    assert 0.1 < caught.value.run.t[-1] < 0.3


def test_wrong_controllers_are_refused():
    with pytest.raises(InputError, match=r"period=-0\.1"):
        sampled_controller(lambda t, s: [0.0], -0.1)
    sampled = gw.Controller(lambda t, s: [0.0], period=0.1, states={"i": 0.0})
    with pytest.raises(InputError, match=r"t = 0 s.*\[0\.0\].*states \(i\)"):
        gw.simulate(BALL, [0.0], 1.0, controller=sampled)
    with pytest.raises(InputError, match=r"t = 0 s.*\[0\.0\].*states \(i\).*rates"):
        gw.simulate(BALL, [0.0], 1.0, controller=gw.Controller(lambda t, s: [0.0], states={"i": 0.0}))


def test_only_robots_and_machines_are_simulated():
    with pytest.raises(InputError, match=r"robot_or_mech='elbow'"):
        gw.simulate("elbow")
