"""Films: one picture after the other, into a GIF or an MP4."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gearwright.errors import InputError
from gearwright.file_access import replacement

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
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    writer, settings = _writer(path, rate)
    page = Figure(figsize=(WIDTH, WIDTH * proportion))
    axes = page.add_axes((0.0, 0.0, 1.0, 1.0))
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacement(path) as new, rc_context(settings), writer.saving(page, str(new), dpi=DOTS):
        for k in range(count):
            paint(axes, k)
            writer.grab_frame()
    return path


def _writer(path: Path, rate: float) -> tuple[Any, dict[Any, str]]:
    """What writes a film, and settings of matplotlib that it needs."""
    from matplotlib.animation import FFMpegWriter, PillowWriter

    if path.suffix.lower() == ".gif":
        return PillowWriter(fps=rate), {}  # type: ignore[arg-type]
    if path.suffix.lower() != ".mp4":
        raise InputError(f"{path}: a film is a .gif or an .mp4. Choose one of these endings.")
    if FFMpegWriter.isAvailable():
        return FFMpegWriter(fps=rate), {}  # type: ignore[arg-type]
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        raise InputError(
            f"{path}: ffmpeg, which writes .mp4, is not installed. Write a .gif, or pip install 'gearwright[studio]'."
        ) from None
    return FFMpegWriter(fps=rate), {"animation.ffmpeg_path": get_ffmpeg_exe()}  # type: ignore[arg-type]
