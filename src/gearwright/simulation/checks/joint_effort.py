"""What the joints of a robot can bear: forces cut at their `effort`, or a remark where a run goes beyond it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.law import Law
from gearwright.mechanism import Mechanism
from gearwright.motion_demands.stated_limits import beyond_ranges, stated_limits
from gearwright.parts import Robot
from gearwright.simulation.run import Run
from gearwright.system.inputs import TAU

FAR_BEYOND = 1e-6
"""Share of a limit by which a force may exceed it without a word."""


def largest_inputs(robot: Robot | Mechanism, mech: Mechanism, saturate: Any) -> dict[str, float]:
    """Per input the largest magnitude that parts state: `effort` of joints, the largest torque of motors."""
    if not isinstance(saturate, bool):
        raise InputError(f"simulate: saturate={saturate!r} must be True or False.")
    if saturate and not isinstance(robot, Robot):
        raise InputError("simulate: saturate=True: a machine states no `effort`. Give the robot itself.")
    return stated_limits(robot, mech)


def bounds_of(names: tuple[str, ...], largest: Mapping[str, float]) -> Array:
    """The bounds in the order of the inputs, infinite where nothing is stated."""
    return np.array([largest.get(name, np.inf) for name in names])


def start_remarks(robot: Robot | Mechanism, mech: Mechanism, q: Array) -> Iterator[str]:
    """Joints that start beyond their limits."""
    if isinstance(robot, Robot):
        for remark in beyond_ranges(robot, mech, q, "the start"):
            yield f"{remark} Where there are stops it hangs on one and moves only back. Start within the limits."


def effort_remarks(run: Run, largest: Mapping[str, float], saturate: bool) -> Iterator[str]:
    """Forces of a run that go beyond what joints and motors can give, or were cut there."""
    for name, most in largest.items():
        if name not in run.series:
            continue
        sizes = np.abs(run.series[name])
        worst, at = float(sizes.max()), float(run.t[int(sizes.argmax())])
        what = "effort of its joint" if name.startswith(TAU) else "largest torque of its motor"
        if saturate and worst >= most * (1 - FAR_BEYOND):
            yield f"{name} was cut at {most:g}, the {what}, for example at t = {at:g} s."
        elif worst > most * (1 + FAR_BEYOND):
            yield (f"{name} is {worst:.6g} at t = {at:g} s, beyond {most:g}, the {what}. saturate=True cuts it there.")


def saturation_remarks(run: Run, laws: Sequence[Law]) -> Iterator[str]:
    """Inputs beyond what the electronics of an actuator pass on, and voltages at the limit of theirs."""
    for law in laws:
        asked = {one.name for one in law.inputs}
        for name, most in law.saturations.items():
            sizes = np.abs(run.series.get(name, np.zeros(1)))
            beyond = sizes > most * (1 + FAR_BEYOND) if name in asked else sizes >= most * (1 - FAR_BEYOND)
            if not beyond.any():
                continue
            where, unit = int(sizes.argmax()), run.units.get(name, "")
            how = f"{run.series[name][where]:.4g} {unit} were wanted, " if name in asked else ""
            yield (
                f"{name} was held at its limit at {float(beyond.mean()):.0%} of the samples, for example at t = "
                f"{run.t[where]:g} s: {how}the electronics give {most:.4g} {unit} at most."
            )


def voltage_remarks(run: Run) -> Iterator[str]:
    """Motors that did not get the voltage they were to have: their electronics or what feeds them held it back."""
    for name in run.series:
        motor, _, word = name.rpartition(".")
        given = run.series.get(f"{motor}.terminal_voltage")
        if word != "voltage" or given is None:
            continue
        missing = np.abs(run.series[name] - given)
        worst = int(missing.argmax())
        if missing[worst] > FAR_BEYOND * max(float(np.abs(run.series[name]).max()), 1.0):
            share = float((missing > FAR_BEYOND).mean())
            yield (
                f"{name} was held back at {share:.0%} of the samples, most at t = {run.t[worst]:g} s: "
                f"{run.series[name][worst]:.4g} V were wanted, {given[worst]:.4g} V given. A limit of the motor or of "
                "what feeds it is reached."
            )
