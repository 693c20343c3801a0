"""The scene of a robot: meshes of links, motors and wheels, made from its parts, without a window system."""

from gearwright.scene.drawing import animate, draw, picture_of_robot
from gearwright.scene.gear_graph_figure import (
    gear_graph_figure,
    gear_graphs,
    graphs_figure,
    motor_names,
    power_path,
    primary_link,
)
from gearwright.scene.scene import SOLID_COLOURS, Scene, robot_reach, scene_of, scene_with_remarks
from gearwright.scene.solid import Solid
from gearwright.scene.technical_views import exploded_view, side_view
from gearwright.scene.triangles import Triangles

__all__ = [
    "SOLID_COLOURS",
    "Scene",
    "Solid",
    "Triangles",
    "animate",
    "draw",
    "exploded_view",
    "gear_graph_figure",
    "gear_graphs",
    "graphs_figure",
    "motor_names",
    "picture_of_robot",
    "power_path",
    "primary_link",
    "robot_reach",
    "scene_of",
    "scene_with_remarks",
    "side_view",
]
