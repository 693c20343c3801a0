"""Contribution of every wheel to the dynamics: its matrices, and its share of each joint torque in three parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Operations
from gearwright.arrays import Array
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.dynamics.pose import place_machine
from gearwright.dynamics.wheel_contributions import wheel_coriolis, wheel_forces, wheel_mass_matrix
from gearwright.errors import InputError
from gearwright.functions.public_call import whole_input
from gearwright.mechanism import Mechanism, RobotOrMech, Spin
from gearwright.mechanism.units import force_unit
from gearwright.plots import BarPanel, NotebookFigure, Panel, bar_panel_figure, panel_figure, save_if_path
from gearwright.programs import machine_of
from gearwright.programs.batch import evaluate_program
from gearwright.programs.inputs import checked_array
from gearwright.programs.program import Inputs, Program
from gearwright.text import did_you_mean

WHEEL_FORCE_PARTS = ("inertia", "coupling", "gyroscopic")
MAX_DRAWN_WHEELS = 12
"""Largest number of wheels in a figure; those with the largest shares are shown."""


def _all_wheel_forces(mech: Mechanism, ops: Operations, x: Inputs) -> list[Any]:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    v = speed_map.speeds(x["v"])
    a = speed_map.accelerations(v, x["a"])
    return [[speed_map.forces(part) for part in wheel_forces(pose, spin, v, a)] for spin in mech.spins]


def _all_wheel_masses(mech: Mechanism, ops: Operations, x: Inputs) -> list[Any]:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return [speed_map.congruent(wheel_mass_matrix(pose, spin)) for spin in mech.spins]


_WHEEL_FORCES_PROGRAM = Program(
    "explain",
    ("q", "v", "a"),
    lambda m, ops, x, _: _all_wheel_forces(m, ops, x),
    lambda m, _: (len(m.spins), 3, m.n),
)
_WHEEL_MASSES_PROGRAM = Program(
    "explain",
    ("q",),
    lambda m, ops, x, _: _all_wheel_masses(m, ops, x),
    lambda m, _: (len(m.spins), m.n, m.n),
)
WHEEL_FORCES = Program(
    "explain",
    ("q", "v", "a"),
    lambda m, ops, x, fixed: wheel_forces(place_machine(m, x["q"], ops), m.spins[fixed["wheel"]], x["v"], x["a"]),
    lambda m, _: (3, m.n),
    options=("wheel",),
)
"""One wheel's inertia, coupling and gyroscopic share of every force (Chen and Wang, eqs 16 and 17)."""
WHEEL_MASS_MATRIX = Program(
    "wheel_mass_matrix",
    ("q",),
    lambda m, ops, x, fixed: wheel_mass_matrix(place_machine(m, x["q"], ops), m.spins[fixed["wheel"]]),
    lambda m, _: (m.n, m.n),
    options=("wheel",),
)
"""M_j/i of one wheel (Chen and Wang, eq. 18)."""
WHEEL_CORIOLIS = Program(
    "wheel_coriolis",
    ("q",),
    lambda m, ops, x, fixed: wheel_coriolis(place_machine(m, x["q"], ops), m.spins[fixed["wheel"]]),
    lambda m, _: (m.n, m.n, m.n),
    options=("wheel",),
)
"""C_j/i,r of one wheel for every speed r (Chen and Wang, eqs 19 and 20)."""


@dataclass(frozen=True)
class Explanation(NotebookFigure):
    """The contribution of rotating wheels to the dynamics, wheel by wheel.

    Args:
        mech: the machine.
        q: the configurations, (..., nq).
        forces: (..., wheels, 3, n) [Nm, N]: per wheel its inertial, coupling and gyroscopic part of every force.
        mass_matrices: (..., wheels, n, n): M_j/i of every wheel; their sum is the wheels' part of M.
    """

    mech: Mechanism
    q: Array
    forces: Array
    mass_matrices: Array

    @property
    def wheels(self) -> tuple[str, ...]:
        """Names of the wheels, in the order of the arrays."""
        return tuple(spin.name for spin in self.mech.spins)

    def _wheel_index(self, wheel: str) -> int:
        return wheel_index("explain", self.mech, wheel)

    def coriolis(self, wheel: str) -> Array:
        """C_j/i,r of one wheel, (..., n, n, n): v' C[r] v is its gyroscopic force on speed r."""
        return evaluate_program(WHEEL_CORIOLIS, self.mech, {"q": self.q}, {"wheel": self._wheel_index(wheel)})

    def speed_classes(self, wheel: str) -> dict[str, str]:
        """Per speed "inner" (it moves the wheel's carrier) or "outer" (it does not), after Chen and Wang."""
        spin = self.mech.spins[self._wheel_index(wheel)]
        inside = _inner_speeds(self.mech, spin)
        return {name: "inner" if k in inside else "outer" for k, name in enumerate(self.mech.speeds)}

    def total_share(self, wheel: str) -> Array:
        """The wheel's part of every generalized force, (..., n)."""
        total: Array = self.forces[..., self._wheel_index(wheel), :, :].sum(axis=-2)
        return total

    def table_rows(self) -> list[dict[str, Any]]:
        """A table for one state: a row per wheel and speed that it acts on."""
        if self.forces.ndim != 3:
            raise InputError(
                "explain: the table requires one state, but this is a batch. Explain one state, or index `forces`."
            )
        table = []
        rounding = 1e-12 * float(abs(self.forces).max())  # the rounded cosine of a right angle is not a coupling
        for j, spin in enumerate(self.mech.spins):
            classes = self.speed_classes(spin.name)
            for k, speed in enumerate(self.mech.speeds):
                parts = dict(zip(WHEEL_FORCE_PARTS, self.forces[j, :, k].tolist(), strict=True))
                if spin.ratio[k] or any(abs(x) > rounding for x in parts.values()):  # type: ignore[index]
                    ratio = float(spin.ratio[k])  # type: ignore[index]
                    row = {"wheel": spin.name, "speed": speed, "class": classes[speed], "ratio": ratio}
                    table.append({**row, **parts, "total": sum(parts.values())})
        return table

    def plot(self, path: str | Path | None = None, *, most: int = 4) -> Any:
        """Return a figure of every wheel's contribution per speed: three parts for one state, totals over samples.

        Args:
            path: .png, .svg or .pdf file to which the figure is saved too.
            most: largest number of speeds in the figure; those with the largest shares are shown.
        """
        sizes = np.abs(self.forces).sum(axis=-2).reshape(-1, len(self.wheels), self.mech.n).max(axis=0)
        speeds = [self.mech.speeds[k] for k in _largest_indices(sizes.max(axis=0), most) if sizes[:, k].any()]
        wheels = _largest_indices(sizes.max(axis=1), MAX_DRAWN_WHEELS)
        speeds = speeds or list(self.mech.speeds[:1])
        labels = {speed: f"at {speed} [{force_unit(self.mech, speed)}]" for speed in speeds}
        if self.forces.ndim == 3:
            names = [self.wheels[k] for k in wheels]
            parts = {speed: {part: x[wheels] for part, x in self.bar_values(speed).items()} for speed in speeds}
            return save_if_path(
                bar_panel_figure([BarPanel(labels[speed], names, parts[speed]) for speed in speeds]), path
            )
        shares = self.forces.sum(axis=-2).reshape(-1, len(self.wheels), self.mech.n)
        curves = {x: {self.wheels[k]: shares[:, k, self.mech.speeds.index(x)] for k in wheels} for x in speeds}
        panels = [Panel(labels[speed], curves[speed]) for speed in speeds]
        return save_if_path(panel_figure(np.arange(len(shares)), "sample", panels), path)

    def bar_values(self, speed: str) -> dict[str, Array]:
        """Return the values of a bar chart of one state: for each part one per wheel, in the order of `wheels`."""
        if speed not in self.mech.speeds:
            raise InputError(f"explain: there is no speed {speed!r}. {did_you_mean(speed, self.mech.speeds)}")
        if self.forces.ndim != 3:
            raise InputError("explain: the bar chart requires one state, but this is a batch. Explain one state.")
        k = self.mech.speeds.index(speed)
        return {part: self.forces[:, place, k] for place, part in enumerate(WHEEL_FORCE_PARTS)}


def _largest_indices(sizes: Array, most: int) -> list[int]:
    """Return the indices of the largest numbers, in ascending order."""
    return sorted(np.argsort(-sizes, kind="stable")[:most].tolist())


def wheel_index(caller: str, mech: Mechanism, wheel: str) -> int:
    """Return the index of a wheel in the machine."""
    names = [spin.name for spin in mech.spins]
    if wheel not in names:
        raise InputError(f"{caller}: there is no wheel {wheel!r}. {did_you_mean(wheel, names)}")
    return names.index(wheel)


def _inner_speeds(mech: Mechanism, spin: Spin) -> set[int]:
    return {dof.speed for body in mech.body_paths[int(spin.carrier)] for dof in mech.joints[body].dofs}


def explain(mech: RobotOrMech, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Explanation:
    r"""Return the contribution of every wheel's rotation relative to its carrier to the generalized forces.

    With b the wheel's ratio row and h the axial rate of its carrier per unit speed, its share is
    $J b (b \cdot a)$ (inertia) $+ J_c (b (h \cdot a) + h (b \cdot a))$ (coupling) $+ C_j v$ (gyroscopic). The
    inertia of the wheels at rest is part of the links.

    Args:
        mech: the machine.
        q: configuration, (..., nq).
        v: speeds, (..., n).
        a: accelerations, (..., n).

    >>> import numpy as np
    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=2, com=(0.5, 0, 0), inertia=np.diag([0, 0.1, 0.1]))
    >>> rotor = gw.Spin("rotor", "base", axis=(0, 0, 1), inertia=1e-4, ratio=[100])
    >>> explain(gw.Mechanism([arm], [rotor]), [0.0], [0.0], [2.0]).total_share("rotor")   # 1e-4 * 100^2 * 2
    array([2.])
    """
    mech = machine_of("explain", mech)
    sizes = {"q": mech.nq, "v": mech.n, "a": mech.n}
    inputs = {"q": whole_input(_WHEEL_FORCES_PROGRAM, mech, "q", q), "v": v, "a": a}
    arrays = {name: checked_array("explain", mech, name, inputs[name], size) for name, size in sizes.items()}
    if not mech.spins:
        raise InputError("explain: the machine has no wheels. Give its robot drives or trains.")
    forces = evaluate_program(_WHEEL_FORCES_PROGRAM, mech, arrays, {})  # Chen (21), (43)-(44)
    return Explanation(mech, arrays["q"], forces, evaluate_program(_WHEEL_MASSES_PROGRAM, mech, {"q": arrays["q"]}, {}))
