"""What reduced elastic models get wrong over a motion: nothing where it must be nothing, the missing term elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import compare_reductions
from gearwright.errors import InputError
from gearwright.motion import polynomial
from support.compare import relative
from support.elastic_arms import elastic, elastic_elbow

PATH = polynomial([0.1, -0.4, 0.5], [1.0, 0.6, -0.7], 0.8, order=7)


def test_the_full_model_is_exact_and_the_others_are_not():
    found = compare_reductions(gw.assemble(elastic_elbow(damping=4.0)), PATH, count=41)
    worst = {kind: max(m.largest for m in found.reduction_errors() if m.kind == kind) for kind in found.reduced}
    assert worst["nicosia_tomei"] == 0
    assert worst["spong"] > 1e-3
    assert worst["spong_bare"] > worst["spong"] * 0.5
    assert worst["rigid"] > worst["spong"]
    assert {m.motor for m in found.reduction_errors()} == {"j1.motor", "j2.motor", "j3.motor"}


def test_spong_lacks_the_rotor_coupling_of_the_first_joint():
    """Torque of motor 1 is H3 th1'' + K (th1 - q1); to first order in 1/K the error is -H2 theta'' at the link."""
    mech = gw.assemble(elastic("elbow", 1e9))
    found = compare_reductions(mech, PATH, kinds=("spong",), count=21)
    form = gw.elastic.elastic_form(mech, found.exact.q, found.exact.v)
    H2 = np.einsum("tij,tj->ti", form.H2, found.exact.a[:, 3:])
    coriolis = gw.bias(mech, found.exact.q, found.exact.v) - gw.bias(
        gw.approximate(mech, "spong"), found.exact.q, found.exact.v
    )
    error = found.reduced["spong"].tau[:, 3:] - found.exact.tau[:, 3:]
    back = np.einsum("tji,tj->ti", form.H2, found.exact.a[:, :3])  # what the links' motion does to the rotors
    assert relative(error, -(H2 + coriolis[:, :3] + back + coriolis[:, 3:])) < 1e-4


def test_rigid_model_misses_the_twist():
    """Its motors stand where the joints do; the error of place is the torque through the spring over K."""
    mech = gw.assemble(elastic("elbow", 1e7))
    found = compare_reductions(mech, PATH, kinds=("rigid",), count=21)
    twist = found.exact.q[:, 3:] - found.exact.q[:, :3]
    for k, miss in enumerate(found.reduction_errors()):
        assert miss.position_error == pytest.approx(np.abs(twist[:, k]).max())
        assert miss.largest / miss.peak < 1e-2


def test_figure_and_bad_input():
    mech = gw.assemble(elastic_elbow())
    found = compare_reductions(mech, PATH, count=11)
    assert len(found.plot().axes) == 6
    with pytest.raises(InputError, match=r"\b2 joints.*3 \(j1, j2, j3\)"):
        compare_reductions(mech, polynomial([0, 0], [1, 1], 1.0))
    with pytest.raises(InputError, match="elastic"):
        compare_reductions(gw.assemble(gw.load("elbow")), PATH)
