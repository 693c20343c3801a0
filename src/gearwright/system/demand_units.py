"""The units of what a motion demands."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.mechanism import Mechanism
from gearwright.mechanism.units import force_unit, speed_unit
from gearwright.system.asked_actuators import Asked
from gearwright.system.signals import TAU
from gearwright.system.system import System

OF_A_MOTOR = {"torque": "Nm", "speed": "rad/s", "power": "W", "heat": "W"}
"""What an inverse adds to the inputs and states of a motor."""


def demand_units(mech: Mechanism, system: System, asked: Sequence[Asked]) -> dict[str, str]:
    """Units of the series, by name."""
    places = {f"q.{name}": speed_unit(mech, name) for name in mech.shafts}
    speeds = {f"v.{name}": f"{speed_unit(mech, name)}/s" for name in mech.shafts}
    forces = {TAU + name: force_unit(mech, name) for name in mech.speeds}
    states = {state.name: state.unit for state in system.states.values()}
    given = [x for one in asked for x in (*one.actuator.inputs, *one.actuator.states)]
    signals = [x for law in system.laws for x in law.signals]
    motors = {f"{one.actuator.port}.{word}": unit for one in asked for word, unit in OF_A_MOTOR.items()}
    return {**places, **speeds, **forces, **states, **motors, **{x.name: x.unit for x in (*given, *signals)}}
