"""Every law keeps its books: power of its forces + rate of what it stores = supplied - dissipated, in every mode.

The identity must hold for whatever accelerations, multipliers and flows the engine may find, so it is checked with
random ones; the rate of the stored energy is taken by finite differences along the motion.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.forces import Line, Reaction, Situation
from gearwright.forces.contact.end_stops import Stops, compliant_stops
from gearwright.forces.friction.clutch import Clutch, OneWayClutch
from gearwright.forces.friction.dry_friction import DryFriction, SmoothFriction
from gearwright.forces.friction.lugre import LuGre
from gearwright.forces.loads import FunctionForce
from gearwright.forces.transmission.backlash import Backlash
from gearwright.forces.transmission.gear_losses import GearLoss
from gearwright.forces.transmission.hysteresis import BoucWen, MaxwellSlip
from gearwright.forces.transmission.kinematic_error import ElementDeflection, TransmissionRipple
from gearwright.forces.transmission.load_friction import LoadBristles
from gearwright.forces.transmission.nonlinear_spring import LinearSpring, NonlinearSpring, TorqueCurve
from gearwright.parts import Friction, LoadFriction, Losses, Lubricant

ELBOW = gw.assemble(gw.load("elbow"))
JOINT = Line.for_machine(ELBOW, "j2")
MOTOR = Line.for_machine(ELBOW, {"j2": 100.0})
PAIR = Line.for_machine(ELBOW, {"j2": 1.0, "j3": -1.0})
RIPPLED = ElementDeflection(
    PAIR,
    0.02,
    (TransmissionRipple(JOINT, 0.05, 3.0, 0.4), TransmissionRipple(Line.for_machine(ELBOW, "j1"), 0.02, 7.0)),
)
STRIBECK = Friction(coulomb=2.0, viscous=0.3, static=3.0, stribeck_speed=0.2)
LOADED = Friction(0.005, 1e-5, 0.007, 20.0, load=LoadFriction(0.2, 0.1, 0.1, 0.05))
QUADRATIC = LoadFriction(0.2, 0.1, motor_quadratic=0.3, joint_quadratic=0.4)
HARMONIC = TorqueCurve(80.0, 40.0, ((0.05, 30.0), (0.2, 50.0)))
LINEAR = LinearSpring(Line.for_machine(ELBOW, {"j1": 0.5, "j2": -1.0}), 70.0, 3.0, 0.1)
ROTOR = tuple(spin for spin in ELBOW.spins if spin.name == "j2.rotor")
TABLE = (Losses(0.0, 0.6, 0.5, 0.01), Losses(100.0, 0.8, 0.7, 0.02))

LAWS = (
    DryFriction("dry", JOINT, friction=STRIBECK),
    DryFriction("dry at the motor", MOTOR, "j2", friction=STRIBECK),
    SmoothFriction("smooth", PAIR, STRIBECK),
    LuGre("lugre", JOINT, Friction(2.0, 0.3, 3.0, 0.2, stiffness=50.0, damping=5.0)),
    Clutch("clutch", PAIR, normal_force=20.0, coefficients=((0.0, 0.4), (3.0, 0.2))),
    OneWayClutch("freewheel", PAIR, normal_force=20.0, coefficients=((0.0, 0.4), (3.0, 0.2))),
    FunctionForce("gas", PAIR, lambda s, speed, t, ops: 3.0 * s * s - ops.exp(speed)),
    Stops("stops", JOINT, -0.5, 0.7, 0.4),
    compliant_stops("soft stops", JOINT, -0.3, 0.4, 200.0, 5.0),
    NonlinearSpring("spring", RIPPLED, HARMONIC, 2.0),
    NonlinearSpring("spring with a gap", RIPPLED, HARMONIC, 2.0, 0.1),
    NonlinearSpring("spring in place of a linear one", RIPPLED, HARMONIC, 2.0, 0.0, LINEAR),
    Backlash("backlash", RIPPLED, HARMONIC, 2.0, 0.3, LINEAR),
    MaxwellSlip("maxwell", RIPPLED, 4.0, 0.1),
    BoucWen("bouc", RIPPLED, 4.0, 0.1),
    GearLoss("gear", MOTOR, TABLE, ROTOR, "j2", 0.005),
    GearLoss("load friction", MOTOR, (), ROTOR, "j2", friction=LOADED),
    LoadBristles("load bristles", MOTOR, replace(LOADED, stiffness=50.0), "j2", "Nm", ROTOR),
    LoadBristles("quadratic", MOTOR, replace(LOADED, load=QUADRATIC, stiffness=50.0), "j2", "Nm", ROTOR),
    DryFriction("lubricated", JOINT, friction=replace(STRIBECK, lubricant=Lubricant(0.03, capacity=20.0))),
    GearLoss("warm", MOTOR, (), ROTOR, "j2", friction=replace(LOADED, lubricant=Lubricant(0.03))),
    GearLoss("worm", MOTOR, (Losses(efficiency=0.4),), ROTOR, "j2"),
)
CASES = [pytest.param(law, mode, id=f"{law.name}: {mode}") for law in LAWS for mode in law.modes]


def random_situation(law, rng) -> Situation:
    q, v = rng.uniform(-1, 1, (2, 3))
    states, inputs = rng.uniform(-0.1, 0.1, len(law.states)), rng.uniform(0.1, 1.0, len(law.inputs))
    return Situation(0.0, q.tolist(), v.tolist(), states.tolist(), inputs.tolist(), FLOATS, ELBOW)


def moved(s: Situation, rates, h: float) -> Situation:
    q = [x + h * w for x, w in zip(s.q, s.v, strict=True)]
    states = [z + h * rate for z, rate in zip(s.states, rates, strict=True)]
    return Situation(s.t + h, q, s.v, states, s.inputs, s.ops, s.mech)


def random_reaction(law, mode, s, rng) -> Reaction:
    action = law.act(mode, s)
    multipliers, flows = rng.uniform(-5, 5, len(action.holds)), rng.uniform(-5, 5, len(action.drags))
    return Reaction(rng.uniform(-5, 5, 3).tolist(), multipliers.tolist(), flows.tolist())


def power(law, mode, s, reaction) -> float:
    """What its forces, multipliers and drags do to the machine."""
    action = law.act(mode, s)
    total = sum(force.value * force.line.speed(s.v) for force in action.forces)
    total += sum(m * h.line.speed(s.v) for m, h in zip(reaction.multipliers, action.holds, strict=True))
    return total + sum(d.gain * f * d.push.speed(s.v) for f, d in zip(reaction.flows, action.drags, strict=True))


@pytest.mark.parametrize(("law", "mode"), CASES)
def test_books_balance(law, mode):
    rng = np.random.default_rng(7)
    for _ in range(20):
        s = random_situation(law, rng)
        reaction = random_reaction(law, mode, s, rng)
        outcome = law.follow(mode, s, reaction)
        h = 1e-6
        ahead, behind = (law.follow(mode, moved(s, outcome.rates, d), reaction).stored for d in (h, -h))
        balance = power(law, mode, s, reaction) + (ahead - behind) / (2 * h) - outcome.supplied + outcome.dissipated
        assert balance == pytest.approx(0.0, abs=1e-6)


ALONE = [law for law in LAWS if not isinstance(law, GearLoss) and not getattr(law, "instead_of", None)]


@pytest.mark.parametrize("law", ALONE, ids=lambda law: law.name)
def test_nothing_is_won(law):
    """In modes whose guards hold, dissipation is never negative; a Maxwell element slides at its limit only."""
    limit = {"forward": [0.1], "backward": [-0.1]} if isinstance(law, MaxwellSlip) else {}
    rng, seen = np.random.default_rng(3), set()
    for _ in range(300):
        s = random_situation(law, rng)
        for mode in law.modes:
            at = replace(s, states=limit.get(mode, s.states))
            felt = Reaction([0.0] * 3, [0.0], [0.0])
            if all(guard.value > 0 for guard in law.guards(mode, at, felt)):
                seen.add(mode)
                assert law.follow(mode, at, felt).dissipated >= 0
    assert seen - {"stick", "lower", "upper"} or len(law.modes) == 1


@pytest.mark.parametrize("law", [law for law in LAWS if isinstance(law, GearLoss)], ids=lambda law: law.name)
def test_gears_take_power_in_every_quadrant(law):
    rng, seen = np.random.default_rng(5), set()
    for _ in range(300):
        s = random_situation(law, rng)
        for mode in law.modes[1:]:
            felt = Reaction([0.0] * 3, (), [float(rng.uniform(-0.2, 0.2))])
            if all(guard.value > 0 for guard in law.guards(mode, s, felt)):
                seen.add(mode)
                assert law.follow(mode, s, felt).dissipated >= 0
    assert seen == set(law.modes[1:])


def test_forces_of_springs_are_slopes_of_their_energy():
    """Kinematic errors pull at the motor too, so that the whole is conservative: force = -dV/dq."""
    law = NonlinearSpring("spring", RIPPLED, HARMONIC)
    rng, h = np.random.default_rng(11), 1e-6
    for _ in range(10):
        s = random_situation(law, rng)
        got = np.zeros(3)
        for force in law.act("on", s).forces:
            for index, factor in force.line.terms:
                got[index] += factor * force.value
        for k in range(3):
            ends = []
            for d in (h, -h):
                q = list(s.q)
                q[k] += d
                at = Situation(0.0, q, s.v, (), (), FLOATS, ELBOW)
                ends.append(law.follow("on", at, Reaction([0.0] * 3)).stored)
            assert got[k] == pytest.approx(-(ends[0] - ends[1]) / (2 * h), abs=1e-6)
