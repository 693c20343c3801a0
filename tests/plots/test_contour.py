"""Contours over a plane and points in space share one scale."""

import numpy as np

from gearwright.plots.contour import PlotPlane, contour_figure


def test_plane_alone_and_with_space():
    x, y = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 2, 5), indexing="ij")
    plane = PlotPlane(x, y, "first", "second")
    alone = contour_figure(x + y, "sum", plane, title="heights")
    assert len(alone.axes) == 2
    both = contour_figure(x + y, "sum", plane, PlotPlane(x, -y, "here", "there"))
    points = both.axes[1].collections[0]
    assert both.axes[1].get_xlabel() == "here"
    assert points.get_clim() == (0.0, 3.0)
    assert points.get_array()[-1] == 0, "the smallest value lies on top"
