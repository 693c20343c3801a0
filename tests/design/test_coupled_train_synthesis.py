"""Synthesis of coupled trains against an exhaustive search, and their characteristics against other formulations."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import gearwright as gw
from gearwright.design import TrainSpace, synthesise_coupled_trains
from gearwright.errors import InputError

BEVELS = ["tube5-link2", "bevel6-link3"]


def structure_of(robot) -> np.ndarray:
    return gw.actuation.structure_matrix(gw.assemble(robot)).T


def with_teeth(robot, pairs):
    train = robot.trains[0]
    meshes = [replace(mesh, teeth=pair) for mesh, pair in zip(train.meshes, pairs, strict=True)]
    return replace(robot, trains=[replace(train, meshes=meshes)])


def test_no_train_of_a_coupled_wrist_is_missed():
    """Two bevel pairs of 14 to 19 teeth: the same set as by assembling every wrist."""
    robot, tolerance = gw.load("wrist_puma"), 0.03
    required = np.array([[-5, 0, 0], [-4, -4.6, 0], [-3, 3, 3.8]])
    found = {
        x.teeth
        for x in synthesise_coupled_trains(robot, required, TrainSpace(teeth=(14, 19)), tolerance, meshes=BEVELS)
    }
    template, expected = [tuple(map(int, mesh.teeth)) for mesh in robot.trains[0].meshes], set()
    for a, b, c, d in product(range(14, 20), repeat=4):
        pairs = (*template[:3], (a, b), template[4], (c, d))
        error = np.abs(structure_of(with_teeth(robot, pairs)) - required)
        if np.all(error <= tolerance * np.abs(required) + 1e-12):
            expected.add(pairs)
    assert found == expected
    assert len(expected) > 3


def test_a_gear_of_two_meshes_has_one_number_of_teeth():
    """The gear of link 3 of the Bendix wrist meshes with both sides."""
    robot = gw.load("wrist_bendix")
    required = structure_of(robot) * np.array([[1, 1, 1], [1, 1, 1.2], [1, 1, 1.2]])
    trains = synthesise_coupled_trains(
        robot, required, TrainSpace(teeth=(18, 24)), 0.0, meshes=["w5-link3", "w6-link3"]
    )
    assert trains
    for train in trains:
        by_mesh = dict(zip([(m.first, m.second) for m in robot.trains[0].meshes], train.teeth, strict=True))
        assert by_mesh["w5", "link3"] == by_mesh["w6", "link3"]
        np.testing.assert_allclose(structure_of(train.robot), required, rtol=1e-12, atol=1e-12)


def built():
    required = [[-5, 0, 0], [-4, -6, 0], [-3, 3, 4.5]]
    space = TrainSpace(teeth=(14, 24), module=2e-3, width=8e-3, mesh_efficiency=0.98)
    return synthesise_coupled_trains(gw.load("wrist_puma"), required, space, 0.0, meshes=BEVELS)


@pytest.mark.parametrize("rank", ["inertia", "loss", "stiffness", "size"])
def test_the_best_comes_first(rank):
    space = TrainSpace(teeth=(14, 30))
    required = [[-5, 0, 0], [-4, -6, 0], [-3, 3, 4.5]]
    trains = synthesise_coupled_trains(gw.load("wrist_puma"), required, space, 0.01, rank, meshes=BEVELS)
    values = [getattr(x, rank) for x in trains]
    assert values == sorted(values, reverse=rank == "stiffness")
    assert len(values) > 5


def test_inertia_at_the_motors_is_the_kinetic_energy_of_the_wheels():
    """Twice the energy of the wheels while one motor turns at unit speed, summed over the motors."""
    train, total = built()[0], 0.0
    trains = [replace(t, wheels=[replace(w, inertia=0.0, mass=0.0) for w in t.wheels]) for t in train.robot.trains]
    machines = [gw.assemble(robot) for robot in (train.robot, replace(train.robot, trains=trains))]
    for v in np.linalg.inv(train.structure).T:  # joint speeds of a unit speed of one motor
        with_wheels, without = (gw.kinetic_energy(mech, np.zeros(3), v) for mech in machines)
        total += 2 * (with_wheels - without)
    assert total == pytest.approx(train.inertia, rel=1e-9)


def test_loss_is_that_of_the_law_of_the_train():
    """Each joint alone, slowly, against a torque: the excess power of the motors by the force laws of the meshes."""
    train, excess = built()[0], []
    robot = replace(train.robot, gravity=(0.0, 0.0, 0.0))
    for joint in range(3):
        motion = gw.motion.polynomial([0.0] * 3, np.eye(3)[joint] * 0.1, 10.0)
        load = gw.forces.Load("load", gw.forces.Line.for_machine(gw.assemble(robot), {f"j{joint + 1}": 1.0}), "Nm")
        asked = gw.demands(robot, motion, extra_laws=[load], inputs={"load": lambda t: -1.0}, samples=11)
        middle = 5
        speeds = train.structure @ asked.motion.v[middle]
        torques = np.array([asked[f"{name}.torque"][middle] for name in ("m4", "m5", "m6")])
        power = asked.motion.v[middle, joint]
        excess.append(torques @ speeds / power - 1.0)
    assert np.mean(excess) == pytest.approx(train.loss, rel=0.05)  # to first order in 1 - efficiency


def test_stiffness_of_a_single_pair_by_hand():
    """c b r^2 at the joint of one pinion and its wheel on a link."""
    link = gw.parts.Link("arm", joint=gw.parts.Joint("j"), mass=1.0, inertia=np.eye(3))
    wheels, meshes = [gw.parts.Gearwheel("pinion")], [gw.parts.Mesh("pinion", "arm", teeth=(20, 60))]
    motors = [gw.parts.TrainMotor("m", "pinion", motor=gw.parts.Motor(1e-6))]
    robot = gw.parts.Robot("one", [link], trains=[gw.parts.Train("gears", wheels, meshes, motors)])
    space = TrainSpace(teeth=(15, 75), width=12e-3, mesh_stiffness=2e10)
    (train,) = (x for x in synthesise_coupled_trains(robot, [[-3.0]], space, 0.0) if x.teeth == ((20, 60),))
    assert train.stiffness == pytest.approx(2e10 * 12e-3 * (30e-3) ** 2, rel=1e-9)
    assert train.loss == pytest.approx(0.01, rel=1e-9)
    assert train.inertia == pytest.approx(space.disc(20).inertia, rel=1e-9)


@pytest.mark.parametrize(
    ("structure", "text"),
    [
        ([[5, 0, 0], [-4, -6, 0], [-3, 3, 4.5]], r"\(0, 0\).*5.*-5"),
        ([[-5, 1, 0], [-4, -6, 0], [-3, 3, 4.5]], r"\(0, 1\).*1.*0"),
        ([[-5, 0], [-4, -6]], r"\(2, 2\).*3 motors.*3"),
    ],
)
def test_impossible_structures_are_named(structure, text):
    with pytest.raises(InputError, match=text):
        synthesise_coupled_trains(gw.load("wrist_puma"), structure, TrainSpace(teeth=(14, 20)))


def test_templates_without_teeth_and_unknown_meshes_are_named():
    with pytest.raises(InputError, match=r"w4.*link1.*teeth"):
        synthesise_coupled_trains(gw.load("grm3"), np.eye(3), TrainSpace())
    with pytest.raises(InputError, match=r"elbow.*trains"):
        synthesise_coupled_trains(gw.load("elbow"), np.eye(3), TrainSpace())
    required = structure_of(gw.load("wrist_puma"))
    with pytest.raises(InputError, match=r"'tube5-link9'.*tube5-link2"):
        synthesise_coupled_trains(gw.load("wrist_puma"), required, TrainSpace(), meshes=["tube5-link9"])
    with pytest.raises(InputError, match="20000"):
        synthesise_coupled_trains(gw.load("wrist_puma"), required, TrainSpace(teeth=(14, 72)), 0.01)
