"""Real-time check of generated C: no allocation, no locks, no input or output, no loops, no recursion."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.export.fmi.build import find_compiler
from gearwright.export.handover.real_time_sanitiser import COMPILER_TIME, sanitiser_result
from gearwright.files.reading import read_text

MATH_FUNCTIONS = frozenset(
    (
        *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf"),
        *("erfc", "exp", "exp2", "expm1", "fabs", "floor", "fmax", "fmin", "fmod", "hypot", "log", "log10", "log1p"),
        *("log2", "pow", "rint", "round", "sin", "sincos", "sinh", "sqrt", "tan", "tanh", "trunc"),
    )
)
"""Functions of the math library that take a bounded time; with the suffix f for float."""
BOUNDED_FUNCTIONS = frozenset(("memcpy", "memset", "memmove"))
"""Further functions that compilers insert, of a time bounded by their fixed size."""
LOOP_WORDS = ("for", "while", "do", "goto", "setjmp", "longjmp")


@dataclass(frozen=True)
class RealTimeReport:
    """The result of a real-time check.

    Args:
        files: the checked source files.
        called: functions outside the package that the machine code calls; () without a compiler.
        forbidden: those among them that may allocate, lock, wait, or have no bounded time.
        loops: loop words in the source, each with its file and line.
        recursive: functions that call themselves.
        method: how it was checked: symbols of the compiled code, or the text alone.
        sanitiser: what Clang's function effects and RealtimeSanitizer checked in addition, or why they did not.
    """

    files: tuple[Path, ...]
    called: tuple[str, ...]
    forbidden: tuple[str, ...]
    loops: tuple[str, ...]
    recursive: tuple[str, ...]
    method: str
    sanitiser: str = ""

    @property
    def is_bounded(self) -> bool:
        """Whether every call ends after a bounded number of operations without waiting."""
        return not (self.forbidden or self.loops or self.recursive)

    def __str__(self) -> str:
        problems = [*(f"calls {name}" for name in self.forbidden), *self.loops]
        problems += [f"{name} calls itself" for name in self.recursive]
        found = "; ".join(problems) or "no allocation, no locks, no loops, no recursion"
        return f"{self.method}: {found}. {self.sanitiser}"


@check_arguments
def real_time_check(directory: str | Path) -> RealTimeReport:
    """Return whether the C sources of a package (`export.c`) allocate, lock, wait, loop or call themselves.

    The sources, without the self-test and the simulation, are compiled if there is a C compiler, and the undefined
    symbols of the machine code (`nm`) must be functions of the math library; without a compiler the names called in the
    text are used. With Clang 20 or later the functions of a package, which are declared as nonblocking, are also
    checked by its function effects, and the self-test runs under RealtimeSanitizer.

    >>> import tempfile
    >>> import gearwright as gw
    >>> folder = tempfile.mkdtemp()
    >>> _ = gw.export.c(gw.load("elbow"), folder, ["inverse_dynamics"])
    >>> real_time_check(folder).is_bounded
    True
    """
    folder = Path(directory)
    package = tuple(path for path in sorted(folder.glob("*.c")) if not path.stem.endswith("_selftest"))
    sources = tuple(path for path in package if not path.stem.endswith("_simulation"))
    if not sources:
        raise InputError(f"real_time_check: {str(folder)!r} has no C sources. Give a folder that export.c has written.")
    texts = {path: _code_text(read_text(path, "C source")) for path in sources}
    defined = {name for text in texts.values() for name in _defined_functions(text)}
    loops = [f"{path.name}, line {line}: {word}" for path, text in texts.items() for line, word in _loop_words(text)]
    recursive = [name for text in texts.values() for name, body in _defined_functions(text).items() if name in body]
    called, method = _called_functions(texts)
    outside = sorted(set(called) - defined)
    sanitised = sanitiser_result(folder, package)
    forbidden = (*(name for name in outside if not _is_bounded_function(name)), *sanitised.violations)
    return RealTimeReport(
        sources, tuple(outside), forbidden, tuple(loops), tuple(recursive), method, sanitised.description
    )


def _is_bounded_function(name: str) -> bool:
    return name in BOUNDED_FUNCTIONS or name in MATH_FUNCTIONS or name.removesuffix("f") in MATH_FUNCTIONS


def _code_text(text: str) -> str:
    """Return C text without comments and strings, with the same lines."""
    pattern = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
    return pattern.sub(lambda match: "\n" * match.group().count("\n"), text)


def _loop_words(text: str) -> list[tuple[int, str]]:
    pattern = re.compile(rf"\b({'|'.join(LOOP_WORDS)})\b")
    return [(text.count("\n", 0, match.start()) + 1, match.group(1)) for match in pattern.finditer(text)]


def _defined_functions(text: str) -> dict[str, set[str]]:
    """Return the functions that a text defines, each with the names that its body calls."""
    functions: dict[str, set[str]] = {}
    for match in re.finditer(r"\b(\w+)\s*\([^()]*\)\s*\{", text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        if match.group(1) not in ("if", "switch", *LOOP_WORDS):
            functions[match.group(1)] = set(re.findall(r"\b(\w+)\s*\(", text[match.end() : end]))
    return functions


def _called_functions(texts: dict[Path, str]) -> tuple[list[str], str]:
    compiler, lister = find_compiler(), shutil.which("nm")
    if compiler is None or lister is None:
        calls = {name for text in texts.values() for body in _defined_functions(text).values() for name in body}
        return sorted(calls - {"if", "switch", "sizeof", "return"}), "text of the sources (no C compiler was found)"
    names: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        for path in texts:
            target = Path(folder) / f"{path.stem}.o"
            command = [compiler, "-std=c99", "-O2", "-c", str(path), "-o", str(target)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILER_TIME, check=False)
            if done.returncode:
                raise InputError(f"real_time_check: {path.name} does not compile: {done.stderr.strip()[:300]}")
            listed = subprocess.run(
                [lister, "-u", str(target)], capture_output=True, text=True, timeout=COMPILER_TIME, check=True
            )
            names |= {line.split()[-1].removeprefix("_") for line in listed.stdout.splitlines() if line.strip()}
    names = {name for name in names if name != "GLOBAL_OFFSET_TABLE_"}
    return sorted(names), f"symbols of the machine code ({Path(compiler).name}, nm)"
