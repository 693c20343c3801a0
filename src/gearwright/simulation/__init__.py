"""Simulation of a machine with its laws: `simulate`, integrators, events, modes, runs, fixed steps and batches."""

from gearwright.simulation.events import Event
from gearwright.simulation.fixed_step.batch_motion import BatchMotion
from gearwright.simulation.fixed_step.rollout import Rollout, RolloutOptions, rollout
from gearwright.simulation.integrators.integrator_options import IntegratorOptions
from gearwright.simulation.run import Run, RunEvent
from gearwright.simulation.simulate import simulate
from gearwright.system import Controller
from gearwright.system.inputs import Signal, series, steps
from gearwright.system.state import State

__all__ = [
    "BatchMotion",
    "Controller",
    "Event",
    "IntegratorOptions",
    "Rollout",
    "RolloutOptions",
    "Run",
    "RunEvent",
    "Signal",
    "State",
    "rollout",
    "series",
    "simulate",
    "steps",
]
