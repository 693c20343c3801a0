"""A reference design beside the robot: kept on the page, drawn as a ghost, its curves and their differences shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.analysis import Comparison
from gearwright.scene import Scene
from gearwright.studio.view import SceneView

if TYPE_CHECKING:
    from gearwright.studio.page import Page

GHOST_OPACITY = 0.3
REFERENCE_NODE = "/reference"
KEEP_LABEL, DROP_LABEL = "Keep as reference", "Drop reference"


class ReferencePanel:
    """Buttons to undo changes and to keep the present design as a reference for the following ones."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.comparison: Comparison | None = None
        self._view: SceneView | None = None
        self._node: Any = None
        gui = page.gui
        self.undo = gui.add_button("Undo")
        self.keep = gui.add_button(KEEP_LABEL, hint="drawn beside the robot; curves show the difference to it")
        page.on_event(self.undo.on_click, "undo", self._undo)
        page.on_event(self.keep.on_click, "reference", self.toggle)

    def _undo(self) -> None:
        self.page.try_change(self.page.session.undo)
        self.page.move.show_payload()

    def toggle(self) -> None:
        """Keep the present design as the reference, or drop it."""
        if self.comparison is not None:
            self.drop()
        else:
            self.comparison = self.page.results.current_comparison
            self._draw(self.page.view.scene)
            self.keep.label = DROP_LABEL
        self.page.results.show_again()

    def drop(self) -> None:
        """Drop the reference design and its ghost."""
        self.comparison = None
        if self._view is not None:
            self._view.remove()
            self._node.remove()
        self._view = self._node = None
        self.keep.label = KEEP_LABEL

    def move_ghost(self, q: Any) -> None:
        """Move the ghost as the robot moves."""
        if self._view is not None:
            self._view.move_robot(q)

    def _draw(self, scene: Scene) -> None:
        low, high = scene.bounding_box()
        beside = (0.0, 1.25 * float(np.maximum(high - low, 0.6 * scene.reach)[1]), 0.0)
        self._node = self.page.api.scene.add_frame(REFERENCE_NODE, show_axes=False, position=beside)
        self._view = SceneView(self.page.api, REFERENCE_NODE, GHOST_OPACITY)
        self._view.show_scene(scene, self.page.move.q)
