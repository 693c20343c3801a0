"""Gearwright: the complete dynamics of geared robots.

A robot consists of links and *spins*: every rotor, gear, sun, planet set or pulley is an axisymmetric wheel carried by
a link, whose spin rate is linear in the generalised speeds. `load` or write a robot, and call functions.

The most common functions are here; the others are in namespaces: `parts` (parts of a robot), `forces` (force laws),
`contact` (constraints, contacts), `motion` (trajectories), `planning` (inverse kinematics, Cartesian paths), `control`
(controllers, observers), `actuation` (actuators), `elastic` (elastic drives), `equations` (closed forms, other
formulations), `analysis` (comparisons, vibration, tasks), `design` (drives from a catalogue), `identification`
(parameters from measurements), `export` (other programs), `bench` (computing times).
"""

import sys as _sys
from typing import TYPE_CHECKING

from gearwright._version import __version__
from gearwright.names_on_demand import NamesOnDemand as _NamesOnDemand
from gearwright.notebook_display import show_robots_as_pictures as _show_robots_as_pictures

if TYPE_CHECKING:  # `NamesOnDemand` imports each when it is used
    from gearwright import (
        actuation,
        analysis,
        bench,
        contact,
        control,
        design,
        elastic,
        equations,
        export,
        forces,
        identification,
        motion,
        parts,
        planning,
    )
    from gearwright.analysis.task_analysis import analyse
    from gearwright.catalogue import load
    from gearwright.compiling.kernel import Kernel, compile
    from gearwright.design.parameter_sweep.sweep import sweep
    from gearwright.design.sizing.size_drives import size_drives
    from gearwright.equations import base_parameters, closed_form
    from gearwright.export.casadi_rates import casadi_rates
    from gearwright.export.torch_backend import torch_function
    from gearwright.export.urdf.urdf import save
    from gearwright.forces.laws_of_robot import laws
    from gearwright.functions.actuation import actuator_speeds, actuator_torques
    from gearwright.functions.constrained.closing import assemble
    from gearwright.functions.constrained.constrained_dynamics import constrained_dynamics, impact
    from gearwright.functions.dynamics import (
        bias,
        centre_of_mass,
        coriolis_matrix,
        difference,
        forward_dynamics,
        gravity,
        integrate,
        inverse_dynamics,
        jacobian,
        jacobian_rate,
        kinetic_energy,
        mass_matrix,
        momentum,
        neutral,
        parameter_names,
        parameters,
        placement,
        potential_energy,
        reactions,
        regressor,
    )
    from gearwright.functions.elastic.elastic_machines import motor_motion
    from gearwright.functions.energies import energies
    from gearwright.functions.linearise import linearise
    from gearwright.identification import identify
    from gearwright.mechanism import Actuator, Body, BodyFrame, Mechanism, Spin, Spring
    from gearwright.motion_demands.demands import demands
    from gearwright.planning import inverse_kinematics
    from gearwright.programs import approximate
    from gearwright.report.page import report
    from gearwright.simulation import Controller, Event, Run, State, rollout, simulate
    from gearwright.studio.open import studio
    from gearwright.tracing.casadi_backend import casadi_function
    from gearwright.tracing.jax_backend import jax_function

__all__ = [
    "Actuator",
    "Body",
    "BodyFrame",
    "Controller",
    "Event",
    "Kernel",
    "Mechanism",
    "Run",
    "Spin",
    "Spring",
    "State",
    "__version__",
    "actuation",
    "actuator_speeds",
    "actuator_torques",
    "analyse",
    "analysis",
    "approximate",
    "assemble",
    "base_parameters",
    "bench",
    "bias",
    "casadi_function",
    "casadi_rates",
    "centre_of_mass",
    "closed_form",
    "compile",
    "constrained_dynamics",
    "contact",
    "control",
    "coriolis_matrix",
    "demands",
    "design",
    "difference",
    "elastic",
    "energies",
    "equations",
    "export",
    "forces",
    "forward_dynamics",
    "gravity",
    "identification",
    "identify",
    "impact",
    "integrate",
    "inverse_dynamics",
    "inverse_kinematics",
    "jacobian",
    "jacobian_rate",
    "jax_function",
    "kinetic_energy",
    "laws",
    "linearise",
    "load",
    "mass_matrix",
    "momentum",
    "motion",
    "motor_motion",
    "neutral",
    "parameter_names",
    "parameters",
    "parts",
    "placement",
    "planning",
    "potential_energy",
    "reactions",
    "regressor",
    "report",
    "rollout",
    "save",
    "simulate",
    "size_drives",
    "studio",
    "sweep",
    "torch_function",
]

_sys.modules[__name__].__class__ = _NamesOnDemand
_show_robots_as_pictures()
