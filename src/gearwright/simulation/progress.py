"""A progress bar for long runs."""

from __future__ import annotations

import sys
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

    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        line = bar.add_task(title, total=total, completed=done)
        yield lambda count: bar.update(line, completed=count)
