"""Drawings of arms: Sciavicco, Siciliano and Villani; Chen and Wang; Vukobratovic and Potkonjak."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.catalogue import load
from gearwright.equations import joint_forces, linear_forms
from gearwright.functions.dynamics import placement
from gearwright.mechanism import Mechanism, assemble
from gearwright.parts import Robot
from gearwright.plots.network import network
from gearwright.plots.sketch import Arrow, Item, Label, Mark, Stroke, sketch
from gearwright.scene.gear_graph_figure import gear_graphs
from gearwright.works.robot_drawing import forces_on_link, frames, joint_axes, skeleton, wheels

POSTURE = [0.3, 0.6, -0.9]
"""In which arms of three joints are drawn [rad]."""
STATE = (POSTURE, [0.7, -0.4, 0.9], [1.2, 0.5, -0.8])
CHAIN = ([0.4, 1.1, 0.2, 0.9], [0.7, -0.4, 0.1, 0.9], [1.2, 0.5, -0.3, -0.8])
"""Position, speeds and accelerations in which the chain of four links, one of them sliding, is drawn."""


def augmented_link() -> Any:
    """Sciavicco, Siciliano and Villani, figure 1: link 2 with the third rotor, and all that acts on it."""
    mech = assemble(load("elbow"))
    rotor = wheels(mech, POSTURE, 0.04, ["j3.rotor"])
    return sketch({"augmented link 2: forces and moments (double heads)": forces_on_link(mech, STATE, 1) + rotor})


def elbow() -> Any:
    """Sciavicco, Siciliano and Villani, figure 2: the elbow arm with its rotors, and its frames."""
    robot = load("elbow")
    mech = assemble(robot)
    bare = skeleton(mech, POSTURE)
    return sketch(
        {
            "joint axes and rotors": bare + joint_axes(mech, POSTURE, 0.18) + wheels(mech, POSTURE, 0.04),
            "frames of Denavit and Hartenberg": bare + frames(mech, POSTURE, 0.1, _stated(robot)),
        }
    )


def geared_arm() -> Any:
    """Chen and Wang, figure 1: the arm with its wheels 4 to 7."""
    mech = assemble(load("grm3"))
    items = skeleton(mech, POSTURE) + joint_axes(mech, POSTURE, 0.18) + wheels(mech, POSTURE, 0.05)
    return sketch({"links 1 to 3, wheels 4 to 7": items})


def _graphs() -> dict[str, Any]:
    robot = load("grm3")
    return dict(gear_graphs(robot, assemble(robot)))


def graphs() -> Any:
    """Chen and Wang, figure 2: the graph as drawn and in canonical form."""
    found = _graphs()
    return network({title: found[title] for title in ("graph as drawn", "canonical graph")}, "base")


def open_chain() -> Any:
    """Chen and Wang, figure 3: the equivalent open-loop chain, and the wheels that belong to its links."""
    found = _graphs()
    return network({title: found[title] for title in list(found)[2:]}, "base")


def coordinate_systems() -> Any:
    """Chen and Wang, figure 4: a coordinate system on every primary link."""
    robot = load("grm3")
    mech = assemble(robot)
    return sketch({"frames of links 1 to 3": skeleton(mech, POSTURE) + frames(mech, POSTURE, 0.12, _stated(robot))})


def chain() -> Any:
    """Vukobratovic and Potkonjak, figures 20.1, 20.12: a simple open chain, its joints, and the place of its hand."""
    mech, q = assemble(load("vector_arm")), CHAIN[0]
    return sketch({"an open chain; joint 3 slides": skeleton(mech, q) + joint_axes(mech, q, 0.15, "e", 1)})


def link_geometry() -> Any:
    """Vukobratovic and Potkonjak, figures 20.2 to 20.4: from each joint to the mass centres of its two links."""
    mech, q = assemble(load("vector_arm")), CHAIN[0]
    items = joint_axes(mech, q, 0.12, "e", 1)
    centres = [_centre(mech, q, k) for k in range(len(mech.bodies))]
    for k in range(len(mech.bodies)):
        joint = np.asarray(placement(mech, q, k).position)
        items += [Mark(centres[k], f"C{k + 1}"), Mark(joint, f"S{k + 1}")]
        items += _vector(joint, centres[k], f"r{k + 1},{k + 1}", 1)
        if k:
            items += _vector(joint, centres[k - 1], f"r{k},{k + 1}", 4)
    return sketch({"vectors from joints S to mass centres C, axes e": items})


def cut_links() -> Any:
    """Vukobratovic and Potkonjak, figures 20.5, 20.9: links cut out of the chain with all that acts on them."""
    mech = assemble(load("vector_arm"))
    return sketch({f"link {k + 1}": forces_on_link(mech, CHAIN, k) for k in (1, 2)})


def joint_transmits() -> Any:
    """Vukobratovic and Potkonjak, figures 20.6, 20.7: what a revolute and a linear joint transmit, in two parts."""
    mech = assemble(load("vector_arm"))
    parts = joint_forces(mech, *CHAIN)
    titles = {1: "revolute joint 2: moments", 2: "linear joint 3: forces"}
    drawings: dict[str, list[Item]] = {}
    for k, title in titles.items():
        half = slice(0, 3) if "forces" in title else slice(3, 6)
        R, at = (np.asarray(x) for x in placement(mech, CHAIN[0], k))
        scale = 0.3 / np.linalg.norm(parts.total[k, half])
        pieces = {"total": (parts.total, 0), "drive, tau e": (parts.drive, 1), "reaction": (parts.reaction, 4)}
        arrows = [Arrow(at, scale * (R @ x[k, half]), name, colour) for name, (x, colour) in pieces.items()]
        drawings[title] = [*joint_axes(mech, CHAIN[0], 0.2, "e", 1)[k : k + 1], *arrows]
    return sketch(drawings)


def velocities() -> Any:
    """Vukobratovic and Potkonjak, figure 20.8: velocities of mass centres and angular velocities of links."""
    mech, (q, v, _) = assemble(load("vector_arm")), CHAIN
    forms, items = linear_forms(mech, q, v), skeleton(mech, q)
    for k in range(len(mech.bodies)):
        centre = _centre(mech, q, k)
        items += [Mark(centre, f"C{k + 1}"), Arrow(centre, 0.4 * forms.Xi[k] @ v, f"v{k + 1}", 1)]
        items.append(Arrow(centre, 0.2 * forms.Lambda[k] @ v, f"w{k + 1}", 5, double=True))
    return sketch({"velocities, and angular velocities (double heads)": items})


def rotations() -> Any:
    """Vukobratovic and Potkonjak, figure 20.19: a revolute joint extended and turned from there."""
    mech = assemble(load("vector_arm"))
    drawings: dict[str, list[Item]] = {}
    for title, angle in {"extended, q2 = 0": 0.0, "turned, q2 = 0.8 rad": 0.8}.items():
        q = [0.0, angle, 0.0, 0.0]
        joint = np.asarray(placement(mech, q, 1).position)
        way = [_centre(mech, q, 0), joint, _centre(mech, q, 1)]
        drawings[title] = [
            Stroke(way, 0, 3.0),
            *joint_axes(mech, q, 0.12, "e", 1)[1:2],
            Mark(way[0], "C1"),
            Mark(way[2], "C2"),
        ]
    return sketch(drawings)


def _vector(start: Any, end: Any, name: str, colour: int) -> list[Item]:
    """An arrow between two points, its name at the middle."""
    return [Arrow(start, end - start, "", colour), Label((start + end) / 2, name, colour)]


def _centre(mech: Mechanism, q: Any, body: int) -> Any:
    R, p = (np.asarray(x) for x in placement(mech, q, body))
    return p + R @ tuple(mech.bodies[body].com)


def _stated(robot: Robot) -> list[Any]:
    """The frames in which the file states its links, in their bodies' own."""
    found: list[Any] = []
    for link in robot.links:
        offset = sum((np.array(tuple(x.direction)) * x.value for x in link.stated.lengths), np.zeros(3))
        found.append((np.array(link.stated.rotation.rows()), offset))
    return found
