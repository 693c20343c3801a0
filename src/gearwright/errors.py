"""Every error Gearwright raises on purpose.

    GearwrightError
    ├── PartError             a part that cannot exist: negative mass, zero axis, ...
    │   ├── DriveError        data of a motor, its friction, heat or supply that contradict each other
    │   ├── InertiaError      an inertia no body can have, or smaller than the wheels it carries
    │   ├── JointError        a joint without an axis, a follower without a leader, ...
    │   ├── SpinError         a wheel that is not a spin: not axisymmetric, ratio zero, ...
    │   └── TrainError        a gear train whose teeth or members do not fit
    ├── StructureError        names and parents that do not make a tree
    ├── InputError            an array of the wrong shape, dtype or value
    ├── SingularityError      a mass matrix (or structure matrix) that cannot be solved with
    ├── PlanningError         a path that the robot cannot follow: out of reach, through a singularity, too fast
    ├── SimulationError       a run that cannot continue: it diverges, or has no consistent modes
    ├── NotTraceableError     a law with a Python branch on symbolic values
    ├── CompilationError      a program that cannot become machine code here; NumPy or CasADi run it instead
    ├── FileError             a file that cannot be read as a robot
    └── MissingExtraError     an optional dependency is not installed

    GearwrightWarning         (a UserWarning) input accepted with an interpretation that may surprise
    ├── CacheWarning          the folder of compiled kernels is not used, because others could write to it
    └── SlowerWarning         a result that is correct, but slower than possible, with the reason

A message names the part, the value, the rule and the remedy.
"""

from __future__ import annotations

import itertools
import sys
import traceback
from collections.abc import Iterable
from types import FrameType

from gearwright.text import visible_lines


class GearwrightError(Exception):
    """The base class of all errors raised on purpose; messages show control characters escaped.

    Attributes:
        line: the line of the robot's file with the faulty part, if known.
        bare_message: the message without file and line.
    """

    line: int | None = None
    bare_message: str | None = None

    def set_location(self, source: str, line: int) -> None:
        """Put the file and the line of the faulty part before the message."""
        self.line, self.bare_message = line, str(self)
        self.args = (f"{source}, line {line}: {self.bare_message}",)

    def __str__(self) -> str:
        return visible_lines(super().__str__())


class PartError(GearwrightError, ValueError):
    """A part that cannot exist."""


class DriveError(PartError):
    """Data of a motor, its friction, heat or supply that contradict each other."""


class InertiaError(PartError):
    """An inertia that no body can have, or one smaller than the wheels it carries."""


class JointError(PartError):
    """A joint that cannot move as described."""


class SpinError(PartError):
    """A wheel that is not a spin."""


class TrainError(PartError):
    """A gear train whose teeth, members or graph do not fit together."""


class StructureError(GearwrightError, ValueError):
    """Names and parents that do not make a tree."""


class InputError(GearwrightError, ValueError):
    """An array, name or option that a function cannot take."""


class SingularityError(GearwrightError, ArithmeticError):
    """A matrix that would have to be inverted is singular."""


class PlanningError(GearwrightError, ValueError):
    """A path that the robot cannot follow: out of reach, through a singularity or a limit, or too fast."""


class SimulationError(GearwrightError, ArithmeticError):
    """A run that cannot continue.

    Attributes:
        run: the results up to the error, if any.
    """

    def __init__(self, message: str, run: object = None) -> None:
        super().__init__(message)
        self.run = run


class NotTraceableError(GearwrightError):
    """A function that needs a number where there is only a symbol: a law with `if`, or with functions of `math`.

    Tracing a law over symbols, to compile it, raises this error; it is handled internally. It is not a TypeError, so
    that it is not mistaken for wrong data.
    """


class CompilationError(GearwrightError, RuntimeError):
    """A program that cannot become machine code here: LLVM is missing or fails, or an operation has no code.

    Public functions warn once (`SlowerWarning`) and continue without a kernel; `compile` raises it.
    """


class FileError(GearwrightError, ValueError):
    """A file that cannot be read as a robot.

    Attributes:
        problems: every problem of the file as (line or None, path of words such as "links[0].mass", message).
    """

    def __init__(self, message: str, problems: Iterable[tuple[int | None, str, str]] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class MissingExtraError(GearwrightError, ImportError):
    """An optional dependency is not installed; the message gives the command that installs it."""


class GearwrightWarning(UserWarning):
    """Input was accepted with an interpretation that may surprise; one warning per call lists all cases."""

    def __str__(self) -> str:
        return visible_lines(super().__str__())


class SlowerWarning(GearwrightWarning):
    """A result is correct, but slower than possible; the message gives the reason."""


class CacheWarning(GearwrightWarning):
    """The folder of compiled kernels is not used, because others could write machine code to it."""


def caller_stack_level() -> int:
    """Return the stack depth of the first caller outside Gearwright, counted from the calling function."""
    callers = itertools.takewhile(_is_own_frame, (frame for frame, _ in traceback.walk_stack(sys._getframe(1))))
    return len(list(callers)) + 1


def _is_own_frame(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "gearwright"
