"""Closed-loop machines with published motions."""

from __future__ import annotations

import json
from dataclasses import replace
from math import hypot
from pathlib import Path
from typing import Any

import numpy as np

import gearwright as gw
from gearwright import forces
from gearwright.contact import Constraint, fixed_frame


def published(folder: Path, name: str) -> Any:
    """The numbers of a reference file."""
    return json.loads((folder / "mechanisms" / f"{name}.json").read_text())


def andrews(folder: Path) -> tuple[gw.Mechanism, list[gw.forces.Law], Any, list[int]]:
    """Andrews' squeezing mechanism: machine, its laws, the published numbers, and where these stand in its order."""
    data = published(folder, "andrews_squeezer")
    p = data["parameters"]
    A, B, C = (p["xa"], p["ya"], 0), (p["xb"], p["yb"], 0), (p["xc"], p["yc"], 0)

    def body(name, parent, position, mass, com, inertia):
        tensor = np.diag([inertia, inertia, inertia])
        return gw.Body(name, parent, "revolute", (0, 0, 1), np.eye(3), position, mass, com, tensor)

    ends = {"K2": (-p["d"], 0, 0), "K3": (0, -p["ss"], 0), "K4": (0, -p["e"], 0), "K6": (p["zf"], 0, 0)}
    mech = gw.Mechanism(
        [
            body("K1", -1, (0, 0, 0), p["m1"], (p["ra"], 0, 0), p["I1"]),
            body("K2", 0, (p["rr"], 0, 0), p["m2"], (-p["da"], 0, 0), p["I2"]),
            body("K3", -1, B, p["m3"], (hypot(p["sa"], p["sb"]), 0, 0), p["I3"]),
            body("K5", -1, A, p["m5"], (hypot(p["ta"], p["tb"]), 0, 0), p["I5"]),
            body("K4", 3, (p["zt"], 0, 0), p["m4"], (0, -(p["e"] - p["ea"]), 0), p["I4"]),
            body("K7", -1, A, p["m7"], (hypot(p["ua"], p["ub"]), 0, 0), p["I7"]),
            body("K6", 5, (0, -p["u"], 0), p["m6"], (p["zf"] - p["fa"], 0, 0), p["I6"]),
        ],
        gravity=(0, 0, 0),
        frames=[gw.BodyFrame(f"E{name[1]}", name, position=place) for name, place in ends.items()],
    )
    length = forces.distance(mech, ("base", C), ("K3", (p["sd"], -p["sc"], 0)), name="length")
    spring = forces.NonlinearSpring(
        "spring", forces.ElementDeflection(length, p["l0"]), forces.TorqueCurve(p["c0"]), unit="N"
    )
    loops = [Constraint(f"E{k}", f"E{k}", "E2", held=("x", "y")) for k in (3, 4, 6)]
    return mech, [spring, *loops], data, [0, 1, 2, 4, 3, 6, 5]


def bricard() -> tuple[gw.Mechanism, list[gw.forces.Law]]:
    """Bricard's mechanism: a chain of five rods whose end turns about an axis of the ground; 5 rows of rank 4."""
    points = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    axes = np.eye(3)[[1, 2, 0, 1, 2]]
    rods = np.diff(points, axis=0)
    inertias = [np.diag([1.01, 1.01, 1.01]) / 12 - np.diag(np.abs(rod)) * 0.99 / 12 for rod in rods]
    bodies = [
        gw.Body(f"rod{k + 1}", k - 1, "revolute", axis, np.eye(3), points[k] - points[max(k - 1, 0)], 1.0, rod / 2, I)
        for k, (axis, rod, I) in enumerate(zip(axes, rods, inertias, strict=True))
    ]
    frames = [gw.BodyFrame(f"P{k + 1}", f"rod{k + 1}", position=rod) for k, rod in enumerate(rods)]
    mech = gw.Mechanism(bodies, gravity=(0, -9.81, 0), frames=frames)
    return mech, [Constraint("hinge", "P5", fixed_frame("ground", points[5]), held=("x", "y", "z", "ry", "rz"))]


def double_four_bar() -> tuple[gw.Mechanism, list[gw.forces.Law]]:
    """Three bars that stand on the ground and two on top of them, each 1 m and 1 kg, as two parallelograms."""
    slim = np.diag([1.0, 1.0, 1.0]) / 12
    stand, lie = (0, 0.5, 0), (0.5, 0, 0)
    z = (0, 0, 1)
    bodies = [gw.Body(f"bar{k}", -1, "revolute", z, np.eye(3), (k, 0, 0), 1.0, stand, slim) for k in range(3)]
    bodies += [gw.Body(f"top{k}", k, "revolute", z, np.eye(3), (0, 1, 0), 1.0, lie, slim) for k in range(2)]
    frames = [gw.BodyFrame(f"tip{k}", f"bar{k}", position=(0, 1, 0)) for k in (1, 2)]
    frames += [gw.BodyFrame(f"end{k}", f"top{k}", position=(1, 0, 0)) for k in range(2)]
    mech = gw.Mechanism(bodies, gravity=(0, -9.81, 0), frames=frames)
    return mech, [Constraint(f"loop{k}", f"end{k}", f"tip{k + 1}", held=("x", "y")) for k in range(2)]


def slider_crank(folder: Path) -> tuple[gw.Mechanism, list[gw.forces.Law], gw.State, Any]:
    """The spatial slider-crank: machine, laws, start and the published numbers.

    The published run holds its universal joint at the level of speeds: the axis in the rod keeps the angle to the
    slider's that it starts with, which is not a right one. So the joint is two hinges here, on a cross without mass.
    """
    stated = published(folder, "loop_mechanisms")["spatial_slider_crank"]
    d = stated["data"]
    x = np.sqrt(d["rod"] ** 2 - d["A"][1] ** 2 - (d["A"][2] + d["crank"]) ** 2)
    pin = np.array([0.0, 0.0, d["crank"]])
    rod = np.array([x, 0.0, 0.0]) - d["A"] - pin
    e1 = rod / d["rod"]
    e3 = d["A"] - (e1 @ d["A"]) * e1
    e3 /= np.linalg.norm(e3)
    R = np.column_stack([e1, np.cross(e3, e1), e3])
    mech = gw.Mechanism(
        [
            gw.Body("crank", -1, "revolute", (1, 0, 0), np.eye(3), d["A"], d["m_crank"], inertia=np.diag(d["I_crank"])),
            gw.Body("slider", -1, "prismatic", (1, 0, 0), mass=d["m_slider"], inertia=np.diag(d["I_slider"])),
            gw.Body("cross", 1, "revolute", (1, 0, 0), mass=0.0),
            gw.Body("rod", 2, "revolute", R[:, 1], np.eye(3), (0, 0, 0), d["m_rod"], -rod / 2,
                    R @ np.diag(d["I_rod"]) @ R.T),
        ],
        frames=[gw.BodyFrame("pin", "crank", position=pin), gw.BodyFrame("end", "rod", position=-rod)],
    )  # fmt: skip
    loop = Constraint("ball", "end", "pin")
    turning = Constraint.from_lines(
        "turning", [forces.Coordinate.for_machine(mech, "angle", lambda c: c.q[0] - d["omega0"] * c.t)]
    )
    return mech, [loop], gw.contact.project(mech, [0.0, x, 0.0, 0.0], [loop, turning]), stated


LENGTHS = {"crank": 0.3, "coupler": 0.7, "rocker": 0.5, "ground": 0.8}


def four_bar(cut: str, stiffness: float | None = None) -> gw.parts.Robot:
    """A four-bar with a geared drive at its crank, cut open before its rocker or behind its crank.

    It is the same machine both ways; with a stiffness its drive is elastic.
    """
    from gearwright.parts import Drive, Frame, Gear, Joint, Link, Loop, Motor, Robot

    def bar(name, parent, position):
        length = LENGTHS[name]
        tensor = tuple(map(tuple, np.diag([0.001, length**2, length**2]) * length / 3))
        joint = Joint(f"{name}_joint", "revolute", axis=(0, 0, 1), position=position)
        return Link(name, parent, joint, mass=2 * length, com=(0.45 * length, 0.02, 0), inertia=tensor)

    motor = Motor(inertia=3e-4, mass=0.3, torque_constant=0.05, resistance=0.6)
    ground = (LENGTHS["ground"], 0, 0)
    ends = {name: (LENGTHS[name], 0, 0) for name in ("crank", "coupler", "rocker")}
    if cut == "rocker":
        links = [bar("crank", "base", (0, 0, 0)), bar("coupler", "crank", ends["crank"]), bar("rocker", "base", ground)]
        frames = [Frame("coupler_end", "coupler", ends["coupler"]), Frame("rocker_end", "rocker", ends["rocker"])]
        loop = Loop("pin", ("coupler_end", "rocker_end"), ("x", "y"))
    else:
        links = [
            bar("crank", "base", (0, 0, 0)),
            bar("rocker", "base", ground),
            bar("coupler", "rocker", ends["rocker"]),
        ]
        links[2] = replace(links[2], com=(-0.55 * LENGTHS["coupler"], 0.02, 0))  # seen from the rocker's end
        frames = [
            Frame("coupler_start", "coupler", (-LENGTHS["coupler"], 0, 0)),
            Frame("crank_end", "crank", ends["crank"]),
        ]
        loop = Loop("pin", ("coupler_start", "crank_end"), ("x", "y"))
    drive = Drive("crank_joint", motor, Gear(50.0, stiffness=stiffness), "base", (0, 0, 1))
    return Robot("four_bar", links, [drive], frames=frames, loops=[loop], gravity=(0, -9.81, 0))


def with_parallelogram(robot: gw.parts.Robot, by: str) -> gw.parts.Robot:
    """An elbow with a crank parallel to its fore-arm and a rod parallel to its upper arm, as of a palletiser.

    The bars are held `by="loop"`, a pin at the fore-arm, or `by="followers"`, joints that mimic the elbow joint: the
    same machine without a loop, whose speeds are the independent ones of the other.
    """
    from gearwright.parts import Frame, Joint, Link, Loop

    heavy = {"mass": 0.7, "com": (0.1, -0.05, 0.03), "inertia": np.diag([0.01, 0.02, 0.025])}
    follows = {"crank": ("j3", 1.0, 0.0), "rod": ("j3", -1.0, 0.0)} if by == "followers" else {}
    crank = Joint("crank_joint", axis=(0, 0, 1), position=(0.05, 0, 0), follows=follows.get("crank"))
    rod = Joint("rod_joint", axis=(0, 0, 1), position=(0, -0.2, 0), follows=follows.get("rod"))
    links = [*robot.links, Link("crank", "link2", crank, **heavy), Link("rod", "crank", rod, **heavy)]
    frames = [*robot.frames, Frame("rod_end", "rod", (0.35, 0, 0)), Frame("fore_pin", "link3", (0, -0.2, 0))]
    loops = [Loop("pin", ("rod_end", "fore_pin"), ("x", "y"))] if by == "loop" else []
    return replace(robot, links=links, frames=frames, loops=loops)
