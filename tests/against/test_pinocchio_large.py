"""Long chains against Pinocchio: rotors as bodies of their own, and as armature.

Pinocchio's memory grows with the cube of its joints (half a gigabyte for 200), which bounds what is compared here;
benchmarks/large.py goes to 500.
"""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.bench.peers import Pinocchio
from support.compare import relative
from support.long_chains import long_chain
from support.references import Reference

pin = pytest.importorskip("pinocchio")  # has no wheel for Windows

PINOCCHIO = Reference("Pinocchio, chains of many joints")


def test_a_hundred_joints_with_every_rotor_as_a_body():
    mech = gw.assemble(long_chain(100))
    peer = Pinocchio(mech, wheels=True)
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, mech.n))
    tau = gw.inverse_dynamics(mech, q, v, a)
    PINOCCHIO.agrees("inverse dynamics, every wheel a body, relative", relative(tau, peer.exact_torque(q, v, a)), 1e-12)
    forces = np.random.default_rng(2).uniform(-1, 1, mech.n)
    found = gw.forward_dynamics(mech, q, v, forces)
    assert mech.solved_by_links
    PINOCCHIO.agrees(
        "forward dynamics, every wheel a body, forces [Nm]",
        np.abs(peer.exact_torque(q, v, found) - forces).max(),
        1e-10,
    )


def test_two_hundred_joints_with_reflected_rotors():
    mech = gw.approximate(gw.assemble(long_chain(200)), "reflected")
    peer = Pinocchio(mech)
    peer.model.armature = np.array([spin.inertia * ratio**2 for spin in mech.spins for _, ratio in spin.terms])
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, mech.n))
    PINOCCHIO.agrees(
        "inverse dynamics without wheels, relative",
        relative(gw.inverse_dynamics(mech, q, v, a), pin.rnea(peer.model, peer.data, q, v, a)),
        1e-12,
    )
    found = gw.forward_dynamics(mech, q, v, a)
    PINOCCHIO.agrees(
        "forward dynamics without wheels, relative", relative(found, pin.aba(peer.model, peer.data, q, v, a)), 1e-10
    )
