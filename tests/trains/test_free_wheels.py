"""Trains with free wheels as a tool without wheels sees them: the exported URDF is the approximation "none"."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import gearwright as gw
from gearwright.parts import Gearwheel, Member, Mesh, Robot, Train, planetary_differential
from trains.arms import chain, states
from trains.explicit import worst

PLANET = Member(6e-3, 0.4, 5e-3)


def bevels():
    """Side gears on link 2: the left one follows joint 3, the right one is free, the arm goes at their mean."""
    wheels = [
        Gearwheel("left", "l2", (0.3, 0.1, 1.0), 3e-2, mass=0.2, transverse_inertia=2e-2, position=(0.1, 0, 0)),
        Gearwheel("right", "l2", "left", 4e-2, mass=0.2, transverse_inertia=3e-2, position=(0.1, 0, 0)),
        Gearwheel("arm", "l2", "left", 5e-2, mass=0.3, transverse_inertia=4e-2, position=(0.1, 0, 0)),
        Gearwheel("planet", "arm", "radial", 6e-3, 0.4, 5e-3, count=3, radius=0.07),
    ]
    meshes = [
        Mesh("left", "planet", teeth=(30, 20), kind="bevel", carrier="arm"),
        Mesh("right", "planet", teeth=(30, 20), kind="bevel", carrier="arm", sense=-1),
        Mesh("left", "l3", ratio=2.0, carrier="l2"),
    ]
    return Train("bevels", wheels, meshes, free=["right"])


def planetary():
    """The arm is link 3, the sun goes at 3 arm - 2 ring, the ring is free."""
    planets, meshes = planetary_differential("stage", "sun", "ring", "l3", (40, 20, 80), 4, PLANET, 0.07)
    sun = Gearwheel("sun", "l2", "j3", 3e-2, mass=0.2, transverse_inertia=2e-2)
    ring = Gearwheel("ring", "l2", "j3", 9e-2, mass=0.5, transverse_inertia=6e-2)
    return Train("stage", [sun, ring, *planets], meshes, free=["ring"])


@pytest.mark.parametrize("train", [bevels(), planetary()], ids=["bevels", "planetary"])
def test_the_urdf_is_the_approximation_none(train, tmp_path):
    """Pinocchio reads the links with their wheels at rest; the free wheel's motion does not reach the joints."""
    robot = Robot("arm", chain(), trains=[train])
    gw.save(robot, tmp_path / "arm.urdf")
    model = pin.buildModelFromUrdf(str(tmp_path / "arm.urdf"))
    data = model.createData()
    bare = gw.approximate(gw.assemble(robot), "none")
    for q, v, a in states(4):
        full = pin.crba(model, data, _circles(model, q[:3]))
        M = gw.mass_matrix(bare, q)
        assert worst(M[:3, :3], np.triu(full) + np.triu(full, 1).T) < 1e-10
        assert not M[:3, 3].any()
        torque = pin.rnea(model, data, _circles(model, q[:3]), v[:3], a[:3])
        assert worst(gw.inverse_dynamics(bare, q, v, a)[:3], torque) < 1e-10


def _circles(model, q):
    """Pinocchio holds a joint without limits as cosine and sine."""
    joints = list(model.joints)[1:]
    return np.concatenate([[np.cos(x), np.sin(x)] if j.nq == 2 else [x] for x, j in zip(q, joints, strict=True)])
