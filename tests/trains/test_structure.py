"""Structure matrices from graphs against rows written by hand, stators anywhere, and actuator space."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sympy as sp

import gearwright as gw
from gearwright.errors import GearwrightWarning, InputError, SingularityError, TrainError
from gearwright.parts import Gearwheel, Joint, Link, Mesh, Motor, Robot, Train, TrainMotor
from trains.arms import axis_in_parent, chain

BY_HAND = {
    # shafts coaxial with joint 1: the first gear passes joint 1, the double bevel passes joint 2
    "wrist_roll3": [(-5, 0, 0), (-4, -4 * 24 / 24, 0), (-3, -3 * 22 / 20, -3 * 22 / 20 * 20 / 22)],
    # w5, w6 = j2 -+ (20/24) j3 on link 1; shafts j1 +- (24/18) of them
    "wrist_bendix": [(-3, 0, 0), (1, 24 / 18, -20 / 18), (1, -24 / 18, -20 / 18)],
    "wrist_puma": [(-5, 0, 0), (-4, -4 * 36 / 20, 0), (-3, 3, 3 * 30 / 20)],
    # the drive of joint 3 comes first, then the differential: mean and difference times 57/6
    "wrist_wam": [(0, 0, 10), (9.5, -9.5, 0), (9.5, 9.5, 0)],
}


@pytest.mark.parametrize("name", BY_HAND)
def test_wrists(name):
    mech = gw.assemble(gw.load(name))
    np.testing.assert_allclose(gw.actuation.structure_matrix(mech).T, BY_HAND[name], atol=1e-12)
    tau = np.array([0.3, -0.2, 0.1])
    v = np.array([1.0, 2.0, -0.5])
    torques = gw.actuator_torques(mech, tau)
    assert gw.actuator_speeds(mech, v) @ torques == pytest.approx(v @ tau)  # power is the same on both sides


def shoulder(t, gamma):
    """iCub's left shoulder: three motors in the torso; pulleys coaxial with joint 1 (and 2) pass the inner joints."""
    wheels = [
        *(Gearwheel(f"motor{k}", "base", (0.0, 0.2 * k, 1.0)) for k in (1, 2, 3)),
        Gearwheel("pulley2", "base", "j1"),
        Gearwheel("pulley3", "base", "j1"),
        Gearwheel("idle3", "l1", "j2"),
    ]
    meshes = [
        Mesh("motor1", "l1", ratio=-1 / gamma),
        Mesh("pulley2", "l2", ratio=-1.0, carrier="l1"),
        Mesh("motor2", "pulley2", ratio=1 / (t * gamma)),
        Mesh("idle3", "l3", ratio=1.0, carrier="l2"),
        Mesh("pulley3", "idle3", ratio=-1.0, carrier="l1"),
        Mesh("motor3", "pulley3", ratio=1 / (t * gamma)),
    ]
    return Train("shoulder", wheels, meshes, [TrainMotor(f"m{k}", f"motor{k}") for k in (1, 2, 3)])


def torso(r, R, gamma):
    """iCub's torso: two motors on the base drive pitch and roll together; the yaw motor rides on the pitch link."""
    wheels = [
        Gearwheel("left", "base", "j1"),
        Gearwheel("right", "base", "j1"),
        Gearwheel("motor1", "base", (0, 0, 1)),
        Gearwheel("motor2", "base", (0, 1, 0)),
        Gearwheel("belt", "l1", "j2"),
        Gearwheel("motor3", "l1", (0, 1, 0)),
    ]
    meshes = [
        Mesh("left", "l2", ratio=1.0, carrier="l1"),
        Mesh("right", "l2", ratio=-1.0, carrier="l1"),
        Mesh("motor1", "left", ratio=1 / gamma),
        Mesh("motor2", "right", ratio=-1 / gamma),
        Mesh("belt", "l3", ratio=-R / r, carrier="l2"),
        Mesh("motor3", "belt", ratio=-1 / gamma),
    ]
    return Train("torso", wheels, meshes, [TrainMotor(f"m{k}", f"motor{k}") for k in (1, 2, 3)])


def test_icub_couplings(reference):
    """Rows of the graph are the rows of inv(T Gamma) of the reference file."""
    data = json.loads((reference / "legged_rotors.json").read_text())["icub"]
    t, r, R, gamma = data["t"], data["r"], data["R"], data["Gamma"]
    names = {"t": t, "r/2R": r / (2 * R), "r/R": r / R}
    for train, key in ((shoulder(t, gamma), "T_left_shoulder"), (torso(r, R, gamma), "T_torso")):
        T = _matrix(data[key], names)
        mech = gw.assemble(Robot("icub", chain(), trains=[train]))
        expected = np.linalg.inv(T * gamma)
        np.testing.assert_allclose(gw.actuation.structure_matrix(mech).T, expected, rtol=1e-12, atol=1e-9)
        # reflected inertia of the convention: inv(T G)' I_m inv(T G)
        J = data["motor_I"]["arms"]
        geared = Train(
            train.name, train.wheels, train.meshes, [TrainMotor(m.name, m.wheel, motor=Motor(J)) for m in train.motors]
        )
        both = [gw.assemble(Robot("icub", chain(), trains=[x])) for x in (train, geared)]
        both[1] = gw.approximate(both[1], "reflected")
        q = [0.3, -0.2, 0.5]
        wheels = gw.mass_matrix(both[1], q) - gw.mass_matrix(gw.approximate(both[1], "none"), q)
        np.testing.assert_allclose(wheels, expected.T @ (J * np.eye(3)) @ expected, rtol=1e-9, atol=1e-12)


def _matrix(text, names):
    rows = text.strip("[]").split("],[")
    value = lambda word: -names[word[1:]] if word.startswith("-") and word[1:] in names else names.get(word, None)  # noqa: E731
    return np.array([[float(w) if value(w) is None else value(w) for w in row.split(",")] for row in rows])


def parallel_chain():
    """Three parallel joints and one across."""
    up = Joint(axis=(0, 0, 1), position=(0.3, 0, 0))
    bodies = {"mass": 1.0, "com": (0.1, 0.02, 0.0), "inertia": np.diag([0.01, 0.02, 0.02])}
    return [
        Link("a", "base", up, **bodies),
        Link("b", "a", up, **bodies),
        Link("c", "b", up, **bodies),
        Link("d", "c", Joint(axis=(1, 0, 0)), **bodies),
    ]


@pytest.mark.parametrize(
    ("stator", "row"),
    [
        ("b", (0, 0, 4.0, 0)),  # on the carrier: b itself
        ("a", (0, 1.0, 4.0, 0)),  # one rotating joint between, parallel
        ("base", (1.0, 1.0, 4.0, 0)),  # two, both parallel to the rotor's axis
        ("c", (0, 0, 3.0, 0)),  # on the driven link: b - e
    ],
)
def test_stator_on_another_link(stator, row):
    """Equations.md 6.11: the row of rotor minus stator."""
    train = Train(
        "t",
        [Gearwheel("w", "b", (0, 0, 1), 1e-3)],
        [Mesh("w", "c", teeth=(10, 40), kind="internal")],
        [TrainMotor("m", "w", stator)],
    )
    mech = gw.assemble(Robot("arm", parallel_chain(), trains=[train]))
    np.testing.assert_allclose(gw.actuation.structure_matrix(mech)[:, 0], row)


def test_stator_row_is_the_relative_rate():
    """A skew chain, stator one joint away: the row equals e . (w_rotor - w_stator) from the Jacobians."""
    e, _ = axis_in_parent("j3")
    train = Train("t", [Gearwheel("w", "l2", "j3", 1e-3)], (), [TrainMotor("m", "w", "l1")], free=["w"])
    mech = gw.assemble(Robot("arm", chain(), trains=[train]))
    row = gw.actuation.structure_matrix(mech)[:, 0]
    for q in np.random.default_rng(3).normal(size=(3, 4)):
        J = [gw.jacobian(mech, q, body)[3:] for body in ("l2", "l1")]
        axis = gw.placement(mech, q, "l2").rotation @ e
        np.testing.assert_allclose(row, axis @ (J[0] - J[1]) + np.array([0, 0, 0, 1.0]), atol=1e-12)


def test_stator_too_far_away_is_refused():
    train = Train("t", [Gearwheel("w", "l2", "j3", 1e-3)], (), [TrainMotor("m", "w", "base")], free=["w"])
    with pytest.raises(TrainError, match=r"motor 'm'.*'l2'.*'base'"):
        gw.assemble(Robot("arm", chain(), trains=[train]))


def test_stator_on_a_coaxial_wheel():
    """b - b2, and b + b2 when the other wheel's axis points the other way."""
    for axis, sign in (((0, 0, 1), -1), ((0, 0, -1), 1)):
        wheels = [Gearwheel("w", "b", (0, 0, 1), 1e-3), Gearwheel("other", "b", axis, 1e-3)]
        meshes = [Mesh("w", "c", ratio=4.0), Mesh("other", "c", ratio=1.5)]
        mech = gw.assemble(
            Robot("arm", parallel_chain(), trains=[Train("t", wheels, meshes, [TrainMotor("m", "w", "other")])])
        )
        np.testing.assert_allclose(gw.actuation.structure_matrix(mech)[:, 0], (0, 0, 4.0 + sign * 1.5, 0))


def test_more_motors_than_joints():
    """Two motors on one joint share the torque; the null space is what they may do against each other."""
    wheels = [Gearwheel("p", "base", (0, 0, 1), 1e-4), Gearwheel("s", "base", (0, 0, 1), 1e-4)]
    meshes = [Mesh("p", "upper", ratio=10.0), Mesh("s", "upper", ratio=20.0)]
    train = Train("t", wheels, meshes, [TrainMotor("one", "p"), TrainMotor("two", "s")])
    mech = gw.assemble(Robot("arm", [Link("upper", mass=1, com=(0.2, 0, 0))], trains=[train]))
    xi = gw.actuator_torques(mech, [50.0])
    np.testing.assert_allclose(xi, [1.0, 2.0])  # least squares: proportional to the ratios
    assert xi @ [10, 20] == pytest.approx(50)
    spare = gw.actuation.actuator_redundancy(mech)
    assert spare.rank == 1
    assert spare.surplus.shape == (2, 1)
    assert spare.surplus[:, 0] @ [10, 20] == pytest.approx(0, abs=1e-12)
    assert spare.missing.shape == (1, 0)


def test_two_motors_on_one_shaft_are_singular():
    wheels = [Gearwheel("p", "base", (0, 0, 1), 1e-4), Gearwheel("s", "base", (0, 0, 1), 1e-4)]
    train = Train(
        "t",
        wheels,
        [Mesh("p", "l1", ratio=10.0), Mesh("s", "l1", ratio=20.0)],
        [TrainMotor("one", "p"), TrainMotor("two", "s")],
    )
    with pytest.warns(GearwrightWarning, match=r"one = 0\.5 two"):
        mech = gw.assemble(Robot("arm", chain(), trains=[train]))
    with pytest.raises(SingularityError, match=r"rank 1.*3 speeds.*2 motors"):
        gw.actuator_torques(mech, [1.0, 0.0, 0.0])


def test_fewer_motors_than_joints():
    train = Train(
        "t", [Gearwheel("p", "base", (0, 0, 1), 1e-4)], [Mesh("p", "l1", ratio=10.0)], [TrainMotor("one", "p")]
    )
    mech = gw.assemble(Robot("arm", chain(), trains=[train]))
    np.testing.assert_allclose(gw.actuator_torques(mech, [5.0, 0, 0]), [0.5])
    with pytest.raises(SingularityError, match=r"1 motors \(one\).*3 speeds"):
        gw.actuator_torques(mech, [5.0, 1.0, 0])


def test_inertia_seen_by_motors():
    """Torque per acceleration of one motor, the others free, against forward dynamics."""
    mech = gw.assemble(gw.load("grm3"))
    q = [0.3, -0.5, 0.8]
    A = gw.actuation.structure_matrix(mech)
    felt = gw.actuation.motor_inertias(mech, q)
    rest = gw.forward_dynamics(mech, q, [0, 0, 0], [0, 0, 0])
    for k in range(3):
        a = gw.forward_dynamics(mech, q, [0, 0, 0], A[:, k]) - rest
        assert felt[k] == pytest.approx(1 / (A[:, k] @ a))


def test_elastic_motor_of_a_train():
    """The rotor gets a speed of its own, at the motor side; locked together it is the rigid machine."""
    rotor = Motor(4e-4, 0.3, position=(0.1, 0, 0))

    def robot(stiffness):
        train = Train(
            "t",
            [Gearwheel("w", "l1", "j2", 1e-3)],
            [Mesh("w", "l3", ratio=2.0)],
            [TrainMotor("m", "w", motor=rotor, stiffness=stiffness)],
        )
        return gw.assemble(Robot("arm", chain(), trains=[train]))

    soft, rigid = robot(500.0), robot(None)
    assert soft.speeds == ("j1", "j2", "j3", "m")
    row = np.array(rigid.actuators[0].row)
    np.testing.assert_allclose(soft.springs[0].row, [*(-row), 1.0])
    E = np.vstack([np.eye(3), row])
    q = np.array([0.2, 0.4, -0.3])
    np.testing.assert_allclose(E.T @ gw.mass_matrix(soft, E @ q) @ E, gw.mass_matrix(rigid, q), atol=1e-12)


@pytest.mark.parametrize(
    "function",
    [
        gw.actuation.structure_matrix,
        lambda mech: gw.mass_matrix(mech, [0, 0, 0, 0]),
        lambda mech: gw.equations.explain(mech, *np.zeros((3, 4))),
        lambda mech: gw.closed_form(gw.mass_matrix, mech),
    ],
)
def test_symbols_are_kept_in_rows_and_refused_by_name_where_numbers_are_needed(function):
    g = sp.Symbol("g")
    wheels = [Gearwheel("w", "b", (0, 0, 1), 1e-3)]
    train = Train("t", wheels, [Mesh("w", "c", ratio=g)], [TrainMotor("m", "w")])
    mech = gw.assemble(Robot("arm", parallel_chain(), trains=[train]))
    assert mech.spins[0].ratio == (0, 0, g, 0)
    with pytest.raises(InputError, match=r"'[wm]', (ratio|row): g is a symbol"):
        function(mech)


def test_radii_instead_of_teeth(tmp_path):
    """Pitch radii give the ratio that teeth of one module give, and are read from a file with their unit."""
    (tmp_path / "arm.yaml").write_text(
        "robot: arm\nlinks:\n  - {name: a, parent: base, joint: {axis: [0, 0, 1]}, mass: 1, com: [1, 0, 0]}\ntrains:\n"
        "  - name: t\n    wheels: [{name: w, axis: [0, 0, -1], inertia: 1e-3}]\n"
        "    meshes: [{first: w, second: a, radii: [20 mm, 50 mm]}]\n    motors: [{name: m, wheel: w}]\n"
    )
    robot = gw.load(tmp_path / "arm.yaml")
    gw.save(robot, tmp_path / "again.yaml")
    for each in (robot, gw.load(tmp_path / "again.yaml")):
        assert gw.actuation.structure_matrix(gw.assemble(each)) == pytest.approx(np.array([[2.5]]))  # opposite axes
