"""Simulation: states, modes, integrators, events and runs."""

from gearwright.simulation.controllers import Controller, sampled
from gearwright.simulation.run import Happening, Run
from gearwright.simulation.signals import Signal, series, steps
from gearwright.simulation.simulate import simulate
from gearwright.simulation.simulation import Event
from gearwright.simulation.state import State

__all__ = ["Controller", "Event", "Happening", "Run", "Signal", "State", "sampled", "series", "simulate", "steps"]
