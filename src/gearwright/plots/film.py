"""Animations: a sequence of pictures in a GIF or MP4 file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gearwright.errors import InputError
from gearwright.file_access import create_folder, replacement_file

FILM_WIDTH, FILM_DPI = 5.6, 90
"""Width of a picture [inch], and dots per inch."""


def write_film(paint: Callable[[Any, int], None], count: int, rate: float, path: Path, proportion: float) -> Path:
    """Write an animation.

    Args:
        paint: draws picture k into matplotlib axes.
        count: number of pictures.
        rate: pictures per second.
        path: .gif, or .mp4 if ffmpeg is installed.
        proportion: height of a picture per width.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    writer, settings = _film_writer(path, rate)
    page = Figure(figsize=(FILM_WIDTH, FILM_WIDTH * proportion))
    axes = page.add_axes((0.0, 0.0, 1.0, 1.0))
    create_folder(path.parent)
    with replacement_file(path) as new, rc_context(settings), writer.saving(page, str(new), dpi=FILM_DPI):
        for k in range(count):
            paint(axes, k)
            writer.grab_frame()
    return path


def _film_writer(path: Path, rate: float) -> tuple[Any, dict[Any, str]]:
    """Return the writer of an animation and the matplotlib settings that it needs."""
    from matplotlib.animation import FFMpegWriter, PillowWriter

    if path.suffix.lower() == ".gif":
        return PillowWriter(fps=rate), {}  # type: ignore[arg-type]
    if path.suffix.lower() != ".mp4":
        raise InputError(f"{path}: an animation is a .gif or .mp4 file. Choose one of these endings.")
    if FFMpegWriter.isAvailable():
        return FFMpegWriter(fps=rate), {}  # type: ignore[arg-type]
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        raise InputError(
            f"{path}: ffmpeg, which writes .mp4, is not installed. Write a .gif, or pip install 'gearwright[studio]'."
        ) from None
    return FFMpegWriter(fps=rate), {"animation.ffmpeg_path": get_ffmpeg_exe()}  # type: ignore[arg-type]
