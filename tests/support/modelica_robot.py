"""Modelica's RobotR3: the Manutec r3 with motors, current loops, elastic gears with friction, and axis controllers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import gearwright as gw
from gearwright.forces import Action, Force, Law, Line, Outcome, Quantity, Reaction, Situation
from gearwright.forces.friction.dry_friction import DryFriction
from gearwright.parts import Friction
from support.modelica import Model, Signal, angle, rate, read, reported, rotor


@dataclass(frozen=True)
class CurrentLoop(Law):
    """The motor with its analogue current controller: operational amplifiers as Modelica's circuit diagram has them.

    The difference of measured and wanted current charges a capacitor C through 10 ohm; five times its voltage, with
    opposite sign, drives the armature: 250 ohm, L = 250/(2 D w), C = 0.004 D/w. The torque is k times the current.
    """

    name: str
    line: Line
    k: float
    w: float
    D: float

    @property
    def states(self) -> tuple[Quantity, ...]:
        return Quantity(f"{self.name}.C.v", "V"), Quantity(f"{self.name}.La.i", "A")

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        return (Quantity(f"{self.name}.current_reference", "A"),)

    def act(self, mode: str, situation: Situation) -> Action:
        return Action(forces=(Force(self.line, self.k * situation.states[1]),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        (voltage, i), (wanted,) = situation.states, situation.inputs
        inductance, capacity = 250.0 / (2 * self.D * self.w), 0.004 * self.D / self.w
        di = (-5 * voltage - 250.0 * i - self.k * self.line.speed(situation.v)) / inductance
        stored = inductance * i * i / 2
        rates = ((i - wanted) / (10.0 * capacity), di)
        return Outcome(rates, supplied=-5 * voltage * i, dissipated=250.0 * i * i, stored=stored)


def point_to_point(begin: Any, end: Any, speed: Any, acceleration: Any) -> tuple[Callable[[float], Any], list[float]]:
    """The fastest common motion with constant accelerations: t -> (angles, speeds), and the times of its kinks."""
    begin, way = np.asarray(begin, float), np.asarray(end, float) - np.asarray(begin, float)
    top = 1 / np.max(np.abs(way) / speed)
    rise = 1 / np.max(np.abs(way) / acceleration)
    ramp = top / rise
    assert ramp < np.sqrt(1 / rise), "all motions here reach their top speed"
    cruise, finish = 1 / top, 1 / top + ramp

    def path(t: float) -> tuple[Any, Any]:
        if t < ramp:
            s, sd = rise / 2 * t * t, rise * t
        elif t < cruise:
            s, sd = rise / 2 * ramp**2 + top * (t - ramp), top
        elif t < finish:
            s, sd = 1 - rise / 2 * (finish - t) ** 2, rise * (finish - t)
        else:
            s, sd = 1.0, 0.0
        return begin + s * way, sd * way

    return path, [ramp, cruise, finish]


@dataclass(frozen=True)
class Axis:
    """One axis: gear ratio, motor, friction Rv0 + Rv1 |speed| (on the motor or the joint), spring at the motor side."""

    ratio: float
    Rv0: float
    Rv1: float
    w: float
    k: float = 1.1616
    D: float = 0.6
    J: float = 0.0013
    peak: float = 1.0
    c: float | None = None
    cd: float = 0.0

    @property
    def elastic(self) -> bool:
        return self.c is not None


AXES = (
    Axis(-105, 0.4, 0.13 / 160, 4590, c=43, cd=0.005),
    Axis(210, 0.5, 0.1 / 130, 5500, c=8, cd=0.01),
    Axis(60, 0.7, 0.2 / 130, 5500, c=58, cd=0.04),
    Axis(-99, 21.8, 9.8, 6250, 0.2365, 0.55, 1.6e-4, 26.7 / 21.8),
    Axis(79.2, 30.1, 0.03, 6250, 0.2608, 0.55, 1.8e-4, 39.6 / 30.1),
    Axis(-99, 10.9, 3.92, 7400, 0.0842, 0.27, 4.3e-5, 16.8 / 10.9),
)


def motor_row(axis: Axis, joint: str) -> dict[str, float]:
    """The motor's angle over the speeds: a shaft of its own behind a spring, or the joint's times the ratio."""
    return {f"{joint}.motor": 1.0} if axis.elastic else {joint: axis.ratio}


def robot(bodies: Sequence[gw.Body], axes: Sequence[tuple[str, Axis]], gravity: Any) -> gw.Mechanism:
    """Bodies with motors whose housings are not modelled: spins without coupling."""
    spins = [gw.Spin(f"{j}.rotor", "base", (0, 0, 1), x.J, motor_row(x, j), coupling=0.0) for j, x in axes]
    springs = [
        gw.Spring(f"{j}.spring", {f"{j}.motor": -1.0, j: x.ratio}, x.c, damping=x.cd) for j, x in axes if x.elastic
    ]
    shafts = [f"{j}.motor" for j, x in axes if x.elastic]
    motors = [gw.Actuator(f"{j}.drive", motor_row(x, j)) for j, x in axes]
    return gw.Mechanism(bodies, spins, shafts, springs, motors, gravity=gravity)


def cascade(mech: gw.Mechanism, path: Callable[[float], Any], kinks: Sequence[float]) -> gw.control.LawController:
    """P control of the motor angle around PI control of its speed: wanted currents, and rates of the integrators."""
    return replace(gw.control.cascade(mech, path, kp=5.0, ks=0.5, Ts=0.05, output="current"), breaks=tuple(kinks))


def arm() -> list[gw.Body]:
    """The links of the r3 with its load; y is up."""

    def tensor(xx: float = 1e-3, yy: float = 1e-3, zz: float = 1e-3, xy: float = 0.0) -> Any:
        return np.array([[xx, xy, 0.0], [xy, yy, 0.0], [0.0, 0.0, zz]])

    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    hand, load = np.full(3, 0.05), np.array([0.1, 0.25, 0.1])
    mass, com = 15.5, (0.5 * hand + 15.0 * load) / 15.5
    inertia = 2 * tensor()
    for m, d in ((0.5, hand - com), (15.0, load - com)):
        inertia = inertia + m * (d @ d * np.eye(3) - np.outer(d, d))
    rows: list[tuple[Any, Any, float, Any, Any]] = [
        (y, (0, 0.351, 0), 1.0, (0, 0, 0), tensor(yy=1.16)),
        (x, (0, 0.324, 0.3), 56.5, (0.172, 0.205, 0), tensor(2.58, 0.64, 2.73, -0.46)),
        (x, (0, 0.65, 0), 26.4, (0.064, -0.034, 0), tensor(0.279, 0.245, 0.413, -0.070)),
        (y, (0, 0.414, -0.155), 28.7, (0, 0, 0), tensor(1.67, 0.081, 1.67)),
        (x, (0, 0.186, 0), 5.2, (0, 0, 0), tensor(1.25, 0.81, 1.53)),
        (y, (0, 0.125, 0), mass, com, inertia),
    ]
    bodies = []
    for k, (axis, place, m, c, i) in enumerate(rows):
        parent = f"r{k}" if k else "base"
        own = {"mass": m, "com": c, "inertia": i, "effective": True}
        bodies.append(gw.Body(f"r{k + 1}", parent, axis=axis, position=place, **own))
    return bodies


def laws(mech: gw.Mechanism, axes: Sequence[tuple[str, Axis]]) -> list[Law]:
    """Per axis the motor with its current loop, and the friction: at the motor of elastic gears, else at the joint."""
    found: list[Law] = []
    for joint, axis in axes:
        rubbing = f"{joint}.motor" if axis.elastic else joint
        friction = Friction(coulomb=axis.Rv0, viscous=axis.Rv1, static=axis.peak * axis.Rv0)
        found.append(
            CurrentLoop(f"{joint}.drive", Line.for_machine(mech, motor_row(axis, joint)), axis.k, axis.w, axis.D)
        )
        found.append(DryFriction(f"{joint}.friction", Line.for_machine(mech, rubbing), friction=friction))
    return found


def axis_signals(title: str, joint: str, axis: Axis) -> dict[str, Signal]:
    """What the files say about one axis."""
    motor = f"{joint}.motor"
    signals = {
        f"{title}.controller.PI.x": reported(f"{joint}.drive.integral"),
        f"{title}.motor.C.v": reported(f"{joint}.drive.C.v"),
        f"{title}.motor.La.i": reported(f"{joint}.drive.La.i"),
        f"{title}.gear.bearingFriction.mode": reported(f"{joint}.friction.mode"),
    }
    if axis.elastic:
        ratio = axis.ratio
        signals[f"{title}.gear.spring.phi_rel"] = lambda motion: ratio * motion.angle(joint) - motion.angle(motor)
        signals[f"{title}.gear.spring.w_rel"] = lambda motion: ratio * motion.rate(joint) - motion.rate(motor)
    return signals


def one_axis() -> Model:
    """The second axis with a plain inertia instead of the arm, moved by 120 degrees."""
    axes = [("load", AXES[1])]
    mech = robot([rotor("load", 1.3 * 15.0)], axes, (0.0, 0.0, 0.0))
    path, kinks = point_to_point([0.0], [2 * np.pi / 3], [3.0], [10.0])
    control = cascade(mech, path, kinks)
    signals = axis_signals("axis", "load", AXES[1])
    signals |= {"axis.initializeFlange.phi_flange": angle("load"), "axis.initializeFlange.w_flange": rate("load")}
    return Model("Systems.RobotR3.OneAxis", mech, signals, laws(mech, axes), control=control)


def full_robot(reference: Path) -> Model:
    """The whole robot with its load on its way from one posture to another; the states at rest are the file's."""
    axes = [(f"r{k + 1}", axis) for k, axis in enumerate(AXES)]
    mech = robot(arm(), axes, (0.0, -9.81, 0.0))
    begin, end = np.deg2rad([-60, 20, 90, 0, -110, 0]), np.deg2rad([60, -70, -35, 45, 110, 45])
    path, kinks = point_to_point(begin, end, [3, 1.5, 5, 3.1, 3.1, 4.1], [15, 15, 15, 60, 60, 60])
    first = {title: float(column[0]) for title, column in read(reference, "Systems.RobotR3.FullRobot").items()}
    start, states = {}, {}
    signals: dict[str, Signal] = {"mechanics.b2.body.w_a[1]": rate("r2")}
    for k, (joint, axis) in enumerate(axes):
        title = f"axis{k + 1}"
        start[f"q.{joint}"] = float(begin[k])
        if axis.elastic:
            start[f"q.{joint}.motor"] = axis.ratio * float(begin[k]) - first[f"{title}.gear.spring.phi_rel"]
        states[f"{joint}.drive.integral"] = first[f"{title}.controller.PI.x"]
        states |= {f"{joint}.drive.{x}": first[f"{title}.motor.{x}"] for x in ("C.v", "La.i")}
        signals |= axis_signals(title, joint, axis)
        signals |= {f"mechanics.{joint}.phi": angle(joint), f"mechanics.{joint}.w": rate(joint)}
    control = cascade(mech, path, kinks)
    name = "Systems.RobotR3.FullRobot"
    return Model(name, mech, signals, laws(mech, axes), start=start, states=states, control=control)
