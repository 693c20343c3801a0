"""A program over the samples of a motion as a WebAssembly module, for pages that compute without a server.

Its C source is compiled by the Zig compiler of the extra `web`. Functions of the mathematical library are imported from
JavaScript's `Math`.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from gearwright.algebra import Scalar
from gearwright.arrays import Array
from gearwright.errors import CompilationError, MissingExtraError
from gearwright.mechanism import Mechanism, tree_of
from gearwright.parts import Robot
from gearwright.programs.program import Program
from gearwright.tracing.c_source import C_PRECISIONS, c_source
from gearwright.tracing.parameters import machine_with_values
from gearwright.tracing.recipe import free_parameters
from gearwright.tracing.trace import TraceJob, trace_graph

DOUBLE = C_PRECISIONS["double"]
ONE_ARGUMENT = "sin cos tan asin acos atan sinh cosh tanh exp log sqrt fabs floor ceil"
TWO_ARGUMENTS = "atan2 pow fmin fmax fmod"
PROTOTYPES = "\n".join(
    [f"double {name}(double);" for name in ONE_ARGUMENT.split()]
    + [f"double {name}(double, double);" for name in TWO_ARGUMENTS.split()]
)
"""Declarations of the mathematical functions: the target has no library of C."""
COMPILER_OPTIONS = ("-target", "wasm32-freestanding", "-std=c99", "-O2", "-ffp-contract=off", "-fno-builtin")
EXPORTS = ("evaluate", "parameters", "results")
SAMPLE_FUNCTION = "sample"


def web_module(
    robot: Robot,
    program: Program,
    parameters: Sequence[str],
    rows: Mapping[str, Array],
    powers: Mapping[str, int],
) -> bytes:
    """Return a WebAssembly module that evaluates a program at all samples of its inputs.

    It exports `memory`, the addresses `parameters` (doubles, (P,)) and `results` (doubles, (T, entries)), and the
    function `evaluate(pace)`, in which every input is multiplied by the pace to its power: 1 for speeds, 2 for
    accelerations of a motion that is `pace` times faster. Imports: functions of `Math`, as module `env`.

    Args:
        robot: the robot.
        program: the program of its machine.
        parameters: paths of parameters that are inputs.
        rows: input -> its samples, (T, size).
        powers: input -> power of the pace; 0 by default.
    """
    return compile_webassembly(web_source(robot, program, parameters, rows, powers))


def web_source(
    robot: Robot,
    program: Program,
    parameters: Sequence[str],
    rows: Mapping[str, Array],
    powers: Mapping[str, int],
) -> str:
    """Return the C source of `web_module`."""
    mech, paths = tree_of("web_module", robot), free_parameters("web_module", robot, parameters)
    machine = partial(_machine_with, robot, paths) if paths else None
    job = TraceJob(program, mech, {}, machine, len(paths))
    graph, sizes = trace_graph(job), job.input_sizes()
    count, entries = len(next(iter(rows.values()))), len(graph.outputs)
    function = c_source(graph, SAMPLE_FUNCTION, sizes, entries).replace("#include <math.h>", PROTOTYPES, 1)
    lines = [function, f"double parameters[{max(1, len(paths))}];", f"double results[{count * entries}];"]
    calls, scaled = [], []
    for name, size in sizes.items():
        if name not in rows:
            calls.append("parameters")
            continue
        values = np.asarray(rows[name], dtype=float).ravel()
        lines.append(f"static const double stored_{name}[{values.size}] = {{{_constants_text(values)}}};")
        lines.append(f"static double scaled_{name}[{size}];")
        factor = " * pace" * powers.get(name, 0)
        scaled.append(f"    for (int i = 0; i < {size}; i++) scaled_{name}[i] = stored_{name}[k * {size} + i]{factor};")
        calls.append(f"scaled_{name}")
    lines += ["void evaluate(double pace) {", f"  for (int k = 0; k < {count}; k++) {{", *scaled]
    lines += [f"    {SAMPLE_FUNCTION}({', '.join(calls)}, results + k * {entries});", "  }", "  (void)pace;", "}", ""]
    return "\n".join(lines)


def _machine_with(robot: Robot, paths: Sequence[str], values: Sequence[Scalar]) -> Mechanism:
    return machine_with_values(robot, dict(zip(paths, values, strict=True)))


def _constants_text(values: Array) -> str:
    return ", ".join(DOUBLE.constant_text(float(x)) for x in values)


def compile_webassembly(source: str) -> bytes:
    """Return a C source compiled to a WebAssembly module without imports but mathematical functions."""
    zig = zig_compiler()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "module.c").write_text(source, encoding="utf-8")
        caches = {"ZIG_GLOBAL_CACHE_DIR": folder, "ZIG_LOCAL_CACHE_DIR": folder}
        exported = [f"--export={name}" for name in EXPORTS]
        for command in (
            ["cc", *COMPILER_OPTIONS, "-c", "module.c", "-o", "module.o"],
            ["wasm-ld", "--no-entry", "--allow-undefined", *exported, "module.o", "-o", "module.wasm"],
        ):
            done = subprocess.run(
                [str(zig), *command], cwd=folder, env=caches, capture_output=True, text=True, check=False
            )
            if done.returncode:
                first = next(iter(done.stderr.strip().splitlines()), "no message")
                raise CompilationError(f"web_module: Zig cannot compile the module: {first}")
        return Path(folder, "module.wasm").read_bytes()


def zig_compiler() -> Path:
    """Return the path of the Zig compiler of the extra `web`."""
    try:
        import ziglang
    except ImportError as error:
        raise MissingExtraError(
            "web_module needs the Zig compiler: pip install 'gearwright[web]'. Reports without it have no sliders."
        ) from error
    folder = Path(str(ziglang.__file__)).parent
    return next(path for path in (folder / "zig", folder / "zig.exe") if path.exists())
