"""Films: one picture after the other, into a GIF or an MP4."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gearwright.errors import InputError

WIDTH, DOTS = 5.6, 90
"""Of a picture: inches, and dots per inch."""


def film(paint: Callable[[Any, int], None], count: int, rate: float, path: Path, proportion: float) -> Path:
    """Write a film.

    Args:
        paint: draws picture k into matplotlib axes.
        count: number of pictures.
        rate: pictures per second.
        path: .gif, or .mp4 if ffmpeg is there.
        proportion: height of a picture per width.
    """
    from matplotlib.figure import Figure

    writer = _writer(path, rate)
    page = Figure(figsize=(WIDTH, WIDTH * proportion))
    axes = page.add_axes((0.0, 0.0, 1.0, 1.0))
    path.parent.mkdir(parents=True, exist_ok=True)
    with writer.saving(page, str(path), dpi=DOTS):
        for k in range(count):
            paint(axes, k)
            writer.grab_frame()
    return path


def _writer(path: Path, rate: float) -> Any:
    from matplotlib.animation import FFMpegWriter, PillowWriter

    if path.suffix.lower() == ".gif":
        return PillowWriter(fps=rate)  # type: ignore[arg-type]
    if path.suffix.lower() != ".mp4":
        raise InputError(f"{path}: a film is a .gif or an .mp4. Choose one of these endings.")
    if not _found_ffmpeg(FFMpegWriter):
        raise InputError(
            f"{path}: ffmpeg, which writes .mp4, is not installed. Write a .gif, or pip install 'gearwright[studio]'."
        )
    return FFMpegWriter(fps=rate)  # type: ignore[arg-type]


def _found_ffmpeg(writer: Any) -> bool:
    """Whether there is an ffmpeg: that of the machine, else that of a Python package."""
    if writer.isAvailable():
        return True
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        return False
    from matplotlib import rcParams

    rcParams["animation.ffmpeg_path"] = get_ffmpeg_exe()
    return bool(writer.isAvailable())
