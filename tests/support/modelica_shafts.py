"""Modelica's examples of one-dimensional drive trains: inertias on shafts, springs, gears with supports."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import gearwright as gw
from gearwright.forces import Law, Line, Load
from gearwright.forces.friction.clutch import Clutch
from gearwright.forces.friction.dry_friction import DryFriction
from gearwright.forces.motors.motors_of_robot import motor_laws
from gearwright.forces.transmission.backlash import Backlash
from gearwright.forces.transmission.gear_losses import GearLoss
from gearwright.forces.transmission.kinematic_error import ElementDeflection
from gearwright.forces.transmission.nonlinear_spring import TorqueCurve
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Losses, Motor, Robot
from gearwright.simulation import Signal as Input
from gearwright.simulation import steps
from support.modelica import INEXACT, NOT_UNIQUE, Model, Series, Signal, angle, rate, reported, rotor, sine, turning

WEIGHTLESS = (0.0, 0.0, 0.0)


def shafts(inertias: dict[str, float], springs: Sequence[gw.Spring], spins: Sequence[gw.Spin] = ()) -> gw.Mechanism:
    """Inertias that turn about z on the base, each with a speed of its own."""
    return gw.Mechanism([rotor(name, J) for name, J in inertias.items()], spins, springs=springs, gravity=WEIGHTLESS)


def relative(first: str, second: str, title: str) -> dict[str, Signal]:
    """Angle and speed of the second flange less those of the first."""
    return {
        f"{title}.phi_rel": lambda motion: motion.angle(second) - motion.angle(first),
        f"{title}.w_rel": lambda motion: motion.rate(second) - motion.rate(first),
    }


def against_base(name: str, title: str, factor: float = 1.0) -> dict[str, Signal]:
    return turning(name, title, factor, ("phi_rel", "w_rel"))


def first() -> Model:
    """Motor, gear 10 to 1, damped load, a spring, a second load."""
    springs = [
        gw.Spring("spring", {"inertia2": -1, "inertia3": 1}, 1e4),
        gw.Spring("damper", {"inertia2": 1}, 0.0, damping=10.0),
    ]
    spins = [gw.Spin("inertia1", "base", (0, 0, 1), 0.1, {"inertia2": 10})]
    mech = shafts({"inertia2": 2.0, "inertia3": 2.0}, springs, spins)
    drive = sine(10.0, 5.0)
    signals = turning("inertia3", "inertia3") | against_base("inertia2", "damper", -1.0)
    return Model("Rotational.Examples.First", mech, signals, torque=lambda t, q, v: [10 * drive(t), 0.0])


def elastic_bearing() -> Model:
    """A gear of ratio 3 whose housing turns against a spring; its massless output turns the load by another one."""
    output = {"shaft": 1 / 3, "housing": 2 / 3}
    springs = [
        gw.Spring("spring", {"load": 1.0} | {name: -x for name, x in output.items()}, 1e3),
        gw.Spring("springDamper", {"housing": 1}, 1e5, damping=5.0),
    ]
    mech = shafts({"shaft": 1.0, "load": 50.0, "housing": 5.0}, springs)
    signals = turning("load", "load") | turning("shaft", "shaft") | against_base("housing", "springDamper")

    def torque(t: float, q: Series, v: Series) -> list[float]:
        return [100.0 * min(t / 5.0, 1.0), 0.0, 0.0]

    return Model("Rotational.Examples.ElasticBearing", mech, signals, torque=torque, breaks=(5.0,))


def generation_of_fmus() -> Model:
    """Two inertias, joined rigidly, by a spring with a damper, and by a spring; 10 sin(2 pi 2 t) on the first."""
    springs = [
        gw.Spring("springDamper", {"inertia2a": -1, "inertia2b": 1}, 1e4, damping=100.0),
        gw.Spring("spring", {"inertia3a": -1, "inertia3b": 1}, 1e4),
    ]
    names = ["inertia2a", "inertia2b", "inertia3a", "inertia3b"]
    mech = shafts({"direct": 3.3} | dict(zip(names, [1.1, 2.2] * 2, strict=True)), springs)
    drive = sine(10.0, 2.0)
    signals = turning("direct", "directInertia.inertia")
    for name in names:
        signals |= turning(name, name)
    driven = np.array([1.0, 1.0, 0.0, 1.0, 0.0])
    return Model("Rotational.Examples.GenerationOfFMUs", mech, signals, torque=lambda t, q, v: driven * drive(t))


def ten_rotors() -> Model:
    """Rotors at rest, coasting, and in pairs on stiff springs."""
    names = [f"rotor1D{k}" for k in range(1, 11)]
    spins = [gw.Spin(name, "base", (1, 0, 0), 1.0, {name: 1}) for name in names]
    springs = [gw.Spring(f"spring{k}", {f"rotor1D{k}": -1, f"rotor1D{k + 1}": 1}, 1e4) for k in (5, 7, 9)]
    mech = gw.Mechanism([rotor("idle", 1.0)], spins, names, springs, gravity=WEIGHTLESS)
    signals: dict[str, Signal] = {}
    start = {"q.rotor1D2": 1.5707963267949, "v.rotor1D2": 1.74532925199433}
    for name in names:
        signals |= {f"{name}.phi": angle(name), f"{name}.w": rate(name)}
    for one, other in ((7, 8), (9, 10)):
        # Modelica finds the second angle from the acceleration that is asked of the first one.
        at, acceleration = 0.017453292519943, 0.05235987755982989
        start |= {
            f"q.rotor1D{one}": at,
            f"v.rotor1D{one}": 0.03490658503988659,
            f"q.rotor1D{other}": at + acceleration / 1e4,
        }
    return Model(
        "MultiBody.InitializationConversion.Rotor1D",
        mech,
        signals,
        start=start,
        excused={r"rotor1D([789]|10)\.w": INEXACT},
    )


def backlash() -> Model:
    """Two inertias swing on springs of 20 kNm/rad with 50 Nms/rad; the second one has a play of 45 degrees."""
    mech = shafts({"inertia1": 5.0, "inertia2": 5.0}, [gw.Spring("springDamper", {"inertia1": 1}, 20e3, damping=50.0)])
    play = Backlash(
        "elastoBacklash",
        ElementDeflection(Line.for_machine(mech, "inertia2")),
        TorqueCurve(20e3),
        50.0,
        0.7853981633974483,
    )
    signals = against_base("inertia1", "springDamper") | against_base("inertia2", "elastoBacklash")
    start = {"q.inertia1": 1.570796326794897, "q.inertia2": 1.570796326794897}
    return Model("Rotational.Examples.Backlash", mech, signals, [play], start=start)


def clutch_and_brake() -> Model:
    """A clutch locks and slips; a brake of the far end closes after half a second, when the driving torque ends."""
    springs = [gw.Spring("spring", {"inertia2": -1, "inertia1": 1}, 160.0, damping=1.0)]
    mech = shafts({"inertia3": 1.0, "inertia2": 0.05, "inertia1": 1.0}, springs)
    laws = [
        Clutch.between_speeds(mech, "clutch", "inertia2", "inertia3", normal_force=160.0),
        Clutch.brake(mech, "brake", "inertia1", normal_force=1600.0),
    ]
    drive = sine(200.0, 50.0 / np.pi)
    inputs = {
        "clutch.level": 1.0,
        "brake.level": steps([0.0, 0.5], [0.0, 1.0]),
        "tau.inertia3": Input(lambda t: drive(t) if t < 0.5 else 0.0, (0.5,)),
    }
    signals = turning("inertia3", "inertia3")
    signals |= relative("inertia3", "inertia2", "clutch") | relative("inertia2", "inertia1", "spring")
    for name in ("clutch", "brake"):
        signals[f"{name}.mode"] = reported(f"{name}.mode")
    start = {"v.inertia3": 100.0, "v.inertia2": 90.0, "v.inertia1": 90.0}
    return Model("Rotational.Examples.Friction", mech, signals, laws, inputs=inputs, start=start)


def geared(ratio: float, J1: float, J2: float) -> tuple[gw.Mechanism, Line]:
    """An inertia that drives another one through a gear, and the line of the first."""
    row = {"Inertia2": ratio}
    spins = [gw.Spin("Inertia1", "base", (0, 0, 1), J1, row)]
    motors = [gw.Actuator("gear", row)]
    mech = gw.Mechanism([rotor("Inertia2", J2)], spins, actuators=motors, gravity=WEIGHTLESS)
    return mech, Line.for_machine(mech, row)


def lossy(file: str, mech: gw.Mechanism, laws: list[Law], motor: Input, load: Input, speed: float = 0.0) -> Model:
    """A gear with losses between a torque on its first and one on its second shaft."""
    ratio = dict(mech.actuators[0].terms)[0]
    inputs = {"tau.Inertia2": Input(lambda t: ratio * motor.at(t), motor.breaks), "load": load}
    signals = turning("Inertia2", "Inertia2") | {"gear.mode": reported("gear.mode")}
    for law in laws[1:]:
        signals[f"{law.name}.mode"] = reported(f"{law.name}.mode")
    excused = {r".*\.mode": NOT_UNIQUE} if len(laws) > 1 else {}
    everything = [*laws, Load("load", Line.for_machine(mech, "Inertia2"))]
    return Model(file, mech, signals, everything, inputs=inputs, start={"v.Inertia2": speed}, excused=excused)


def half_lost(file: str, bearing: Friction | None = None) -> Model:
    """Half of the power is lost either way: the gear sticks between turning back and forth."""
    mech, line = geared(2.0, 1.0, 1.5)
    laws: list[Law] = [GearLoss("gear", line, (Losses(0.0, 0.5, 0.5),), mech.spins, "gear")]
    if bearing is not None:
        laws.append(DryFriction("bearingFriction", line, "gear", friction=bearing))
    return lossy(file, mech, laws, Input(sine(10.0, 1.0)), Input(lambda t: -10.0 + 2.5 * t))


def braked() -> Model:
    """A quarter of the power passes either way, and both bearings rub with 0.5 Nm: the gear stops at once and stays."""
    mech, line = geared(1.0, 0.001, 0.001)
    loss = GearLoss("gear", line, (Losses(0.0, 0.25, 0.25, 0.5),), mech.spins, "gear", output_torque=0.5)
    load = steps([0.0, 0.5], [0.0, 1.0])
    return lossy("Rotational.Examples.LossyGearDemo3", mech, [loss], Input(lambda t: 0.0), load, speed=10.0)


def motor_start() -> Model:
    """A DC motor, 100 V and 100 A at 1425 rpm, started by a rising voltage; full load after 1.5 s."""
    constant = (100.0 - 0.05 * 100.0) / (1425 * 2 * np.pi / 60)
    motor = Motor(0.15, torque_constant=constant, resistance=0.05, inductance=0.0015)
    link = Link("load", joint=Joint("loadInertia"), inertia=np.diag([0.0, 0.0, 0.15]), effective=True)
    robot = Robot("DCPM_Start", [link], [Drive("loadInertia", motor, Gear(1.0), name="dcpm")], gravity=WEIGHTLESS)
    mech = gw.assemble(robot)
    laws = [*motor_laws(robot, mech, ["dcpm.voltage"]), Load("load", Line.for_machine(mech, "loadInertia"))]
    inputs = {
        "dcpm.voltage": Input(lambda t: 100.0 * min(max((t - 0.2) / 0.8, 0.0), 1.0), (0.2, 1.0)),
        "load": steps([0.0, 1.5], [0.0, -63.66]),
    }
    signals = turning("loadInertia", "loadInertia") | {"dcpm.la.i": reported("dcpm.current")}
    return Model("Examples.DCMachines.DCPM_Start", mech, signals, laws, inputs=inputs)
