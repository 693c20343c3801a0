"""One impact with exact, diagonal and no rotors: in geared arms the rotors are most of the effective mass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import jacobian, kinetic_energy, mass_matrix
from gearwright.functions.constrained.constrained_dynamics import impact
from gearwright.mechanism import RobotOrMech
from gearwright.plots import BarPanel, NotebookFigure, bar_panel_figure, save_if_path
from gearwright.programs import approximate, machine_of
from gearwright.programs.inputs import checked_array

ROTOR_MODELS = ("exact", "diagonal", "none")
"""Models of rotors and gears."""


class ImpactFigures(NamedTuple):
    """Results of an impact for one model of a machine.

    Args:
        reflected_mass: effective mass of the tip along the normal, 1 / (J M^-1 J') [kg].
        impulse: along the normal [Ns].
        energy_lost: dissipated energy [J].
        v_after: speeds after the impact (n,).
    """

    reflected_mass: float
    impulse: float
    energy_lost: float
    v_after: tuple[float, ...]


class ImpactComparison(NotebookFigure, dict[str, ImpactFigures]):
    """Results of an impact by the model of the rotors: "exact", "diagonal" and "none"."""

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of effective mass, impulse and energy loss of each model; also saved as `path` (.png, .svg, .pdf)."""
        fields_by_label = {
            "mass at the tip [kg]": "reflected_mass",
            "impulse [Ns]": "impulse",
            "energy lost [J]": "energy_lost",
        }
        panels = [
            BarPanel(label, list(self), {"": [getattr(result, field) for result in self.values()]})
            for label, field in fields_by_label.items()
        ]
        return save_if_path(bar_panel_figure(panels, columns=len(panels)), path)


@check_arguments
def compare_impacts(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    frame: str | int,
    normal: Sequence[float],
    restitution: float = 0.0,
) -> ImpactComparison:
    r"""Compare a frictionless impact of a frame's origin on a rigid wall with exact, diagonal and no rotors.

    Args:
        mech: the machine.
        q: configuration (nq,).
        v: speeds before the impact (n,).
        frame: the body or frame that hits the wall.
        normal: of the wall, towards the free side, in base axes.
        restitution: 0 (plastic) to 1.

    >>> import gearwright as gw
    >>> found = compare_impacts(gw.load("elbow"), [0.2, -0.5, 1.0], [0.0, -1.0, -0.5], "tool", (0, 0, 1))
    >>> [round(found[model].reflected_mass, 2) for model in found]
    [6.17, 6.17, 1.03]
    """
    machine = machine_of("compare_impacts", mech)
    direction = as_float_array("compare_impacts", "normal", normal)
    if direction.shape != (3,) or not np.linalg.norm(direction) > 0 or not np.isfinite(direction).all():
        raise InputError(f"compare_impacts: the normal {normal!r} has no direction. Give three numbers, not all zero.")
    row = (direction / np.linalg.norm(direction)) @ jacobian(machine, q, frame)[:3]
    normal_speed = float(row @ checked_array("compare_impacts", machine, "v", v, machine.n))
    if normal_speed >= 0:
        raise InputError(
            f"compare_impacts: {frame!r} does not approach the wall: its speed along the normal is {normal_speed:.4g} "
            "m/s. Give speeds towards the wall, or reverse the normal."
        )
    models = {name: machine if name == "exact" else approximate(machine, name) for name in ROTOR_MODELS}
    return ImpactComparison({name: _impact_results(model, q, v, row, restitution) for name, model in models.items()})


def _impact_results(mech: RobotOrMech, q: ArrayLike, v: ArrayLike, row: Array, restitution: float) -> ImpactFigures:
    v_after, impulse = impact(mech, q, v, row[None], restitution)
    energy_lost = kinetic_energy(mech, q, v) - kinetic_energy(mech, q, v_after)
    mass = 1.0 / float(row @ np.linalg.solve(mass_matrix(mech, q), row))
    return ImpactFigures(mass, float(impulse[0]), float(energy_lost), tuple(v_after.tolist()))
