"""Robots in notebooks: a picture above their tables."""

from __future__ import annotations

import sys
from typing import Any

PICTURE_WIDTH = 420
"""Width of the picture of a robot in a notebook [pixels]."""


def show_robots_as_pictures() -> None:
    """Let a notebook in which Gearwright is imported show robots by `robot_html`; nothing elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None:
        formatter = shell.display_formatter.formatters["text/html"]
        formatter.for_type_by_name("gearwright.parts.robot", "Robot", robot_html)


def robot_html(robot: Any) -> str:
    """Return a robot as HTML: its picture in neutral, and its tables; only these if it cannot be assembled."""
    from gearwright.errors import GearwrightError
    from gearwright.plots import png_url
    from gearwright.scene import picture_of_robot
    from gearwright.text import html_text

    tables = str(robot._repr_html_())
    try:
        source = png_url(picture_of_robot(robot))
    except GearwrightError:
        return tables
    return f'<img alt="{html_text(robot.name)}" width="{PICTURE_WIDTH}" src="{source}">{tables}'
