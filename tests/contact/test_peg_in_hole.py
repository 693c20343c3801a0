"""Jamming and wedging of a peg: the diagram against linear programs of the balance of forces."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from gearwright.contact import PegInHole
from gearwright.errors import InputError

PEG = PegInHole(radius=0.01, clearance=2e-5, friction=0.3, depth=0.025)
MODES = (
    ("tip right", "mouth left"),
    ("tip left", "mouth right"),
    ("tip right", "mouth right"),
    ("tip left", "mouth left"),
)


def wrench(peg, contact, share):
    """Force (x, out of the hole) and moment about the tip of a unit normal force with friction share * mu."""
    right = 1 if contact.endswith("right") else -1
    height = peg.depth if contact.startswith("mouth") else 0.0
    force = np.array([-right, share * peg.friction])
    x = right * peg.radius
    return np.array([*force, x * force[1] - height * force[0]])


def can_rest(peg, fz, fx, m):
    """Whether contacts of one of the possible pairs, within their friction cones, balance the load."""
    for mode in MODES:
        columns = np.stack([wrench(peg, contact, share) for contact in mode for share in (-1, 1)], axis=1)
        scale = np.array([1, 1, 1 / peg.radius])
        found = linprog(np.zeros(4), A_eq=columns * scale[:, None], b_eq=-np.array([fx, -fz, m]) * scale)
        if found.status == 0:
            return True
    return False


def test_loads_jam_where_contacts_can_balance_them():
    rng = np.random.default_rng(0)
    loads = rng.uniform([-6, -15], [6, 15], (150, 2))
    jams = 0
    for x, m in loads:
        fz = 7.0
        margin = PEG.insertion_margin(fz, x * fz, m * PEG.radius * fz)
        if abs(margin) > 1e-6:
            jams += margin < 0
            assert can_rest(PEG, fz, x * fz, m * PEG.radius * fz) == (margin < 0)
    assert 30 < jams < 140


def test_vertices_are_single_contacts_at_the_limit_of_sliding():
    for vertex in PEG.jamming_diagram:
        force = wrench(PEG, vertex.contact, 1.0)
        fz = force[1]
        assert [vertex.force, vertex.moment] == pytest.approx([-force[0] / fz, -force[2] / (PEG.radius * fz)])
        assert PEG.insertion_margin(fz, -force[0], -force[2]) == pytest.approx(0.0, abs=1e-12)


def test_wedging_is_two_contacts_that_balance_each_other():
    """Up to the wedging depth two opposite contacts hold each other without a load; beyond it they cannot."""
    for factor, wedges in ((0.99, True), (1.01, False)):
        peg = PegInHole(0.01, 2e-5, 0.3, factor * PEG.wedging_depth)
        columns = np.stack([wrench(peg, c, s) for c in MODES[0] for s in (-1, 1)], axis=1)
        scaled = np.vstack([columns * np.array([[1], [1], [1 / peg.radius]]), np.ones(4)])
        assert (linprog(np.zeros(4), A_eq=scaled, b_eq=[0, 0, 0, 1]).status == 0) is wedges
        assert peg.can_wedge is wedges


def test_tilt_closes_the_clearance():
    t = PEG.tilt
    assert PEG.depth * np.sin(t) + 2 * PEG.radius * np.cos(t) == pytest.approx(
        2 * (PEG.radius + PEG.clearance), rel=1e-14
    )
    assert t == pytest.approx(2 * PEG.clearance / PEG.depth, rel=1e-2)
    assert PEG.largest_tilt_without_wedging == pytest.approx(PEG.clearance / (PEG.radius * PEG.friction), rel=2e-2)


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="friction"):
        PegInHole(0.01, 1e-5, 0.0, 0.02)
    with pytest.raises(InputError, match="insertion"):
        PEG.insertion_margin(-1.0, 0.0, 0.0)
    with pytest.raises(InputError, match="depth"):
        _ = PegInHole(0.01, 1e-3, 0.3, 1e-4).tilt
