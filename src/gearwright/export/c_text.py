"""The files of a C package as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gearwright._version import __version__
from gearwright.mechanism import Mechanism
from gearwright.text import c_comment, c_identifiers

if TYPE_CHECKING:
    from gearwright.export.c_package import CFunction

NOTE = c_comment(
    f"Written by Gearwright {__version__}. SI units, radians; forces and speeds are those at the gear output."
)

MEANING = {
    "inverse_dynamics": "Generalized forces out for the motion q, v, a.",
    "forward_dynamics": "Accelerations out for the forces tau at q, v.",
    "mass_matrix": "Mass matrix out (row by row) at q.",
    "bias": "Forces out that keep the speeds v at q: velocity forces, gravity, springs and dampers.",
    "gravity": "Forces out that hold the machine against gravity at q.",
}


def header(prefix: str, title: str, mech: Mechanism, functions: Sequence[CFunction]) -> str:
    """The declarations, and an enumeration of coordinates and speeds with their own names beside them."""
    guard = f"{prefix.upper()}_H"
    lines = [NOTE, c_comment(f"{prefix}: {title}"), ""]
    lines += [f"#ifndef {guard}", f"#define {guard}", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    lines += _enumeration(prefix, "Q", "Coordinates: entries of q.", mech.coordinates)
    lines += _enumeration(prefix, "V", "Speeds: entries of v, a and tau.", mech.speeds)
    for f in functions:
        sizes = ", ".join(f"{name}[{size}]" for name, size in f.inputs.items())
        meaning = MEANING.get(f.public, f"As gearwright.{f.public}.")
        count = f"{f.operations.arithmetic} operations, {f.operations.sincos} angles"
        lines += [c_comment(f"{meaning} {sizes} -> out[{f.outputs}]; {count}. out must not overlap an input.")]
        arguments = ", ".join([*(f"const double *{name}" for name in f.inputs), "double *out"])
        lines += [f"void {f.name}({arguments});", ""]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", "#endif", ""]
    return "\n".join(lines)


def _enumeration(prefix: str, letter: str, meaning: str, names: Sequence[str]) -> list[str]:
    start = f"{prefix.upper()}_{letter}"
    short = c_identifiers(names, taken=["SIZE"], upper=True)  # SIZE is the number of entries
    entries = [f"  {start}_{short[k]} = {k}, {c_comment(name)}" for k, name in enumerate(names)]
    return [c_comment(meaning), "enum {", *entries, f"  {start}_SIZE = {len(names)}", "};", ""]


def source(prefix: str, functions: Sequence[CFunction]) -> str:
    """All functions in one file."""
    bodies = [f.text.replace("#include <math.h>\n\n", "", 1) for f in functions]
    return "\n".join([NOTE, f'#include "{prefix}.h"', "", "#include <math.h>", "", *bodies])


def self_test(prefix: str, functions: Sequence[CFunction]) -> str:
    """A program that compares the functions with stored values and returns how many differ."""
    lines = [NOTE, f'#include "{prefix}.h"', "", "#include <math.h>", "#include <stdio.h>", "", _COMPARE]
    for f in functions:
        lines += [f"static int test_{f.public}(void)", "{", "  int wrong = 0;", f"  double out[{f.outputs}];"]
        for k, (inputs, expected) in enumerate(f.samples):
            lines += [_array(f"{name}{k}", values) for name, values in inputs.items()]
            lines += [_array(f"expected{k}", expected)]
        for k in range(len(f.samples)):
            arguments = ", ".join([*(f"{name}{k}" for name in f.inputs), "out"])
            lines += [f"  {f.name}({arguments});", f'  wrong += differ("{f.name}", out, expected{k}, {f.outputs});']
        lines += ["  return wrong;", "}", ""]
    calls = [f"  wrong += test_{f.public}();" for f in functions]
    lines += ["int main(void)", "{", "  int wrong = 0;", *calls]
    lines += [f'  printf("{prefix}: %d values differ\\n", wrong);', "  return wrong != 0;", "}", ""]
    return "\n".join(lines)


_COMPARE = """static int differ(const char *name, const double *found, const double *expected, int size)
{
  int k, wrong = 0;
  double scale = 1e-9;
  for (k = 0; k < size; ++k)
    if (fabs(expected[k]) > scale)
      scale = fabs(expected[k]);
  for (k = 0; k < size; ++k)
    if (!(fabs(found[k] - expected[k]) <= 1e-10 * scale)) {
      printf("%s[%d]: %.17g, expected %.17g\\n", name, k, found[k], expected[k]);
      ++wrong;
    }
  return wrong;
}
"""


def _array(name: str, values: Sequence[float]) -> str:
    return f"  static const double {name}[{len(values)}] = {{{', '.join(repr(x) for x in values)}}};"


def cmake(prefix: str) -> str:
    """A library and its self-test."""
    return f"""cmake_minimum_required(VERSION 3.10)
project({prefix} C)

set(CMAKE_C_STANDARD 99)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library({prefix} {prefix}.c)
target_include_directories({prefix} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
if(UNIX)
  target_link_libraries({prefix} PUBLIC m)
endif()

enable_testing()
add_executable({prefix}_selftest {prefix}_selftest.c)
target_link_libraries({prefix}_selftest {prefix})
add_test(NAME {prefix}_selftest COMMAND {prefix}_selftest)
"""
