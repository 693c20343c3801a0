"""One impact with exact, diagonal and no rotors: in geared arms the rotors are most of what is struck."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_floats
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.constrained.constrained_dynamics import impact
from gearwright.functions.dynamics import jacobian, kinetic_energy, mass_matrix
from gearwright.mechanism import RobotOrMech, approximate, machine_of
from gearwright.plots import saved
from gearwright.plots.bars import BarPanel, bar_panels
from gearwright.plots.notebook import Shown
from gearwright.programs.inputs import checked

MODELS = ("exact", "diagonal", "none")
"""How rotors and gears count."""


class ImpactFigures(NamedTuple):
    """What an impact does to one model of a machine.

    Args:
        reflected_mass: what the tip weighs along the normal, 1 / (J M^-1 J') [kg].
        impulse: along the normal [Ns].
        energy_lost: [J].
        v_after: speeds after it (n,).
    """

    reflected_mass: float
    impulse: float
    energy_lost: float
    v_after: tuple[float, ...]


class ImpactComparison(Shown, dict[str, ImpactFigures]):
    """What an impact does, by the model of the machine: "exact", "diagonal" and "none" of the rotors."""

    def plot(self, path: str | Path | None = None) -> Any:
        """Mass at the tip, impulse and energy lost with each model; with `path` (.png, .svg, .pdf) it is saved too."""
        told = {"mass at the tip [kg]": "reflected_mass", "impulse [Ns]": "impulse", "energy lost [J]": "energy_lost"}
        panels = [
            BarPanel(label, list(self), {"": [getattr(one, word) for one in self.values()]})
            for label, word in told.items()
        ]
        return saved(bar_panels(panels, columns=len(panels)), path)


@check_arguments
def compare_impacts(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    frame: str | int,
    normal: Sequence[float],
    restitution: float = 0.0,
) -> ImpactComparison:
    r"""A frictionless impact of a frame's origin against a rigid wall, with exact, diagonal and no rotors.

    Args:
        mech: the machine.
        q: configuration (nq,).
        v: speeds before (n,).
        frame: the body or frame that strikes.
        normal: of the wall, towards the free side, base axes.
        restitution: 0 (plastic) to 1.

    >>> import gearwright as gw
    >>> found = compare_impacts(gw.load("elbow"), [0.2, -0.5, 1.0], [0.0, -1.0, -0.5], "tool", (0, 0, 1))
    >>> [round(found[model].reflected_mass, 2) for model in found]
    [6.17, 6.17, 1.03]
    """
    machine = machine_of("compare_impacts", mech)
    way = as_floats("compare_impacts", "normal", normal)
    if way.shape != (3,) or not np.linalg.norm(way) > 0 or not np.isfinite(way).all():
        raise InputError(f"compare_impacts: the normal {normal!r} has no direction. Give three numbers, not all zero.")
    row = (way / np.linalg.norm(way)) @ jacobian(machine, q, frame)[:3]
    arriving = float(row @ checked("compare_impacts", machine, "v", v, machine.n))
    if arriving >= 0:
        raise InputError(
            f"compare_impacts: {frame!r} does not approach the wall: its speed along the normal is {arriving:.4g} m/s. "
            "Give speeds with which it comes near, or turn the normal round."
        )
    models = {name: machine if name == "exact" else approximate(machine, name) for name in MODELS}
    return ImpactComparison({name: _figures(model, q, v, row, restitution) for name, model in models.items()})


def _figures(mech: RobotOrMech, q: ArrayLike, v: ArrayLike, row: Array, restitution: float) -> ImpactFigures:
    after, impulse = impact(mech, q, v, row[None], restitution)
    lost = kinetic_energy(mech, q, v) - kinetic_energy(mech, q, after)
    mass = 1.0 / float(row @ np.linalg.solve(mass_matrix(mech, q), row))
    return ImpactFigures(mass, float(impulse[0]), float(lost), tuple(after.tolist()))
