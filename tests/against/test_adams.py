"""One-body mechanisms against MSC Adams: joints of a robot and as closed loops of a free body, with their reactions.

The files have six digits and the errors of Adams' own integration: the reaction of the prismatic joint, which is
constant, is off by up to 6e-4 N of 4.9 N.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright import forces
from gearwright.contact import Constraint, fixed_frame
from gearwright.parts import Connection, Joint, JointSpring, Link, Robot, linkage
from support.references import Reference

ADAMS = Reference("MSC Adams, mechanisms of one body")
GRAVITY = (0, 0, -9.80665)
HELD = {
    "Revolute_Case02": ("x", "y", "z", "rx", "ry"),
    "Prismatic_Case02": ("x", "y", "rx", "ry", "rz"),
    "Cylindrical_Case03": ("x", "y", "rx", "ry"),
    "Spherical_Case01": ("x", "y", "z"),
    "RotSpring_Case01": ("x", "y", "z", "rx", "ry"),
}
"""What the joints of a free body hold in the axes of the ground's marker."""

KINDS = {"revolute": "revolute", "translational": "prismatic", "spherical": "spherical", "hooke": "universal"}
"""Kinds of joints by their names in Adams; a cylindrical one is a slide and a hinge."""

EXACT = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)


def matrix(quaternion: list[float]) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    w, x, y, z = quaternion
    return Rotation.from_quat([x, y, z, w]).as_matrix()


def free_body(case: dict[str, Any]) -> tuple[gw.Mechanism, np.ndarray]:
    """The body with its frame at the centre of mass, on a free joint, with its marker as a frame; and its start."""
    inertia = np.diag(case["inertia_cm_diagonal"])
    body = gw.Body("body", -1, "free", mass=case["mass"], inertia=inertia)
    frames = []
    if "joint" in case:
        marker, R = case["joint"]["body_marker"], matrix(case["cm_quaternion"])
        place = R.T @ (np.array(marker["position"], dtype=float) - case["cm_position"])
        frames.append(gw.BodyFrame("marker", "body", R.T @ matrix(marker["quaternion_wxyz"]), place))
    start = np.array([*case["cm_position"], *case["cm_quaternion"]], dtype=float)
    start[3:] /= np.linalg.norm(start[3:])
    return gw.Mechanism([body], gravity=GRAVITY, frames=frames), start


def read(reference: Path, name: str) -> tuple[dict[str, Any], np.ndarray]:
    case = json.loads((reference / "adams" / "models.json").read_text())[name]
    return case, np.genfromtxt(reference / "adams" / f"{name}.csv", delimiter=",", names=True)


@pytest.mark.parametrize("name", HELD)
def test_a_joint_as_a_closed_loop(name, reference):
    case, rows = read(reference, name)
    mech, start = free_body(case)
    ground = case["joint"]["ground_marker"]
    R = matrix(ground["quaternion_wxyz"])
    joint = Constraint("joint", "marker", fixed_frame("ground", ground["position"], R), held=HELD[name])
    laws: list[gw.forces.Law] = [joint]
    exact = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)
    if "spring" in case:
        spring = case["spring"]
        angle = forces.angle(mech, "body", "base", axis=tuple(R[:, 2]), name="angle")
        laws.append(forces.NonlinearSpring(
            "spring", forces.ElementDeflection(angle), forces.TorqueCurve(spring["stiffness_Nm_per_rad"]),
            damping=spring["damping_Nms_per_rad"],
        ))  # fmt: skip
    run = gw.simulate(mech, start, until=rows["t"][-1], samples=rows["t"], laws=laws, integrator=exact)
    place, wanted = (np.column_stack([rows[x] for x in names]) for names in (("x", "y", "z"), ("fx", "fy", "fz")))
    early = rows["t"] <= (1.0 if name == "Spherical_Case01" else 5.0)  # its error in Adams grows to 7e-4 m
    ADAMS.agrees(f"{name}, position, relative", ((run.q[:, :3] - place) / (1 + np.abs(place).max()))[early], 1e-5)
    along = np.array([run[f"joint.force.{x}"] if x in HELD[name] else 0 * run.t for x in ("x", "y", "z")])
    found = -(R @ along).T
    ADAMS.agrees(f"{name}, reaction [N]", (found - wanted)[early], 1e-3)
    if "spring" in case:
        return  # the file adds the torque of the spring
    about = np.array([run[f"joint.torque.{x}"] if x in HELD[name] else 0 * run.t for x in ("rx", "ry", "rz")])
    moment = -(R @ about).T + np.cross(gw.placement(mech, run.q, "marker").position - ground["position"], found)
    wanted = np.column_stack([rows[x] for x in ("tx", "ty", "tz")])
    ADAMS.agrees(f"{name}, moment, relative", (moment - wanted) / max(np.abs(wanted).max(), 1.0), 1e-4)


def jointed_robot(case: dict[str, Any]) -> tuple[Robot, np.ndarray]:
    """The body on a joint of the same kind, its frame at its marker; and the centre of mass in that frame."""
    ground, marker = case["joint"]["ground_marker"], case["joint"]["body_marker"]
    R = matrix(marker["quaternion_wxyz"]).T
    com, turn = R @ (np.array(case["cm_position"]) - marker["position"]), R @ matrix(case["cm_quaternion"])
    place = {"position": tuple(ground["position"]), "rotation": matrix(ground["quaternion_wxyz"])}
    links, parent, kind = list[Link](), "base", case["joint"]["type"]
    if kind == "cylindrical":
        links, parent = [Link("sleeve", "base", Joint("slide", "prismatic", axis=(0, 0, 1), **place))], "sleeve"
        joint = Joint("joint", axis=(0, 0, 1))
    elif kind == "spherical":
        joint = Joint("joint", "spherical", **place)
    else:
        axes = {"axis": (1, 0, 0), "axis2": (0, 1, 0)} if kind == "hooke" else {"axis": (0, 0, 1)}
        spring = case.get("spring")
        if spring is not None:
            axes["spring"] = JointSpring(spring["stiffness_Nm_per_rad"], spring["damping_Nms_per_rad"])
        joint = Joint("joint", KINDS[kind], **place, **axes)
    inertia = turn @ np.diag(case["inertia_cm_diagonal"]) @ turn.T
    body = Link("body", parent, joint, mass=case["mass"], com=tuple(com), inertia=inertia)
    return Robot(kind, [*links, body], gravity=GRAVITY), com


@pytest.mark.parametrize("name", [*HELD, "Universal_Case03"])
def test_a_joint_of_a_robot(name, reference):
    case, rows = read(reference, name)
    robot, com = jointed_robot(case)
    mech = gw.assemble(robot)
    run = gw.simulate(robot, gw.neutral(mech), until=rows["t"][-1], samples=rows["t"], integrator=EXACT)
    placed, first = gw.placement(mech, run.q, "body"), gw.placement(mech, run.q, 0)
    place, wanted = (np.column_stack([rows[x] for x in names]) for names in (("x", "y", "z"), ("fx", "fy", "fz")))
    early = rows["t"] <= (1.0 if KINDS.get(case["joint"]["type"]) in ("spherical", "universal") else 5.0)
    off = (placed.position + placed.rotation @ com - place) / (1 + np.abs(place).max())
    ADAMS.agrees(f"{name}, position of a robot's body, relative", off[early], 1e-5)
    reaction = -gw.reactions(mech, run.q, run.v, run.a)[:, 0]  # on the ground, axes of the first body
    force, torque = (np.einsum("tij,tj->ti", first.rotation, part) for part in (reaction[:, :3], reaction[:, 3:]))
    ADAMS.agrees(f"{name}, reaction of a robot's joint [N]", (force - wanted)[early], 1e-3)
    moment = torque + np.cross(first.position - case["joint"]["ground_marker"]["position"], force)
    wanted = np.column_stack([rows[x] for x in ("tx", "ty", "tz")])
    off = (moment - wanted) / max(np.abs(wanted).max(), 1.0)
    ADAMS.agrees(f"{name}, moment of a robot's joint, relative", off[early], 1e-4)


def test_a_spring_between_two_points(reference):
    case, rows = read(reference, "TranSpring_Case02")
    mech, start = free_body(case)
    spring = case["spring"]
    point = np.array(spring["body_point"], dtype=float) - case["cm_position"]
    length = forces.distance(mech, ("base", spring["ground_point"]), ("body", point), name="length")
    law = forces.NonlinearSpring(
        "spring", forces.ElementDeflection(length, rest=spring["free_length"]),
        forces.TorqueCurve(spring["stiffness_N_per_m"]), damping=spring["damping_Ns_per_m"], unit="N",
    )  # fmt: skip
    run = gw.simulate(mech, start, until=rows["t"][-1], samples=rows["t"], laws=[law], integrator=EXACT)
    place, wanted = (np.column_stack([rows[x] for x in names]) for names in (("x", "y", "z"), ("fx", "fy", "fz")))
    ADAMS.agrees("TranSpring_Case02, position [m]", run.q[:, :3] - place, 1e-5)
    along = run.q[:, :3] / np.linalg.norm(run.q[:, :3], axis=1)[:, None]
    ADAMS.agrees("TranSpring_Case02, force on the ground [N]", run["spring.torque"][:, None] * along - wanted, 1e-3)


def test_a_rod_without_mass_keeps_the_distance(reference):
    """A graph: the free body, and a rod of no mass between a universal joint on the ground and a ball on the body."""
    case, rows = read(reference, "Distance_Case03")
    turn, ball = matrix(case["cm_quaternion"]), np.array(case["joint"]["body_marker"]["position"])
    body = Link("body", mass=case["mass"], inertia=turn @ np.diag(case["inertia_cm_diagonal"]) @ turn.T)
    joints = [
        Connection(Joint("free", "free", position=tuple(case["cm_position"])), "base", "body"),
        Connection(Joint("fork", "universal", axis=(1, 0, 0), axis2=(0, 0, 1)), "base", "rod"),
        Connection(Joint("ball", "spherical", position=tuple(ball)), "rod", "body", tuple(ball - case["cm_position"])),
    ]
    robot = linkage("distance", [body, Link("rod")], joints, gravity=GRAVITY)
    mech = gw.assemble(robot)
    run = gw.simulate(robot, mech.reference, until=rows["t"][-1], samples=rows["t"], integrator=EXACT)
    place, wanted = (np.column_stack([rows[x] for x in names]) for names in (("x", "y", "z"), ("fx", "fy", "fz")))
    rod = gw.placement(mech, run.q, "rod")
    ADAMS.agrees("Distance_Case03, position [m]", gw.placement(mech, run.q, "body").position - place, 1e-5)
    reaction = gw.reactions(robot, run.q, run.v, run.a)[:, mech.body_index("rod"), :3]
    ADAMS.agrees("Distance_Case03, reaction [N]", -np.einsum("tij,tj->ti", rod.rotation, reaction) - wanted, 1e-3)


def test_a_constant_distance(reference):
    case, rows = read(reference, "Distance_Case03")
    mech, start = free_body(case)
    ground = case["joint"]["ground_marker"]["position"]
    assert not any(ground)
    length = forces.Coordinate.for_machine(mech, "length", lambda c: c.point("marker").dot(c.point("marker")) - 4.0)
    rod = Constraint.from_lines("rod", [length])
    exact = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)
    run = gw.simulate(mech, start, until=rows["t"][-1], samples=rows["t"], laws=[rod], integrator=exact)
    place = np.column_stack([rows[x] for x in ("x", "y", "z")])
    ADAMS.agrees("Distance_Case03, position [m]", run.q[:, :3] - place, 1e-4)
