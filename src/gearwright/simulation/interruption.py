"""Ctrl-C during a run: noted at once, obeyed where nothing can get lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
