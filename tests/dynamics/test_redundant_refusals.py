"""What the redundant models refuse, and what they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

import gearwright as gw
from gearwright.errors import InertiaError, InputError, JointError, SpinError, StructureError
from gearwright.mechanism import Rest
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot
from support.chains import elastic_machine


def robot(**changes) -> Robot:
    links = [
        Link("upper", joint=Joint("shoulder"), mass=3, com=(0.2, 0, 0), inertia=np.diag([0.01, 0.05, 0.05])),
        Link("fore", "upper", Joint("elbow", axis=(0, 1, 0)), 2, (0.1, 0, 0), np.diag([0.01, 0.02, 0.02])),
    ]
    drives = [Drive(name, Motor(1e-4, 0.3, 8e-5), Gear(50, stiffness=2000)) for name in ("shoulder", "elbow")]
    return replace(Robot("arm", links, drives), **changes)


def elastic() -> gw.Mechanism:
    return gw.assemble(robot())


def with_joint(**changes) -> Robot:
    first, second = robot().links
    return robot(links=[first, replace(second, **changes)])


@pytest.mark.parametrize("form", ["full", "points"])
def test_a_tree_is_refused(form):
    branched = gw.assemble(with_joint(parent="base"))
    with pytest.raises(StructureError, match=r"body 'fore'.*'upper'"):
        gw.elastic.RedundantModel(branched, form)


def test_other_joints_are_refused():
    followed = with_joint(joint=Joint("elbow", follows=("shoulder", 2.0, 0.0)))
    free = replace(followed, links=[followed.links[0]], drives=followed.drives[:1])
    ball = replace(free, links=[*free.links, Link("tool", "upper", Joint("ball", "spherical"), 1.0, inertia=np.eye(3))])
    with pytest.raises(JointError, match=r"'tool'.* spherical"):
        gw.elastic.RedundantModel(gw.assemble(ball))
    others = {"planar": {}, "helical": {"pitch": 0.1}, "universal": {"axis2": (0, 1, 0)}}
    for kind, geometry in others.items():
        link = Link("tool", "upper", Joint("tool", kind, **geometry), 1.0, inertia=np.eye(3))
        with pytest.raises(JointError, match=rf"'tool'.* {kind} joint"):
            gw.elastic.RedundantModel(gw.assemble(replace(free, links=[*free.links, link])))
    lead = replace(followed, drives=followed.drives[:1])
    with pytest.raises(JointError, match=r"'fore'.* following"):
        gw.elastic.RedundantModel(gw.assemble(lead))


def test_a_machine_that_is_not_elastic_is_refused():
    soft, hard = robot().drives
    mixed = robot(drives=[soft, replace(hard, gear=Gear(50))])
    with pytest.raises(JointError, match=r"joint 'elbow'.*stiffness.*joints='rigid'"):
        gw.elastic.RedundantModel(gw.assemble(mixed))
    with pytest.raises(StructureError, match=r"shoulder\.motor, elbow\.motor.*approximate\(mech, 'rigid'\)"):
        gw.elastic.RedundantModel(elastic(), joints="rigid")
    assert gw.elastic.RedundantModel(gw.approximate(elastic(), "rigid"), joints="rigid").size == 30


def test_a_machine_without_joints_is_refused():
    with pytest.raises(StructureError, match="revolute"):
        gw.elastic.RedundantModel(gw.Mechanism([gw.Body("block", joint="fixed", mass=1)]))


def test_wheels_that_are_no_single_rotors_are_refused():
    mech = elastic()
    with pytest.raises(SpinError, match=r"'shoulder\.rotor': .*coupling 0\.0 .*inertia 0\.0001\b"):
        gw.elastic.RedundantModel(gw.approximate(mech, "reflected"))
    with pytest.raises(SpinError, match=r"'elbow.rotor'.*rest=Rest"):
        gw.elastic.RedundantModel(replace(mech, spins=[mech.spins[0], replace(mech.spins[1], rest=None)]))


def test_points_need_a_mass_and_a_possible_tensor():
    light = robot(drives=[replace(d, motor=Motor(1e-4)) for d in robot().drives])
    assert gw.elastic.RedundantModel(gw.assemble(light)).size == 30
    with pytest.raises(InertiaError, match=r"'shoulder\.rotor'.* 0 kg"):
        gw.elastic.RedundantModel(gw.assemble(light), "points")
    mech = elastic()
    wide = replace(mech.spins[0], rest=Rest(0.3, (0, 0, 0), 1e-5))
    with pytest.raises(InertiaError, match=r"'shoulder.rotor'.*triangle"):
        gw.elastic.RedundantModel(replace(mech, spins=[wide, mech.spins[1]]), "points")


def test_options_and_machines_that_do_not_exist():
    with pytest.raises(InputError, match=r"form='fulll'.*full, absolute"):
        gw.elastic.RedundantModel(elastic(), "fulll")
    with pytest.raises(InputError, match="joints='soft'"):
        gw.elastic.RedundantModel(elastic(), joints="soft")
    with pytest.raises(InputError, match="form="):
        gw.elastic.RedundantModel(elastic(), ["full"])
    with pytest.raises(InputError, match="mech=None"):
        gw.elastic.RedundantModel(None)


def test_symbols_are_refused():
    mech = elastic()
    named = replace(mech, springs=[replace(mech.springs[0], stiffness=sympy.Symbol("k")), mech.springs[1]])
    with pytest.raises(InputError, match=r"'shoulder\.spring', stiffness: k "):
        gw.elastic.RedundantModel(named)


def test_arrays_that_do_not_fit():
    model = gw.elastic.RedundantModel(elastic())
    q, v = np.zeros(4), np.zeros(4)
    with pytest.raises(InputError, match=r"jacobian: q .*\(3,\).* 4 "):
        model.jacobian(np.zeros(3))
    with pytest.raises(InputError, match=r"quadratic: nu .*\(4,\).* 30 "):
        model.quadratic(v)
    with pytest.raises(InputError, match=r"nu\[5\] \('fore.vz'\) .*nan"):
        model.rates(q, np.where(np.arange(30) == 5, np.nan, 0.0), v)
    with pytest.raises(InputError, match=r"reactions: a .*\(1,\).* 4 "):
        model.reactions(q, v, [1.0])
    with pytest.raises(InputError, match=r"left_inverse .*\(4, 4\).*\(4, 30\)"):
        model.elastic_forces(q, v, np.eye(4))
    with pytest.raises(InputError, match=r"left_inverse .* 1\b"):
        model.reactions(q, v, v, np.zeros((4, 30)))
    with pytest.raises(InputError, match="ranks: q "):
        model.ranks(np.zeros((0, 4)))
    with pytest.raises(InputError, match="lipschitz_constant: q "):
        model.lipschitz_constant(np.zeros((0, 4)))
    with pytest.raises(InputError, match=r"RedundantModel.configurations: "):
        model.configurations(-1)


def test_constant_left_inverse_is_the_callers_own():
    model = gw.elastic.RedundantModel(elastic_machine(np.random.default_rng(0), ["revolute"]))
    model.constant_left_inverse()[:] = 0
    assert np.abs(model.constant_left_inverse() @ model.jacobian([0.1, 0.2]) - np.eye(2)).max() < 1e-12
