"""The energy of a machine, part by part, and its Lagrangian as a linear function of the parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.dynamics import energy
from gearwright.dynamics.pose import place
from gearwright.dynamics.regressor import parameter_names
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.plots import Panel, figure, saved
from gearwright.plots.bars import BarPanel, bar_panels
from gearwright.plots.notebook import Shown
from gearwright.programs.batch import evaluate
from gearwright.programs.inputs import checked
from gearwright.programs.program import Program


def _counts(mech: Mechanism) -> tuple[int, ...]:
    """How many numbers every field of `Energies` has."""
    bodies, wheels = len(mech.bodies), len(mech.spins)
    return bodies, bodies, wheels, wheels, bodies, len(mech.springs)


_SHARES = Program(
    "energies",
    ("q", "v"),
    lambda m, ops, x, _: list(energy.energy_shares(place(m, x["q"], ops), x["v"])),
    lambda m, _: (sum(_counts(m)),),
)
_ROWS = Program(
    "energy_rows",
    ("q", "v"),
    lambda m, ops, x, _: list(energy.energy_rows(place(m, x["q"], ops), x["v"])),
    lambda m, _: (2, len(parameter_names(m))),
)


@dataclass(frozen=True)
class Energies(Shown):
    """Energies [J], last axis the parts in the machine's order.

    Args:
        mech: the machine.
        translation: 1/2 m v_C^2 of every link with the wheels it carries, (..., bodies).
        rotation: 1/2 w' I w of every link about its centre of mass, the wheels at rest in it, (..., bodies).
        wheels: 1/2 J s^2 of every wheel, (..., wheels).
        couplings: Jc s (e . w) of every wheel with its carrier, (..., wheels); it may be negative.
        weights: -m g . p_C of every link, zero at the base origin, (..., bodies).
        springs: 1/2 k x^2 of every spring, (..., springs).
    """

    mech: Mechanism = field(repr=False)
    translation: Array
    rotation: Array
    wheels: Array
    couplings: Array
    weights: Array
    springs: Array

    def plot(self, path: str | Path | None = None) -> Any:
        """Bars per link, wheel and spring for one state, else the sums over the samples; also into a file."""
        links, wheels = ([x.name for x in some] for some in (self.mech.bodies, self.mech.spins))
        if self.translation.ndim > 1:
            return saved(self._over_samples(), path)
        moving = {"translation": self.translation, "rotation": self.rotation}
        panels = [BarPanel("links [J]", links, moving), BarPanel("weights [J]", links, {"potential": self.weights})]
        if wheels:
            turning = {"turning": self.wheels, "coupling": self.couplings}
            panels.insert(1, BarPanel("wheels [J]", wheels, turning))
        if self.mech.springs:
            names = [spring.name for spring in self.mech.springs]
            panels.append(BarPanel("springs [J]", names, {"potential": self.springs}))
        return saved(bar_panels(panels), path)

    def _over_samples(self) -> Any:
        parts = {"links": self.links, "wheels": self.wheels, "couplings": self.couplings}
        stored = {"weights": self.weights, "springs": self.springs}
        panels = [
            Panel(label, {name: x.sum(axis=-1).ravel() for name, x in some.items() if x.shape[-1]})
            for label, some in (("kinetic energy [J]", parts), ("potential energy [J]", stored))
        ]
        return figure(np.arange(self.kinetic.size), "sample", panels)

    @property
    def kinetic(self) -> Array:
        """All of the kinetic energy, (...)."""
        return self._sum(self.translation, self.rotation, self.wheels, self.couplings)

    @property
    def potential(self) -> Array:
        """All of the potential energy, (...)."""
        return self._sum(self.weights, self.springs)

    @property
    def links(self) -> Array:
        """Kinetic energy of every augmented link while its wheels do not turn, (..., bodies)."""
        return self.translation + self.rotation

    @staticmethod
    def _sum(*parts: Array) -> Array:
        return np.asarray(sum(part.sum(axis=-1) for part in parts), dtype=np.float64)


class EnergyRows(NamedTuple):
    """Rows with T = kinetic . pi and U = potential . pi, (..., parameters), pi = `parameters(mech)`."""

    kinetic: Array
    potential: Array


def energies(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> Energies:
    r"""Kinetic and potential energy per link, per wheel and per coupling [J].

    Of a link $\tfrac12 m \dot p_C^2$ and $\tfrac12 \omega' \bar I \omega$, of a wheel $\tfrac12 J s^2$, of both
    together $J_c s (e \cdot \omega)$: eq. (23) of Sciavicco, Siciliano and Villani for any wheels on a tree. Stored are
    $-m g_0 \cdot p_C$, their eq. (24), and the energy of the springs.

    Args:
        mech: the machine, or a robot.
        q: configuration [rad, m], (..., nq).
        v: speeds [rad/s, m/s], (..., n).

    >>> import gearwright as gw
    >>> parts = energies(gw.load("elbow"), [0.3, -0.5, 0.8], [0.7, -0.4, 0.9])
    >>> parts.wheels.round(4), parts.couplings.round(4)           # the rotors weigh more than they couple
    (array([1.764 , 0.24  , 0.5184]), array([ 0.    , -0.0084, -0.0048]))
    """
    mech = machine_of("energies", mech)
    flat = evaluate(_SHARES, mech, _state("energies", mech, q, v), {})
    ends = np.cumsum(_counts(mech))[:-1]
    return Energies(mech, *np.split(flat, ends, axis=-1))


def energy_rows(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> EnergyRows:
    r"""The Lagrangian as a linear function of the parameters, $L = (\beta_T - \beta_U)' \pi$.

    Eq. (30) of Sciavicco, Siciliano and Villani with one correction: parameters are about the origin of the link's own
    frame, so that they are constant for prismatic joints too. Args as in `energies`.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> rows = energy_rows(arm, [0.3, -0.5, 0.8], [0.7, -0.4, 0.9])
    >>> print(f"{rows.kinetic @ gw.parameters(arm):.4f} J")
    2.8074 J
    """
    mech = machine_of("energy_rows", mech)
    both = evaluate(_ROWS, mech, _state("energy_rows", mech, q, v), {})
    return EnergyRows(both[..., 0, :], both[..., 1, :])


def _state(function: str, mech: Mechanism, q: ArrayLike, v: ArrayLike) -> dict[str, Array]:
    return {"q": checked(function, mech, "q", q, mech.nq), "v": checked(function, mech, "v", v, mech.n)}
