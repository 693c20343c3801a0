"""A robot as C99: header, source, a CMake file and a self-test with stored values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.errors import InputError
from gearwright.export import c_text
from gearwright.export.c_names import package_name
from gearwright.mechanism import Mechanism, machine_of
from gearwright.parts import Robot
from gearwright.programs import programs
from gearwright.programs.batch import evaluate
from gearwright.text import did_you_mean
from gearwright.tracing.graph import OperationCount
from gearwright.tracing.recipe import Recipe
from gearwright.tracing.source import c_source
from gearwright.tracing.trace import traced

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias", "gravity")
STATES = 4
"""Stored states per function in the self-test."""


@dataclass(frozen=True)
class CFunction:
    """One function of the package: its C name, arguments with sizes, text, and what it must return for some inputs."""

    name: str
    public: str
    inputs: dict[str, int]
    outputs: int
    text: str
    operations: OperationCount
    samples: tuple[tuple[dict[str, list[float]], list[float]], ...]


def export_c(
    robot: Robot | Mechanism,
    directory: str | Path,
    functions: Sequence[str | Callable[..., Any]] = FUNCTIONS,
    name: str | None = None,
) -> list[Path]:
    """Write a C99 package: no allocation, nothing beyond `sin` and `cos`, the numbers of the robot folded in.

    Quaternions need no root either; only `integrate` and `difference`, if asked for, call `sqrt` and `atan2` for them.

    Args:
        robot: the robot or machine.
        directory: where to write; made if it is not there.
        functions: public functions (or their names) of q, v, a or tau that need no other argument.
        name: prefix of all names; the robot's name unless given.

    Returns:
        The files written: header, source, self-test, CMakeLists.txt.

    >>> import tempfile
    >>> from gearwright.mechanism import Body
    >>> arm = Mechanism([Body("upper", mass=2, com=(0.2, 0, 0))])
    >>> [path.name for path in export_c(arm, tempfile.mkdtemp(), name="arm")]
    ['arm.h', 'arm.c', 'arm_selftest.c', 'CMakeLists.txt']
    """
    mech = machine_of("export_c", robot)
    title = name or str(getattr(robot, "name", "machine"))
    prefix = package_name(title)
    made = [_function(mech, prefix, _public(function)) for function in functions]
    texts = {
        f"{prefix}.h": c_text.header(prefix, title, mech, made),
        f"{prefix}.c": c_text.source(prefix, made),
        f"{prefix}_selftest.c": c_text.self_test(prefix, made),
        "CMakeLists.txt": c_text.cmake(prefix),
    }
    return _written(Path(directory), texts)


def _public(function: str | Callable[..., Any]) -> str:
    name = function if isinstance(function, str) else getattr(function, "__name__", repr(function))
    plain = [key for key, program in programs.BY_NAME.items() if not program.options]
    if name not in plain:
        raise InputError(f"export_c: {name!r} cannot be exported. {did_you_mean(name, plain)}")
    return name


def _function(mech: Mechanism, prefix: str, public: str) -> CFunction:
    task = Recipe(public, mech).task()
    graph = traced(task)
    name, sizes, outputs = f"{prefix}_{public}", task.sizes(), len(graph.outputs)
    text = c_source(graph, name, sizes, outputs)
    return CFunction(name, public, sizes, outputs, text, graph.operations, _samples(mech, public, sizes))


def _samples(
    mech: Mechanism, public: str, sizes: dict[str, int]
) -> tuple[tuple[dict[str, list[float]], list[float]], ...]:
    """Random inputs and what the recursion itself, not the traced program, returns for them."""
    rng = np.random.default_rng(len(public))
    inputs = {name: rng.uniform(-1.5, 1.5, (STATES, size)) for name, size in sizes.items()}
    results = evaluate(programs.BY_NAME[public], mech, inputs, {}).reshape(STATES, -1)
    return tuple(({name: x[k].tolist() for name, x in inputs.items()}, results[k].tolist()) for k in range(STATES))


def _written(directory: Path, texts: dict[str, str]) -> list[Path]:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (directory / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"export_c: cannot write to {str(directory)!r}: {error}. Give a directory you may write to."
        ) from None
    return [directory / name for name in texts]
