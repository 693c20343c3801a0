"""Identification of base parameters from a log, with confidence intervals and validation on other data."""

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
from gearwright.equations.base_parameters_numeric import BaseParameters, independent_parameters
from gearwright.errors import GearwrightWarning, InputError, caller_stack_level
from gearwright.identification.estimates import Estimates
from gearwright.identification.experiment.log import Log, unit_warning
from gearwright.identification.fit.diagnostics import cutoff_warning, residual_warning
from gearwright.identification.fit.least_squares import FitMethod, joint_triangles, solve_least_squares
from gearwright.identification.model.columns import FRICTION_KINDS, FrictionKind
from gearwright.identification.model.torque_model import TorqueModel
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion
from gearwright.parts import Robot
from gearwright.plots import NotebookFigure, Panel, panel_figure, save_if_path
from gearwright.programs import machine_of
from gearwright.text import listed_names

MIN_EXCITATION_RATIO = 1e-6
"""Excitation relative to that of random states, below which a direction is not identifiable."""


@dataclass(frozen=True)
class Validation(NotebookFigure):
    """The prediction of a log by parameters.

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
        """Figure of measured and predicted forces of each speed; with `path` (.png, .svg, .pdf) it is also saved."""
        panels = [
            Panel("force [Nm, N]", {"measured": self.measured[:, k], "predicted": self.predicted[:, k]}, title=name)
            for k, name in enumerate(self.speeds)
        ]
        return save_if_path(panel_figure(self.t, "time [s]", panels, columns=min(2, len(panels))), path)

    @property
    def residuals(self) -> Array:
        """Measured minus predicted torques (T, n)."""
        return self.measured - self.predicted

    @cached_property
    def relative_errors(self) -> dict[str, float]:
        """Per speed ||measured - predicted|| / ||measured||, or over all speeds if zero (floating base)."""
        size = np.linalg.norm(self.measured, axis=0)
        size[size == 0] = np.linalg.norm(self.measured) or 1.0
        return dict(zip(self.speeds, (np.linalg.norm(self.residuals, axis=0) / size).tolist(), strict=True))


@dataclass(frozen=True)
class Identification(Estimates):
    """Base parameters estimated from a log.

    Args:
        model: the fitted linear model; its machine has the nominal values.
        base: the estimated combinations.
        values: the base parameters (rank,).
        covariance: of the values (rank, rank).
        fit: prediction of the fitted data.
        method: ols, wls or irls.
        cutoff: of the filter [Hz]; None if speeds and accelerations were measured.
        unidentified: combinations that the motion does not excite and that are therefore not estimated.
        remarks: on the procedure.
        weights: of the equations (T, n).
        robot: the robot, if given.
        requested_cutoff: the cut-off given by the user [Hz]; None: chosen from each log.
        warnings: warnings about the estimates: wrong units, residuals that are not white, estimates that depend on the
            cut-off.
    """

    model: TorqueModel
    base: BaseParameters
    values: Array
    covariance: Array
    fit: Validation
    method: FitMethod
    cutoff: float | None
    unidentified: tuple[str, ...]
    remarks: tuple[str, ...]
    weights: Array
    robot: Robot | None = None
    requested_cutoff: float | None = None
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        worst = max(self.fit.relative_errors.values(), default=0.0)
        return f"<Identification by {self.method}: {len(self.values)} parameters, relative torque error {worst:.2g}>"

    def __str__(self) -> str:
        rows = zip(self.names, self.values, self.standard_deviations, self.units, strict=True)
        lines = [f"{name} = {value:.6g} +- {sigma:.2g} {unit}".rstrip() for name, value, sigma, unit in rows]
        lines += [f"{name}: relative torque error {error:.3g}" for name, error in self.fit.relative_errors.items()]
        lines += [f"not identified: {name}" for name in self.unidentified]
        return "\n".join([*lines, *self.warnings, *self.remarks])

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the leading parameter of each combination."""
        return tuple(self.model.columns[k].name for k in self.base.chosen)

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the values."""
        return tuple(self.model.columns[k].unit for k in self.base.chosen)

    @cached_property
    def correlation_matrix(self) -> Array:
        """Correlation of the estimates (rank, rank): near 1 or -1 for two that the motion hardly separates."""
        size = np.where(self.standard_deviations > 0, self.standard_deviations, 1.0)
        return self.covariance / np.outer(size, size)

    @check_arguments
    def predict(self, motion: Motion) -> Array:
        """Predicted torques (T, n) of a motion."""
        return self.model.sample_blocks(motion, self.base).multiply(self.values)

    @check_arguments
    def validate(self, log: Log) -> Validation:
        """The prediction of another log, compared with its measured (unfiltered) torques."""
        full = log.with_derivatives(self.model.mech, self.requested_cutoff)
        return Validation(self.model.mech.speeds, full.times, full.torques, self.predict(full.motion()))


@check_arguments
@dataclass(frozen=True)
class FrictionTransition:
    """How Coulomb friction changes its sign in a model of measured torques.

    Args:
        speed: speed over which it changes [rad/s]; 0: at once.
        presliding: displacement over which it builds up after a reversal [rad, m], see `TorqueModel`; 0: at once.
    """

    speed: float = 0.0
    presliding: float = 0.0


@check_arguments
def identify(
    robot_or_mech: Robot | Mechanism,
    log: Log,
    *,
    friction: Sequence[FrictionKind] = FRICTION_KINDS,
    side: str = "motor",
    method: FitMethod = "wls",
    cutoff: float | None = None,
    transition: FrictionTransition = FrictionTransition(),
    without: Iterable[str] = (),
) -> Identification:
    """Estimate the base parameters of a robot from measured motion and torques.

    Torques are used as measured; positions (or speeds) are filtered with zero phase and differentiated. Standard
    deviations account for residuals that are correlated in time. Warnings report residuals that are not white and
    estimates that depend on the cut-off (`warnings`). The columns are computed block by block: a long log needs little
    memory.

    Args:
        robot_or_mech: the robot or machine; its geometry is assumed to be known, its other parameters are nominal
            values.
        log: the measured data.
        friction: friction columns to fit per joint: viscous, coulomb, offset.
        side: "motor" or "link": where the torque was measured. Torques at the link side contain no rotor inertia; its
            columns are excluded with a remark.
        method: "ols", "wls" (each joint weighted by its variance) or "irls" (also robust against outliers).
        cutoff: of the filter [Hz]; None: chosen from the signal and its noise; infinity: no filter.
        transition: how Coulomb friction changes its sign; by default at once.
        without: names of parameters known to be zero.
    """
    robot = robot_or_mech if isinstance(robot_or_mech, Robot) else None
    mech = machine_of("identify", robot_or_mech)
    if not mech.n:
        raise InputError("identify: the machine has no movable joint. Give a machine with joints.")
    if not isinstance(log, Log):
        raise InputError(
            f"identify: the log is a {type(log).__name__}. Give a Log(t, q, tau), or read_log(path, robot)."
        )
    kinds, known = tuple(friction), tuple(without)
    model = TorqueModel(mech, kinds, side, None, transition.speed, known, presliding=transition.presliding)  # type: ignore[arg-type]
    full = log.with_derivatives(mech, cutoff)
    if not log.torques.any():
        raise InputError(
            "identify: all torques of the log are zero, and so would be all parameters. Check its torque columns."
        )
    motion = full.motion()
    rows = model.sample_blocks(motion)
    small = joint_triangles(rows, full.torques)
    base, unexcited = excited_parameters(model, small, len(full.times))
    solution = solve_least_squares(
        model.sample_blocks(motion, base), full.torques, method, reduced_triangles(small, model.base, base)
    )
    estimate_warnings = unit_warning(full, mech, rows.multiply(model.base.combine(model.nominal_values)))
    estimate_warnings += (*residual_warning(full, mech.speeds, solution), *cutoff_warning(full, model, base, solution))
    if estimate_warnings:
        warnings.warn(GearwrightWarning("identify: " + "\n".join(estimate_warnings)), stacklevel=caller_stack_level())
    return Identification(
        model,
        base,
        solution.values,
        solution.covariance,
        Validation(mech.speeds, motion.t, full.torques, full.torques - solution.residuals),
        method,
        None if full.origin is None else full.origin.cutoff,
        unexcited,
        _identification_remarks(model, unexcited),
        solution.weights,
        robot,
        cutoff,
        estimate_warnings,
    )


def excited_parameters(
    model: TorqueModel, small: Sequence[Array], samples: int
) -> tuple[BaseParameters, tuple[str, ...]]:
    """The combinations that a log excites, and those of the model that it does not.

    `small`: the `joint_triangles` of the equations of the model's base parameters.
    """
    structural, n = model.base, model.mech.n
    if samples * n <= structural.rank:
        raise InputError(
            f"identify: {samples * n} equations ({samples} samples of {n} joints) cannot determine "
            f"{structural.rank} base parameters. Record longer, or exclude parameters."
        )
    sizes = model.column_sizes[list(structural.chosen)] * np.sqrt(samples * n)
    rows = np.concatenate(small)[:, :-1]
    visible = independent_parameters(rows, structural.leading_parameters, tolerance=MIN_EXCITATION_RATIO, scale=sizes)
    if visible.rank == structural.rank:
        return structural, ()
    unexcited = tuple(name for k, name in enumerate(structural.names) if k not in visible.chosen)
    return structural.composed_with(visible), unexcited


def reduced_triangles(small: Sequence[Array], structural: BaseParameters, base: BaseParameters) -> list[Array]:
    """The triangular factors of a subset of base parameters, from those of all."""
    places = [structural.chosen.index(k) for k in base.chosen]
    return [block[:, [*places, -1]] for block in small]


def _identification_remarks(model: TorqueModel, unexcited: tuple[str, ...]) -> tuple[str, ...]:
    remarks = []
    if model.side == "link" and model.mech.spins:
        wheels = listed_names(spin.name for spin in model.mech.spins)
        remarks.append(
            f"Torques were measured at the link side and contain no wheel inertia: the columns of {wheels} "
            "are excluded."
        )
    if unexcited:
        remarks.append(
            f"This motion does not excite {len(unexcited)} of {model.base.rank} base parameters: "
            f"{listed_names(unexcited, '; ')}. Use "
            "an exciting trajectory (excite), or keep their nominal values."
        )
    return tuple(remarks)
