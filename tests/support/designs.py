"""A geared machine as separate bodies: every link and every wheel stands for itself.

From one `Design` come the flat machine (`written`, lumped here with NumPy and not by `assemble`), the robot made of
parts (`robot`) and, in `support.pinocchio_oracle`, the model in which every wheel is a body of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

import gearwright as gw
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Payload, Robot

PLAIN = ("revolute", "prismatic", "helical")
"""Joints of one coordinate, which can lead and follow others and be driven."""
WIDTH = {
    **{"revolute": (1, 1), "prismatic": (1, 1), "fixed": (0, 0), "spherical": (4, 3), "free": (7, 6)},
    **{"planar": (3, 3), "helical": (1, 1), "universal": (2, 2)},
}
"""Per kind of joint how many coordinates and speeds it has."""
QUASI = {"spherical", "free", "planar"}
"""Joints whose speeds are not the rates of coordinates."""


@dataclass(frozen=True)
class Bar:
    """A link without its wheels; `follows` is (index of the leader, multiplier, offset)."""

    parent: int
    joint: str
    axis: np.ndarray
    rotation: np.ndarray
    position: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    follows: tuple[int, float, float] | None = None
    axis2: np.ndarray | None = None
    pitch: float | None = None


@dataclass(frozen=True)
class Disc:
    """A wheel: `row` maps speed names to ratios; `twin` = (g, J2) adds a massless coaxial wheel geared 1:g to it."""

    carrier: int
    axis: np.ndarray
    axial: float
    across: float
    mass: float
    position: np.ndarray
    row: dict[str, float]
    twin: tuple[float, float] | None = None


@dataclass(frozen=True)
class Design:
    """Links, wheels, shafts, springs (row, stiffness, damping, rest) and a payload (body, mass, position, tensor)."""

    bars: tuple[Bar, ...]
    discs: tuple[Disc, ...] = ()
    shafts: tuple[str, ...] = ()
    springs: tuple[tuple[dict[str, float], float, float, float], ...] = ()
    gravity: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    payload: tuple[int, float, np.ndarray, np.ndarray] | None = None

    def plain_speeds(self) -> list[str]:
        """Speeds that a gear can drive: the rates of coordinates."""
        ends = {**dict.fromkeys(PLAIN, ("",)), "universal": (".angle1", ".angle2")}
        own = [(i, bar) for i, bar in enumerate(self.bars) if bar.follows is None]
        return [f"j{i}{end}" for i, bar in own for end in ends.get(bar.joint, ())] + list(self.shafts)

    def driven_joints(self) -> list[str]:
        """Joints that the drive of a robot can move."""
        return [f"j{i}" for i, bar in enumerate(self.bars) if bar.joint in PLAIN and bar.follows is None]

    def lumped(self, i: int) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, centre of mass and central tensor of link i with everything that rests on it."""
        bar = self.bars[i]
        pieces = [(bar.mass, bar.com, bar.inertia)]
        for disc in self.discs:
            if disc.carrier == i:
                pieces.append((disc.mass, disc.position, revolution(disc.axis, disc.axial, disc.across)))
                if disc.twin is not None:
                    pieces.append((0.0, disc.position, revolution(disc.axis, disc.twin[1], 0.5 * disc.twin[1])))
        if self.payload is not None and self.payload[0] == i:
            pieces.append(self.payload[1:])
        mass = sum(m for m, _, _ in pieces)
        com = sum(m * c for m, c, _ in pieces) / mass if mass else np.zeros(3)
        return mass, com, sum(I + steiner(m, c - com) for m, c, I in pieces)

    def written(self) -> gw.Mechanism:
        """The flat machine, lumped by hand; a wheel and its twin are one spin with a coupling of its own."""
        bodies = []
        for i, bar in enumerate(self.bars):
            mass, com, inertia = self.lumped(i)
            follows = None if bar.follows is None else (f"j{bar.follows[0]}", *bar.follows[1:])
            place = {"axis": bar.axis, "rotation": bar.rotation, "position": bar.position}
            place |= {"axis2": bar.axis2, "pitch": bar.pitch}
            inertial = {"mass": mass, "com": com, "inertia": inertia}
            bodies.append(
                gw.Body(f"b{i}", bar.parent, bar.joint, **place, **inertial, joint_name=f"j{i}", follows=follows)
            )
        spins = []
        for k, disc in enumerate(self.discs):
            g, J2 = disc.twin or (0.0, 0.0)
            coupling = None if disc.twin is None else disc.axial + g * J2
            spins.append(gw.Spin(f"s{k}", disc.carrier, disc.axis, disc.axial + g * g * J2, disc.row, coupling))
        springs = [gw.Spring(f"k{k}", *numbers) for k, numbers in enumerate(self.springs)]
        actuators = [gw.Actuator(f"a{k}", disc.row) for k, disc in enumerate(self.discs)]
        return gw.Mechanism(bodies, spins, self.shafts, springs, actuators, self.gravity)

    def robot(self) -> Robot:
        """The robot made of parts: each wheel without twin a rotor, each twin of ratio 1 the gear's input inertia."""
        links = []
        for i, bar in enumerate(self.bars):
            follows = None if bar.follows is None else (f"j{bar.follows[0]}", *bar.follows[1:])
            more = {"follows": follows, "axis2": bar.axis2, "pitch": bar.pitch}
            joint = Joint(f"j{i}", bar.joint, bar.axis, bar.rotation, bar.position, **more)
            links.append(Link(f"b{i}", carrier_name(bar.parent), joint, bar.mass, bar.com, bar.inertia))
        stiffness = {max(row, key=lambda name: name.endswith(".motor")): (k, d) for row, k, d, _ in self.springs}
        drives = []
        for k, disc in enumerate(self.discs):
            ((speed, ratio),) = disc.row.items()
            elastic = stiffness.get(speed, (None, 0.0))
            gear = Gear(ratio, 0.0 if disc.twin is None else disc.twin[1], *elastic)
            motor = Motor(disc.axial, disc.mass, disc.across, disc.position)
            joint = speed.removesuffix(".motor")
            drives.append(Drive(joint, motor, gear, carrier_name(disc.carrier), disc.axis, f"d{k}"))
        payload = None
        if self.payload is not None:
            body, mass, position, tensor = self.payload
            payload = Payload(mass, position, f"b{body}", tensor)
        return Robot("random", links, drives, payload, gravity=self.gravity)


def carrier_name(index: int) -> str:
    return "base" if index < 0 else f"b{index}"


def steiner(mass: float, r: np.ndarray) -> np.ndarray:
    return mass * (r @ r * np.eye(3) - np.outer(r, r))


def revolution(axis: np.ndarray, axial: float, across: float) -> np.ndarray:
    return across * np.eye(3) + (axial - across) * np.outer(axis, axis)


@dataclass(frozen=True)
class State:
    """A motion of a machine, with wrenches and base motion for the functions that take them."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    wrenches: dict[str, np.ndarray] = field(default_factory=dict)
    base_motion: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    def inside(self) -> State:
        """The same motion on a base at rest with no wrench."""
        return replace(self, wrenches={}, base_motion=None)
