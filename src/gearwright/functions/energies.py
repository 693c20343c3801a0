"""The energy of a machine, part by part, and its Lagrangian as a linear function of the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics import energy
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.regressor import parameter_names
from gearwright.functions.public_call import whole_input
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.plots import BarPanel, NotebookFigure, Panel, bar_panel_figure, panel_figure, save_if_path
from gearwright.programs import machine_of
from gearwright.programs.batch import evaluate_program
from gearwright.programs.inputs import checked_array
from gearwright.programs.program import Inputs, Program


def _field_sizes(mech: Mechanism) -> tuple[int, ...]:
    """Return the number of values of each field of `Energies`."""
    bodies, wheels = len(mech.bodies), len(mech.spins)
    return bodies, bodies, wheels, wheels, bodies, len(mech.springs)


def _pose_and_speeds(mech: Mechanism, ops: Operations, x: Inputs) -> tuple[Pose, Sequence[Scalar]]:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return pose, speed_map.speeds(x["v"])


_ENERGY_SHARES_PROGRAM = Program(
    "energies",
    ("q", "v"),
    lambda m, ops, x, _: list(energy.energy_shares(*_pose_and_speeds(m, ops, x))),
    lambda m, _: (sum(_field_sizes(m)),),
)
_ENERGY_ROWS_PROGRAM = Program(
    "energy_rows",
    ("q", "v"),
    lambda m, ops, x, _: list(energy.energy_rows(*_pose_and_speeds(m, ops, x))),
    lambda m, _: (2, len(parameter_names(m))),
)


@dataclass(frozen=True)
class Energies(NotebookFigure):
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
        """Return a bar chart per link, wheel and spring for one state, or the totals over samples; `path` saves it."""
        links, wheels = ([x.name for x in parts] for parts in (self.mech.bodies, self.mech.spins))
        if self.translation.ndim > 1:
            return save_if_path(self._over_samples(), path)
        moving = {"translation": self.translation, "rotation": self.rotation}
        panels = [BarPanel("links [J]", links, moving), BarPanel("weights [J]", links, {"potential": self.weights})]
        if wheels:
            turning = {"turning": self.wheels, "coupling": self.couplings}
            panels.insert(1, BarPanel("wheels [J]", wheels, turning))
        if self.mech.springs:
            names = [spring.name for spring in self.mech.springs]
            panels.append(BarPanel("springs [J]", names, {"potential": self.springs}))
        return save_if_path(bar_panel_figure(panels), path)

    def _over_samples(self) -> Any:
        parts = {"links": self.links, "wheels": self.wheels, "couplings": self.couplings}
        stored = {"weights": self.weights, "springs": self.springs}
        panels = [
            Panel(label, {name: x.sum(axis=-1).ravel() for name, x in some.items() if x.shape[-1]})
            for label, some in (("kinetic energy [J]", parts), ("potential energy [J]", stored))
        ]
        return panel_figure(np.arange(self.kinetic.size), "sample", panels)

    @property
    def kinetic(self) -> Array:
        """Total kinetic energy, (...)."""
        return self._sum_parts(self.translation, self.rotation, self.wheels, self.couplings)

    @property
    def potential(self) -> Array:
        """Total potential energy, (...)."""
        return self._sum_parts(self.weights, self.springs)

    @property
    def links(self) -> Array:
        """Kinetic energy of every augmented link while its wheels do not turn, (..., bodies)."""
        return self.translation + self.rotation

    @staticmethod
    def _sum_parts(*parts: Array) -> Array:
        return np.asarray(sum(part.sum(axis=-1) for part in parts), dtype=np.float64)


class EnergyRows(NamedTuple):
    """Rows with T = kinetic . pi and U = potential . pi, (..., parameters), pi = `parameters(mech)`."""

    kinetic: Array
    potential: Array


def energies(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> Energies:
    r"""Return kinetic and potential energy per link, per wheel and per coupling [J].

    A link has $\tfrac12 m \dot p_C^2$ and $\tfrac12 \omega' \bar I \omega$, a wheel $\tfrac12 J s^2$, their coupling
    $J_c s (e \cdot \omega)$: eq. (23) of Sciavicco, Siciliano and Villani for any wheels on a tree. The potential
    energy is $-m g_0 \cdot p_C$, their eq. (24), and that of the springs.

    Args:
        mech: the machine, or a robot.
        q: configuration [rad, m], (..., nq).
        v: speeds [rad/s, m/s], (..., n).

    >>> import gearwright as gw
    >>> parts = energies(gw.load("elbow"), [0.3, -0.5, 0.8], [0.7, -0.4, 0.9])
    >>> parts.wheels.round(4), parts.couplings.round(4)           # own rotation exceeds coupling
    (array([1.764 , 0.24  , 0.5184]), array([ 0.    , -0.0084, -0.0048]))
    """
    mech = machine_of("energies", mech)
    flat = evaluate_program(_ENERGY_SHARES_PROGRAM, mech, _checked_state("energies", mech, q, v), {})
    ends = np.cumsum(_field_sizes(mech))[:-1]
    return Energies(mech, *np.split(flat, ends, axis=-1))


def energy_rows(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> EnergyRows:
    r"""Return the Lagrangian as a linear function of the parameters, $L = (\beta_T - \beta_U)' \pi$.

    Eq. (30) of Sciavicco, Siciliano and Villani with one correction: parameters are about the origin of the link's own
    frame, so they are constant for prismatic joints too. Args as in `energies`.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> rows = energy_rows(arm, [0.3, -0.5, 0.8], [0.7, -0.4, 0.9])
    >>> print(f"{rows.kinetic @ gw.parameters(arm):.4f} J")
    2.8074 J
    """
    mech = machine_of("energy_rows", mech)
    both = evaluate_program(_ENERGY_ROWS_PROGRAM, mech, _checked_state("energy_rows", mech, q, v), {})
    return EnergyRows(both[..., 0, :], both[..., 1, :])


def _checked_state(function: str, mech: Mechanism, q: ArrayLike, v: ArrayLike) -> dict[str, Array]:
    whole = whole_input(_ENERGY_ROWS_PROGRAM, mech, "q", q)
    return {"q": checked_array(function, mech, "q", whole, mech.nq), "v": checked_array(function, mech, "v", v, mech.n)}
