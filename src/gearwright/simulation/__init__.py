"""Marching a machine with its laws: integrators, events, modes, runs, fixed steps and batches."""

from gearwright.simulation.events import Event
from gearwright.simulation.rollout import Rollout, rollout
from gearwright.simulation.run import Run, RunEvent
from gearwright.simulation.simulate import simulate
from gearwright.system.controllers import Controller
from gearwright.system.signals import Signal, series, steps
from gearwright.system.state import State

__all__ = [
    "Controller",
    "Event",
    "Rollout",
    "Run",
    "RunEvent",
    "Signal",
    "State",
    "rollout",
    "series",
    "simulate",
    "steps",
]
