"""Layouts of rotors: couplings against mass matrices, the search against all layouts, exact cancellation."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra import Vec
from gearwright.analysis import RotorMounting, least_coupling_layout, uncoupled_spins
from gearwright.analysis.model_comparison import rotor_layout
from gearwright.errors import InputError

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
DOWN = (0.0, 0.0, -1.0)
CHOICES = {
    "j2": [RotorMounting("link1", Z), RotorMounting("link1", DOWN), RotorMounting("link1", Y)],
    "j3": [RotorMounting("link2", X), RotorMounting("link2", Z), RotorMounting("link1", Y)],
}


def coupling_by_mass_matrices(robot, q):
    """What "reflected" leaves out: the same wheels without coupling."""
    mech = gw.assemble(robot)
    return gw.mass_matrix(mech, q) - gw.mass_matrix(gw.approximate(mech, "reflected"), q)


@pytest.mark.parametrize("name", ["elbow", "grm3", "puma560", "planetary_3r"])
def test_coupling_matrices(name):
    mech = gw.assemble(gw.load(name))
    q = np.random.default_rng(1).uniform(-3, 3, (6, mech.n))
    found = rotor_layout.coupling_matrices(mech, q)
    np.testing.assert_allclose(found, coupling_by_mass_matrices(gw.load(name), q), atol=1e-12)


def test_the_best_of_all_layouts():
    """Every layout assembled as a robot; the norm of its coupling over the same configurations."""
    arm = gw.load("elbow")
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (30, 3))
    norms = {}
    for two, three in product(CHOICES["j2"], CHOICES["j3"]):
        change = {"j2": two, "j3": three}
        drives = [
            replace(x, mounted_on=change[x.joint].link, axis=Vec(*change[x.joint].axis)) if x.joint in change else x
            for x in arm.drives
        ]
        K = coupling_by_mass_matrices(replace(arm, drives=tuple(drives)), q)
        norms[two, three] = np.sqrt((K**2).sum(axis=(1, 2)).mean())
    found = least_coupling_layout(arm, CHOICES)
    best = min(norms, key=norms.get)
    assert (found.mountings["j2"], found.mountings["j3"]) == best
    assert found.coupling == pytest.approx(norms[best], rel=1e-10)
    assert found.exhaustive


def test_senses_that_cancel():
    """Two equal wheels on one link, driven by one joint: opposite senses cancel."""
    arm = gw.load("elbow")
    twin = replace(arm.drives[1], name="twin")
    pair = replace(arm, drives=(*arm.drives[:2], twin))
    choices = {"twin": [RotorMounting("link1", Z), RotorMounting("link1", DOWN)]}
    found = least_coupling_layout(pair, choices)
    assert found.mountings["twin"].axis == DOWN
    assert found.coupling < 1e-12 * found.initial_coupling


def test_all_couplings_cancel():
    choices = {"j2": [RotorMounting("link1", Z), RotorMounting("link1", X)], "j3": [RotorMounting("base", X)]}
    found = least_coupling_layout(gw.load("elbow"), choices)
    assert found.coupling < 1e-12
    assert set(uncoupled_spins(found.robot)) == {"j1.rotor", "j2.rotor", "j3.rotor"}
    assert found.plot().axes


def test_descent_finds_the_same(monkeypatch):
    exhaustive = least_coupling_layout(gw.load("elbow"), CHOICES)
    monkeypatch.setattr(rotor_layout, "MAX_ENUMERATED_LAYOUTS", 0)
    descent = least_coupling_layout(gw.load("elbow"), CHOICES)
    assert not descent.exhaustive
    assert descent.coupling == pytest.approx(exhaustive.coupling, rel=1e-12)


@pytest.mark.parametrize(
    ("choices", "fact"),
    [
        ({"j9": [RotorMounting("base", X)]}, "'j9'"),
        ({"j2": []}, "'j2'.*no mountings"),
        ({"j2": [RotorMounting("link9", X)]}, "'link9'"),
    ],
)
def test_wrong_choices_are_refused(choices, fact):
    with pytest.raises(InputError, match=fact):
        least_coupling_layout(gw.load("elbow"), choices)


def test_a_robot_without_drives_is_refused():
    arm = gw.load("elbow")
    with pytest.raises(InputError, match="drives"):
        least_coupling_layout(replace(arm, drives=()))
