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
    ├── SimulationError       a run that cannot go on: it blew up, or its modes do not settle
    ├── NotTraceableError     a law that chooses in Python where its numbers are not known yet
    ├── CompilationError      a program that cannot become machine code here; NumPy or CasADi run it instead
    ├── FileError             a file that cannot be read as a robot
    └── MissingExtraError     an optional dependency is not installed

    GearwrightWarning         (a UserWarning) what was read, but not as somebody may expect
    ├── CacheWarning          the folder of compiled kernels is not used, since others could write into it
    └── SlowerWarning         a result that is right, but slower than it could be, with the reason

A message names the part, the value, the rule and the way out.
"""

from __future__ import annotations

import itertools
import sys
import traceback
from collections.abc import Iterable
from types import FrameType

from gearwright.text import lines


class GearwrightError(Exception):
    """The root of all errors raised on purpose; a message shows control characters of names as codes.

    Attributes:
        line: the line of the robot's file that states the part at fault, where it is known.
        bare: the message without file and line.
    """

    line: int | None = None
    bare: str | None = None

    def stated_at(self, source: str, line: int) -> None:
        """Put the file and the line that states the part at fault before the message."""
        self.line, self.bare = line, str(self)
        self.args = (f"{source}, line {line}: {self.bare}",)

    def __str__(self) -> str:
        return lines(super().__str__())


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
    """A run that cannot go on.

    Attributes:
        run: what was computed until then, if anything.
    """

    def __init__(self, message: str, run: object = None) -> None:
        super().__init__(message)
        self.run = run


class NotTraceableError(GearwrightError):
    """Something that needs a number where there is only a symbol: a law with `if`, or with functions of `math`.

    A law is asked over symbols whether it can become machine code; who asks hears this error, and nobody else does. It
    is not a TypeError, so that no function on the way takes it for wrong data.
    """


class CompilationError(GearwrightError, RuntimeError):
    """A program that cannot become machine code here: LLVM is missing or fails, or an operation has no code.

    Public functions hear it, warn once (`SlowerWarning`) and go on without a kernel; `compile` raises it.
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
    """An optional dependency is not installed; the message says what to type."""


class GearwrightWarning(UserWarning):
    """Something was accepted that somebody may not expect: one warning per call lists all of it."""

    def __str__(self) -> str:
        return lines(super().__str__())


class SlowerWarning(GearwrightWarning):
    """A result is right but slower than it could be; the message gives the reason."""


class OpenLoopWarning(GearwrightWarning):
    """A robot with closed loops was given to a function that cuts them open: the answer is that of the open tree."""


class CacheWarning(GearwrightWarning):
    """The folder of compiled kernels is not used, since others could write machine code into it."""


def depth_of_the_caller() -> int:
    """How many calls up the first line outside of Gearwright is, counted from the function that asks."""
    callers = itertools.takewhile(_is_ours, (frame for frame, _ in traceback.walk_stack(sys._getframe(1))))
    return len(list(callers)) + 1


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "gearwright"
