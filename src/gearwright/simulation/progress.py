"""Progress bars of long runs, and Ctrl-C during one: noted at once, raised between steps, so that nothing is lost."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def reporting(start: float, until: float, wanted: bool | None) -> Iterator[Callable[[float], None]]:
    """A function to call with the time reached; it draws a bar when wanted, or on a terminal."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("simulating"), BarColumn(), TextColumn("{task.completed:.3g} s"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        line = bar.add_task("simulating", total=until - start)
        yield lambda t: bar.update(line, completed=t - start)


@contextmanager
def counting(total: int, done: int, wanted: bool | None, title: str) -> Iterator[Callable[[int], None]]:
    """A function to call with how many of many are done; it draws a bar with rate and time left."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    rate = TextColumn("{task.fields[rate]}")
    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        line = bar.add_task(title, total=total, completed=done, rate="")
        begun = time.monotonic()

        def count(reached: int) -> None:
            bar.update(line, completed=reached, rate=rate_of(reached - done, time.monotonic() - begun))

        yield count


def rate_of(count: int, seconds: float) -> str:
    """How many per second, in words; of slow ones how many a minute.

    >>> rate_of(4096, 0.5), rate_of(3, 60.0), rate_of(0, 1.0)
    ('8,192/s', '3/min', '')
    """
    if count <= 0 or seconds <= 0:
        return ""
    rate = count / seconds
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.3g}/min"


@contextmanager
def noted_interruption() -> Iterator[Callable[[], None]]:
    """A function that raises KeyboardInterrupt once Ctrl-C was pressed.

    An interruption that comes while a C library runs our functions may be swallowed there or turned into another error;
    so it is only noted, and obeyed between steps. A second one is obeyed at once. Handlers of others are left alone.
    """
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: None
        return
    pressed: list[bool] = []

    def note(*_: object) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(True)

    def obey() -> None:
        if pressed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield obey
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
