"""A robot as a C99 package for its controller: header, source, a CMake file and a self-test with stored values.

Its name is that of its files and of its CMake target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.export.c_code import c_text
from gearwright.export.c_code.c_functions import C_EXPORT_CALLER, CFunction, read_function, traced_functions
from gearwright.export.c_code.c_simulation import SIMULATION_FUNCTION, CSimulation, c_simulation
from gearwright.file_access import create_folder, write_files
from gearwright.mechanism import RobotOrMech
from gearwright.programs import machine_of
from gearwright.programs.program import Program
from gearwright.system import Controller
from gearwright.text import c_identifier, did_you_mean
from gearwright.tracing.c_source import C_PRECISIONS
from gearwright.tracing.parameters import nominal_value
from gearwright.tracing.recipe import free_parameters

_C_HEADERS = "assert complex ctype errno fenv float limits locale math setjmp signal stdio stdlib string tgmath time"
_CMAKE_TARGETS = "all clean edit_cache help install package package_source preinstall rebuild_cache test"
_WINDOWS_DEVICES = "aux con nul prn"
RESERVED_PACKAGE_NAMES = frozenset(f"{_C_HEADERS} {_CMAKE_TARGETS} {_WINDOWS_DEVICES}".split(" "))
"""Headers of C, targets of CMake, devices of Windows: a package with one of these names would not build."""


def package_name(name: str) -> str:
    """A name as that of header, source and CMake target.

    >>> package_name("test"), package_name("math"), package_name("elbow")
    ('test_', 'math_', 'elbow')
    """
    plain = c_identifier(name)
    return f"{plain}_" if plain.lower() in RESERVED_PACKAGE_NAMES else plain


DEFAULT_C_FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias", "gravity")


@check_arguments
def c(
    robot: RobotOrMech,
    directory: str | Path,
    functions: str | Sequence[str | Callable[..., Any] | Program | Controller | CFunction] = DEFAULT_C_FUNCTIONS,
    parameters: str | Sequence[str] = (),
    precision: str = "double",
    name: str | None = None,
) -> list[Path]:
    """Write a C99 package for a controller: no allocation, no loops, only the math library.

    Every function is straight-line code with the parameters of the robot as constants, so a call always takes the same
    operations, whose count is in the header. Only "simulate", a model of the plant, is not for the cycle of a
    controller: it integrates the robot with its laws by the event engine of `simulate`, in double, and has files of its
    own.

    Args:
        robot: the robot or machine.
        directory: output folder; created if it does not exist.
        functions: public functions or their names; with a body as "jacobian:tool" or `CFunction("jacobian", {"body":
            "tool", "point": (0, 0, 0.1)})`; "rates" for x' = f(x, u) with the laws of the robot; "simulate" for its
            simulation, `CFunction("simulate", {"inputs": "voltage"})` with the `inputs`, `state`, `laws` and
            `extra_laws` of `fmu`; derivatives as
            `CFunction("inverse_dynamics", by=("q", "v"))`; controllers of `gw.control` and `gw.Controller` over
            scalars, whose states are arguments and whose next states follow the outputs; any `Program`.
        parameters: paths of parameters that remain inputs, such as "payload.mass": the last argument of every function.
        precision: "double" or "float".
        name: prefix of all names; by default the robot's name.

    Returns:
        The files written: header, source, self-test, CMakeLists.txt; with "simulate" its header and source.

    >>> import tempfile
    >>> from gearwright.mechanism import Body, Mechanism
    >>> arm = Mechanism([Body("upper", mass=2, com=(0.2, 0, 0))])
    >>> [path.name for path in c(arm, tempfile.mkdtemp(), ["gravity", "jacobian:upper"], name="arm")]
    ['arm.h', 'arm.c', 'arm_selftest.c', 'CMakeLists.txt']
    """
    if precision not in C_PRECISIONS:
        raise InputError(
            f"{C_EXPORT_CALLER}: precision={precision!r} is unknown. {did_you_mean(precision, C_PRECISIONS)}"
        )
    mech, paths = machine_of(C_EXPORT_CALLER, robot, "names"), free_parameters(C_EXPORT_CALLER, robot, parameters)
    title = name or str(getattr(robot, "name", "machine"))
    requested = [read_function(each) for each in ([functions] if isinstance(functions, str) else functions)]
    prefix = package_name(title)
    simulation = _requested_simulation(prefix, robot, requested, paths)
    traced = [each for each in requested if each.public_name != SIMULATION_FUNCTION or simulation is None]
    package = c_text.CPackage(
        prefix,
        title,
        mech,
        tuple(traced_functions(prefix, robot, traced, paths)) if traced or simulation is None else (),
        {path: nominal_value(robot, path) for path in paths},
        C_PRECISIONS[precision],
        simulation,
    )
    texts = {
        f"{prefix}.h": c_text.header_text(package),
        f"{prefix}.c": c_text.source_text(package),
        f"{prefix}_selftest.c": c_text.self_test_text(package),
        "CMakeLists.txt": c_text.cmake_text(package),
    }
    if simulation is not None:
        texts |= {
            f"{simulation.file_stem}.h": simulation.header_text,
            f"{simulation.file_stem}.c": simulation.source_text,
        }
    return _write_package(Path(directory), texts)


def _requested_simulation(
    prefix: str, robot: RobotOrMech, requested: Sequence[CFunction], parameters: Sequence[str]
) -> CSimulation | None:
    settings = [each.fixed for each in requested if each.public_name == SIMULATION_FUNCTION]
    if not settings:
        return None
    if len(settings) > 1:
        raise InputError(
            f"{C_EXPORT_CALLER}: functions= has {SIMULATION_FUNCTION!r} {len(settings)} times. A package has one "
            "simulation: name it once."
        )
    return c_simulation(C_EXPORT_CALLER, prefix, robot, settings[0], parameters)


def _write_package(directory: Path, texts: dict[str, str]) -> list[Path]:
    contents = {directory / name: text for name, text in texts.items()}
    create_folder(directory)
    write_files(contents)
    return list(contents)
