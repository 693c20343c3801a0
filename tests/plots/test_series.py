"""Figures of named series: what is drawn is what was given."""

import numpy as np
import pytest

from gearwright.errors import FileError
from gearwright.plots import Panel, bar_figure, panel_figure, save_figure


def test_a_name_keeps_its_colour_and_the_file_is_a_picture(tmp_path):
    t = np.linspace(0, 1, 5)
    page = panel_figure(t, "time [s]", [Panel("a", {"x": t, "y": 2 * t}), Panel("b", {"y": 3 * t})], title="two panels")
    first, second = page.axes
    assert first.lines[1].get_color() == second.lines[0].get_color()
    assert np.array_equal(second.lines[0].get_ydata(), 3 * t)
    path = save_figure(page, tmp_path / "new" / "page.png")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_bars_stand_in_groups():
    page = bar_figure(["j1", "j2"], {"inertia": [1.0, 2.0], "coupling": [0.5, -0.5]}, "share [Nm]")
    assert [patch.get_height() for patch in page.axes[0].patches] == [1.0, 2.0, 0.5, -0.5]


def test_a_file_without_ending_becomes_a_png_and_says_so(tmp_path):
    path = save_figure(panel_figure([0.0, 1.0], "time [s]", [Panel("x", {"a": [0.0, 1.0]})]), tmp_path / "page")
    assert path == tmp_path / "page.png"
    assert path.exists()


def test_a_figure_on_a_full_disk_leaves_the_file_and_names_the_space(tmp_path):
    class FullDisk:
        def savefig(self, file, dpi):
            raise OSError(28, "No space left on device")

    target = tmp_path / "figure.png"
    target.write_bytes(b"before")
    with pytest.raises(FileError, match="space") as caught:
        save_figure(FullDisk(), target)
    assert "Choose" not in str(caught.value)
    assert target.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [target]
