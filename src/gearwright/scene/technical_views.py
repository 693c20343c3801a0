"""Technical drawings: a side view with dimensions, and an exploded view of a gearbox."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import joint_kind
from gearwright.parts import Robot
from gearwright.plots import save_if_path
from gearwright.plots.solids import Picture, Viewpoint, draw_labels, solids_figure
from gearwright.scene.drawing import full_configuration, make_picture, solids_to_draw
from gearwright.scene.gear_form import GearForm, GearSpace
from gearwright.scene.gear_form_table import gear_forms
from gearwright.scene.scene import SOLID_COLOURS, Scene, scene_of
from gearwright.scene.triangles import as_vector
from gearwright.text import did_you_mean

SMALLEST_DIMENSION = 0.03
"""Shortest distance of two joints that is dimensioned, relative to the robot's reach."""
DIMENSION_STYLE = {"arrowstyle": "<|-|>", "color": "#1d5c84", "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0}


def side_view(
    robot: Robot, q: ArrayLike | None = None, path: str | Path | None = None, *, folder: str | Path | None = None
) -> Any:
    """Draw a robot from its side with dimensions: distances from joint to joint, and its overall size, in millimetres.

    The view is along the direction of most horizontal joint axes; distances are those in the plane of the drawing.

    Args:
        robot: the robot.
        q: the configuration, (nq,); neutral by default.
        path: .png, .svg or .pdf file in which the drawing is also saved.
        folder: folder of the meshes: that of the robot file.

    Returns:
        A matplotlib figure.
    """
    scene = scene_of(robot, folder)
    configuration = full_configuration("side_view", scene, q)
    picture = make_picture(scene, solids_to_draw(scene), configuration, False)
    picture = Picture(picture.corners, picture.colours, picture.axes)
    points, spans = picture.corners.reshape(-1, 3), _chain_points(scene, configuration)
    extent = np.concatenate([points, *(np.stack(span) for span in spans)])  # joints may lie outside all solids
    margin = 0.16 * float(np.ptp(extent, axis=0).max())
    around = np.stack([extent.min(axis=0) - margin, extent.max(axis=0) + margin])
    view = Viewpoint(_side_azimuth(scene, configuration), 0.0, np.concatenate([extent, around]))
    page = solids_figure(picture, view, robot.name)
    _add_dimensions(page.axes[0], view, points, spans)
    return save_if_path(page, path)


def _side_azimuth(scene: Scene, q: Array) -> float:
    """The azimuth [degrees] of the direction to which most horizontal axes of revolute joints are parallel.

    Of both directions it is the one from which x points to the right, or y if the axes are along x.
    """
    bodies = scene.body_placements(q)
    axes = [
        bodies[body.name][0] @ as_vector(body.axis)
        for body in scene.mech.bodies
        if body.joint_name is not None and joint_kind(body.joint).is_revolute
    ]
    level = [axis / np.linalg.norm(axis) for axis in axes if abs(axis[2]) < 0.2 * np.linalg.norm(axis)]
    if not level:
        return -90.0
    best = max(level, key=lambda axis: sum(abs(float(axis @ other)) > 0.99 for other in level))
    right = (-best[1], best[0])
    best = best if right > (1e-9, 0.0) or (abs(right[0]) <= 1e-9 and right[1] > 0) else -best
    return float(np.degrees(np.arctan2(best[1], best[0])))


def _chain_points(scene: Scene, q: Array) -> list[tuple[Array, Array]]:
    """Pairs of points to dimension: from each link's joint to the joints of the next links and to the tool [m]."""
    bodies, robot = scene.body_placements(q), scene.robot
    spans = []
    for link in robot.links:
        end = bodies[link.name][1]
        spans.append((bodies[link.parent][1], end))
    inner = {link.parent for link in robot.links}
    for frame in robot.frames:
        if frame.link not in inner and frame.link in bodies:
            rotation, origin = bodies[frame.link]
            spans.append((origin, origin + rotation @ as_vector(frame.position)))
    return [(start, end) for start, end in spans if np.linalg.norm(end - start) > SMALLEST_DIMENSION * scene.reach]


def _add_dimensions(axes: Any, view: Viewpoint, points: Array, spans: Sequence[tuple[Array, Array]]) -> None:
    flat = points @ view.picture_axes[:2].T
    low, high = flat.min(axis=0), flat.max(axis=0)
    gap = 0.06 * float((high - low).max())
    labels: dict[str, Array] = {}
    for (first, last), offset in (
        (((low[0], low[1]), (high[0], low[1])), (0.0, -gap)),
        (((low[0], low[1]), (low[0], high[1])), (-gap, 0.0)),
    ):
        labels |= _dimension(axes, np.array(first), np.array(last), np.array(offset), labels)
    middle = (low + high) / 2
    drawn: list[tuple[Array, Array]] = []
    for start, end in spans:
        a, b = view.picture_axes[:2] @ start, view.picture_axes[:2] @ end
        length = float(np.linalg.norm(b - a))
        known = any(np.allclose(pair, (a, b), atol=1e-6) or np.allclose(pair, (b, a), atol=1e-6) for pair in drawn)
        if length < SMALLEST_DIMENSION * float(np.linalg.norm(high - low)) or known:
            continue
        drawn.append((a, b))
        normal = np.array([a[1] - b[1], b[0] - a[0]]) / length
        side = 1.0 if normal @ ((a + b) / 2 - middle) >= 0 else -1.0
        labels |= _dimension(axes, a, b, side * gap * normal, labels)
    draw_labels(axes, labels, view)


def _dimension(axes: Any, start: Array, end: Array, offset: Array, known: dict[str, Array]) -> dict[str, Array]:
    """A dimension line with its extension lines; returned: its text and place."""
    for point in (start, end):
        axes.plot(*np.stack([point, point + 1.15 * offset]).T, color="#1d5c84", linewidth=0.5)
    axes.annotate("", end + offset, start + offset, arrowprops=DIMENSION_STYLE)
    text = f"{1000 * float(np.linalg.norm(end - start)):.4g} mm"
    while text in known:  # equal lengths are dimensioned one by one
        text += " "
    return {text: (start + end) / 2 + offset}


def exploded_view(robot: Robot, drive: str, path: str | Path | None = None) -> Any:
    """Draw the gear of a drive with its members pulled apart along their axis, each with its speed per joint speed.

    Args:
        robot: the robot.
        drive: title of the drive.
        path: .png, .svg or .pdf file in which the drawing is also saved.

    Returns:
        A matplotlib figure.

    Raises:
        InputError: there is no such drive, or its gear has no members with a shape.
    """
    titles = [one.title for one in robot.drives]
    if drive not in titles:
        raise InputError(f"exploded_view: robot {robot.name!r} has no drive {drive!r}. {did_you_mean(drive, titles)}")
    gear = robot.drive(drive).gear
    forms = gear_forms(gear, GearSpace(0.05, 0.012, joint_axis=np.array([1.0, 0.0, 0.0])))
    if not forms:
        raise InputError(
            f"exploded_view: drive {drive!r}: its gear ({type(gear).__name__}) has only a ratio and no members. "
            "State its kind and teeth."
        )
    corners, colours, labels, height = [], [], {}, 0.0
    for group in _groups(forms):
        levels = np.concatenate([form.mesh.vertices[:, 2] for form in group])
        low, high = float(levels.min()), float(levels.max())
        half = 0.6 * (high - low) + 0.012
        height += half
        for form in group:
            place = form.arm * (1.0, 1.0, 0.0) + (0.0, 0.0, height - (low + high) / 2)
            corners.append((form.mesh.vertices @ form.tilt.T + place)[form.mesh.faces])
            shade = (*(part / 255 for part in SOLID_COLOURS[form.kind]), form.opacity)
            colours.append(np.tile(shade, (len(form.mesh.faces), 1)))
        labels[_member_text(group[0], len(group))] = group[0].arm * (1.0, 1.0, 0.0) + (0.0, 0.0, height)
        height += half
    view_points = np.concatenate(corners).reshape(-1, 3)
    axis = {"axis": (np.array([0.0, 0.0, height / 2]), np.array([0.0, 0.0, 1.0]))}
    picture = Picture(np.concatenate(corners), np.concatenate(colours), axis, {}, labels)
    wide = view_points + np.sign(view_points - view_points.mean(axis=0)) * (0.02, 0.02, 0.0)
    view = Viewpoint(40.0, 28.0, np.concatenate([view_points, wide]))
    title = f"{robot.name}, {drive}: {type(gear).__name__}, ratio {float(gear.ratio):.6g}"
    return save_if_path(solids_figure(picture, view, title), path)


def _groups(forms: Sequence[GearForm]) -> list[list[GearForm]]:
    """Members that are drawn in one plane: equal planets together."""
    groups: dict[str, list[GearForm]] = {}
    for form in sorted(forms, key=lambda form: form.kind == "planet"):  # on the pins of the carrier
        groups.setdefault(form.name.rstrip("0123456789") if "." not in form.name else form.name, []).append(form)
    return list(groups.values())


def _member_text(form: GearForm, count: int) -> str:
    name = form.name.rstrip("0123456789").replace("_", " ") if count > 1 else form.name.replace("_", " ")
    speed = form.rate + form.orbit
    return f"{f'{count} {name}s' if count > 1 else name}: {'at rest' if not speed else f'speed {speed:.4g}'}"
