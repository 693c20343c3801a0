"""A simulation of a robot with its laws in a C package: the event engine and the model of the robot in one C file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.export.fmi.build import fixed_source
from gearwright.export.fmi.model_source import FmuModel
from gearwright.export.fmi.robot_model import robot_model
from gearwright.export.fmi.variables import fmu_variables
from gearwright.mechanism import RobotOrMech
from gearwright.simulation import IntegratorOptions, State, simulate
from gearwright.text import c_comment, c_identifiers, did_you_mean

SIMULATION_FUNCTION, SIMULATION_SETTINGS = "simulate", ("inputs", "state", "laws", "extra_laws")
SELF_TEST_DURATION, SELF_TEST_OPTIONS = 5e-3, IntegratorOptions(rtol=1e-10, atol=1e-12)
"""Duration of the simulated motion in the self-test [s], and the tolerances of its stored states."""

SIMULATION_NOTE = c_comment(
    "It loops and takes as many steps as accuracy and events require: it is not for the cycle of a controller."
)


@dataclass(frozen=True)
class CSimulation:
    """The simulation of a package.

    Args:
        prefix: prefix of its names.
        model: the robot with its laws.
    """

    prefix: str
    model: FmuModel

    @property
    def file_stem(self) -> str:
        """Name of header and source."""
        return f"{self.prefix}_simulation"

    @cached_property
    def variables(self) -> dict[str, int]:
        """The variables that have a value outside events, by their name in C, with their index."""
        known = [(k, x) for k, x in enumerate(fmu_variables(self.model)) if x.kind != "event"]
        words = [x.name.replace("der(", "rate.").removesuffix(")") for _, x in known]
        names = c_identifiers(words, reserved=["SIZE"], upper=True)
        return {f"{self.prefix.upper()}_VARIABLE_{name}": k for name, (k, _) in zip(names, known, strict=True)}

    @property
    def header_text(self) -> str:
        """Its header."""
        stem, guard = self.file_stem, f"{self.file_stem.upper()}_H"
        known = fmu_variables(self.model)
        entries = [
            f"  {name} = {k}, {c_comment(known[k].meaning + (f' [{known[k].unit}]' if known[k].unit else ''))}"
            for name, k in self.variables.items()
        ]
        return "\n".join(
            [
                c_comment(
                    f"{self.model.name} with its laws, simulated as by gearwright.simulate: events, modes, impacts."
                ),
                SIMULATION_NOTE,
                "",
                *(f"#ifndef {guard}", f"#define {guard}", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""),
                c_comment("Variables. Inputs and parameters can be set at any time, states before the first step."),
                *("enum {", *entries, f"  {self.prefix.upper()}_VARIABLE_SIZE = {len(entries)}", "};", ""),
                _DECLARATIONS.replace("SIMULATION", stem),
                *("#ifdef __cplusplus", "}", "#endif", "", "#endif", ""),
            ]
        )

    @property
    def source_text(self) -> str:
        """Its source: engine, model, and the functions of the header."""
        fixed = map(fixed_source, ("machine.h", "variables.h"))
        parts = [self.model.engine_header, self.model.model_header, *fixed]
        lines = [line for part in parts for line in part.splitlines() if not line.startswith('#include "')]
        include, functions = f'#include "{self.file_stem}.h"', _DEFINITIONS.replace("SIMULATION", self.file_stem)
        return "\n".join([include, "", *lines, "", functions])

    def self_test_text(self, call: str) -> str:
        """A function that simulates a short motion and compares the states with those of `simulate`."""
        stem, states = self.file_stem, self._states_of_simulate
        names = list(self.variables)[1 : 1 + len(states)]
        return "\n".join(
            [
                f"static int {call}(void)",
                *("{", "  int wrong, k;", f"  double out[{len(states)}];"),
                f"  static const int variables[{len(states)}] = {{{', '.join(names)}}};",
                f"  static const double expected[{len(states)}] = {{{', '.join(repr(float(x)) for x in states)}}};",
                f"  {stem} *simulation = {stem}_create(1e-11);",
                "  if (simulation == NULL) return 1;",
                f"  wrong = {stem}_advance(simulation, {SELF_TEST_DURATION!r});",
                f"  for (k = 0; k < {len(states)}; ++k) wrong += {stem}_get(simulation, variables[k], &out[k]);",
                f"  {stem}_free(simulation);",
                f'  return wrong + differ_in_double("{stem}", out, expected, {len(states)});',
                *("}", ""),
            ]
        )

    @cached_property
    def _states_of_simulate(self) -> Array:
        """Configuration and speeds after the short motion, without inputs."""
        system, start = self.model.open_model.system, self.model.start
        known = dict(zip(system.states, start[system.law_slice].tolist(), strict=False))
        state = State(start[system.q], start[system.v], known)
        run = simulate(
            system.mech, state, SELF_TEST_DURATION, laws=system.laws, samples=2, integrator=SELF_TEST_OPTIONS
        )
        return np.array([run[name][-1] for name in self.model.open_model.states[: system.mech.nq + system.mech.n]])


def c_simulation(
    caller: str, prefix: str, robot: RobotOrMech, settings: Mapping[str, Any], parameters: Sequence[str]
) -> CSimulation:
    """The simulation of a robot; `settings` are those of `fmu`: inputs, state, laws, extra_laws."""
    for name in settings:
        if name not in SIMULATION_SETTINGS:
            raise InputError(
                f"{caller}: {SIMULATION_FUNCTION!r} has no {name!r}. {did_you_mean(name, SIMULATION_SETTINGS)}"
            )
    laws = (settings.get("laws"), settings.get("extra_laws", ()))
    model = robot_model(caller, robot, settings.get("inputs", "torque"), parameters, settings.get("state"), laws)
    return CSimulation(prefix, model)


_DECLARATIONS = """typedef struct SIMULATION SIMULATION;

/* A simulation at the initial state of the robot, with a relative tolerance (1e-9 for 0); NULL without memory. */
SIMULATION *SIMULATION_create(double tolerance);
void SIMULATION_free(SIMULATION *simulation);

/* The functions below return 0, or 1 with a reason in SIMULATION_error. */
int SIMULATION_set(SIMULATION *simulation, int variable, double value);
int SIMULATION_get(SIMULATION *simulation, int variable, double *value);

/* Simulate a duration [s] with constant inputs. */
int SIMULATION_advance(SIMULATION *simulation, double duration);

/* The derivative of a state, rate or output by a state, input or parameter, in the current modes. */
int SIMULATION_derivative(SIMULATION *simulation, int of, int by, double *value);

const char *SIMULATION_error(const SIMULATION *simulation);
"""

_DEFINITIONS = """struct SIMULATION {
  Model model;
};

SIMULATION *SIMULATION_create(double tolerance)
{
  SIMULATION *simulation = (SIMULATION *)calloc(1, sizeof *simulation);
  if (simulation == NULL) return NULL;
  reset(&simulation->model);
  set_tolerance(&simulation->model, tolerance);
  return simulation;
}

void SIMULATION_free(SIMULATION *simulation) { free(simulation); }

int SIMULATION_set(SIMULATION *simulation, int variable, double value)
{
  simulation->model.trouble = NULL;
  return !set_variable(&simulation->model, (unsigned)variable, value);
}

int SIMULATION_get(SIMULATION *simulation, int variable, double *value)
{
  return !get_variable(&simulation->model, (unsigned)variable, value);
}

int SIMULATION_advance(SIMULATION *simulation, double duration)
{
  Model *model = &simulation->model;
  if (model->initial && !begun(model)) return 1;
  return !marched(model, model->now.t + duration);
}

int SIMULATION_derivative(SIMULATION *simulation, int of, int by, double *value)
{
  const unsigned unknown = (unsigned)of, variable = (unsigned)by;
  const double seed = 1.0;
  Model *model = &simulation->model;
  if (model->initial && !begun(model)) return 1;
  return !directional(model, &unknown, 1, &variable, 1, &seed, value);
}

const char *SIMULATION_error(const SIMULATION *simulation) { return simulation->model.trouble; }
"""
