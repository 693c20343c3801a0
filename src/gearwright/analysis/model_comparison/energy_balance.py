"""Energy balance over a motion: the work of the drives is stored in the machine or dissipated in dampers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.functions import inverse_dynamics, kinetic_energy, potential_energy
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.motion import Motion
from gearwright.motion_demands.closed_loop_motion import whole_motion_of
from gearwright.plots import Panel, notebook_html, panel_figure, save_if_path

ENERGY_LABEL = "energy (potential energy relative to start) [J]"
"""Axis label in figures of energies."""


class EnergyBalance(NamedTuple):
    """Series over time [J]: work done by the drives, kinetic and potential energy, heat in the dampers."""

    work: Array
    kinetic: Array
    potential: Array
    heat: Array

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of the energies over the samples; with `path` (.png, .svg, .pdf) it is also saved."""
        return save_if_path(
            panel_figure(np.arange(len(self.work)), "sample", [Panel(ENERGY_LABEL, self.energy_curves())]), path
        )

    def energy_curves(self) -> dict[str, Array]:
        """Curves of the figure: name -> series [J].

        The potential energy is relative to its initial value: its zero is arbitrary, and a large offset would hide the
        other curves.
        """
        curves = {
            "kinetic": self.kinetic,
            "potential": self.potential - self.potential[0],
            "work of the drives": self.work,
        }
        return curves | ({"heat in dampers": self.heat} if np.any(self.heat) else {})

    def _repr_html_(self) -> str:
        return notebook_html(self)

    @property
    def residual(self) -> Array:
        """Work less the change of stored energy less heat: zero up to the quadrature error."""
        stored = self.kinetic + self.potential
        return self.work - (stored - stored[0]) - self.heat


@check_arguments
def energy_balance(mech: RobotOrMech, motion: Motion) -> EnergyBalance:
    """Integrate the power of the drives over a motion and compare it with the energies (Simpson's rule)."""
    from scipy.integrate import cumulative_simpson

    motion, mech = whole_motion_of("energy_balance", mech, motion), tree_of("energy_balance", mech)
    tau = inverse_dynamics(mech, motion.q, motion.v, motion.a)
    loss = sum(
        (spring.damping * (motion.v @ np.array(spring.row)) ** 2 for spring in mech.springs), np.zeros(len(motion.t))
    )
    work, heat = (
        cumulative_simpson(power, x=motion.t, initial=0.0) for power in (np.einsum("ti,ti->t", tau, motion.v), loss)
    )
    return EnergyBalance(work, kinetic_energy(mech, motion.q, motion.v), potential_energy(mech, motion.q), heat)
