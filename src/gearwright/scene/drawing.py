"""Pictures and films of a robot: links, motors and gears, joint axes and frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number, whole
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.dynamics import neutral
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.motion import Motion, Trajectory
from gearwright.motion.joint_names_and_units import joint_of
from gearwright.parts import Robot
from gearwright.plots import saved
from gearwright.plots.film import film
from gearwright.plots.solids import Picture, View, draw_solids, solids_figure, subdivided
from gearwright.scene.scene import COLOURS, Scene, scene_of
from gearwright.scene.solid import Solid
from gearwright.scene.triangles import matrix, vector
from gearwright.text import did_you_mean

AZIMUTH, ELEVATION = 40.0, 22.0
LOOKED_AT = 12
"""Places of a motion from which a film finds what it must hold."""
COARSEST = 0.04
"""Longest side of a triangle as part of the robot's reach, so that near ones cover far ones."""


def draw(
    robot: Robot,
    q: ArrayLike | None = None,
    path: str | Path | None = None,
    *,
    azimuth: float = AZIMUTH,
    elevation: float = ELEVATION,
    names: bool = True,
    hide: Sequence[str] = (),
    folder: str | Path | None = None,
) -> Any:
    """A picture of a robot with its motors and gears, joint axes (chain lines), frames (red x, green y, blue z).

    Args:
        robot: the robot.
        q: the configuration, (nq,); neutral unless given.
        path: .png, .svg or .pdf, where the picture is saved too.
        azimuth: from where one looks, about z from x [degrees].
        elevation: how far from above [degrees].
        names: whether joints and frames are named.
        hide: kinds of solids that are left out, of "link", "joint", "stator" and others (`COLOURS`), and "frame" for
            axes and frames.
        folder: where meshes are found: that of the robot's file.

    Returns:
        A matplotlib figure.
    """
    scene = scene_of(robot, folder)
    place = _configuration("draw", scene, q)
    for kind in hide:
        if kind not in (*COLOURS, "frame"):
            raise InputError(f"draw: hide: there is no kind {kind!r}. {did_you_mean(kind, (*COLOURS, 'frame'))}")
    pieces = [piece for piece in _pieces(scene) if piece.solid.kind not in hide]
    if not pieces:
        raise InputError(f"draw: hide={list(hide)} leaves nothing of robot {robot.name!r} to see. Hide less.")
    picture = _picture(scene, pieces, place, names)
    if "frame" in hide:
        picture = replace(picture, axes={}, frames={}, labels={})
    view = _view([picture], azimuth, elevation)
    return saved(solids_figure(picture, view, robot.name if names else ""), path)


def animate(
    robot: Robot,
    motion: Motion | Trajectory | Any,
    path: str | Path,
    *,
    rate: float = 20.0,
    azimuth: float = AZIMUTH,
    elevation: float = ELEVATION,
    folder: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """A film of a motion, in true time; wheels turn at their true rates.

    Args:
        robot: the robot.
        motion: a Trajectory, a Motion or a Run.
        path: .gif, or .mp4 (with the extra `studio`, or where ffmpeg is installed).
        rate: pictures per second.
        azimuth: from where one looks, about z from x [degrees].
        elevation: how far from above [degrees].
        folder: where meshes are found.
        progress: is called with (done, total) pictures.

    Returns:
        The path.
    """
    number("animate", "rate", rate, above=0.0, most=60.0, unit="pictures per second", example=20)
    scene = scene_of(robot, folder)
    places, pieces = _places(scene, motion, rate), _pieces(scene)
    some = places[:: max(1, len(places) // LOOKED_AT)]
    view = _view([_picture(scene, pieces, q, False) for q in some], azimuth, elevation)
    whole("animate", "pictures", len(places), least=2, example=20)

    def paint(axes: Any, k: int) -> None:
        draw_solids(axes, _picture(scene, pieces, places[k], False), view)
        if progress is not None:
            progress(k + 1, len(places))

    return film(paint, len(places), rate, Path(path), view.proportion)


def _places(scene: Scene, motion: Any, rate: float) -> list[Array]:
    """Configurations at the times of the pictures."""
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
    return [_configuration("animate", scene, row) for row in rows]


def _configuration(caller: str, scene: Scene, q: ArrayLike | None) -> Array:
    """A configuration of the whole machine; shafts of elastic drives go with their joints where they are not given."""
    start = neutral(scene.mech)
    if q is None:
        return start
    given = np.asarray(q, dtype=float)
    if given.shape not in (start.shape, (len(start) - len(scene.mech.shafts),)) or not np.isfinite(given).all():
        raise InputError(
            f"{caller}: q has shape {given.shape}; give {len(start)} finite numbers, one per coordinate "
            f"({', '.join(scene.mech.coordinates)})."
        )
    start[: len(given)] = given
    if len(given) < len(start):
        for k, shaft in enumerate(scene.mech.shafts, len(given)):
            start[k] = start[scene.mech.coordinates.index(joint_of(shaft))]
    return start


class Pieces(NamedTuple):
    """A solid in triangles that are small enough to be drawn one over the other: corners (F, 3, 3) in its own frame."""

    solid: Solid
    corners: Array
    colours: Array


def _pieces(scene: Scene) -> list[Pieces]:
    """All solids of a scene."""
    found = []
    for solid in scene.solids:
        corners = subdivided(solid.mesh.vertices[solid.mesh.faces], COARSEST * scene.reach)
        shade = (*(part / 255 for part in COLOURS[solid.kind]), solid.opacity)
        found.append(Pieces(solid, corners, np.tile(shade, (len(corners), 1))))
    return found


def _picture(scene: Scene, pieces: Sequence[Pieces], q: Array, names: bool) -> Picture:
    """What is seen of a scene in a configuration."""
    bodies, x = scene.bodies(q.tolist()), scene.coordinates(q.tolist())
    corners = []
    for piece in pieces:
        rotation, position = piece.solid.pose(x)
        turn, origin = bodies[piece.solid.carrier]
        corners.append(piece.corners @ (turn @ rotation).T + turn @ position + origin)
    axes, frames = _axes(scene, bodies), _frames(scene, bodies)
    labels = {name: point for name, (point, _) in axes.items()} | {name: at for name, (_, at) in frames.items()}
    colours = np.concatenate([piece.colours for piece in pieces])
    return Picture(np.concatenate(corners), colours, axes, frames, labels if names else {})


def _axes(scene: Scene, bodies: dict[str, tuple[Array, Array]]) -> dict[str, tuple[Array, Array]]:
    """The axes of joints that turn or slide about one line, by the names of the joints."""
    found = {}
    for body in scene.mech.bodies:
        if body.joint_name is not None and len(joint_kind(body.joint).speeds) == 1:
            rotation, origin = bodies[body.name]
            found[body.joint_name] = (origin, rotation @ vector(body.axis))
    return found


def _frames(scene: Scene, bodies: dict[str, tuple[Array, Array]]) -> dict[str, tuple[Array, Array]]:
    """The base, and the frames that the robot names."""
    found = {"base": bodies["base"]}
    for frame in scene.mech.frames:
        rotation, origin = bodies[scene.mech.carrier_name(frame.body)]
        found[frame.name] = (rotation @ matrix(frame.rotation), origin + rotation @ vector(frame.position))
    return found


def _view(pictures: Sequence[Picture], azimuth: float, elevation: float) -> View:
    """A view that holds all pictures."""
    number("draw", "azimuth", azimuth, unit="degrees", example=40)
    number("draw", "elevation", elevation, least=-90.0, most=90.0, unit="degrees", example=22)
    points = [one.corners.reshape(-1, 3) for one in pictures]
    origins = [origin[None] for one in pictures for _, origin in one.frames.values()]
    return View(azimuth, elevation, np.concatenate([*points, *origins]))
