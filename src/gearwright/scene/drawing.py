"""Images and animations of a robot: links, motors and gears, joint axes and frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import real_number, whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import neutral
from gearwright.mechanism import joint_kind
from gearwright.motion import Motion, Trajectory
from gearwright.motion.joint_names_and_units import joint_of
from gearwright.parts import Robot
from gearwright.plots import save_if_path
from gearwright.plots.film import write_film
from gearwright.plots.solids import Picture, Viewpoint, draw_solids, solids_figure
from gearwright.scene.scene import SOLID_COLOURS, Scene, scene_of, scene_with_remarks
from gearwright.scene.solid import Solid
from gearwright.scene.triangles import as_matrix, as_vector
from gearwright.text import did_you_mean

DEFAULT_AZIMUTH, DEFAULT_ELEVATION = 40.0, 22.0
"""Direction of view [degrees]."""
FRAMING_SAMPLES = 12
"""Number of configurations of a motion from which the view of an animation is determined."""
FILM_PIXELS = 520
"""Width of the image of solids in an animation."""


def draw(
    robot: Robot,
    q: ArrayLike | None = None,
    path: str | Path | None = None,
    *,
    azimuth: float = DEFAULT_AZIMUTH,
    elevation: float = DEFAULT_ELEVATION,
    names: bool = True,
    hide: Sequence[str] = (),
    folder: str | Path | None = None,
) -> Any:
    """Draw a robot with its motors and gears, joint axes (chain lines) and frames (red x, green y, blue z).

    Args:
        robot: the robot.
        q: the configuration, (nq,); neutral by default.
        path: .png, .svg or .pdf file in which the image is also saved.
        azimuth: of the view, about z from x [degrees].
        elevation: of the view [degrees].
        names: whether to label joints and frames.
        hide: kinds of solids that are not drawn: "link", "joint", "stator" and others (`SOLID_COLOURS`), and "frame"
            for axes and frames.
        folder: folder of the meshes: that of the robot file.

    Returns:
        A matplotlib figure.
    """
    figure = _robot_figure(scene_of(robot, folder), q, azimuth, elevation, names, hide)
    return save_if_path(figure, path)


def picture_of_robot(robot: Robot, q: ArrayLike | None = None) -> Any:
    """Return a figure of a robot without names and frames; unlike `draw` it gives no warnings about meshes.

    For pages that are made in threads.
    """
    return _robot_figure(scene_with_remarks(robot), q, DEFAULT_AZIMUTH, DEFAULT_ELEVATION, False, ("frame",))


def _robot_figure(
    scene: Scene, q: ArrayLike | None, azimuth: float, elevation: float, names: bool, hide: Sequence[str]
) -> Any:
    """The figure of a scene in a configuration."""
    robot, configuration = scene.robot, full_configuration("draw", scene, q)
    for kind in hide:
        if kind not in (*SOLID_COLOURS, "frame"):
            raise InputError(f"draw: hide: unknown kind {kind!r}. {did_you_mean(kind, (*SOLID_COLOURS, 'frame'))}")
    drawn_solids = [drawn_solid for drawn_solid in solids_to_draw(scene) if drawn_solid.solid.kind not in hide]
    if not drawn_solids:
        raise InputError(f"draw: hide={list(hide)} hides all solids of robot {robot.name!r}. Hide fewer kinds.")
    picture = make_picture(scene, drawn_solids, configuration, names)
    if "frame" in hide:
        picture = replace(picture, axes={}, frames={}, labels={})
    view = _make_view([picture], azimuth, elevation)
    return solids_figure(picture, view, robot.name if names else "")


def animate(
    robot: Robot,
    motion: Motion | Trajectory | Any,
    path: str | Path,
    *,
    rate: float = 20.0,
    azimuth: float = DEFAULT_AZIMUTH,
    elevation: float = DEFAULT_ELEVATION,
    folder: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Animate a motion in real time; wheels turn at their true speeds.

    Args:
        robot: the robot.
        motion: a Trajectory, a Motion or a Run.
        path: .gif, or .mp4 (with the extra `studio`, or with ffmpeg installed).
        rate: frames per second.
        azimuth: of the view, about z from x [degrees].
        elevation: of the view [degrees].
        folder: folder of the meshes.
        progress: called with (done, total) frames.

    Returns:
        The path.
    """
    real_number("animate", "rate", rate, above=0.0, most=60.0, unit="frames per second", example=20)
    scene = scene_of(robot, folder)
    configurations, drawn_solids = _film_configurations(scene, motion, rate), solids_to_draw(scene)
    sampled = configurations[:: max(1, len(configurations) // FRAMING_SAMPLES)]
    view = _make_view([make_picture(scene, drawn_solids, q, False) for q in sampled], azimuth, elevation)
    whole_number("animate", "pictures", len(configurations), least=2, example=20)

    def paint_picture(axes: Any, k: int) -> None:
        draw_solids(axes, make_picture(scene, drawn_solids, configurations[k], False), view, FILM_PIXELS)
        if progress is not None:
            progress(k + 1, len(configurations))

    return write_film(paint_picture, len(configurations), rate, Path(path), view.aspect_ratio)


def _film_configurations(scene: Scene, motion: Any, rate: float) -> list[Array]:
    """Configurations at the times of the frames."""
    if isinstance(motion, Trajectory):
        times = np.arange(0.0, motion.duration + 0.5 / rate, 1 / rate)
        rows = motion.at(times)
    else:
        if not (hasattr(motion, "t") and hasattr(motion, "q") and len(motion.t)):
            raise InputError(
                f"animate: {motion!r} is not a motion. Give a Trajectory, a Motion or a Run with at least one sample."
            )
        times = np.arange(float(motion.t[0]), float(motion.t[-1]) + 0.5 / rate, 1 / rate)
        rows = np.stack([np.interp(times, motion.t, column) for column in motion.q.T], axis=1)
    return [full_configuration("animate", scene, row) for row in rows]


def full_configuration(caller: str, scene: Scene, q: ArrayLike | None) -> Array:
    """A configuration of the whole machine; shafts of elastic drives follow their joints unless given."""
    start = neutral(scene.mech)
    if q is None:
        return start
    stated = np.asarray(q, dtype=float)
    if stated.shape not in (start.shape, (len(start) - len(scene.mech.shafts),)) or not np.isfinite(stated).all():
        raise InputError(
            f"{caller}: q has shape {stated.shape}; give {len(start)} finite numbers, one per coordinate "
            f"({', '.join(scene.mech.coordinates)})."
        )
    start[: len(stated)] = stated
    if len(stated) < len(start):
        for k, shaft in enumerate(scene.mech.shafts, len(stated)):
            start[k] = start[scene.mech.coordinates.index(joint_of(shaft))]
    return start


class DrawnSolid(NamedTuple):
    """A solid as triangles: corners (F, 3, 3) in its own frame."""

    solid: Solid
    corners: Array
    colours: Array


def solids_to_draw(scene: Scene) -> list[DrawnSolid]:
    """All solids of a scene."""
    drawn = []
    for solid in scene.solids:
        corners = solid.mesh.vertices[solid.mesh.faces]
        shade = (*(part / 255 for part in SOLID_COLOURS[solid.kind]), solid.opacity)
        drawn.append(DrawnSolid(solid, corners, np.tile(shade, (len(corners), 1))))
    return drawn


def make_picture(scene: Scene, drawn_solids: Sequence[DrawnSolid], q: Array, names: bool) -> Picture:
    """The image of a scene in a configuration."""
    bodies, x = scene.body_placements(q.tolist()), scene.coordinates_by_speed(q.tolist())
    corners = []
    for drawn in drawn_solids:
        rotation, position = drawn.solid.pose_on_body(x)
        turn, origin = bodies[drawn.solid.carrier]
        corners.append(drawn.corners @ (turn @ rotation).T + turn @ position + origin)
    axes, frames = _joint_axes(scene, bodies), _named_frames(scene, bodies)
    labels = {name: point for name, (point, _) in axes.items()} | {name: at for name, (_, at) in frames.items()}
    colours = np.concatenate([drawn.colours for drawn in drawn_solids])
    return Picture(np.concatenate(corners), colours, axes, frames, labels if names else {})


def _joint_axes(scene: Scene, bodies: dict[str, tuple[Array, Array]]) -> dict[str, tuple[Array, Array]]:
    """The axes of revolute and prismatic joints, by the names of the joints."""
    axes = {}
    for body in scene.mech.bodies:
        if body.joint_name is not None and len(joint_kind(body.joint).speeds) == 1:
            rotation, origin = bodies[body.name]
            axes[body.joint_name] = (origin, rotation @ as_vector(body.axis))
    return axes


def _named_frames(scene: Scene, bodies: dict[str, tuple[Array, Array]]) -> dict[str, tuple[Array, Array]]:
    """The base, and the named frames of the robot."""
    frames = {"base": bodies["base"]}
    for frame in scene.mech.frames:
        rotation, origin = bodies[scene.mech.carrier_name(frame.body)]
        frames[frame.name] = (rotation @ as_matrix(frame.rotation), origin + rotation @ as_vector(frame.position))
    return frames


def _make_view(pictures: Sequence[Picture], azimuth: float, elevation: float) -> Viewpoint:
    """A view that contains all images."""
    real_number("draw", "azimuth", azimuth, unit="degrees", example=40)
    real_number("draw", "elevation", elevation, least=-90.0, most=90.0, unit="degrees", example=22)
    points = [picture.corners.reshape(-1, 3) for picture in pictures]
    origins = [origin[None] for picture in pictures for _, origin in picture.frames.values()]
    return Viewpoint(azimuth, elevation, np.concatenate([*points, *origins]))
