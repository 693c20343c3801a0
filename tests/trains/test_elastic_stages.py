"""Elastic elements between any two stages: shafts and springs, against Pinocchio with every wheel as its own body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InertiaError, TrainError
from gearwright.parts import (
    Drive,
    Gear,
    Harmonic,
    Hysteresis,
    KinematicError,
    Member,
    Motor,
    Planetary,
    Robot,
    Series,
    Shaft,
    Spur,
    StiffnessPiece,
    Torsion,
    elastic_elements,
)
from trains.arms import SPEEDS, axis_in_parent, chain, explicit_chain, states
from trains.explicit import worst

ROTOR = {"axial": 2e-4, "transverse": 1.5e-4, "mass": 0.5}
PLACE = (0.1, -0.2, 0.05)


def arm(gear, joint: str = "j3", axis=None) -> Robot:
    motor = Motor(ROTOR["axial"], ROTOR["mass"], ROTOR["transverse"], PLACE)
    return Robot("arm", chain(), [Drive(joint, motor, gear, axis=axis)])


def agrees(mech, oracle) -> None:
    for q, v, a in states(mech.n):
        rigid = replace(mech, springs=())
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-12
        assert worst(gw.inverse_dynamics(rigid, q, v, a), oracle.torque(q, v, a)) < 1e-12
        stretch = sum(
            np.array(s.row) * (s.stiffness * np.dot(s.row, q) + s.damping * np.dot(s.row, v)) for s in mech.springs
        )
        whole = oracle.torque(q, v, a) + stretch
        assert worst(gw.inverse_dynamics(mech, q, v, a), whole) < 1e-12


def test_two_pairs_and_a_shaft():
    """Motor - pair - shaft - pair - joint, every one of the three elastic: three springs, three shafts in a row."""
    parts = {name: Member(J, 0.1 + 100 * J, 0.7 * J) for name, J in zip("abcdef", np.arange(1, 7) * 1e-4, strict=True)}
    parts["b"], parts["f"] = replace(parts["b"], side="joint"), replace(parts["f"], side="joint")
    gear = Series(
        stages=[
            Spur(driver=20, driven=60, driver_member=parts["a"], driven_member=parts["b"], stiffness=900, damping=0.5),
            Shaft(input_member=parts["c"], output_member=parts["d"], stiffness=400.0, damping=0.2),
            Spur(driver=15, driven=75, driver_member=parts["e"], driven_member=parts["f"], stiffness=2e4),
        ]
    )
    mech = gw.assemble(arm(gear))
    assert mech.speeds == (*SPEEDS, "j3.motor", "j3.stage1", "j3.stage2")
    # Counted at the joint, behind the last pair of ratio -5.
    assert [s.stiffness for s in mech.springs] == [900 * 25, 400 * 25, 2e4]
    assert [s.damping for s in mech.springs] == [0.5 * 25, 0.2 * 25, 0]
    rows = [(0, 0, 0, -1, 1, 0), (0, 0, 0, 0, -1, 1), (0, 0, 1, 0, 0, -1)]
    assert [s.row for s in mech.springs] == rows
    e, joint_at = axis_in_parent("j3")
    oracle = explicit_chain(speeds=mech.speeds)
    oracle.wheel("rotor", "l2", {"j3.motor": 15.0}, e, **ROTOR, position=PLACE)
    turning = {"a": ("motor", 15), "b": ("stage1", -5), "c": ("stage1", -5), "d": ("stage2", -5), "e": ("stage2", -5)}
    for name, (shaft, ratio) in turning.items():
        one = parts[name]
        oracle.wheel(name, "l2", {f"j3.{shaft}": ratio}, e, one.inertia, one.mean_transverse_inertia, one.mass, PLACE)
    last = parts["f"]
    oracle.wheel("f", "l2", {"j3": 1.0}, e, last.inertia, last.mean_transverse_inertia, last.mass, joint_at)
    agrees(mech, oracle)


@pytest.mark.parametrize("side", ["motor", "joint"])
def test_gear_inertias_on_either_side_of_the_spring(side):
    """I' and I'' of eq. 20.98: on the motor's side the shaft feels (I' + I''/N^2) N^2, else the joint has I''."""
    gear = Spur(driver=20, driven=60, stiffness=500.0)
    gear = replace(gear, driver_member=Member(3e-5), driven_member=Member(8e-4, side=side))
    robot = Robot("arm", chain(), [Drive("j1", Motor(1e-4), gear)])
    H = gw.mass_matrix(gw.assemble(robot), [0.1, 0.2, 0.3, 0.1])
    bare = gw.mass_matrix(gw.assemble(Robot("arm", chain(), [Drive("j1", Motor(1e-4), Gear(1.0))])), [0.1, 0.2, 0.3])
    N, own = 3.0, 8e-4 if side == "motor" else 0.0
    assert H[3, 3] == pytest.approx((1e-4 + 3e-5 + own / N**2) * N**2)
    assert H[0, 0] - (bare[0, 0] - 1e-4) == pytest.approx(8e-4 - own, abs=1e-9)


def test_a_rigid_last_stage_carries_its_planets_on_the_link():
    """A spring between belt-side pair and planetary stage: the stage turns with the joint, its planets on the link."""
    e, origin = axis_in_parent("j3")
    planet = Member(3e-4, 0.2, 2e-4, position=(0.0, 0.0, 0.0))
    stage = Planetary(sun=18, planet=27, ring=72, planets=2, radius=0.05, planet_member=planet, towards=(1, 0, 0))
    stage = replace(stage, sun_member=Member(1e-4, 0.1, 6e-5, position=tuple(origin)))
    gear = Series(stages=[Spur(driver=20, driven=40, stiffness=700.0, driver_member=Member(1e-5)), stage])
    mech = gw.assemble(arm(gear))
    assert mech.speeds == (*SPEEDS, "j3.motor")
    assert mech.springs[0].stiffness == 700 * 25
    own = np.array(chain()[2].joint.axis) / np.linalg.norm(chain()[2].joint.axis)
    u = np.array([1.0, 0, 0]) - own * own[0]
    u /= np.linalg.norm(u)
    oracle = explicit_chain(speeds=mech.speeds)
    oracle.wheel("rotor", "l2", {"j3.motor": -10.0}, e, **ROTOR, position=PLACE)
    oracle.wheel("driver", "l2", {"j3.motor": -10.0}, e, 1e-5, 0.5e-5, 0.0, PLACE)
    oracle.wheel("sun", "l2", {"j3": 5.0}, e, 1e-4, 6e-5, 0.1, origin)
    for k, sign in enumerate((1, -1)):
        oracle.wheel(f"p{k}", "l3", {"j3": -72 / 27}, own, 3e-4, 2e-4, 0.2, sign * 0.05 * u)
    agrees(mech, oracle)


def test_springs_on_a_subset_of_joints():
    drives = [
        Drive("j1", Motor(1e-4), Gear(50)),
        Drive("j2", Motor(1e-4), Gear(60, stiffness=800.0, damping=1.0)),
        Drive("j3", Motor(1e-4), Series(stages=[Shaft(stiffness=10.0), Spur(driver=20, driven=60)])),
    ]
    mech = gw.assemble(Robot("arm", chain(), drives))
    assert mech.speeds == (*SPEEDS, "j2.motor", "j3.motor")
    assert [(s.name, s.stiffness) for s in mech.springs] == [("j2.spring", 800.0), ("j3.spring", 90.0)]
    assert gw.actuation.structure_matrix(mech).T.tolist() == [[50, 0, 0, 0, 0], [0, 0, 0, 60, 0], [0, 0, 0, 0, -3]]


def test_two_springs_are_one_of_the_sum_of_compliances():
    """Static twist under a torque at the joint, the motor held: 1/k = 1/k1 + 1/k2 referred to the joint."""
    stages = [Spur(driver=20, driven=80, stiffness=300.0), Shaft(stiffness=5e3, input_member=Member(1e-3))]
    mech = gw.assemble(arm(Series(stages=stages)))
    K = sum(s.stiffness * np.outer(s.row, s.row) for s in mech.springs)
    free = [mech.speeds.index(name) for name in ("j3", "j3.stage1")]
    twist = np.linalg.solve(K[np.ix_(free, free)], [1.0, 0.0])[0]
    assert 1 / twist == pytest.approx(1 / (1 / 300 + 1 / 5e3))


def test_torsion_is_seen_through_the_stages_behind():
    """Torque h x^3 + ... at the stage's output is what the joint feels: T_joint = r T(r x)."""
    torsion = Torsion(
        hardening=7.0,
        pieces=[StiffnessPiece(100.0, 5.0), StiffnessPiece(150.0)],
        hysteresis=Hysteresis(0.3, 1e-3),
        errors=[KinematicError(1e-4, 2, "motor", 0.5), KinematicError(2e-4, 3, "joint")],
    )
    stages = [Harmonic(reduction=50, torsion=torsion), Spur(driver=20, driven=80)]
    (element,) = elastic_elements(Series(stages=stages))
    r, x = -4.0, 0.01
    far = element.torsion
    assert element.stiffness == pytest.approx(r * r * 100)
    assert far.hardening * x**3 == pytest.approx(r * (7.0 * (r * x) ** 3))
    assert [p.stiffness for p in far.pieces] == [1600.0, 2400.0]
    assert far.pieces[0].until == 20.0
    assert (far.hysteresis.torque, far.hysteresis.width) == pytest.approx((1.2, 2.5e-4))
    assert Torsion(backlash=2e-3).reflected_through(r).backlash == pytest.approx(5e-4)
    # An angle theta of the far shaft is r theta at the stage's output and -50 r theta at its input.
    assert [(e.amplitude, e.periods) for e in far.errors] == [(1e-4 / r, 2 * -50 * r), (2e-4 / r, 3 * r)]


def test_pieces_alone_make_the_drive_elastic():
    gear = Gear(100, torsion=Torsion(pieces=[StiffnessPiece(1e4, 7), StiffnessPiece(1.4e4, 25), StiffnessPiece(1.6e4)]))
    mech = gw.assemble(arm(gear))
    assert (mech.springs[0].stiffness, mech.shafts) == (1e4, ("j3.motor",))


def test_stiffness_and_damping_have_regressor_columns():
    stages = [Spur(driver=20, driven=80, stiffness=300.0, damping=0.1), Shaft(stiffness=5e3, input_member=Member(1e-3))]
    mech = gw.assemble(arm(Series(stages=stages)))
    names = gw.parameter_names(mech)
    assert tuple(names[-4:]) == (
        "j3.spring1.stiffness",
        "j3.spring1.damping",
        "j3.spring2.stiffness",
        "j3.spring2.damping",
    )
    for q, v, a in states(mech.n):
        Y = gw.regressor(mech, q, v, a)
        assert Y @ gw.parameters(mech) == pytest.approx(gw.inverse_dynamics(mech, q, v, a))
        assert Y[:, -4] == pytest.approx(np.array(mech.springs[0].row) * np.dot(mech.springs[0].row, q))
        assert Y[:, -1] == pytest.approx(np.array(mech.springs[1].row) * np.dot(mech.springs[1].row, v))


def test_parameter_paths_reach_every_stage():
    stages = [Spur(driver=20, driven=80, stiffness=300.0), Shaft(stiffness=5e3, input_member=Member(1e-3))]
    robot = arm(Series(stages=stages))
    path = "j3.gear.stages.0.stiffness"
    assert gw.parts.parameter(robot, path) == 300
    assert gw.assemble(gw.parts.with_parameters(robot, {path: 400.0})).springs[0].stiffness == 400
    soft = arm(Gear(10, stiffness=50.0, torsion=Torsion(backlash=1e-3)))
    assert gw.parts.parameter(soft, "j3.gear.torsion.backlash") == 1e-3


def test_a_stiffness_stays_symbolic_down_to_the_kernel():
    stages = [Spur(driver=20, driven=80, stiffness=300.0), Shaft(stiffness=5e3, input_member=Member(1e-3))]
    robot, path = arm(Series(stages=stages)), "j3.gear.stages.0.stiffness"
    kernel = gw.compile(gw.inverse_dynamics, robot, parameters=(path,))
    other = gw.assemble(gw.parts.with_parameters(robot, {path: 400.0}))
    for q, v, a in states(other.n):
        assert kernel(q, v, a, parameters=[400.0]) == pytest.approx(gw.inverse_dynamics(other, q, v, a), rel=1e-12)


REFUSED = {
    "negative stiffness": (lambda: Gear(10, stiffness=-5.0), TrainError, r"stiffness=-5\.0"),
    "negative damping": (
        lambda: Gear(10, stiffness=5.0, damping=-1.0),
        TrainError,
        r"damping=-1\.0.*Nms/rad",
    ),
    "stiffness that is not a number": (
        lambda: Gear(10, stiffness=float("nan")),
        TrainError,
        "stiffness=nan.*Nm/rad",
    ),
    "endless stiffness": (lambda: Gear(10, stiffness=float("inf")), TrainError, "stiffness=inf"),
    "damping that is not a number": (
        lambda: Gear(10, stiffness=5.0, damping=float("nan")),
        TrainError,
        "damping=nan",
    ),
    "damping without stiffness": (
        lambda: Gear(10, damping=3.0),
        TrainError,
        r"damping 3\.0 Nms/rad.*stiffness",
    ),
    "backlash without stiffness": (
        lambda: Gear(10, torsion=Torsion(backlash=1e-3)),
        TrainError,
        r"backlash 0\.001.*stiffness",
    ),
    "no motor": (
        lambda: gw.assemble(Robot("arm", chain(), [Drive("j1", gear=Gear(10, stiffness=50.0))])),
        InertiaError,
        r"50\.0 Nm/rad.*joint 'j1'.*'j1\.motor'",
    ),
    "no inertia between": (
        lambda: gw.assemble(arm(Series(stages=[Shaft(stiffness=5.0), Spur(driver=9, driven=9, stiffness=1.0)]))),
        InertiaError,
        r"'j3\.stage1'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    make, kind, message = REFUSED[case]
    with pytest.raises(kind, match=message):
        make()


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ([StiffnessPiece(100.0, 5.0), StiffnessPiece(150.0, 4.0), StiffnessPiece(200.0)], r"\b5\.0, 4\.0"),
        ([StiffnessPiece(100.0), StiffnessPiece(150.0)], "pieces.*until"),
    ],
)
def test_bad_pieces(pieces, message):
    with pytest.raises(TrainError, match=message):
        Torsion(pieces=pieces)
