"""What is identified can be written into every bundled robot, and what is written is what was identified."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import load
from gearwright.errors import InputError
from gearwright.identification import (
    Log,
    Model,
    fit_consistent,
    identified_mechanism,
    identified_robot,
    identify,
    save_identified,
)
from gearwright.identification.fit.unknowns import fitted_numbers, unknowns
from gearwright.identification.physical_consistency import ConsistentFit
from gearwright.identification.write_back import _with_friction
from gearwright.parts import Friction, Joint, Link
from support.compare import relative
from support.machines import random_design, random_state

ROBOTS = ["elbow", "grm3", "manutec_r3", "mini_cheetah", "panda_like", "planetary_3r", "puma560", "scara", "wrist_wam"]


@pytest.mark.parametrize("name", ROBOTS)
def test_bundled_robots(name):
    """Every link scaled by its own factor, every rotor by another: assembling the new robot gives these parameters."""
    robot = load(name)
    model = Model(gw.assemble(robot))
    what = unknowns(model, robot)
    np.testing.assert_allclose(
        what.parameters(what.nominal)[: len(gw.parameters(model.mech))], gw.parameters(model.mech), atol=1e-15
    )
    rng = np.random.default_rng(1)
    x = what.nominal.copy()
    for ten in what.bodies:
        x[ten.first : ten.first + 10] *= rng.uniform(1.0, 1.2)
    for number in fitted_numbers(robot):
        x[what.names.index(number.path)] *= rng.uniform(0.8, 1.2)
    x[-1] = 0.5  # an offset, which the robot has no word for
    fit = ConsistentFit(SimpleNamespace(robot=robot, model=model), what, x)
    changed, remarks = identified_robot(fit)
    found = gw.parameters(gw.assemble(changed))
    assert relative(found, what.parameters(x)[: len(found)]) < 1e-12
    assert "offset = 0.5" in remarks[0]
    if name == "planetary_3r":
        assert "Kept as stated" in remarks[1]


@pytest.mark.parametrize("seed", range(4))
def test_machines_with_general_rows_springs_and_free_joints(seed):
    """The consistent parameters of a flat machine make a machine that passes every check and moves alike."""
    rng = np.random.default_rng(seed)
    kinds = ["revolute", "prismatic", "spherical", "revolute"][: 2 + seed % 3]
    mech = random_design(rng, kinds, wheels=2, shafts=1, springs=1).written()
    states = [random_state(rng, mech) for _ in range(200)]
    q, v, a = (np.array([getattr(state, name) for state in states]) for name in "qva")
    tau = gw.inverse_dynamics(mech, q, v, a)
    noisy = tau + 0.01 * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape)
    found = identify(mech, Log(np.arange(200) * 0.01, q, noisy, v, a), friction=())
    again = identified_mechanism(fit_consistent(found))
    assert relative(gw.inverse_dynamics(again, q, v, a), tau) < 0.05
    with pytest.raises(InputError, match="Give identify the Robot"):
        identified_robot(fit_consistent(found))


def test_urdf_is_written_by_save(tmp_path):
    """URDF needs the flat machine, which the writer of robot files does not know."""
    with pytest.raises(InputError, match=r"gearwright\.save\(identified_robot"):
        save_identified(SimpleNamespace(), tmp_path / "arm.urdf")


def test_friction_by_words_keeps_what_a_fit_does_not_know():
    """Sliding friction is replaced; what holds at rest stays, and is never less than what slides."""
    rubbing = Friction(0.5, 0.1, static=0.8, stribeck_speed=0.2)
    link = Link("rod", joint=Joint("j", friction=rubbing), mass=1.0)
    found = _with_friction(link, {"j.viscous": 0.3, "j.coulomb": 0.6}).joint
    assert (found.damping, found.friction) == (0.0, replace(rubbing, coulomb=0.6, viscous=0.3))
    assert _with_friction(link, {"j.coulomb": 0.9}).joint.friction.static == 0.9
