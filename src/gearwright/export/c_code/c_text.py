"""The files of a C package as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gearwright._version import __version__
from gearwright.export.c_code.c_functions import TracedFunction
from gearwright.export.c_code.c_simulation import CSimulation
from gearwright.mechanism import Mechanism
from gearwright.text import c_comment, c_identifiers
from gearwright.tracing.c_source import C_PRECISIONS, RealType, function_declaration
from gearwright.tracing.trace import PARAMETERS_INPUT

C_FILE_NOTE = c_comment(
    f"Written by Gearwright {__version__}. SI units, radians; forces and speeds are those at the gear output."
)
C_TIMING_NOTE = c_comment(
    "No function allocates memory, loops or has a state: the stated operations are the worst case of every call."
)
NONBLOCKING = "GEARWRIGHT_NONBLOCKING"
NONBLOCKING_LINES = (
    f"#ifndef {NONBLOCKING}",
    "#if defined(__clang__) && __clang_major__ >= 20",
    f"#define {NONBLOCKING} __attribute__((nonblocking)) {c_comment('for -Wfunction-effects, -fsanitize=realtime')}",
    "#else",
    f"#define {NONBLOCKING}",
    "#endif",
    "#endif",
    "",
)
FUNCTION_MEANINGS = {
    "inverse_dynamics": "Generalized forces out for the motion q, v, a.",
    "forward_dynamics": "Accelerations out for the forces tau at q, v.",
    "mass_matrix": "Mass matrix out (row by row) at q.",
    "bias": "Forces out that keep the speeds v at q: velocity forces, gravity, springs and dampers.",
    "gravity": "Forces out that hold the machine against gravity at q.",
    "jacobian": "Jacobian out (row by row): velocity of the point, then angular velocity, world axes.",
    "placement": "Rotation (row by row) and position out, world axes.",
    "regressor": "Regressor out (row by row): forces are regressor times parameters.",
    "rates": "Rates out of the states x for the inputs u, with the laws of the robot.",
}
SELF_TEST_TOLERANCE = {"double": 1e-10, "float": 1e-4}
"""Tolerance of the self-test relative to the largest entry, for different rounding of compilers and processors."""


@dataclass(frozen=True)
class CPackage:
    """Contents of a package: names, machine, functions, parameters with the robot's values, number type, simulation."""

    prefix: str
    title: str
    mech: Mechanism
    functions: tuple[TracedFunction, ...]
    parameters: Mapping[str, float]
    real: RealType
    simulation: CSimulation | None = None

    @property
    def nominal_name(self) -> str:
        """Name of the array of parameter values, different from all functions."""
        function_names = [function.name for function in self.functions]
        return c_identifiers([f"{self.prefix}_nominal_parameters"], reserved=function_names)[0]


def header_text(package: CPackage) -> str:
    """Return the header: declarations, and enumerations of coordinates, speeds and inputs with names in comments."""
    prefix = package.prefix
    guard = f"{prefix.upper()}_H"
    lines = [C_FILE_NOTE, c_comment(f"{prefix}: {package.title}"), C_TIMING_NOTE, ""]
    lines += [f"#ifndef {guard}", f"#define {guard}", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    lines += NONBLOCKING_LINES
    lines += _enumeration_lines(prefix, "Q", "Coordinates: entries of q.", package.mech.coordinates)
    lines += _enumeration_lines(prefix, "V", "Speeds: entries of v, a and tau.", package.mech.speeds)
    for letter, (argument, names) in _other_entries(package).items():
        lines += _enumeration_lines(prefix, letter, f"Entries of {argument}.", names)
    if package.parameters:
        lines += [c_comment("Parameter values of the robot.")]
        lines += [f"extern const {package.real.name} {package.nominal_name}[{len(package.parameters)}];", ""]
    for function in package.functions:
        declaration = f"{_declaration_text(function, package.real)} {NONBLOCKING};"
        lines += [*_function_comments(function, package.real), declaration, ""]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", "#endif", ""]
    return "\n".join(lines)


def _other_entries(package: CPackage) -> dict[str, tuple[str, Sequence[str]]]:
    """Return, per letter of an enumeration, the argument and the names of its entries, except q and v."""
    known_entries = (package.mech.coordinates, package.mech.speeds)
    enumerations: dict[str, tuple[str, Sequence[str]]] = {}
    if package.parameters:
        enumerations["P"] = (PARAMETERS_INPUT, tuple(package.parameters))
    for function in package.functions:
        program, mech = function.job.program, function.job.mech
        for name in program.inputs:
            names = program.entry_names(mech, name)
            if name != PARAMETERS_INPUT and names not in known_entries and len(name) == 1 and not names[0].isdigit():
                enumerations.setdefault(name.upper(), (name, names))
    return enumerations


def _function_comments(function: TracedFunction, real: RealType) -> Iterator[str]:
    counts = function.operation_count
    meaning = FUNCTION_MEANINGS.get(function.request.public_name, f"As gearwright.{function.request.public_name}.")
    if function.controller_notes:
        meaning = "Outputs of a controller for measured q, v and references."
    if function.job.wrt:
        meaning = f"Derivative (row by row) of {function.request.public_name} by {', '.join(function.job.wrt)}."
    sizes = ", ".join(f"{name}[{size}]" for name, size in function.c_arguments.items())
    results = {name: " x ".join(map(str, shape)) or "1" for name, shape in function.job.result_shapes().items()}
    shapes = ", then ".join(f"{name} {shape}" if len(results) > 1 else shape for name, shape in results.items())
    yield c_comment(f"{meaning} {sizes} -> out[{len(function.graph.outputs)}] ({shapes}).")
    yield c_comment(
        f"{counts.arithmetic_count} additions, multiplications and divisions, {counts.sincos} sines with cosines, "
        f"{counts.negations + counts.other} others. out must not overlap an input."
    )
    if real.name == "float":
        error = function.float_error
        yield c_comment(
            f"Error against double relative to the largest entry of out: at most {error.largest:.1e}, {error.mean:.1e} "
            f"on average, at {error.states} random states within the limits of the robot."
        )
    yield from (c_comment(note) for note in function.controller_notes)


def _declaration_text(function: TracedFunction, real: RealType) -> str:
    return function_declaration(function.name, list(function.c_arguments), real)


def _enumeration_lines(prefix: str, letter: str, meaning: str, names: Sequence[str]) -> list[str]:
    start = f"{prefix.upper()}_{letter}"
    short = c_identifiers(names, reserved=["SIZE"], upper=True)  # SIZE is the number of entries
    entries = [f"  {start}_{short[k]} = {k}, {c_comment(name)}" for k, name in enumerate(names)]
    return [c_comment(meaning), "enum {", *entries, f"  {start}_SIZE = {len(names)}", "};", ""]


def source_text(package: CPackage) -> str:
    """Return the source with all functions."""
    bodies = [
        function.source_text(package.real).replace("#include <math.h>\n\n", "", 1) for function in package.functions
    ]
    lines = [C_FILE_NOTE, f'#include "{package.prefix}.h"', "", "#include <math.h>", ""]
    if package.parameters:
        values = list(package.parameters.values())
        lines += [_array_text(package.nominal_name, values, package.real, "const"), ""]
    return "\n".join([*lines, *bodies])


def self_test_text(package: CPackage) -> str:
    """Return a program that compares the functions with stored values and fails if any differ."""
    prefix, real, simulation = package.prefix, package.real, package.simulation
    headers = [prefix, *([simulation.file_stem] if simulation else [])]
    lines = [
        C_FILE_NOTE,
        *(f'#include "{name}.h"' for name in headers),
        "",
        "#include <math.h>",
        "#include <stdio.h>",
        "",
    ]
    if package.functions:
        lines.append(_comparison_function("differ", real))
    for number, f in enumerate(package.functions):
        size = len(f.graph.outputs)
        lines += [f"static int test_{number}(void)", "{", "  int wrong = 0;", f"  {real.name} out[{size}];"]
        for k, (inputs, expected) in enumerate(f.samples):
            values = zip(f.c_arguments, inputs.values(), strict=True)
            lines += ["  " + _array_text(f"{name}_{k}", each, real, "static const") for name, each in values]
            lines += ["  " + _array_text(f"expected_{k}", expected, real, "static const")]
        for k in range(len(f.samples)):
            arguments = ", ".join([*(f"{name}_{k}" for name in f.c_arguments), "out"])
            lines += [f"  {f.name}({arguments});", f'  wrong += differ("{f.name}", out, expected_{k}, {size});']
        lines += ["  return wrong;", "}", ""]
    calls = [f"  wrong += test_{number}();" for number in range(len(package.functions))]
    if simulation is not None:
        lines += [_comparison_function("differ_in_double", C_PRECISIONS["double"])]
        lines += [simulation.self_test_text("test_simulation")]
        calls.append("  wrong += test_simulation();")
    lines += ["int main(void)", "{", "  int wrong = 0;", *calls]
    lines += [f'  printf("{prefix}: %d values differ\\n", wrong);', "  return wrong != 0;", "}", ""]
    return "\n".join(lines)


def _comparison_function(name: str, real: RealType) -> str:
    kind, size = real.name, f"fabs{real.ending}"
    return f"""static int {name}(const char *name, const {kind} *found, const {kind} *expected, int size)
{{
  int k, wrong = 0;
  {kind} scale = {real.constant_text(1e-9)};
  for (k = 0; k < size; ++k)
    if ({size}(expected[k]) > scale)
      scale = {size}(expected[k]);
  for (k = 0; k < size; ++k)
    if (!({size}(found[k] - expected[k]) <= {real.constant_text(SELF_TEST_TOLERANCE[kind])} * scale)) {{
      printf("%s[%d]: %.17g, expected %.17g\\n", name, k, (double)found[k], (double)expected[k]);
      ++wrong;
    }}
  return wrong;
}}
"""


def _array_text(name: str, values: Sequence[float], real: RealType, kind: str) -> str:
    return f"{kind} {real.name} {name}[{len(values)}] = {{{', '.join(real.constant_text(x) for x in values)}}};"


def cmake_text(package: CPackage) -> str:
    """Return the CMake file of a library and its self-test."""
    prefix, simulation = package.prefix, package.simulation
    sources = f"{prefix}.c" if simulation is None else f"{prefix}.c {simulation.file_stem}.c"
    return f"""cmake_minimum_required(VERSION 3.10)
project({prefix} C)

set(CMAKE_C_STANDARD 99)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library({prefix} {sources})
target_include_directories({prefix} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
if(UNIX)
  target_link_libraries({prefix} PUBLIC m)
endif()

enable_testing()
add_executable({prefix}_selftest {prefix}_selftest.c)
target_link_libraries({prefix}_selftest {prefix})
add_test(NAME {prefix}_selftest COMMAND {prefix}_selftest)
"""
