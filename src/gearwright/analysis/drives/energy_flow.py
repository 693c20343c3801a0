"""The flow of energy over one cycle: from the supply through the drives to losses and work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gearwright.analysis.drives.drive_analysis import DriveAnalysis, EnergySplit
from gearwright.analysis.quadrature import integral
from gearwright.plots import Flow

SUPPLY, RETURNED, SHAFTS = "supply", "returned to the supply", "motor shafts"
RETURNED_SHAFTS = "returned to the motor shafts"
WINDINGS, GEARS, WORK, ROTORS = "heat of windings", "gears and friction", "work at joints", "kinetic energy of rotors"
TRAINS = "gear trains and links"
RELEASED = "{} (released)"
FLOW_COLOURS = {
    WINDINGS: "#a3201d",
    GEARS: "#d1495b",
    WORK: "#66a182",
    TRAINS: "#66a182",
    RETURNED: "#2e86ab",
    RETURNED_SHAFTS: "#2e86ab",
}
"""Losses are red, work is green, what returns is blue."""
SMALLEST_FLOW_RATIO = 1e-3
"""Flows below this share of the energy that the motors exchange are not shown: they are errors of quadrature."""


def energy_flows(drives: Mapping[str, DriveAnalysis]) -> list[Flow]:
    """Return the energy of one cycle as flows [J] from the supply through every drive to where it goes.

    A drive without electrical data starts at its motor shaft. A negative term flows the other way: a drive that
    regenerates more than it draws returns energy to the supply; a load that drives its motor is a source.
    """
    flows: list[Flow] = []
    electrical = [drive.electrical_power for drive in drives.values() if drive.electrical_power is not None]
    if electrical:
        t = next(iter(drives.values())).t
        returned = -integral(t, np.minimum(np.sum(electrical, axis=0), 0.0))
        net = sum(drive.energy for drive in drives.values() if drive.energy is not None and drive.energy < 0)
        flows.append(Flow(SUPPLY, RETURNED, max(0.0, float(returned + net))))
    for name, drive in drives.items():
        flows += _drive_flows(f"drive {name}", drive)
    moved = sum(float(integral(drive.t, np.abs(drive.power))) for drive in drives.values())
    return [flow for flow in flows if flow.amount > SMALLEST_FLOW_RATIO * moved]


def _drive_flows(node: str, drive: DriveAnalysis) -> Iterator[Flow]:
    """The flows into and out of a drive."""
    shaft, split = float(integral(drive.t, drive.power)), drive.losses
    if drive.energy is None:
        yield from _signed_flow(SHAFTS, RETURNED_SHAFTS, node, -shaft)
    else:
        yield from _signed_flow(SUPPLY, RETURNED, node, -float(drive.energy))
        yield from _signed_flow(RELEASED.format(WINDINGS), WINDINGS, node, float(drive.energy) - shaft)
    for target, amount in _shaft_targets(split, shaft):
        yield from _signed_flow(RELEASED.format(target), target, node, amount)


def _shaft_targets(split: EnergySplit | None, shaft: float) -> list[tuple[str, float]]:
    if split is None:
        return [(TRAINS, shaft)]
    return [(GEARS, float(split.gear)), (WORK, float(split.work)), (ROTORS, float(split.rotor))]


def _signed_flow(source: str, target: str, node: str, leaving: float) -> Iterator[Flow]:
    """An amount that leaves a node for a target, or enters it from a source if it is negative."""
    yield Flow(node, target, leaving) if leaving >= 0 else Flow(source, node, -leaving)
