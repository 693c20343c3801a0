"""What elastic drives do beside linear springs: bent curves, backlash, kinematic errors, hysteresis."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.errors import TrainError
from gearwright.forces import IdealDrive, Line, Load, Reaction, Situation
from gearwright.forces.transmission.backlash import Backlash
from gearwright.forces.transmission.elastic_drives import elastic_laws
from gearwright.forces.transmission.hysteresis import BoucWen, MaxwellSlip
from gearwright.forces.transmission.kinematic_error import ElementDeflection, TransmissionRipple
from gearwright.forces.transmission.nonlinear_spring import NonlinearSpring, TorqueCurve
from gearwright.parts import Drive, Gear, Hysteresis, Joint, KinematicError, Link, Motor, Robot, StiffnessPiece, Torsion

DISC = gw.Mechanism([gw.Body("j", axis=(0, 0, 1), mass=1.0, inertia=np.diag([0.5] * 3))], gravity=(0, 0, 0))
ANGLE = ElementDeflection(Line.for_machine(DISC, "j"))
RATIO, STIFF = 100.0, 8000.0
TIGHT = {"integrator": gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)}
# Typical K1, K2, K3 [Nm/rad] and T1, T2 [Nm] of a strain wave gear with ratio 100.
K, T = (16e3, 25e3, 29e3), (7.0, 25.0)


def drive(torsion: Torsion | None, stiffness: float | None = STIFF, damping: float = 2.0) -> Robot:
    gear = Gear(RATIO, stiffness=stiffness, damping=damping, torsion=torsion)
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=2.0, com=(0.2, 0, 0), inertia=np.diag([0.02] * 3))
    return Robot("arm", [link], [Drive("j", Motor(1e-4), gear)])


def test_catalogue_curve():
    """A catalogue's pieces: T1 at T1/K1, T2 at T1/K1 + (T2 - T1)/K2, then the slope K3; odd in the twist."""
    curve = TorqueCurve.from_pieces([StiffnessPiece(K[0], T[0]), StiffnessPiece(K[1], T[1]), StiffnessPiece(K[2])])
    at = [0.5 * T[0] / K[0], T[0] / K[0], T[0] / K[0] + (T[1] - T[0]) / K[1]]
    at.append(at[2] + 10.0 / K[2])
    for sign in (1, -1):
        got = [curve.torque(sign * x, FLOATS) for x in at]
        np.testing.assert_allclose(got, [sign * t for t in (3.5, 7.0, 25.0, 35.0)], rtol=1e-12)
    # The energy is the area: triangle and two trapezia.
    area = T[0] ** 2 / K[0] / 2 + (T[0] + T[1]) / 2 * (T[1] - T[0]) / K[1] + 30.0 * 10.0 / K[2]
    assert curve.energy(at[3], FLOATS) == pytest.approx(area, rel=1e-12)


def test_hardening_spring_swings_as_duffing():
    """x'' = -(k x + h x^3)/J from rest at A: the period is an elliptic integral, here by quadrature."""
    from scipy.integrate import quad

    k, h, A, J = 20.0, 300.0, 0.5, 0.5
    law = NonlinearSpring("spring", ANGLE, TorqueCurve(k, h))

    def slowness(u: float) -> float:
        # x = A sin u, so that the end of the swing is not a singularity
        return A / math.sqrt((k + h * A * A / 2 * (1 + math.sin(u) ** 2)) / J * A * A)

    period = 4 * quad(slowness, 0, math.pi / 2)[0]
    run = gw.simulate(DISC, [A], until=period, laws=[law], **TIGHT)
    assert run.q[-1, 0] == pytest.approx(A, rel=1e-6)
    assert run.q[len(run.t) // 2, 0] == pytest.approx(-A, rel=1e-6)
    assert run.drift < 1e-8


def test_there_is_no_torque_inside_the_gap_and_no_pull():
    law = Backlash("gear", ANGLE, TorqueCurve(2000.0), 20.0, 0.2)
    run = gw.simulate(DISC, ([0.0], [3.0]), until=1.5, laws=[law], samples=3001)
    x, torque = run.q[:, 0], run["gear.torque"]
    inside = np.abs(x) < 0.1
    assert np.all(torque[inside] == 0)
    assert np.all(torque[~inside] * np.sign(x[~inside]) >= 0)
    assert 0.1 < inside.mean() < 0.99
    assert np.all(np.diff(run["energy.dissipated"]) >= -1e-12)
    assert run.drift < 1e-7


def test_undamped_backlash_has_the_period_of_its_halves():
    """Twice across the gap at v0 and two half periods of the spring."""
    k, gap, v0, J = 2000.0, 0.2, 3.0, 0.5
    period = 2 * gap / v0 + 2 * math.pi * math.sqrt(J / k)
    run = gw.simulate(DISC, ([0.0], [v0]), until=3 * period, laws=[Backlash("gear", ANGLE, TorqueCurve(k), 0.0, gap)])
    assert run.q[-1, 0] == pytest.approx(0.0, abs=1e-6)
    assert run.v[-1, 0] == pytest.approx(v0, rel=1e-7)
    assert len(run.events) == 12


def test_events_change_nothing_but_the_accuracy():
    """The law without modes, for compiled runs, is the same law."""
    exact = gw.simulate(DISC, ([0.0], [3.0]), until=1.0, laws=[Backlash("gear", ANGLE, TorqueCurve(2000.0), 5.0, 0.2)])
    plain = NonlinearSpring("gear", ANGLE, TorqueCurve(2000.0), 5.0, 0.2)
    np.testing.assert_allclose(gw.simulate(DISC, ([0.0], [3.0]), until=1.0, laws=[plain]).q, exact.q, atol=1e-6)
    fixed = gw.simulate(
        DISC, ([0.0], [3.0]), until=1.0, laws=[plain], method="rk4", integrator=gw.analysis.IntegratorOptions(step=1e-4)
    )
    np.testing.assert_allclose(fixed.q, exact.q, atol=1e-5)


def test_a_law_stands_in_for_the_linear_spring():
    """With the same stiffness and damping as the linear spring it changes nothing at all."""
    robot = drive(Torsion(pieces=[StiffnessPiece(STIFF, 1e-3), StiffnessPiece(STIFF)]), stiffness=None)
    mech = gw.assemble(robot)
    (law,) = elastic_laws(robot, mech)
    start = ([0.1, 0.12], [0.5, -0.4])
    run, linear = (gw.simulate(mech, start, until=0.2, laws=laws, **TIGHT) for laws in ([law], []))
    np.testing.assert_allclose(run.q, linear.q, atol=1e-8)
    assert run["energy.dissipated"][-1] == pytest.approx(linear["energy.dissipated"][-1], rel=1e-6)
    assert run.drift < 1e-8


def test_an_arm_hangs_in_its_backlash():
    """The arm's weight presses one flank: twist = half the gap + weight / stiffness; lifted, it rattles through."""
    gap = 4e-3
    robot = drive(Torsion(backlash=gap), damping=20.0)
    mech = gw.assemble(robot)
    (law,) = elastic_laws(robot, mech)
    clamp = IdealDrive("clamp", Line.for_machine(mech, "j.motor"), lambda t, s, w: -50.0 * w)
    run = gw.simulate(mech, until=2.0, laws=[law, clamp])
    weight = 2.0 * 9.81 * 0.2 * math.cos(run.q[-1, 0])
    assert run["j.spring.twist"][-1] == pytest.approx(gap / 2 + weight / STIFF, rel=1e-6)
    assert run["j.spring.torque"][-1] == pytest.approx(weight, rel=1e-6)
    assert run.drift < 1e-7


def test_several_elements_have_a_law_each():
    from gearwright.parts import Series, Shaft, Spur

    stages = [
        Spur(driver=20, driven=60, inertia=1e-5, stiffness=900.0, torsion=Torsion(backlash=1e-3)),
        Shaft(stiffness=400.0, inertia=1e-5),
        Spur(driver=20, driven=80, inertia=1e-5, stiffness=9000.0, torsion=Torsion(hardening=1e6)),
    ]
    link = Link("arm", joint=Joint("j"), mass=2.0, com=(0.2, 0, 0), inertia=np.diag([0.02] * 3))
    robot = Robot("arm", [link], [Drive("j", Motor(1e-4), Series(stages=stages))])
    found = elastic_laws(robot, gw.assemble(robot))
    assert [(law.name, type(law).__name__) for law in found] == [
        ("j.spring1", "Backlash"),
        ("j.spring3", "NonlinearSpring"),
    ]
    # A gap of the first pair is seen through the ratio 4 behind it, its stiffness through 4^2.
    assert found[0].gap == pytest.approx(1e-3 / 4)
    assert found[0].curve.stiffness == pytest.approx(900.0 * 16)


def test_kinematic_error_moves_the_joint_and_pulls_at_the_motor():
    """Turned slowly, the joint is ahead by e(motor angle); energy is kept, so the motor feels the slope."""
    amplitude, periods = 5e-4, 2.0
    robot = drive(Torsion(errors=[KinematicError(amplitude, periods, phase=0.3)]), damping=60.0)
    mech = gw.assemble(robot)
    (law,) = elastic_laws(robot, mech)
    lead = IdealDrive("lead", Line.for_machine(mech, "j.motor"), lambda t, s, w: 20 * (0.02 - w))
    still = gw.Mechanism(mech.bodies, mech.spins, mech.shafts, mech.springs, mech.actuators, gravity=(0, 0, 0))
    run = gw.simulate(still, until=3.0, laws=[law, lead])
    error = amplitude * np.sin(periods * RATIO * run.q[:, 1] + 0.3)
    late = run.t > 1.0
    np.testing.assert_allclose((run.q[:, 0] - run.q[:, 1])[late], error[late], atol=2e-5)
    assert np.ptp(error[late]) > 1.9 * amplitude
    assert run.drift < 1e-7


def test_kinematic_error_is_conservative():
    """Swinging freely over an error, without damping, energy is kept."""
    pair = gw.Mechanism(
        [gw.Body("j", axis=(0, 0, 1), mass=1.0, inertia=np.diag([0.5] * 3))],
        [gw.Spin("rotor", "base", (0, 0, 1), 1e-4, {"motor": 50.0})],
        ["motor"],
        gravity=(0, 0, 0),
    )
    twist = ElementDeflection(
        Line.for_machine(pair, {"j": 1.0, "motor": -1.0}),
        ripples=(TransmissionRipple(Line.for_machine(pair, "motor"), 0.01, 50.0),),
    )
    law = NonlinearSpring("gear", twist, TorqueCurve(500.0))
    run = gw.simulate(pair, ([0.0, 0.0], [1.0, 1.0]), until=1.0, laws=[law], **TIGHT)
    assert run.drift < 1e-8
    assert np.ptp(run["gear.torque"]) > 0.5


def loop(law, amplitude: float):
    """The twist is led to and fro, x = A sin t, for two periods; what is lost in the second."""
    lead = IdealDrive("lead", Line.for_machine(DISC, "j"), lambda t, s, w: -amplitude * math.sin(t))
    run = gw.simulate(DISC, ([0.0], [amplitude]), until=4 * math.pi, laws=[law, lead], samples=2001, **TIGHT)
    return run, run["energy.dissipated"][-1] - run["energy.dissipated"][1000]


def test_a_maxwell_element_loses_the_area_of_its_parallelogram():
    """4 T (A - width) per period; below its limit nothing."""
    law = MaxwellSlip("rub", ANGLE, 2.0, 0.1)
    run, lost = loop(law, 0.5)
    assert lost == pytest.approx(4 * 2.0 * (0.5 - 0.1), rel=1e-6)
    assert np.abs(run["rub.torque"]).max() == pytest.approx(2.0, rel=1e-8)
    assert run.drift < 1e-8
    assert loop(law, 0.09)[1] == pytest.approx(0.0, abs=1e-9)


def test_bouc_wen_between_its_limits():
    """Wide loops lose 4 T A less what the bends take; torque stays within T; the loss never turns round."""
    law = BoucWen("rub", ANGLE, 2.0, 0.02)
    run, lost = loop(law, 0.5)
    assert 4 * 2.0 * (0.5 - 2 * 0.02) < lost < 4 * 2.0 * 0.5
    assert np.abs(run["rub.torque"]).max() <= 2.0 * (1 + 1e-5)
    assert np.all(np.diff(run["energy.dissipated"]) >= 0)
    # After a reversal at the limit, 1 - z = 2 exp(-x / width).
    turn = int(np.argmax(run.q[:1000, 0]))
    back = run.q[turn, 0] - run.q[turn + 20, 0]
    assert run["rub.torque"][turn + 20] == pytest.approx(2.0 * (2 * math.exp(-back / 0.02) - 1), abs=2e-3)


def test_hysteresis_of_a_drive_keeps_the_books():
    robot = drive(Torsion(hysteresis=Hysteresis(1.5, 1e-4)))
    mech = gw.assemble(robot)
    (law,) = elastic_laws(robot, mech)
    assert (law.name, type(law).__name__) == ("j.spring.hysteresis", "MaxwellSlip")
    wind = Load("wind", Line.for_machine(mech, "j"))
    laws = [law, wind]
    run = gw.simulate(mech, until=0.5, laws=laws, inputs={"wind": lambda t: 20 * math.sin(30 * t)})
    assert run.drift < 1e-7
    assert {"stick", "forward", "backward"} <= set(run.modes[law.name])


def test_impossible_elements_are_refused():
    with pytest.raises(TrainError, match=r"backlash 0.001 .*stiffness"):
        Gear(RATIO, torsion=Torsion(backlash=1e-3))
    with pytest.raises(TrainError, match=r"gap=0.0 .*NonlinearSpring"):
        Backlash("gear", ANGLE, TorqueCurve(100.0), 0.0, 0.0)
    with pytest.raises(TrainError, match=r"gear: damping=-1.0"):
        NonlinearSpring("gear", ANGLE, TorqueCurve(100.0), -1.0)
    with pytest.raises(TrainError, match=r"spring: stiffness=-10.0"):
        TorqueCurve(100.0, stiffness_steps=((0.1, -110.0),))
    with pytest.raises(TrainError, match=r"spring: hardening=-1.0"):
        TorqueCurve(100.0, -1.0)
    with pytest.raises(TrainError, match=r"rub: width=0.0"):
        MaxwellSlip("rub", ANGLE, 1.0, 0.0)
    with pytest.raises(TrainError, match=r"hysteresis .*1.0 Nm .*backlash 0.001 rad"):
        Torsion(backlash=1e-3, hysteresis=Hysteresis(1.0, 1e-3))


def test_smooth_laws_have_no_modes():
    torsion = Torsion(pieces=[StiffnessPiece(K[0], T[0]), StiffnessPiece(K[1])], hysteresis=Hysteresis(1.0, 1e-3))
    for one in (torsion, Torsion(backlash=1e-3)):
        robot = drive(one, stiffness=None if one.pieces else STIFF)
        found = elastic_laws(robot, gw.assemble(robot), smooth=True)
        assert found
        assert all(law.modes == ("on",) for law in found)


def test_a_tie_at_the_edge_of_the_gap_is_decided_by_the_speed():
    law = Backlash("gear", ANGLE, TorqueCurve(100.0), 0.0, 0.2)
    for v, stays in ((1.0, False), (-1.0, True)):
        s = Situation(0.0, [0.1], [v], (), (), FLOATS, DISC)
        upper = law.guards("gap", s, Reaction([0.0]))[0]
        assert upper.value == pytest.approx(0.0, abs=1e-15)
        assert (upper.rate > 0) == stays
