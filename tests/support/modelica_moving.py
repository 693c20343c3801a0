"""Modelica's examples of gears on boxes that tumble or float."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import gearwright as gw
from gearwright.forces import Action, Drag, Law, Line, Situation
from support.modelica import CHAOS, Model, Motion, Series, Signal, angle, sine, turning
from support.modelica_space import DOWN, WEIGHTLESS, about, along_x, cube, lumped, turned

# Gears on a box that tumbles about three driven axes.

TUMBLING = [sine(110.0, 5.0), sine(120.0, 6.0), sine(130.0, 7.0)]


def tumbling(**box: Any) -> list[gw.Body]:
    turn = [gw.Body("revolute1", axis=(1, 0, 0)), gw.Body("revolute2", "revolute1", axis=(0, 1, 0))]
    return [*turn, gw.Body("revolute3", "revolute2", axis=(0, 0, 1), **box)]


def tumbling_signals() -> dict[str, Signal]:
    return {title: signal for k in (1, 2, 3) for title, signal in turning(f"revolute{k}", f"revolute{k}").items()}


@dataclass(frozen=True)
class Absent(Law):
    """Takes inertia off a machine: what `heavy` needs more than `light` to move like this is given to it.

    Modelica's rotors are not part of the body that carries them, and the box of this example is lighter than its
    rotors. Such a machine is refused here (its mass matrix is indefinite), so that rotors at rest are added to the
    box, and this law takes them off again.
    """

    name: str
    heavy: gw.Mechanism
    light: gw.Mechanism
    mech: gw.Mechanism

    def act(self, mode: str, situation: Situation) -> Action:
        n = self.heavy.n
        q, v = np.array(situation.q[:n], float), np.array(situation.v[:n], float)
        M = gw.mass_matrix(self.heavy, q) - gw.mass_matrix(self.light, q)
        h = gw.bias(self.heavy, q, v) - gw.bias(self.light, q, v)
        rest = [0.0] * (self.mech.n - n)
        lines = [Line.for_machine(self.mech, name) for name in self.mech.speeds[:n]]
        return Action(drags=tuple(Drag(lines[i], -1.0, [*M[i], *rest], h[i]) for i in range(n)))


def bevel_gear() -> Model:
    """Two rotors about x and y, geared 10 to 1, on the box; 140 sin(2 pi 8 t) on the fast one."""
    box = cube((1, 1, 1))
    rotors = np.diag([1.1, 18.2, 0.0])
    heavy = lumped(box) | {"inertia": lumped(box)["inertia"] + rotors, "effective": True}
    spins = [
        gw.Spin("inertia1", "revolute3", (1, 0, 0), 1.1, {"inertia2": 10}),
        gw.Spin("inertia2", "revolute3", (0, 1, 0), 18.2, {"inertia2": 1}),
    ]
    mech = gw.Mechanism(tumbling(**heavy), spins, ["inertia2"], gravity=DOWN)
    both = [gw.Mechanism(tumbling(**weight), gravity=DOWN) for weight in (heavy, lumped(box))]
    drives = [*TUMBLING, sine(1400.0, 8.0)]
    signals = tumbling_signals() | turning("inertia2", "inertia2")
    laws = [Absent("rotors at rest", *both, mech)]

    def torque(t: float, q: Series, v: Series) -> list[float]:
        return [f(t) for f in drives]

    name = "Examples.Rotational3DEffects.BevelGear1D"
    return Model(name, mech, signals, laws, torque, excused={".*": CHAOS})


def gear_between_boxes() -> Model:
    """Two boxes geared 10 to 1 about crossed axes on the first; a torque in three directions on the fast one."""
    fast = lumped(cube((0.11, 0.12, 0.13), origin=(-0.11, -0.12, -0.13)))
    bodies = [
        *tumbling(**lumped(cube((1, 1, 1)))),
        gw.Body("phi_b", "revolute3", axis=(0, 1, 0), **lumped(cube((1.1, 1.2, 1.3)))),
        gw.Body("fast", "revolute3", axis=(1, 0, 0), follows=("phi_b", 10.0, 0.0), **fast),
    ]
    mech = gw.Mechanism(bodies, gravity=DOWN)
    applied = [sine(140.0, 8.0), sine(150.0, 9.0), sine(160.0, 10.0)]

    def torque(t: float, q: Series, v: Series) -> Series:
        turn, _ = gw.placement(mech, q, "fast")
        push = gw.jacobian(mech, q, "fast")[3:].T @ turn @ [f(t) for f in applied]
        return np.asarray(push + np.array([*(f(t) for f in TUMBLING), 0.0]))

    signals = tumbling_signals() | turning("phi_b", "gearConstraint.actuatedRevolute_b")
    return Model("Parts.Rotor1D.GearConstraint3", mech, signals, torque=torque, excused={".*": CHAOS})


# A gear on an arm on a box that floats: once as bodies, once as spins.


def floating_gear() -> Model:
    """The arm is turned by 1 Nm against the box and the gear by 2 sin(2 pi t); both pictures must move alike."""
    mass = 70.0 * 0.01
    box = (mass, (0.5, 0.0, 0.0), mass / 12 * np.diag([0.02, 1.01, 1.01]))
    arm = {"inertia": np.diag([0.0, 0.0, 1.5]), "effective": True}
    fast, slow = along_x(0.1, 0.4, -0.4), along_x(0.2, 0.4)
    place = np.array([0.4, 0.0, 0.025])
    carried = lumped((0.0, place, np.diag([0.0, 0.0, 1.5])), *((m, place + c, i) for m, c, i in (fast, slow)))
    bodies = [
        gw.Body("freeMotion1", joint="free", **lumped(box)),
        gw.Body("revolute1", "freeMotion1", axis=(0, 0, 1), position=(1, 0, 0.05), **arm),
        gw.Body("phi_b", "revolute1", axis=(1, 0, 0), position=place, **lumped(slow)),
        gw.Body("fast", "revolute1", axis=(1, 0, 0), position=place, follows=("phi_b", 10.0, 0.0), **lumped(fast)),
        gw.Body("freeMotion2", joint="free", **lumped(box)),
        gw.Body("revolute2", "freeMotion2", axis=(0, 0, 1), position=(1, 0, 0.05), effective=True, **carried),
    ]
    spins = [
        gw.Spin("inertia1", "revolute2", (1, 0, 0), fast[2][0, 0], {"inertia2": 10}),
        gw.Spin("inertia2", "revolute2", (1, 0, 0), slow[2][0, 0], {"inertia2": 1}),
    ]
    mech = gw.Mechanism(bodies, spins, ["inertia2"], gravity=WEIGHTLESS)
    drive = sine(2.0, 1.0)
    push = {"revolute1": lambda t: 1.0, "revolute2": lambda t: 1.0}
    push |= {name: lambda t: 10 * drive(t) for name in ("phi_b", "inertia2")}

    def torque(t: float, q: Series, v: Series) -> list[float]:
        return [push[name](t) if name in push else 0.0 for name in mech.speeds]

    signals = {**turning("phi_b", "gearConstraint.actuatedRevolute_b"), **turning("inertia2", "inertia2")}
    for k in (1, 2):
        signals |= turning(f"revolute{k}", f"revolute{k}") | floating_signals(f"freeMotion{k}")
    return Model("Parts.Rotor1D.GearConstraint4", mech, signals, torque=torque)


def floating_signals(name: str) -> dict[str, Signal]:
    """Position, its rate in world axes, the angles of the turns about x, y, z, and their rates."""

    def turn(motion: Motion) -> Series:
        return turned(np.stack([motion.angle(f"{name}.q{x}") for x in "wxyz"], axis=-1))

    def angles(motion: Motion) -> Series:
        R = turn(motion)
        found = [np.arctan2(-R[:, 1, 2], R[:, 2, 2]), np.arcsin(R[:, 0, 2]), np.arctan2(-R[:, 0, 1], R[:, 0, 0])]
        return np.stack([np.unwrap(x) for x in found], axis=-1)

    def angle_rates(motion: Motion) -> Series:
        p = angles(motion)
        w = np.stack([motion.rate(f"{name}.w{x}") for x in "xyz"], axis=-1)
        z = np.swapaxes(about("z", p[:, 2]), 1, 2)
        zy = z @ np.swapaxes(about("y", p[:, 1]), 1, 2)
        columns = np.stack([zy[:, :, 0], z[:, :, 1], np.broadcast_to([0.0, 0.0, 1.0], w.shape)], axis=-1)
        return np.linalg.solve(columns, w[..., None])[..., 0]

    def velocity(motion: Motion) -> Series:
        v = np.stack([motion.rate(f"{name}.v{x}") for x in "xyz"], axis=-1)
        return np.einsum("tij,tj->ti", turn(motion), v)

    found: dict[str, Signal] = {f"{name}.r_rel_a[{k + 1}]": angle(f"{name}.{x}") for k, x in enumerate("xyz")}
    for title, vectors in (("v_rel_a", velocity), ("phi", angles), ("phi_d", angle_rates)):
        found |= {f"{name}.{title}[{k + 1}]": _component(vectors, k) for k in range(3)}
    return found


def _component(vectors: Signal, k: int) -> Signal:
    return lambda motion: vectors(motion)[:, k]
