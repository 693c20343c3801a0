"""Gear trains whose ratios are symbols: the rows of all wheels, solved from the graph, as products of ratios."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from gearwright.equations.symbol_names import NUMBERED, SymbolNames
from gearwright.equations.trig_polynomial import symbol
from gearwright.errors import GearwrightError
from gearwright.mechanism import Mechanism, RobotOrMech, assemble, machine_of
from gearwright.parts import Mesh, Robot

Ratios = dict[str, tuple[float, str]]
"""Symbol -> its value, and which gears it belongs to."""


def machine_with_ratios(
    caller: str, machine: RobotOrMech, keep: Collection[str], called: SymbolNames = NUMBERED
) -> tuple[Mechanism, Ratios]:
    """The machine, with a symbol g1, g2, ... for every kept ratio of a train's mesh (Chen and Wang, eq. 9).

    Meshes that state teeth, and trains that cannot be solved with symbols (a loop closes for certain numbers only, or a
    row is a quotient of sums), stay numbers: their wheels' rows are then symbols of their own.
    """
    if isinstance(machine, Robot) and machine.trains:
        robot, ratios = _with_symbols(machine, keep, called)
        if ratios:
            try:
                return assemble(robot), ratios
            except GearwrightError:
                pass  # the numbers will do; if they do not either, the next line says why
    return machine_of(caller, machine), {}


def _with_symbols(robot: Robot, keep: Collection[str], called: SymbolNames) -> tuple[Robot, Ratios]:
    ratios: Ratios = {}
    number = 0
    trains = []
    for train in robot.trains:
        meshes: list[Mesh] = []
        for mesh in train.meshes:
            number += 1
            name = called.mesh(number, mesh.first, mesh.second)
            name = name if name not in ratios else f"g_{number}"
            if mesh.ratio is not None and ("ratios" in keep or name in keep):
                ratios[name] = float(mesh.ratio), f"{train.name}: {mesh.first} per {mesh.second}"
                mesh = replace(mesh, ratio=symbol(name))
            meshes.append(mesh)
        trains.append(replace(train, meshes=tuple(meshes)))
    return replace(robot, trains=tuple(trains)), ratios
