"""Progress bars of long runs, and deferred Ctrl-C: raised between steps, so that the samples so far are kept."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@contextmanager
def progress_bar(start: float, until: float, is_requested: bool | None) -> Iterator[Callable[[float], None]]:
    """A function to call with the time reached; it draws a bar if requested, or on a terminal."""
    if not (sys.stderr.isatty() if is_requested is None else is_requested):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("simulating"), BarColumn(), TextColumn("{task.completed:.3g} s"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        line = bar.add_task("simulating", total=until - start)
        yield lambda t: bar.update(line, completed=t - start)


@contextmanager
def counting_bar(total: int, done: int, is_requested: bool | None, title: str) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of finished items; it draws a bar with rate and remaining time."""
    if not (sys.stderr.isatty() if is_requested is None else is_requested):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    rate = TextColumn("{task.fields[rate]}")
    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        line = bar.add_task(title, total=total, completed=done, rate="")
        start = time.monotonic()

        def update_bar(reached: int) -> None:
            bar.update(line, completed=reached, rate=rate_text(reached - done, time.monotonic() - start))

        yield update_bar


def rate_text(count: int, seconds: float) -> str:
    """A rate as text: per second, or per minute if slow.

    >>> rate_text(4096, 0.5), rate_text(3, 60.0), rate_text(0, 1.0)
    ('8,192/s', '3/min', '')
    """
    if count <= 0 or seconds <= 0:
        return ""
    rate = count / seconds
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.3g}/min"


@contextmanager
def deferred_interruption() -> Iterator[Callable[[], None]]:
    """A function that raises KeyboardInterrupt after Ctrl-C was pressed.

    An interruption while a C library calls back may be lost there or turned into another error. It is therefore stored,
    and raised between steps. A second one is raised at once. Foreign signal handlers are left unchanged.
    """
    is_main_thread = threading.current_thread() is threading.main_thread()
    if not is_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: None
        return
    pressed: list[bool] = []

    def note_interruption(*_: object) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(True)

    def raise_if_interrupted() -> None:
        if pressed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note_interruption)
    try:
        yield raise_if_interrupted
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass
class RunMonitor:
    """Progress and interruption of one run, shared by all that integrate it.

    Args:
        report: called with the time reached.
        raise_if_interrupted: raises KeyboardInterrupt after Ctrl-C.
    """

    report: Callable[[float], None] = lambda _: None
    raise_if_interrupted: Callable[[], None] = lambda: None

    @contextmanager
    def watching(self, start: float, until: float, is_requested: bool | None) -> Iterator[None]:
        """Within this context progress is shown, and Ctrl-C is deferred."""
        with progress_bar(start, until, is_requested) as report, deferred_interruption() as raise_if_interrupted:
            self.report, self.raise_if_interrupted = report, raise_if_interrupted
            yield
