"""Pictures and films of robots."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.motion import polynomial
from gearwright.parts import Joint, Link, Robot
from gearwright.plots.solids import Picture, Viewpoint, solids_image
from gearwright.plots.solids import _visible_triangles as ordered
from gearwright.scene import animate, draw, exploded_view, side_view

TRIANGLE = np.array([[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
"""Seen from positive x its corners run counter-clockwise."""
RED = np.array([[1.0, 0.0, 0.0, 1.0]])


def looking_along_x(points):
    return Viewpoint(0.0, 0.0, points.reshape(-1, 3))


def test_the_eye_sees_right_up_and_towards_itself():
    view = looking_along_x(TRIANGLE)
    assert np.allclose(view.picture_axes, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert np.allclose(
        Viewpoint(35.0, 20.0, TRIANGLE[0]).picture_axes @ Viewpoint(35.0, 20.0, TRIANGLE[0]).picture_axes.T, np.eye(3)
    )
    left, right, bottom, top = view.picture_edges
    assert left < 0 < 1 < right
    assert bottom < 0 < 1 < top


def test_what_turns_its_back_is_not_seen():
    view = looking_along_x(TRIANGLE)
    assert len(ordered(Picture(TRIANGLE, RED), view)[0]) == 1
    assert len(ordered(Picture(TRIANGLE[:, ::-1], RED), view)[0]) == 0


def colour_at(picture, view, right, up, pixels=60):
    """Red, green, blue and opacity of a point of the picture."""
    image = solids_image(picture, view, pixels)
    left, last, bottom, top = view.picture_edges
    return image[int((top - up) / (top - bottom) * len(image)), int((right - left) / (last - left) * pixels)]


def test_near_triangles_hide_far_ones_and_are_dimmed_by_their_slope():
    near = TRIANGLE + np.array([0.5, 0.0, 0.0])
    tilted = np.array([[[0.0, 0.0, 0.0], [-2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
    both, blue = np.concatenate([near, TRIANGLE]), np.array([[0.0, 0.0, 1.0, 1.0]])
    view = looking_along_x(both)
    for order in ([0, 1], [1, 0]):
        picture = Picture(both[order], np.concatenate([blue, RED])[order])
        assert colour_at(picture, view, 0.3, 0.3)[2] > 0.4 > colour_at(picture, view, 0.3, 0.3)[0]
    assert colour_at(Picture(tilted, RED), view, 0.3, 0.3)[0] < colour_at(Picture(TRIANGLE, RED), view, 0.3, 0.3)[0]


def test_triangles_that_cross_are_each_seen_on_their_side():
    """Two triangles through each other: no order of whole triangles is right, the depth of each pixel is."""
    corners = np.array(
        [[[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.5, 1.0, 2.0]], [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.5, 1.0, 2.0]]]
    )
    picture = Picture(corners, np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]]))
    view = looking_along_x(corners)
    left, right = colour_at(picture, view, 0.5, 0.2), colour_at(picture, view, 1.5, 0.2)
    assert left[2] > 0.3 > left[0]
    assert right[0] > 0.3 > right[2]


def test_transparent_triangles_show_what_is_behind():
    glass = TRIANGLE + np.array([0.5, 0.0, 0.0])
    picture = Picture(np.concatenate([glass, TRIANGLE]), np.array([[0.0, 0.0, 1.0, 0.25], [1.0, 0.0, 0.0, 1.0]]))
    view = looking_along_x(picture.corners)
    alone = colour_at(Picture(TRIANGLE, RED), view, 0.3, 0.3)
    both = colour_at(picture, view, 0.3, 0.3)
    assert both[:3] == pytest.approx(0.75 * alone[:3] + 0.25 * alone[[2, 1, 0]])
    assert both[3] == 1.0


def test_triangles_with_common_edges_fill_every_pixel_once():
    """A fan around a point, opaque and transparent: no seam is darker or lighter than the rest."""
    angle = np.linspace(0.0, 2 * np.pi, 24)
    rim = np.stack([0 * angle, np.cos(angle), np.sin(angle)], axis=1)
    fan = np.stack([np.broadcast_to([0.0, 0.02, 0.01], (23, 3)), rim[:-1], rim[1:]], axis=1)
    view = looking_along_x(fan)
    for opacity in (1.0, 0.3):
        image = solids_image(Picture(fan, np.tile([1.0, 0.0, 0.0, opacity], (23, 1))), view, 200)
        rows, columns = np.indices(image.shape[:2])
        left, right, bottom, top = view.picture_edges
        across = left + (columns + 0.5) / 200 * (right - left)
        up = top - (rows + 0.5) / len(image) * (top - bottom)
        inside = np.hypot(across, up) < 0.97
        assert np.ptp(image[inside], axis=0).max() < 1e-12
        assert image[inside][0, 3] == pytest.approx(opacity)
        assert image[np.hypot(across, up) > 1.03].max(axis=0)[3] == 0.0


def test_long_and_thin_triangles_are_filled_to_their_ends():
    thin = np.array([[[0.0, 0.0, 0.0], [0.0, 1.0, 0.3], [0.0, 1.0, 0.32]]])
    image = solids_image(Picture(thin, RED), Viewpoint(0.0, 0.0, TRIANGLE[0]), 400)
    left, right, bottom, top = Viewpoint(0.0, 0.0, TRIANGLE[0]).picture_edges
    area = image[..., 3].mean() * (right - left) * (top - bottom)
    assert area == pytest.approx(0.01, rel=0.02)


@pytest.mark.parametrize("name", ["puma560", "palletiser"])
def test_labels_do_not_overlap(name):
    """As matplotlib lays them out, in pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    page = draw(gw.load(name))
    renderer = FigureCanvasAgg(page).get_renderer()
    page.draw(renderer)
    boxes = [
        Text.get_window_extent(text, renderer) for text in page.axes[0].texts if text.get_text()
    ]  # without its line
    names = [text.get_text() for text in page.axes[0].texts if text.get_text()]
    assert len(boxes) > 6
    for k, box in enumerate(boxes):
        assert not [names[k + 1 + j] for j, other in enumerate(boxes[k + 1 :]) if box.overlaps(other)], names[k]


def test_a_side_view_has_the_dimensions_of_the_links():
    """The lengths of the arm as its file states them: 400 mm and 300 mm between joints 2, 3 and the tool."""
    robot = gw.load("elbow")
    page = side_view(robot, [0.0, 0.4, -0.9])
    written = {text.get_text().strip() for text in page.axes[0].texts}
    mech = gw.assemble(robot)
    points = [gw.placement(mech, [0.0, 0.4, -0.9], link.name).position for link in robot.links]
    for start, end in pairwise(points):
        length = 1000 * np.linalg.norm(np.subtract(end, start))
        if length > 1:
            assert f"{length:.4g} mm" in written


def test_a_side_view_shows_all_of_its_dimensions():
    """The base of grm3 is half a metre below everything that is drawn; its dimension is on the paper too."""
    axes = side_view(gw.load("grm3")).axes[0]
    (length,) = [text for text in axes.texts if text.get_text().strip() == "500 mm"]
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    for line in axes.lines:
        x, y = line.get_data()
        assert left < min(x) <= max(x) < right
        assert bottom < min(y) <= max(y) < top
    assert bottom < length.xy[1] < top


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_side_view_has_x_to_the_right(sign):
    """Whatever the sense of the joint axes: the middle of a link along x is right of the base."""
    upper = Link("upper", joint=Joint(axis=(0, sign, 0)), mass=1.0, com=(0.2, 0, 0))
    fore = Link("fore", "upper", Joint(axis=(0, sign, 0), position=(0.4, 0, 0)), mass=1.0, com=(0.1, 0, 0))
    texts = side_view(Robot("arm", [upper, fore])).axes[0].texts
    (length,) = [text for text in texts if text.get_text().strip() == "400 mm"]
    assert length.xy[0] == pytest.approx(0.2)


def test_an_exploded_view_shows_every_member_with_its_speed():
    page = exploded_view(gw.load("planetary_3r"), "j1")
    written = {text.get_text() for text in page.axes[0].texts}
    assert {"sun: speed 5", "ring: at rest", "carrier: speed 1"} <= written
    assert any(text.startswith("3 planets") for text in written)
    with pytest.raises(InputError, match="no drive 'j9'"):
        exploded_view(gw.load("planetary_3r"), "j9")


def test_a_picture_names_joints_and_frames(tmp_path):
    page = draw(gw.load("elbow"), [0.3, 0.5, -1.0], tmp_path / "elbow.png")
    written = {text.get_text() for text in page.axes[0].texts}
    assert {"j1", "j2", "j3", "base"} <= written
    assert (tmp_path / "elbow.png").stat().st_size > 10_000
    assert not {text.get_text() for text in draw(gw.load("elbow"), names=False).axes[0].texts} - {""}


def test_shafts_of_elastic_drives_go_with_their_joints():
    from gearwright.scene import scene_of
    from gearwright.scene.drawing import full_configuration as configuration

    scene = scene_of(gw.load("elastic_elbow"))
    q = configuration("draw", scene, [0.3, 0.5, -1.0])
    assert np.allclose(q, [0.3, 0.5, -1.0] * 2)


def test_a_film_has_a_picture_per_time(tmp_path):
    from PIL import Image

    swing = polynomial([0, 0, 0], [0.5, 0.4, -0.6], duration=0.3)
    counted = []
    path = animate(gw.load("elbow"), swing, tmp_path / "swing.gif", rate=10, progress=lambda *x: counted.append(x))
    assert counted == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with Image.open(path) as film:
        assert film.n_frames == 4
        assert film.info["duration"] == 100


def test_a_film_for_video_players(tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    path = animate(gw.load("elbow"), polynomial([0, 0, 0], [0.5, 0.4, -0.6], duration=0.2), tmp_path / "a.mp4", rate=10)
    assert path.read_bytes()[4:8] == b"ftyp"


@pytest.mark.parametrize(
    ("call", "fact"),
    [
        (lambda robot: draw(robot, [0.1, 0.2]), r"\(2,\).*\b3\b"),
        (lambda robot: draw(robot, [0.1, 0.2, np.nan]), "finite"),
        (lambda robot: draw(robot, elevation=120), "elevation"),
        (lambda robot: animate(robot, polynomial([0] * 3, [1] * 3, 1.0), "film.avi"), r"film\.avi"),
        (lambda robot: animate(robot, polynomial([0] * 3, [1] * 3, 1.0), "film.gif", rate=0), "rate"),
    ],
)
def test_bad_input_is_named(call, fact):
    with pytest.raises(InputError, match=fact):
        call(gw.load("elbow"))


def test_the_command(tmp_path, capsys):
    from gearwright.cli import main

    with pytest.raises(SystemExit) as left:
        main(["draw", "elbow", "-o", str(tmp_path / "a.svg"), "--q", "0,0.5,0", "--json", "--quiet"])
    assert not left.value.code
    assert json.loads(capsys.readouterr().out)["file"].endswith("a.svg")
    for words in (["-o", "a.gif", "--q", "0,0,0"], ["-o", "a.png", "--motion", "m.csv"], ["-o", "a.bmp"]):
        with pytest.raises(SystemExit) as left:
            main(["draw", "elbow", *words])
        assert left.value.code == 2


NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("import gearwright as gw; robot = gw.load('wrist_puma'); broken = gw.parts.Robot('none', [])")
for name in ("robot", "broken"):
    shown = shell.display_formatter.format(shell.user_ns[name])[0]["text/html"]
    print(shown.count("<img"), shown.count("<table"), len(shown) > 20_000)
"""


def test_a_notebook_shows_a_robot_as_a_picture_with_its_tables():
    pytest.importorskip("IPython", reason="robots in notebooks: IPython is not installed")
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["1 1 True", "0 1 False"]
