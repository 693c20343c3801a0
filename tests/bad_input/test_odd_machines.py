"""Odd but legal: a machine without joints, no limits, logs of a few samples: an answer, or an error that helps."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import GearwrightError
from gearwright.scene import animate

POST = gw.Mechanism((gw.Body("post", -1, "fixed", (0, 0, 1), np.eye(3), (0, 0, 0), 1.0, (0, 0, 0.5), np.eye(3)),))
ARM = gw.load("elbow")
STILL, REST = gw.motion.pause([], 1.0), gw.motion.pause([0.0, 0.0, 0.0], 1.0)
SHORT = gw.identification.Log([0.0, 0.1], np.zeros((2, 3)), np.ones((2, 3)))


@pytest.mark.parametrize("lead", [(), (0,), (3,)])
def test_a_machine_without_joints_has_empty_equations(lead):
    none = np.zeros((*lead, 0))
    A, B = gw.linearise(POST, none, none, none)
    assert (A.shape, B.shape) == ((*lead, 0, 0), (*lead, 0, 0))
    assert gw.jacobian(POST, none, "post").shape == (*lead, 6, 0)
    assert gw.planning.external_adjoint(POST, none, none, "post").shape == (*lead, 6)


def test_what_rests_deviates_by_nothing(tmp_path):
    pytest.importorskip("mujoco")
    assert gw.export.mjcf(POST, tmp_path / "post.xml").acceleration_error == 0.0
    assert gw.export.mujoco_check(POST, [], [], []).torque_error == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gw.control.computed_torque(POST, STILL), "computed_torque: the machine"),
        (lambda: gw.control.lqr(POST, [], [], []), "lqr: the machine"),
        (
            lambda: gw.planning.line(POST, "post", [], [1.0, 0, 0], limits=gw.planning.PathLimits(speed=1.0)),
            "'post' cannot move",
        ),
        (lambda: gw.planning.fastest(POST, [[], []], speed=1, acceleration=1), "fastest: the robot has no joint"),
        (lambda: gw.casadi_rates(POST), "casadi_rates: the machine has no speeds"),
        (lambda: gw.export.state_space(POST, []), "state_space: the machine has no speeds"),
        (lambda: gw.identify(POST, SHORT), "identify: the machine"),
        (lambda: gw.planning.limit_use(ARM, REST), "limit_use: no limit is known. Give speed="),
        (
            lambda: gw.planning.limit_use(ARM, STILL, speed=1.0),
            "has 0 coordinates, the robot 3 (j1, j2, j3)",
        ),
        (lambda: gw.planning.torque_ratio(ARM, REST, [1.0, 2.0]), "torque_ratio: limits has shape (2,)"),
        (lambda: gw.planning.torque_ratio(ARM, REST), "torque_ratio: joint 'j1'"),
        (lambda: gw.planning.rotation_from_euler(np.nan, 0.0, 0.0), "rotation_from_euler: yaw=nan"),
        (lambda: gw.planning.slerp(2 * np.eye(3), np.eye(3), 0.5), "slerp: start has R R'"),
        (lambda: gw.planning.slerp(np.eye(3), np.eye(3), [0.5, np.inf]), "slerp: share[1]=inf"),
        (lambda: gw.control.lqr(ARM, [0, 0, 0], [1] * 6, [], inputs=[]), "lqr: no force acts on any speed"),
        (lambda: gw.control.poles(ARM, [0, 0, 0], ["a"]), "poles: desired=['a'] is not a list of numbers"),
        (lambda: gw.motion.Motion([0.0], [[np.nan]], [[0.0]], [[0.0]]), "motion: q[0, 0]=nan"),
        (lambda: gw.motion.Motion([0.0, 1.0], [[0.0]], [[0.0]], [[0.0]]), "motion: q has 1 rows for 2 times"),
        (lambda: gw.motion.Motion([0.0], [[0.0]], [[0.0]], [[0.0, 1.0]]), "motion: v has shape (1, 1), a (1, 2)"),
        (lambda: gw.demands(ARM, gw.motion.Motion([], *[np.zeros((0, 3))] * 3)), "demands: the motion has no sample"),
        (lambda: gw.demands(POST, STILL), "demands: the machine"),
        (lambda: REST.plot(path="."), "folder"),
        (lambda: animate(ARM, 3, "film.gif"), "animate: 3 is not a motion"),
        (lambda: gw.identify(ARM, SHORT), "log: 2 samples are too few"),
        (lambda: gw.export.write_urdf("elbow", "elbow.urdf"), "write_urdf: robot='elbow'"),
        (lambda: gw.export.mjcf("elbow", "elbow.xml"), "mjcf: robot='elbow'"),
    ],
)
def test_refused_by_name(call, message):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(GearwrightError) as caught:
            call()
    assert message in str(caught.value)
