"""Machines of many links: what assembling them costs grows with their number, and not with its square."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InertiaError, InputError
from gearwright.mechanism import rows
from gearwright.mechanism.definiteness import generic_mass_matrix
from support.compare import relative
from support.long_chains import calls, long_chain
from support.machines import random_design


@pytest.mark.parametrize("stiffness", [None, 1e4])
def test_assembling_calls_as_many_functions_per_link(stiffness):
    some, more = long_chain(50, stiffness), long_chain(100, stiffness)
    assert calls(lambda: gw.assemble(more)) < 2.1 * calls(lambda: gw.assemble(some))


def test_only_what_a_row_is_given_is_checked(monkeypatch):
    asked = []
    monkeypatch.setattr(rows, "as_number", lambda owner, x: asked.append(x) or x)
    names = {f"j{i}": i for i in range(1000)}
    row = rows.full_row("spin", {"j7": 50.0, "j3": 0.0}, names)
    assert sorted(asked) == [0.0, 50.0]
    assert len(row) == 1000
    assert row[7] == 50.0
    assert row.terms == rows.nonzero_terms(row) == ((7, 50.0),)
    assert rows.full_row("spin", row, names) is row


def test_a_row_is_as_long_as_the_speeds_are_many():
    row = rows.full_row("spin", [1.0, 0.0], {"a": 0, "b": 1})
    with pytest.raises(InputError, match=r"\b2 numbers.*\b3 speeds \(a, b, c\)"):
        rows.full_row("spin", row, {"a": 0, "b": 1, "c": 2})


@pytest.mark.parametrize("seed", range(20))
def test_the_matrix_that_is_checked_is_the_mass_matrix(seed):
    rng = np.random.default_rng(seed)
    kinds = [str(k) for k in rng.choice(["revolute", "prismatic", "follower", "helical", "universal", "fixed"], 5)]
    mech = random_design(rng, ["revolute", *kinds], wheels=4, shafts=1).written()
    assert mech.speeds_are_rates
    q = 0.7 + 0.61803 * np.arange(mech.nq)
    assert relative(generic_mass_matrix(mech), gw.mass_matrix(mech, q)) < 1e-13


def test_a_long_chain_with_a_massless_end_is_refused_by_name():
    mech = gw.assemble(long_chain(60))
    end = gw.Body("tip", 59, axis=(0, 0, 1), position=(0.1, 0, 0))
    with pytest.raises(InertiaError, match="'tip'"):
        gw.Mechanism([*mech.bodies, end])


def test_links_are_ordered_parents_first_whatever_their_order():
    robot = long_chain(30)
    mixed = [robot.links[k] for k in np.random.default_rng(1).permutation(30)]
    mech = gw.assemble(gw.parts.Robot("chain", mixed, robot.drives))
    assert [body.name for body in mech.bodies] == [link.name for link in robot.links]
