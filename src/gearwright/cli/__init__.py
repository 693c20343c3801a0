"""The command line: it reads arguments, calls the library and shows results; it holds no formula."""

from gearwright.cli.app import main

__all__ = ["main"]
