"""The first frequency over the workspace."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import frequency_map
from gearwright.errors import InputError
from support.elastic_arms import elastic_elbow


def test_each_point_is_the_first_mode_there():
    mech = gw.assemble(elastic_elbow())
    found = frequency_map(mech, ("j2", "j3"), ((-1, 1), (-2, 2)), q=[0.4, 0, 0], count=5)
    assert found.values.shape == (5, 5)
    q = [0.4, found.first[1], found.second[3]]
    assert found.values[1, 3] == pytest.approx(gw.analysis.vibration_modes(mech, q, "held").frequencies[0], rel=1e-10)
    assert found.places[1, 3] == pytest.approx(gw.placement(mech, [*q, 0, 0, 0], "tool").position)


def test_free_motors_show_the_first_vibration_and_not_the_rigid_motion():
    mech = gw.approximate(gw.assemble(elastic_elbow()), "undamped")
    found = frequency_map(mech, ("j2", "j3"), motors="free", count=3)
    assert (found.values > 0).all()


def test_figure():
    found = frequency_map(gw.assemble(elastic_elbow()), ("j2", "j3"), count=6)
    page = found.plot()
    assert page.axes[0].get_xlabel().startswith("j2")
    assert page.axes[1].get_ylabel() == "height [m]"
    assert len(page.axes) == 3
    assert len(page.axes[1].collections[0].get_offsets()) == 36
    assert np.isfinite(found.values).all()


def test_bad_input():
    mech = gw.assemble(elastic_elbow())
    with pytest.raises(InputError, match=r"'j2\.motor'"):
        frequency_map(mech, ("j2.motor", "j3"))
    with pytest.raises(InputError, match="frequency_map: two"):
        frequency_map(mech, ("j2", "j2"))
