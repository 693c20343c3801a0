"""Drawings of arms: Sciavicco, Siciliano and Villani; Chen and Wang; Vukobratovic and Potkonjak."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.catalogue import load
from gearwright.equations import joint_forces, linear_forms
from gearwright.functions import placement
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.parts import Robot
from gearwright.plots import network_figure
from gearwright.plots.sketch import Arrow, Label, Mark, SketchItem, Stroke, sketch_figure
from gearwright.scene import gear_graphs
from gearwright.works.robot_drawing import forces_on_link, frame_axes, joint_axes, skeleton_items, wheel_items

ARM_POSTURE = [0.3, 0.6, -0.9]
"""Posture in which arms of three joints are drawn [rad]."""
ARM_STATE = (ARM_POSTURE, [0.7, -0.4, 0.9], [1.2, 0.5, -0.8])
CHAIN_STATE = ([0.4, 1.1, 0.2, 0.9], [0.7, -0.4, 0.1, 0.9], [1.2, 0.5, -0.3, -0.8])
"""Positions, speeds and accelerations of the drawn chain of four links, one with a prismatic joint."""


def augmented_link() -> Any:
    """Sciavicco, Siciliano and Villani, figure 1: link 2 with the third rotor, and its forces and moments."""
    mech = assemble_tree(load("elbow"))
    rotor = wheel_items(mech, ARM_POSTURE, 0.04, ["j3.rotor"])
    return sketch_figure(
        {"augmented link 2: forces and moments (double heads)": forces_on_link(mech, ARM_STATE, 1) + rotor}
    )


def elbow_arm() -> Any:
    """Sciavicco, Siciliano and Villani, figure 2: the elbow arm with its rotors, and its frames."""
    robot = load("elbow")
    mech = assemble_tree(robot)
    bare = skeleton_items(mech, ARM_POSTURE)
    return sketch_figure(
        {
            "joint axes and rotors": bare + joint_axes(mech, ARM_POSTURE, 0.18) + wheel_items(mech, ARM_POSTURE, 0.04),
            "frames of Denavit and Hartenberg": bare + frame_axes(mech, ARM_POSTURE, 0.1, _stated_frames(robot)),
        }
    )


def geared_arm() -> Any:
    """Chen and Wang, figure 1: the arm with its wheels 4 to 7."""
    mech = assemble_tree(load("grm3"))
    items = (
        skeleton_items(mech, ARM_POSTURE) + joint_axes(mech, ARM_POSTURE, 0.18) + wheel_items(mech, ARM_POSTURE, 0.05)
    )
    return sketch_figure({"links 1 to 3, wheels 4 to 7": items})


def _gear_graphs_of_arm() -> dict[str, Any]:
    robot = load("grm3")
    return dict(gear_graphs(robot, assemble_tree(robot)))


def gear_graph_figure() -> Any:
    """Chen and Wang, figure 2: the graph as drawn and in canonical form."""
    drawings = _gear_graphs_of_arm()
    return network_figure({title: drawings[title] for title in ("graph as drawn", "canonical graph")}, "base")


def open_chain() -> Any:
    """Chen and Wang, figure 3: the equivalent open-loop chain, and the wheels that belong to its links."""
    drawings = _gear_graphs_of_arm()
    return network_figure({title: drawings[title] for title in list(drawings)[2:]}, "base")


def coordinate_systems() -> Any:
    """Chen and Wang, figure 4: a coordinate system on every primary link."""
    robot = load("grm3")
    mech = assemble_tree(robot)
    return sketch_figure(
        {
            "frames of links 1 to 3": skeleton_items(mech, ARM_POSTURE)
            + frame_axes(mech, ARM_POSTURE, 0.12, _stated_frames(robot))
        }
    )


def open_chain_with_slide() -> Any:
    """Vukobratovic and Potkonjak, figures 20.1, 20.12: a simple open chain, its joints, and its hand."""
    mech, q = assemble_tree(load("vector_arm")), CHAIN_STATE[0]
    return sketch_figure(
        {"an open chain; joint 3 is prismatic": skeleton_items(mech, q) + joint_axes(mech, q, 0.15, "e", 1)}
    )


def link_geometry() -> Any:
    """Vukobratovic and Potkonjak, figures 20.2 to 20.4: from each joint to the mass centres of its two links."""
    mech, q = assemble_tree(load("vector_arm")), CHAIN_STATE[0]
    items = joint_axes(mech, q, 0.12, "e", 1)
    centres = [_mass_centre(mech, q, k) for k in range(len(mech.bodies))]
    for k in range(len(mech.bodies)):
        joint = np.asarray(placement(mech, q, k).position)
        items += [Mark(centres[k], f"C{k + 1}"), Mark(joint, f"S{k + 1}")]
        items += _named_vector(joint, centres[k], f"r{k + 1},{k + 1}", 1)
        if k:
            items += _named_vector(joint, centres[k - 1], f"r{k},{k + 1}", 4)
    return sketch_figure({"vectors from joints S to mass centres C, axes e": items})


def cut_links() -> Any:
    """Vukobratovic and Potkonjak, figures 20.5, 20.9: free-body diagrams of links in the chain."""
    mech = assemble_tree(load("vector_arm"))
    return sketch_figure({f"link {k + 1}": forces_on_link(mech, CHAIN_STATE, k) for k in (1, 2)})


def joint_force_parts() -> Any:
    """Vukobratovic and Potkonjak, figures 20.6, 20.7: drive and reaction in a revolute and a linear joint."""
    mech = assemble_tree(load("vector_arm"))
    parts = joint_forces(mech, *CHAIN_STATE)
    titles = {1: "revolute joint 2: moments", 2: "linear joint 3: forces"}
    drawings: dict[str, list[SketchItem]] = {}
    for k, title in titles.items():
        half = slice(0, 3) if "forces" in title else slice(3, 6)
        R, at = (np.asarray(x) for x in placement(mech, CHAIN_STATE[0], k))
        scale = 0.3 / np.linalg.norm(parts.total[k, half])
        pieces = {"total": (parts.total, 0), "drive, tau e": (parts.drive, 1), "reaction": (parts.reaction, 4)}
        arrows = [Arrow(at, scale * (R @ x[k, half]), name, colour) for name, (x, colour) in pieces.items()]
        drawings[title] = [*joint_axes(mech, CHAIN_STATE[0], 0.2, "e", 1)[k : k + 1], *arrows]
    return sketch_figure(drawings)


def link_velocities() -> Any:
    """Vukobratovic and Potkonjak, figure 20.8: velocities of mass centres and angular velocities of links."""
    mech, (q, v, _) = assemble_tree(load("vector_arm")), CHAIN_STATE
    forms, items = linear_forms(mech, q, v), skeleton_items(mech, q)
    for k in range(len(mech.bodies)):
        centre = _mass_centre(mech, q, k)
        items += [Mark(centre, f"C{k + 1}"), Arrow(centre, 0.4 * forms.Xi[k] @ v, f"v{k + 1}", 1)]
        items.append(Arrow(centre, 0.2 * forms.Lambda[k] @ v, f"w{k + 1}", 5, double=True))
    return sketch_figure({"velocities, and angular velocities (double heads)": items})


def turned_joint() -> Any:
    """Vukobratovic and Potkonjak, figure 20.19: a revolute joint in the extended and in a rotated position."""
    mech = assemble_tree(load("vector_arm"))
    drawings: dict[str, list[SketchItem]] = {}
    for title, angle in {"extended, q2 = 0": 0.0, "turned, q2 = 0.8 rad": 0.8}.items():
        q = [0.0, angle, 0.0, 0.0]
        joint = np.asarray(placement(mech, q, 1).position)
        centreline = [_mass_centre(mech, q, 0), joint, _mass_centre(mech, q, 1)]
        drawings[title] = [
            Stroke(centreline, 0, 3.0),
            *joint_axes(mech, q, 0.12, "e", 1)[1:2],
            Mark(centreline[0], "C1"),
            Mark(centreline[2], "C2"),
        ]
    return sketch_figure(drawings)


def _named_vector(start: Any, end: Any, name: str, colour: int) -> list[SketchItem]:
    """An arrow between two points, its name at the middle."""
    return [Arrow(start, end - start, "", colour), Label((start + end) / 2, name, colour)]


def _mass_centre(mech: Mechanism, q: Any, body: int) -> Any:
    R, p = (np.asarray(x) for x in placement(mech, q, body))
    return p + R @ tuple(mech.bodies[body].com)


def _stated_frames(robot: Robot) -> list[Any]:
    """The frames of the links' fields in the file, in their body frames."""
    frames_in_bodies: list[Any] = []
    for link in robot.links:
        frames_in_bodies.append((np.array(link.stated.rotation.rows()), np.array(tuple(link.stated.origin))))
    return frames_in_bodies
