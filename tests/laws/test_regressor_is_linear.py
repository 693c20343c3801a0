"""The regressor times the parameters is the torque."""

from __future__ import annotations

from hypothesis import given

import gearwright as gw
from support import laws
from support.machines import motions


@given(motions())
def test_regressor_times_parameters_is_torque(motion):
    assert laws.regressor_times_parameters_is_torque(*motion) < 1e-12


@given(motions())
def test_every_parameter_has_a_name(motion):
    _, mech, s = motion
    names = gw.parameter_names(mech)
    assert len(names) == len(set(names)) == gw.parameters(mech).size
    assert gw.regressor(mech, s.q, s.v, s.a).shape == (mech.n, len(names))
