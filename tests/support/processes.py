"""The command line as a process that heeds Ctrl-C."""

from __future__ import annotations

import sys

HEEDFUL = [
    sys.executable,
    "-c",
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from gearwright.cli import main; main(sys.argv[1:])",
]
"""`gearwright`, also where SIGINT is ignored: in a job that a shell runs in the background, and all it starts."""
