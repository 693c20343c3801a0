"""Limits of the inputs of a run: forces clipped at the `effort` of joints, or a remark if a run exceeds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces import Law
from gearwright.mechanism import Mechanism
from gearwright.motion_demands.stated_limits import range_remarks, stated_limits
from gearwright.parts import Robot
from gearwright.simulation.fixed_step.inputs_and_checks import LIMIT_EXCESS_RATIO
from gearwright.simulation.run import Run
from gearwright.system.inputs import FORCE_INPUT_PREFIX


def input_limits(robot: Robot | Mechanism, mech: Mechanism, saturate: Any) -> dict[str, float]:
    """Per input the limit of its magnitude in the robot's data: `effort` of joints, largest torque of motors."""
    if not isinstance(saturate, bool):
        raise InputError(f"simulate: saturate={saturate!r} must be True or False.")
    if saturate and not isinstance(robot, Robot):
        raise InputError("simulate: saturate=True: a machine has no `effort` limits. Give the robot instead.")
    return stated_limits(robot, mech)


def input_bounds(names: tuple[str, ...], limits: Mapping[str, float]) -> Array:
    """The limits in the order of the inputs; infinite for inputs without one."""
    return np.array([limits.get(name, np.inf) for name in names])


def start_remarks(robot: Robot | Mechanism, mech: Mechanism, q: Array) -> Iterator[str]:
    """Remarks on joints that start beyond their limits."""
    if isinstance(robot, Robot):
        for remark in range_remarks(robot, mech, q, "the start"):
            yield f"{remark} A joint with stops rests against one and can only move back. Start within the limits."


def effort_remarks(run: Run, limits: Mapping[str, float], saturate: bool) -> Iterator[str]:
    """Remarks on inputs that exceed the limits of joints and motors, or were clipped there."""
    for name, limit in limits.items():
        if name not in run.series:
            continue
        sizes = np.abs(run.series[name])
        worst, time = float(sizes.max()), float(run.t[int(sizes.argmax())])
        limit_name = "effort of its joint" if name.startswith(FORCE_INPUT_PREFIX) else "largest torque of its motor"
        if saturate and worst >= limit * (1 - LIMIT_EXCESS_RATIO):
            yield f"{name} was clipped at {limit:g}, the {limit_name}, for example at t = {time:g} s."
        elif worst > limit * (1 + LIMIT_EXCESS_RATIO):
            yield (
                f"{name} is {worst:.6g} at t = {time:g} s, beyond {limit:g}, the {limit_name}. saturate=True clips it."
            )


def saturation_remarks(run: Run, laws: Sequence[Law]) -> Iterator[str]:
    """Remarks on inputs above the limits of the drive electronics, and on voltages at their limit.

    Voltage commands of motors with a terminal voltage have `voltage_remarks`, by the applied voltage.
    """
    for law in laws:
        input_names = {quantity.name for quantity in law.inputs}
        for name, limit in law.saturations.items():
            if _terminal_voltage_name(name) in run.series:
                continue
            sizes = np.abs(run.series.get(name, np.zeros(1)))
            beyond = (
                sizes > limit * (1 + LIMIT_EXCESS_RATIO)
                if name in input_names
                else sizes >= limit * (1 - LIMIT_EXCESS_RATIO)
            )
            if not beyond.any():
                continue
            worst, unit = int(sizes.argmax()), run.units.get(name, "")
            commanded_text = f"{run.series[name][worst]:.4g} {unit} were commanded, " if name in input_names else ""
            yield (
                f"{name} was at its limit in {float(beyond.mean()):.0%} of the samples, for example at t = "
                f"{run.t[worst]:g} s: {commanded_text}the limit of the electronics is {limit:.4g} {unit}."
            )


def _terminal_voltage_name(name: str) -> str:
    """The series of the voltage that is applied for a voltage command; "" for another input."""
    motor, _, word = name.rpartition(".")
    return f"{motor}.terminal_voltage" if word == "voltage" else ""


def voltage_remarks(run: Run) -> Iterator[str]:
    """Remarks on motors that received less than the commanded voltage, by a limit of the electronics or the supply."""
    for name in run.series:
        terminal_voltage = run.series.get(_terminal_voltage_name(name))
        if terminal_voltage is None:
            continue
        missing = np.abs(run.series[name] - terminal_voltage)
        worst = int(missing.argmax())
        if missing[worst] > LIMIT_EXCESS_RATIO * max(float(np.abs(run.series[name]).max()), 1.0):
            share = float((missing > LIMIT_EXCESS_RATIO).mean())
            yield (
                f"{name} was limited in {share:.0%} of the samples, most at t = {run.t[worst]:g} s: "
                f"{run.series[name][worst]:.4g} V were commanded, {terminal_voltage[worst]:.4g} V applied. A limit of "
                "the motor or of its supply is reached."
            )
