"""From a log to parameters: base parameters with confidence, and how well they predict other data."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.equations.base_parameters_numeric import BaseParameters, independent
from gearwright.errors import GearwrightWarning, InputError, depth_of_the_caller
from gearwright.identification.estimates import Estimates
from gearwright.identification.experiment.log import Log, odd_units
from gearwright.identification.fit.diagnostics import about_cutoff, about_residuals
from gearwright.identification.fit.least_squares import Method, solve, triangles
from gearwright.identification.model.columns import FRICTION, Friction
from gearwright.identification.model.torque_model import Model
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion import Motion
from gearwright.parts import Robot
from gearwright.plots import Panel, figure, saved
from gearwright.plots.notebook import Shown
from gearwright.text import listed

NOT_EXCITED = 1e-6
"""Directions excited less than this share of a lively motion cannot be found."""


@dataclass(frozen=True)
class Validation(Shown):
    """How well parameters predict a log.

    Args:
        speeds: names of the speeds.
        t: times (T,).
        measured: torques (T, n).
        predicted: torques (T, n).
    """

    speeds: tuple[str, ...]
    t: Array
    measured: Array
    predicted: Array

    def plot(self, path: str | Path | None = None) -> Any:
        """Measured and predicted forces, one panel per speed; with `path` (.png, .svg, .pdf) it is saved too."""
        panels = [
            Panel("force [Nm, N]", {"measured": self.measured[:, k], "predicted": self.predicted[:, k]}, title=name)
            for k, name in enumerate(self.speeds)
        ]
        return saved(figure(self.t, "time [s]", panels, columns=min(2, len(panels))), path)

    @property
    def residuals(self) -> Array:
        """Measured less predicted (T, n)."""
        return self.measured - self.predicted

    @cached_property
    def relative_errors(self) -> dict[str, float]:
        """Per speed ||measured - predicted|| / ||measured||; where no force acts, as at a floating base, over all."""
        size = np.linalg.norm(self.measured, axis=0)
        size[size == 0] = np.linalg.norm(self.measured) or 1.0
        return dict(zip(self.speeds, (np.linalg.norm(self.residuals, axis=0) / size).tolist(), strict=True))


@dataclass(frozen=True)
class Identification(Estimates):
    """Base parameters found from a log.

    Args:
        model: the linear model that was fitted; its machine holds the nominal values.
        base: which combinations were found.
        values: the base parameters (rank,).
        covariance: of the values (rank, rank).
        fit: prediction on the data it was fitted to.
        method: ols, wls or irls.
        cutoff: of the filter that was used [Hz]; None where speeds and accelerations were measured.
        not_found: combinations that this motion does not show.
        remarks: what somebody should know about how it was done.
        weights: of the equations (T, n).
        robot: the robot, when one was given.
        asked_cutoff: the cut-off that was asked for [Hz]; None: chosen from each log itself.
        doubts: what speaks against the estimates: units, residuals that are not white, estimates that move with the
            cut-off.
    """

    model: Model
    base: BaseParameters
    values: Array
    covariance: Array
    fit: Validation
    method: Method
    cutoff: float | None
    not_found: tuple[str, ...]
    remarks: tuple[str, ...]
    weights: Array
    robot: Robot | None = None
    asked_cutoff: float | None = None
    doubts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        worst = max(self.fit.relative_errors.values(), default=0.0)
        return f"<Identification by {self.method}: {len(self.values)} parameters, torques to {worst:.2g}>"

    def __str__(self) -> str:
        rows = zip(self.names, self.values, self.standard_deviations, self.units, strict=True)
        lines = [f"{name} = {value:.6g} +- {sigma:.2g} {unit}".rstrip() for name, value, sigma, unit in rows]
        lines += [f"{name}: torques to {error:.3g} of their size" for name, error in self.fit.relative_errors.items()]
        lines += [f"not found: {name}" for name in self.not_found]
        return "\n".join([*lines, *self.doubts, *self.remarks])

    @property
    def units(self) -> tuple[str, ...]:
        """Of the values."""
        return tuple(self.model.columns[k].unit for k in self.base.chosen)

    @cached_property
    def correlation(self) -> Array:
        """Of the estimates (rank, rank): near 1 or -1 where the motion hardly tells two apart."""
        size = np.where(self.standard_deviations > 0, self.standard_deviations, 1.0)
        return self.covariance / np.outer(size, size)

    def predict(self, motion: Motion) -> Array:
        """Torques (T, n) of a motion."""
        return self.model.blocks(motion, self.base).times(self.values)

    def validate(self, log: Log) -> Validation:
        """The prediction of another log, compared with its torques as they were measured (unfiltered)."""
        full = log.derived(self.model.mech, self.asked_cutoff)
        return Validation(self.model.mech.speeds, full.times, full.torques, self.predict(full.motion()))


@check_arguments
def identify(
    robot_or_mech: Robot | Mechanism,
    log: Log,
    *,
    friction: Sequence[Friction] = FRICTION,
    side: str = "motor",
    method: Method = "wls",
    cutoff: float | None = None,
    transition_speed: float = 0.0,
    without: Iterable[str] = (),
) -> Identification:
    """Find the base parameters of a robot from measured motion and torques.

    The torques are compared as they were measured; positions (or speeds) are filtered without delay and differentiated.
    Standard deviations account for residuals that are correlated in time. A warning says when residuals
    are not white, or when estimates move with the cut-off (`doubts`). The columns are computed block by block, so that
    a long log needs little memory.

    Args:
        robot_or_mech: the robot or machine; its geometry is taken as known, its other numbers as nominal.
        log: what was measured.
        friction: which friction columns to fit per joint: viscous, coulomb, offset.
        side: "motor" or "link": where the torque was measured. At the link side the rotors cannot be seen; their
            columns are excluded, and a remark says so.
        method: "ols", "wls" (each joint by its variance) or "irls" (and robust against outliers).
        cutoff: of the filter [Hz]; None: chosen from the signal and its noise; infinity: no filter.
        transition_speed: speed over which Coulomb friction changes sign [rad/s].
        without: names of parameters known to be zero.
    """
    robot = robot_or_mech if isinstance(robot_or_mech, Robot) else None
    mech = machine_of("identify", robot_or_mech)
    if not mech.n:
        raise InputError("identify: the machine has no joint that moves, so nothing is found. Give one with joints.")
    if not isinstance(log, Log):
        raise InputError(
            f"identify: the log is a {type(log).__name__}. Give a Log(t, q, tau), or read_log(path, robot)."
        )
    model = Model(mech, tuple(friction), side, None, transition_speed, tuple(without))  # type: ignore[arg-type]
    full = log.derived(mech, cutoff)
    if not log.torques.any():
        raise InputError(
            "identify: every torque of the log is zero, and so would every parameter be. Check its torque columns."
        )
    motion = full.motion()
    rows = model.blocks(motion)
    small = triangles(rows, full.torques)
    base, lost = excited(model, small, len(full.times))
    found = solve(model.blocks(motion, base), full.torques, method, columns_of(small, model.base, base))
    doubts = odd_units(full, mech, rows.times(model.base.combine(model.nominal)))
    doubts += (*about_residuals(full, mech.speeds, found), *about_cutoff(full, model, base, found))
    if doubts:
        warnings.warn(GearwrightWarning("identify: " + "\n".join(doubts)), stacklevel=depth_of_the_caller())
    return Identification(
        model,
        base,
        found.values,
        found.covariance,
        Validation(mech.speeds, motion.t, full.torques, full.torques - found.residuals),
        method,
        None if full.origin is None else full.origin.cutoff,
        lost,
        _remarks(model, lost),
        found.weights,
        robot,
        cutoff,
        doubts,
    )


def excited(model: Model, small: Sequence[Array], samples: int) -> tuple[BaseParameters, tuple[str, ...]]:
    """The combinations that a log shows, and those of the model that it does not.

    `small`: the `triangles` of the equations of the model's base parameters.
    """
    structural, n = model.base, model.mech.n
    if samples * n <= structural.rank:
        raise InputError(
            f"identify: {samples * n} equations ({samples} samples of {n} joints) cannot determine "
            f"{structural.rank} base parameters. Record longer, or leave parameters out."
        )
    lively = model.sizes[list(structural.chosen)] * np.sqrt(samples * n)
    rows = np.concatenate(small)[:, :-1]
    shown = independent(rows, structural.leaders, tolerance=NOT_EXCITED, scale=lively)
    if shown.rank == structural.rank:
        return structural, ()
    lost = tuple(name for k, name in enumerate(structural.names) if k not in shown.chosen)
    return structural.combined(shown), lost


def columns_of(small: Sequence[Array], structural: BaseParameters, base: BaseParameters) -> list[Array]:
    """The triangles of fewer base parameters, from those of all of them."""
    places = [structural.chosen.index(k) for k in base.chosen]
    return [block[:, [*places, -1]] for block in small]


def _remarks(model: Model, lost: tuple[str, ...]) -> tuple[str, ...]:
    remarks = []
    if model.side == "link" and model.mech.spins:
        wheels = listed(spin.name for spin in model.mech.spins)
        remarks.append(
            f"Torques were measured at the link side: they do not show the wheels' inertia, so the columns of {wheels} "
            "are excluded."
        )
    if lost:
        remarks.append(
            f"This motion does not show {len(lost)} of {model.base.rank} base parameters: {listed(lost, '; ')}. Use an "
            "exciting trajectory (excite), or leave them at their nominal values."
        )
    return tuple(remarks)
