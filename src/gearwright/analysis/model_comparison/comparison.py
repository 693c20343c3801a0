"""Errors of common approximations over a motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import Closure, axial_rates, closure_of, integrate, inverse_dynamics, neutral
from gearwright.mechanism import Mechanism, RobotOrMech, tree_of
from gearwright.mechanism.units import force_unit
from gearwright.motion import Motion
from gearwright.plots import NotebookFigure, Panel, panel_figure, panels_by_unit, save_if_path
from gearwright.programs import approximate, machine_of
from gearwright.text import listed_names


class ApproximationError(NamedTuple):
    """Error of an approximation at one speed: largest and root-mean-square error, and the exact peak [Nm, N]."""

    kind: str
    speed: str
    largest: float
    rms: float
    peak: float

    @property
    def relative_error(self) -> float:
        """The largest error as a fraction of the exact peak; infinite when the exact force is zero throughout."""
        return self.largest / self.peak if self.peak else (float("inf") if self.largest else 0.0)


@dataclass(frozen=True)
class Comparison(NotebookFigure):
    """Exact and approximate generalized forces over a motion.

    Args:
        mech: the machine.
        motion: the motion.
        exact: generalized forces (T, n).
        approximations: kind -> generalized forces (T, n).
        uncoupled: names of the spins whose coupling to the links vanishes in every configuration.
    """

    mech: Mechanism
    motion: Motion
    exact: Array
    approximations: dict[str, Array]
    uncoupled: tuple[str, ...]

    def approximation_errors(self) -> list[ApproximationError]:
        """One row per approximation and speed."""
        rows = []
        for kind, tau in self.approximations.items():
            error = tau - self.exact
            for k, speed in enumerate(self.mech.speeds):
                largest = float(np.abs(error[:, k]).max())
                rms = float(np.sqrt(np.mean(error[:, k] ** 2)))
                rows.append(ApproximationError(kind, speed, largest, rms, float(np.abs(self.exact[:, k]).max())))
        return rows

    @check_arguments
    def least_accurate_speed(self, kinds: Sequence[str] = ("reflected", "diagonal")) -> str:
        """The speed with the largest error of approximations relative to the exact peak.

        Args:
            kinds: the approximations to compare; those without wheels have the largest errors everywhere.
        """
        worst = dict.fromkeys(self.mech.speeds, 0.0)
        for error in self.approximation_errors():
            if error.kind in kinds and np.isfinite(error.relative_error):
                worst[error.speed] = max(worst[error.speed], error.relative_error)
        return max(worst, key=lambda name: worst[name])

    @check_arguments
    def plot(self, path: str | Path | None = None, *, most: int = 8) -> Any:
        """Figure of the exact force of each speed and the errors of the approximations; "none" has a separate scale.

        Args:
            path: .png, .svg or .pdf file in which the figure is also saved.
            most: largest number of speeds; those with the largest errors are drawn.
        """
        kinds = list(self.approximations)
        groups = [group for group in ([k for k in kinds if k != "none"], [k for k in kinds if k == "none"]) if group]
        panels = []
        for k in self._speeds_with_largest_errors(most):
            speed = self.mech.speeds[k]
            panels += panels_by_unit(
                "force", {"exact": self.exact[:, k]}, {"exact": force_unit(self.mech, speed)}, speed
            )
            panels += [self._error_panel(k, group) for group in groups]
        title = f"the {most} of {self.mech.n} speeds with the largest errors" if self.mech.n > most else ""
        return save_if_path(panel_figure(self.motion.t, "time [s]", panels, columns=1 + len(groups), title=title), path)

    def _error_panel(self, k: int, kinds: Sequence[str]) -> Panel:
        rounding = 1e-12 * np.abs(self.exact[:, k]).max()
        errors = {kind: (self.approximations[kind] - self.exact)[:, k] for kind in kinds}
        curves = {kind: np.where(np.abs(error) > rounding, error, 0.0) for kind, error in errors.items()}
        speed = self.mech.speeds[k]
        return Panel(f"error [{force_unit(self.mech, speed)}]", curves, title=speed)

    def _speeds_with_largest_errors(self, most: int) -> list[int]:
        worst = np.max([np.abs(tau - self.exact).max(axis=0) for tau in self.approximations.values()], axis=0)
        return sorted(np.argsort(-worst)[:most].tolist())


@check_arguments
def compare(mech: RobotOrMech, motion: Motion, kinds: Sequence[str] = ("reflected", "diagonal", "none")) -> Comparison:
    r"""Compare the exact generalized forces of a motion with those of approximations (see `approximate`).

    A motion of the independent coordinates of a robot with closed loops gives the forces along the independent speeds.
    A motion of all its joints must keep the loops closed. The forces are then those at the independent
    joints, $N' \tau$ with $v = N w$ (`gw.contact.free_speeds`), and zero at the dependent joints.
    """
    robot, mech = mech, tree_of("compare", mech)
    if robot.loops and motion.v.shape[-1] != mech.n and motion.v.shape[-1] == machine_of("compare", robot).n:
        robot = mech = machine_of("compare", robot)
    if mech.closure is None and (motion.q.shape[-1] != mech.nq or motion.v.shape[-1] != mech.n):
        raise InputError(
            f"compare: the motion has {motion.q.shape[-1]} coordinates, the machine {mech.nq} "
            f"({listed_names(mech.coordinates)})."
        )
    state = (motion.q, motion.v, motion.a)
    closure = closure_of("compare", robot, mech, None) if mech.closure is None else None
    onto_free = _unchanged_forces if closure is None else _free_forces(closure, motion)
    approximations = {kind: onto_free(inverse_dynamics(approximate(mech, kind), *state)) for kind in kinds}
    return Comparison(mech, motion, onto_free(inverse_dynamics(mech, *state)), approximations, uncoupled_spins(mech))


def _unchanged_forces(tau: Array) -> Array:
    return tau


def _free_forces(closure: Closure, motion: Motion) -> Callable[[Array], Array]:
    """Map of forces (T, n) of the open tree to those of the independent joints, along a motion with closed loops."""
    rows = closure.require_closed_motion("compare", motion.q, motion.t)
    free = closure.free_speeds(rows[0]).indices
    N = np.zeros((len(motion.q), closure.mech.n, closure.mech.n))
    for k, row in enumerate(rows):
        N[k][:, list(free)] = closure.free_speeds(row, free).directions
    return lambda tau: np.asarray(np.einsum("tij,ti->tj", N, tau))


@check_arguments
def uncoupled_spins(mech: RobotOrMech, samples: int = 8) -> tuple[str, ...]:
    """Return the names of the spins whose axis is orthogonal to their carrier's rotation in every configuration.

    For these the diagonal approximation is exact (Sciavicco, Siciliano and Villani, section 4). h is a trigonometric
    polynomial of the coordinates: it vanishes identically if it vanishes at generic configurations.
    """
    mech = tree_of("uncoupled_spins", mech)
    whole_number("uncoupled_spins", "samples", samples, least=1, example=8)
    if not mech.spins:
        return ()
    rng = np.random.default_rng(4)
    q = integrate(mech, neutral(mech), rng.uniform(-1.5, 1.5, (samples, mech.n)))
    h = np.abs(axial_rates(mech, q)).max(axis=(0, 2))
    return tuple(
        spin.name for spin, size in zip(mech.spins, h, strict=True) if size < 1e-9 or not spin.coupling_inertia
    )
