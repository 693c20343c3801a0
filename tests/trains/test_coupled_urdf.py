"""Differentials and remote drives written as the coupled transmissions of ros_control: the URDF alone says them."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.files.urdf.reader import read_urdf
from gearwright.parts import Gearwheel, Mesh, Motor, Robot, Train, TrainMotor, bevel_differential
from trains.arms import axis_in_parent, chain

ROTOR = Motor(2e-3, 0.1)


def differential():
    motors = [TrainMotor("left", "d.left", motor=ROTOR), TrainMotor("right", "d.right", motor=ROTOR)]
    return bevel_differential("d", "l1", "l2", (20, 30), motors=motors, arm_joint="j1")


def remote():
    """One motor at joint 2 alone, the other at the base: four-bar with the farther joint first."""
    e, _ = axis_in_parent("j2")
    wheels = [Gearwheel("own", "l1", tuple(e), 1e-3), Gearwheel("far", "base", "j1", 1e-3)]
    meshes = [Mesh("own", "l2", ratio=-8.0), Mesh("far", "l2", ratio=2.5, carrier="l1")]
    return Train("d", wheels, meshes, [TrainMotor("both", "far"), TrainMotor("one", "own", motor=ROTOR)])


@pytest.mark.parametrize(
    ("train", "kind", "columns"),
    [
        (differential(), "DifferentialTransmission", {"left": (1, -1.5, 0), "right": (1, 1.5, 0)}),
        (remote(), "FourBarLinkageTransmission", {"one": (0, -8, 0), "both": (1, 2.5, 0)}),
    ],
    ids=["differential", "four-bar"],
)
def test_out_and_in_again(tmp_path, train, kind, columns):
    """Without the sidecar: the same structure matrix and rotors; with it: the same robot."""
    robot = Robot("arm", chain(), trains=[train])
    path = tmp_path / "arm.urdf"
    gw.save(robot, path)
    assert f"transmission_interface/{kind}" in path.read_text()
    alone = gw.assemble(read_urdf(path.read_text()))
    found = dict(zip([a.name for a in alone.actuators], gw.actuation.structure_matrix(alone).T.tolist(), strict=True))
    assert found == {name: pytest.approx(column) for name, column in columns.items()}
    assert sum(spin.inertia for spin in alone.spins) == pytest.approx(sum(m.motor.inertia for m in train.motors))
    both, whole = gw.assemble(robot), gw.assemble(gw.load(path))
    q, v, a = np.random.default_rng(1).normal(size=(3, 3))
    np.testing.assert_allclose(
        gw.inverse_dynamics(whole, q, v, a), gw.inverse_dynamics(both, q, v, a), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(gw.actuation.structure_matrix(whole), gw.actuation.structure_matrix(both))


def test_other_trains_are_left_to_the_sidecar(tmp_path):
    """Two motors whose rows are not differential of ros_control, and a wrist of three."""
    odd = Train(
        "d",
        [Gearwheel("x", "base", "j1"), Gearwheel("y", "base", "j1")],
        [Mesh("x", "l2", ratio=2.0, carrier="l1"), Mesh("y", "l2", ratio=3.0, carrier="l1")],
        [TrainMotor("m1", "x"), TrainMotor("m2", "y")],
    )
    for robot in (Robot("arm", chain(), trains=[odd]), gw.load("wrist_bendix")):
        path = tmp_path / "arm.urdf"
        gw.save(robot, path)
        assert "transmission" not in path.read_text()
        A = [gw.actuation.structure_matrix(gw.assemble(r)) for r in (robot, gw.load(path))]
        np.testing.assert_allclose(A[0], A[1])
