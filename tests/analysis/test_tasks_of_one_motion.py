"""A trajectory as a task; sensitivities with viscous friction alone; drives and payloads refused at once."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError, PartError
from gearwright.parts import Drive, Friction, Gear, Link, Motor, Robot

MOTION = gw.motion.polynomial([0.0], [1.0], duration=1.0)


def arm(ratio=50.0, **friction):
    link = Link("a", mass=2, com=(0.2, 0, 0), inertia=np.diag([0.01, 0.02, 0.02]), tip=(0.4, 0, 0))
    return Robot("arm", [link], [Drive("a", Motor(inertia=1e-4, **friction), Gear(ratio=ratio))])


def test_a_trajectory_is_a_task_of_one_motion():
    short, long = gw.analyse(arm(), MOTION, samples=51), gw.analyse(arm(), gw.analysis.Task([MOTION]), samples=51)
    assert short.drives["a"].rms_torque == long.drives["a"].rms_torque
    assert short.task.motions == (MOTION,)


@pytest.mark.parametrize("friction", [{"friction": Friction(viscous=1e-4)}, {"damping": 1e-4}, {}])
def test_sensitivity_to_a_ratio_is_the_slope_of_the_analysis(friction):
    """Whatever rubs, one per cent of the derivative by central differences."""
    found = gw.analyse(arm(**friction), MOTION, samples=51)
    change = gw.analysis.sensitivities(found, ["a.gear.ratio"])["a.gear.ratio", "a.rms_motor_torque"]
    step = 1e-3
    up, down = (
        gw.analyse(arm(50.0 + sign * step, **friction), MOTION, samples=51).drives["a"].rms_motor_torque
        for sign in (1, -1)
    )
    assert change == pytest.approx(0.5 * (up - down) / (2 * step), rel=1e-6)


def test_negative_payloads_are_refused_at_once():
    for mass in (-1, float("nan"), "heavy"):
        with pytest.raises(PartError, match="payload: mass="):
            arm().with_payload(mass)


def test_drives_of_unknown_joints_are_refused_at_once():
    with pytest.raises(InputError, match="'unknown'"):
        arm().with_drive(Drive("unknown"))
    with pytest.raises(InputError, match="'unknown'"):
        arm().with_drive("a", Drive("unknown"))
    assert len(arm().with_drive(Drive("a", name="second")).drives) == 2
