"""The scene of a robot: meshes of links, motors and wheels made of its parts; no window is known here."""

from gearwright.scene.drawing import animate, draw
from gearwright.scene.scene import COLOURS, Scene, reach_of, scene_of, scene_with_remarks
from gearwright.scene.solid import Solid
from gearwright.scene.triangles import Triangles

__all__ = ["COLOURS", "Scene", "Solid", "Triangles", "animate", "draw", "reach_of", "scene_of", "scene_with_remarks"]
