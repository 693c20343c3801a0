"""Energy book-keeping over a motion: what the drives put in is what the machine stores, or burns in dampers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.functions.dynamics import inverse_dynamics, kinetic_energy, potential_energy
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.motion import Motion
from gearwright.plots import Panel, figure, saved
from gearwright.plots.notebook import notebook

ENERGY_LABEL = "energy, potential from its start [J]"
"""Of the axis in figures of energies."""


class EnergyBalance(NamedTuple):
    """Series over time [J]: work done by the drives, kinetic and potential energy, heat in the dampers."""

    work: Array
    kinetic: Array
    potential: Array
    heat: Array

    def plot(self, path: str | Path | None = None) -> Any:
        """A figure of the energies over the samples; with `path` (.png, .svg, .pdf) it is saved too."""
        return saved(figure(np.arange(len(self.work)), "sample", [Panel(ENERGY_LABEL, self.curves())]), path)

    def curves(self) -> dict[str, Array]:
        """What a figure shows: name -> series [J].

        The potential counts from its value at the start: its zero is arbitrary, and that of a robot that stands high
        would flatten everything else.
        """
        shown = {
            "kinetic": self.kinetic,
            "potential": self.potential - self.potential[0],
            "work of the drives": self.work,
        }
        return shown | ({"heat in dampers": self.heat} if np.any(self.heat) else {})

    def _repr_html_(self) -> str:
        return notebook(self)

    @property
    def residual(self) -> Array:
        """Work less the change of stored energy less heat: zero but for the quadrature."""
        stored = self.kinetic + self.potential
        return self.work - (stored - stored[0]) - self.heat


@check_arguments
def energy_balance(mech: RobotOrMech, motion: Motion) -> EnergyBalance:
    """Integrate the power of the drives over a motion and compare it with the energies (Simpson's rule)."""
    from scipy.integrate import cumulative_simpson

    mech = machine_of("energy_balance", mech)
    tau = inverse_dynamics(mech, motion.q, motion.v, motion.a)
    loss = sum(
        (spring.damping * (motion.v @ np.array(spring.row)) ** 2 for spring in mech.springs), np.zeros(len(motion.t))
    )
    work, heat = (
        cumulative_simpson(power, x=motion.t, initial=0.0) for power in (np.einsum("ti,ti->t", tau, motion.v), loss)
    )
    return EnergyBalance(work, kinetic_energy(mech, motion.q, motion.v), potential_energy(mech, motion.q), heat)
