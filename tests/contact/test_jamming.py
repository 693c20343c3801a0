"""Plastic contacts of arms whose gears lose power or lock themselves: modes that fit, and gears that jam."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Contact, Plane, SoftContact
from gearwright.errors import SimulationError
from gearwright.system.evaluation import evaluate_system, situations_at
from gearwright.system.modes import mode_settling
from gearwright.system.modes.mode_changes import ModeChanges, most_violated
from gearwright.system.modes.mode_search import ModeSearch
from gearwright.system.modes.mode_settling import find_consistent_modes
from gearwright.system.system import System

GEARS = slice(0, 3)


@cache
def arm(efficiency):
    """The elbow arm with gears of an efficiency; below 0.5 they lock themselves."""
    robot = gw.load("elbow")
    drives = tuple(replace(d, gear=replace(d.gear, efficiency=efficiency)) for d in robot.drives)
    lossy = replace(robot, drives=drives)
    return gw.assemble(lossy), gw.laws(lossy)


def meeting(seed, efficiency, friction=0.0, restitution=0.0):
    """An arm that moves anyhow and meets a surface: system, state, inputs and modes before."""
    (mech, laws), rng = arm(efficiency), np.random.default_rng(seed)
    q, v, n = np.array([0.2, -0.5, 1.0]) + 0.3 * rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    n *= -np.sign(n @ gw.jacobian(mech, q, "tool")[:3] @ v) / np.linalg.norm(n)
    surface = Plane(gw.placement(mech, q, "tool")[1] + 1e-9 * n, n)
    system = System(mech, (*laws, Contact("tool", surface, restitution, friction, name="wall")))
    x, u = np.zeros(system.size), np.zeros(system.input_size)
    x[system.q], x[system.v] = q, v
    modes = tuple(law.initial_mode(s) for law, s in zip(system.laws, situations_at(system, 0.0, x, u), strict=True))
    return system, x, u, modes


def leaving(system, x):
    """The speed with which the tool leaves the surface."""
    contact = system.laws[-1]
    return contact.surface.normal @ gw.jacobian(system.mech, x[system.q], "tool")[:3] @ x[system.v]


def struck(system, x, u, modes):
    """The state after the blow, before any gear jams."""
    return ModeSearch(system, 0.0, u).follow_guards(x, ModeChanges(modes), jams=False)[0]


@pytest.mark.parametrize("efficiency", [0.8, 0.4])
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_every_plastic_contact_settles(efficiency, friction):
    """All guards hold afterwards, nothing goes into the surface, no energy is won."""
    for seed in range(30):
        system, x, u, modes = meeting(seed, efficiency, friction)
        found = find_consistent_modes(system, 0.0, x, u, modes)
        assert most_violated(evaluate_system(system, 0.0, found.x, u, found.modes).guards, {}) is None
        assert leaving(system, found.x) > -1e-9
        assert found.x[system.dissipated_index] > -1e-12


def test_a_blow_through_gears_that_turn_round_gains_nothing():
    system, x, u, modes = meeting(103, 0.25, restitution=0.5)
    assert find_consistent_modes(system, 0.0, x, u, modes).x[system.dissipated_index] > 0


@pytest.mark.parametrize(("seed", "jams"), [(11, False), (24, False), (15, True), (25, True)])
def test_gears_jam_only_where_no_modes_fit(seed, jams):
    """Of all sets of modes at the speeds after the blow."""
    system, x, u, modes = meeting(seed, 0.4)
    after = struck(system, x, u, modes)
    senses = ["forward" if w > 0 else "backward" for w in after[system.v]]
    own = [[f"{sense} driving", f"{sense} driven"] for sense in senses]
    fitting = [
        trial
        for trial in product(*own, ["free", "touch"])
        if most_violated(evaluate_system(system, 0.0, after, u, trial).guards, {}) is None
    ]
    found = find_consistent_modes(system, 0.0, x, u, modes)
    assert bool(fitting) != jams
    assert (found.modes in fitting) != jams
    assert (np.abs(found.x[system.v]).max() < 1e-9) == jams


def test_a_jam_is_the_limit_of_ever_stiffer_surfaces():
    """On a very stiff surface the same gears come to rest one after the other, within a millisecond."""
    system, x, u, modes = meeting(25, 0.4)
    start = (x[system.q], struck(system, x, u, modes)[system.v])
    surface = SoftContact("tool", system.laws[-1].surface, 1e9, 0.0, name="soft")
    laws = [*system.laws[GEARS], surface]
    run = gw.simulate(system.mech, start, until=1.3e-3, laws=laws, samples=2, method="adaptive")
    assert [event.name for event in run.events if event.kind == "stuck"] == ["j3.gear", "j2.gear", "j1.gear"]
    assert run.v[-1] == pytest.approx(find_consistent_modes(system, 0.0, x, u, modes).x[system.v], abs=1e-9)


def test_what_still_has_no_modes_names_the_gears_and_the_way_out(monkeypatch):
    system, x, u, modes = meeting(15, 0.4)
    monkeypatch.setattr(mode_settling, "jam_by_contact", lambda x, touching: None)
    with pytest.raises(SimulationError, match=r"contact 'wall'.*j1\.gear, j2\.gear.*SoftContact"):
        find_consistent_modes(system, 0.0, x, u, modes)
