"""Modelica's examples of rotors and gears on moving bodies, as bodies and spins."""

from __future__ import annotations

from typing import Any

import numpy as np

import gearwright as gw
from gearwright.forces import Line
from gearwright.forces.prescribed_motion import IdealDrive
from support.modelica import GRAVITY, STEEL, Model, Motion, Series, Signal, angle, cylinder, rate, sine, turning

DOWN = (0.0, -GRAVITY, 0.0)
WEIGHTLESS = (0.0, 0.0, 0.0)


def about(axis: str, angle: Any) -> Any:
    """Rotation matrices about a coordinate axis, one per angle."""
    c, s = np.cos(angle), np.sin(angle)
    o, z = np.ones_like(c), np.zeros_like(c)
    rows = {
        "x": [[o, z, z], [z, c, -s], [z, s, c]],
        "y": [[c, z, s], [z, o, z], [-s, z, c]],
        "z": [[c, -s, z], [s, c, z], [z, z, o]],
    }
    return np.moveaxis(np.array(rows[axis]), (0, 1), (-2, -1))


def turned(quaternions: Series) -> Series:
    """Rotation matrices of quaternions (w, x, y, z)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def lumped(*parts: tuple[float, Any, Any]) -> dict[str, Any]:
    """Mass, centre of mass and central inertia of several parts (mass, com, central inertia) on one body."""
    mass = sum(m for m, _, _ in parts)
    com = sum(m * np.asarray(c, float) for m, c, _ in parts) / mass
    inertia = np.zeros((3, 3))
    for m, c, tensor in parts:
        d = np.asarray(c, float) - com
        inertia += np.asarray(tensor, float) + m * (d @ d * np.eye(3) - np.outer(d, d))
    return {"mass": mass, "com": com, "inertia": inertia}


def along_x(diameter: float, length: float, start: float = 0.0) -> tuple[float, Any, Any]:
    """A steel cylinder along x that begins at `start`."""
    mass, axial, transverse = cylinder(diameter, length)
    return mass, (start + length / 2, 0.0, 0.0), np.diag([axial, transverse, transverse])


def cube(r: Any, origin: Any = (0.0, 0.0, 0.0)) -> tuple[float, Any, Any]:
    """A steel cube of 0.1 m whose centre lies 0.05 m from its frame along r; `origin` is that frame."""
    mass = STEEL * 1e-3
    centre = np.asarray(origin, float) + 0.05 * np.asarray(r, float) / np.linalg.norm(r)
    return mass, centre, mass / 6 * 0.01 * np.eye(3)


# A top on a ball joint: once with the wheel as a body of its own, once as a spin.


def top(file: str, speed: float, quaternions: bool) -> Model:
    tilt, rod, disc = about("y", np.pi / 4), along_x(0.05, 0.25), along_x(0.1, 0.2, -0.1)
    placed = (disc[0], (0.25, 0.0, 0.0), tilt @ disc[2] @ tilt.T)
    bodies = [
        gw.Body("ball", joint="spherical", **lumped(rod)),
        gw.Body("wheel", "ball", axis=(1, 0, 0), rotation=tilt, position=(0.25, 0, 0), **lumped(disc)),
        gw.Body("whole", joint="spherical", **lumped(rod, placed)),
    ]
    spin = gw.Spin("rotor", "whole", tilt @ [1.0, 0, 0], disc[2][0, 0], {"rotor1D": 1})
    mech = gw.Mechanism(bodies, [spin], ["rotor1D"], gravity=DOWN)
    signals = {**turning("wheel", "revolute"), **turning("rotor1D", "rotor1D")}
    for k in range(3):
        signals[f"bodyCylinder2.body.w_a[{k + 1}]"] = _wheel_rate(k)
        signals[f"bodyCylinder3.body.w_a[{k + 1}]"] = rate(f"whole.w{'xyz'[k]}")
    if quaternions:
        for k, word in enumerate(("qx", "qy", "qz", "qw")):
            signals[f"bodyCylinder2.body.Q[{k + 1}]"] = _wheel_quaternion(k)
            signals[f"bodyCylinder3.body.Q[{k + 1}]"] = angle(f"whole.{word}")
    return Model(file, mech, signals, start={"v.wheel": speed, "v.rotor1D": speed})


def _wheel_rate(k: int) -> Signal:
    def component(motion: Motion) -> Series:
        w = np.stack([motion.rate(f"ball.w{x}") for x in "xyz"], axis=-1)
        turn = about("y", np.pi / 4) @ about("x", motion.angle("wheel"))
        return np.einsum("tij,ti->tj", turn, w)[:, k] + (motion.rate("wheel") if k == 0 else 0.0)

    return component


def _wheel_quaternion(k: int) -> Signal:
    def component(motion: Motion) -> Series:
        ball = np.stack([motion.angle(f"ball.q{x}") for x in "wxyz"], axis=-1)
        half = motion.angle("wheel") / 2
        o = np.zeros_like(half)
        tilt = np.stack([o + np.cos(np.pi / 8), o, o + np.sin(np.pi / 8), o], axis=-1)
        wheel = np.stack([np.cos(half), np.sin(half), o, o], axis=-1)
        return _product(_product(ball, tilt), wheel)[:, (k + 1) % 4]

    return component


def _product(a: Series, b: Series) -> Series:
    """The product of quaternions (w, x, y, z)."""
    scalar = a[:, :1] * b[:, :1] - np.sum(a[:, 1:] * b[:, 1:], axis=1, keepdims=True)
    return np.hstack([scalar, a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])])


# A rotor, at rest or on a support that is led.


def rotor_on_support(file: str) -> Model:
    bodies = [gw.Body("revolute", axis=(1, 0, 0), inertia=np.diag([2.0, 0, 0]), effective=True)]
    mech = gw.Mechanism(
        bodies, [gw.Spin("rotor", "base", (1, 0, 0), 2.0, {"rotor1D": 1})], ["rotor1D"], gravity=WEIGHTLESS
    )
    signals = {**turning("revolute", "revolute"), **turning("rotor1D", "rotor1D")}
    drive = sine(1.0, 1.0)
    return Model(file, mech, signals, torque=lambda t, q, v: [drive(t)] * 2)


def rotor_on_moving_support(file: str) -> Model:
    """The supports follow a filtered sine, as Modelica's position source does; their own inertia does not matter."""
    housing, wheel = np.eye(3), np.diag([2.0, 0, 0])
    bodies = [
        gw.Body("r1", axis=(0, 1, 0), inertia=housing),
        gw.Body("revolute", "r1", axis=(1, 0, 0), inertia=wheel, effective=True),
        gw.Body("r2", axis=(0, 1, 0), inertia=housing + wheel, effective=True),
    ]
    spin = gw.Spin("rotor", "r2", (1, 0, 0), 2.0, {"rotor1D": 1})
    mech = gw.Mechanism(bodies, [spin], ["rotor1D"], gravity=WEIGHTLESS)
    led = [
        IdealDrive(f"drive of {name}", Line.for_machine(mech, name), filtered(sine(2.0, 1.0))) for name in ("r1", "r2")
    ]
    signals = {**turning("revolute", "revolute"), **turning("rotor1D", "rotor1D")}
    for k in (1, 2):
        signals |= {f"r{k}.phi": angle(f"r{k}"), f"r{k}.w": rate(f"r{k}"), f"position{k}.w": rate(f"r{k}")}
    drive = sine(1.0, 1.0)
    return Model(file, mech, signals, led, lambda t, q, v: [0.0, drive(t), 0.0, drive(t)])


def filtered(wanted: Any) -> Any:
    """Modelica's Bessel filter of second order, 50 Hz, between a wanted angle and a flange."""
    crit, af, bf = 2 * np.pi * 50.0, 1.3617, 0.6180
    return lambda t, s, w: ((wanted(t) - s) * crit - af * w) * (crit / bf)


# Gears between cylinders and inertias at rest.


def two_cylinders(file: str) -> Model:
    """Once as two bodies of which one follows the other, once as a wheel and a spin; 2 sin(2 pi t) on the fast one."""
    fast, slow = along_x(0.1, 0.4, -0.4), along_x(0.2, 0.4)
    bodies = [
        gw.Body("phi_b", axis=(1, 0, 0), **lumped(slow)),
        gw.Body("fast", axis=(1, 0, 0), follows=("phi_b", 10.0, 0.0), **lumped(fast)),
        gw.Body("inertia2", axis=(1, 0, 0), inertia=np.diag([slow[2][0, 0], 0, 0]), effective=True),
    ]
    mech = gw.Mechanism(
        bodies, [gw.Spin("inertia1", "base", (1, 0, 0), fast[2][0, 0], {"inertia2": 10})], gravity=WEIGHTLESS
    )
    drive = sine(2.0, 1.0)
    signals = {**turning("phi_b", "gearConstraint.actuatedRevolute_b"), **turning("inertia2", "inertia2")}
    return Model(file, mech, signals, torque=lambda t, q, v: [10 * drive(t)] * 2)


def turning_bearing() -> Model:
    """The slow shaft is held and the housing turns: the fast cylinder turns -10 times as fast as its housing on it."""
    fast, slow = along_x(0.1, 0.4, -0.4), along_x(0.2, 0.4)
    J = fast[2][0, 0]
    bodies = [
        gw.Body("bearing", axis=(1, 0, 0), **lumped(slow)),
        gw.Body("fast", "bearing", axis=(1, 0, 0), follows=("bearing", -10.0, 0.0), **lumped(fast)),
        gw.Body("inertia2", axis=(1, 0, 0), inertia=np.diag([slow[2][0, 0] + J, 0, 0]), effective=True),
    ]
    mech = gw.Mechanism(bodies, [gw.Spin("inertia1", "inertia2", (1, 0, 0), J, {"inertia2": -10})], gravity=WEIGHTLESS)
    drive = sine(2.0, 1.0)
    signals = {**turning("bearing", "gearConstraint.actuatedRevolute_b", -1.0), **turning("inertia2", "inertia2")}
    return Model("MultiBody.Joints.GearConstraint", mech, signals, torque=lambda t, q, v: [-9 * drive(t)] * 2)


def two_gears() -> Model:
    """Two gears of ratio 5 and 2.5 between equal cylinders, 100 Nm on the fast ones after 2 s."""
    bodies = []
    for name, ratio in (("gc1", 5.0), ("gc2", 2.5)):
        bodies.append(gw.Body(name, axis=(1, 0, 0), position=(1, 0, 0), **lumped(along_x(0.3, 0.2))))
        fast = lumped(along_x(0.3, 0.1, -0.6))
        bodies.append(gw.Body(f"{name}.fast", axis=(1, 0, 0), position=(1, 0, 0), follows=(name, ratio, 0.0), **fast))
    mech = gw.Mechanism(bodies, gravity=DOWN)
    signals = {**turning("gc1", "gc1.actuatedRevolute_b"), **turning("gc2", "gc2.actuatedRevolute_b")}

    def torque(t: float, q: Series, v: Series) -> list[float]:
        return [ratio * 100.0 * min(t / 2.0, 1.0) for ratio in (5.0, 2.5)]

    return Model("Parts.Rotor1D.GearConstraint2", mech, signals, torque=torque, breaks=(2.0,))
