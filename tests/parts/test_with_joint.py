"""Other numbers of a joint in one call."""

from __future__ import annotations

import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.parts import Friction, Limits


def test_friction_is_set_in_one_call():
    arm = gw.load("elbow")
    rough = arm.with_joint("j2", friction=Friction(2.0, static=3.0), damping=0.4)
    assert [law.name for law in gw.laws(rough)] == ["j2.friction"]
    friction = rough.link_of_joint("j2").joint.total_friction
    assert (friction.coulomb, friction.static, friction.viscous) == (2.0, 3.0, 0.4)
    assert gw.laws(arm) == ()
    assert [link.joint.damping for link in rough.links] == [0.0, 0.4, 0.0]


def test_other_words_work_too():
    arm = gw.load("elbow").with_joint("j1", limits=Limits(speed=2.0))
    assert arm.link_of_joint("j1").joint.limits.speed == 2.0


def test_unknown_joints_and_words_are_refused():
    arm = gw.load("elbow")
    with pytest.raises(InputError, match=r"joint 'j22'.*'j2'"):
        arm.with_joint("j22", friction=1.0)
    with pytest.raises(InputError, match=r"with_joint\('j2'\): 'frictoin'.*'friction'"):
        arm.with_joint("j2", frictoin=1.0)
    with pytest.raises(InputError, match=r"with_joint\('j2'\): 'name'"):
        arm.with_joint("j2", name="elbow")
