r"""Refinement of a design's continuous variables by SciPy's SLSQP with exact gradients, with fixed drives.

The machine is a function of the variables and of a factor $s_j$ per drive on the inertia that turns with its motor.
Drives, mounts and materials are fixed. One kernel computes the forces of the motion, another one their derivatives by
the variables. Forces are linear in $s_j$, so that the part that turns motor j alone is $2 (\tau(1) - \tau(s_j = 1/2))$.
Losses, currents, the limits of drives and all objectives follow from them with their gradients; stresses and
deflections of links come from dual numbers.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import Dual, dual, dual_parameters, partials_of, primal_value
from gearwright.analysis import LimitKey
from gearwright.analysis.drives.drive_series import series_of_drive
from gearwright.analysis.parametric_series import SERIES_OPERATIONS
from gearwright.analysis.sensitivity.structural_sensitivity import structural_partials
from gearwright.arrays import Array
from gearwright.compiling.kernel import Kernel
from gearwright.design.candidates.chosen_drives import with_chosen_drives
from gearwright.design.candidates.screening import screened_value
from gearwright.design.robot_preparation.rigid_gears import rigid_robot
from gearwright.design.robot_preparation.sized_drives import DriveCoordinate, drive_coordinates, sized_drives
from gearwright.design.search.drive_sets import DriveSets
from gearwright.design.variables.design_evaluation import (
    DesignEvaluation,
    SizingProblem,
    complete_evaluation,
    shares_from_peaks,
)
from gearwright.design.variables.design_variables import TIME_SCALE_VARIABLE, Range
from gearwright.design.variables.task_speed import slowed_task
from gearwright.errors import GearwrightError
from gearwright.forces.transmission.drive_equation import DriveLoad
from gearwright.forces.transmission.gear_wheels import input_wheels
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.parts import Robot
from gearwright.programs import approximate, dynamics_programs
from gearwright.tracing.recipe import KernelRequest
from gearwright.tracing.trace import TraceJob

# Gradients

FORCE_FUNCTION = "inverse_dynamics"
PARAMETER_ARGUMENT = "parameters"


@dataclass(frozen=True)
class DesignMachine:
    """Builds the machine of a design from its continuous variables and the factors of its drives.

    Args:
        question: with the space of designs.
        fixed: variables that do not change.
        free: names of the variables that do.
        choices: the drives.
        turning: per drive the names of the wheels that turn with its motor.
    """

    question: SizingProblem
    fixed: Mapping[str, Any]
    free: tuple[str, ...]
    choices: Mapping[str, Any]
    turning: tuple[tuple[str, ...], ...]

    def loaded_robot(self, values: Sequence[Scalar]) -> Robot:
        """The robot with its drives and its payload and rigid gears."""
        space = self.question.space
        robot = space.robot_with({**self.fixed, **dict(zip(self.free, values, strict=True))})
        return rigid_robot(space.base.task.loaded_robot(with_chosen_drives(robot, self.choices)))

    def __call__(self, values: Sequence[Scalar]) -> Mechanism:
        """The machine; the factors multiply the inertias that turn with the motors."""
        mech = approximate(assemble_tree(self.loaded_robot(values[: len(self.free)])), self.question.model or "exact")
        factors = values[len(self.free) :]
        scale = {name: s for names, s in zip(self.turning, factors, strict=True) for name in names}
        spins = [spin.with_scaled_inertia(scale[spin.name]) if spin.name in scale else spin for spin in mech.spins]
        return replace(mech, spins=tuple(spins))


@dataclass(frozen=True)
class DesignKernelRequest(KernelRequest):
    """A kernel whose parameters are variables of a design instead of paths of a robot."""

    machine: Any = None

    def trace_job(self) -> TraceJob:
        """The job of the tracer."""
        program = dynamics_programs.PROGRAM_BY_NAME[self.function]
        return TraceJob(program, assemble_tree(self.source), {}, self.machine, len(self.parameters), self.wrt)  # type: ignore[arg-type]

    def exact_identity(self) -> str:
        """All data of the machine except the values of its variables."""
        factory = self.machine
        base = factory.question.space.base
        contents = (
            base.robot,
            dict(base.sections),
            base.task.payload,
            base.task.payloads,
            factory.fixed,
            factory.free,
            factory.choices,
            factory.turning,
            factory.question.model,
        )
        return hashlib.sha256(pickle.dumps(contents)).hexdigest()


class DesignGradients:
    """Utilisations and objectives of a design near a judgement, with derivatives by the continuous variables.

    Args:
        problem: the sizing problem.
        evaluation: an evaluated design, whose drives are kept.
        free: the continuous variables.
        fixed: values of all other variables.
    """

    def __init__(
        self, problem: SizingProblem, evaluation: DesignEvaluation, free: tuple[str, ...], fixed: Mapping[str, Any]
    ) -> None:
        self.problem, self.evaluation, self.free, self.fixed = problem, evaluation, free, fixed
        values = dict(evaluation.design.values)
        self.start = np.array([float(values[name]) for name in free])
        choices = evaluation.choices_by_joint(problem.judged_joints)
        self._design_machine = plain = DesignMachine(problem, fixed, free, choices, ())
        robot = plain.loaded_robot(self.start.tolist())
        turning = tuple(_wheels_of_motor(robot, joint) for joint in problem.judged_joints)
        machine = replace(plain, turning=turning)
        names = (*free, *(f"{joint} factor" for joint in problem.judged_joints))
        recipe = DesignKernelRequest(FORCE_FUNCTION, robot, names, machine=machine)
        self._force_kernel = Kernel(recipe)
        self._partials_kernel = Kernel(replace(recipe, wrt=(PARAMETER_ARGUMENT,)))

    @cached_property
    def _factor_rows(self) -> Array:
        """Factors of the drives: all 1, then for each drive 1/2."""
        count = len(self.problem.judged_joints)
        return np.vstack([np.ones(count), 1 - 0.5 * np.eye(count)])

    def forces_and_partials(self, x: Array) -> tuple[Array, Array]:
        """Forces (1 + J, T, n) for all factors 1, then 1/2 for each drive; and derivatives (1 + J, T, n, P)."""
        motion = self.evaluation.sets.space.motion
        rows = np.hstack([np.broadcast_to(x, (len(self._factor_rows), len(x))), self._factor_rows])[:, None, :]
        arguments = (motion.q, motion.v, motion.a)
        tau = self._force_kernel(*arguments, parameters=rows)
        slopes = self._partials_kernel(*arguments, parameters=rows)
        return tau, slopes[..., : len(self.free)]

    def shares_with_partials(self, x: Array) -> tuple[dict[LimitKey, Scalar], Scalar, Scalar]:
        """Utilisation of each limit of every drive, energy, and highest mean temperature, with derivatives."""
        tau, slopes = self.forces_and_partials(x)
        variables = dual_parameters(dict(zip(self.free, x.tolist(), strict=True)))
        shares: dict[LimitKey, Scalar] = {}
        energy: Scalar = 0.0
        temperatures: list[Scalar] = []
        sets = self.evaluation.sets
        coordinates = self._coordinates_at(x)
        for j, joint in enumerate(self.problem.judged_joints):
            basis, coordinate = sets.space.drives[j], coordinates[j]
            whole, half = (self._force_at_drive(tau[k], slopes[k], coordinate) for k in (0, j + 1))
            pairs = sets.options[j][self.evaluation.places[j : j + 1]]
            ratio = variables.get(self.problem.space.ratio_variables.get(joint, ""), pairs.ratio[:, None])
            rotor_torque = (whole - half) * 2.0 / (ratio + basis.carrier_rate)
            load = whole - rotor_torque * ratio + sets.space.outside @ coordinate.share
            v = sets.space.motion.v
            speed = dual(v @ coordinate.row, {name: v @ row for name, row in coordinate.row_partials.items()})
            series = series_of_drive(
                sets.space.t,
                DriveLoad(load, rotor_torque, speed, basis.direction),
                replace(pairs.equation, ratio=ratio),
                pairs.winding_under,
                SERIES_OPERATIONS,
            )
            shares |= {
                LimitKey(joint, kind): value / float(limit[0])
                for kind, limit in pairs.limits.items()
                if np.isfinite(limit[0]) and isinstance(value := screened_value(kind, series, pairs), Dual)
            }
            energy = energy + series.energy
            if not np.isnan(pairs.thermal_resistance).any():
                temperatures.append(pairs.mean_temperature(series.mean_square_current, SERIES_OPERATIONS))
        return shares, energy, max(temperatures, key=lambda x: float(primal_value(x)[0]), default=None)

    def _coordinates_at(self, x: Array) -> list[DriveCoordinate]:
        """The coordinates of the drives, with derivatives by the variables that change a train."""
        varied = dual_parameters(dict(zip(self.free, x.tolist(), strict=True)))
        robot = self._design_machine.loaded_robot(list(varied.values()))
        return drive_coordinates(robot, assemble_tree(robot), self.problem.judged_joints)

    def _force_at_drive(self, tau: Array, slopes: Array, coordinate: DriveCoordinate) -> Scalar:
        """The force at a drive, (T,), for forces (T, n) and their derivatives (T, n, P)."""
        share = coordinate.share
        by_share = coordinate.share_partials
        partials = {
            name: slopes[..., p] @ share + (tau @ by_share[name] if name in by_share else 0.0)
            for p, name in enumerate(self.free)
        }
        return dual(tau @ share, partials)

    def link_shares_with_partials(self, x: Array) -> list[Scalar]:
        """Utilisation of each limit of links and tip, with derivatives by the variables."""
        space = self.problem.space
        if not space.base.sections:
            return []
        varied = dual_parameters(dict(zip(self.free, x.tolist(), strict=True)))
        robot = self._design_machine.loaded_robot(list(varied.values()))
        beams = space.link_beams({**self.fixed, **varied})
        motion, task = (
            self.evaluation.sets.space.motion,
            slowed_task(space.base.task, self.fixed.get(TIME_SCALE_VARIABLE, 1.0)),
        )
        characteristics = structural_partials(robot, assemble_tree(robot), motion, beams, task)
        return list(
            shares_from_peaks(characteristics, {name: beam.material for name, beam in beams.items()}, task).values()
        )

    def beam_mass_with_partials(self, x: Array) -> Scalar:
        """Mass of the variable beams, with derivatives by the variables."""
        varied = dual_parameters(dict(zip(self.free, x.tolist(), strict=True)))
        return self.problem.space.varied_beam_mass({**self.fixed, **varied})

    def value_and_gradient(self, x: Scalar) -> tuple[float, Array]:
        """A dual number as its value and its derivatives by the variables, (P,)."""
        slopes = partials_of(x)
        gradient = [float(np.ravel(slopes.get(name, 0.0))[0]) for name in self.free]
        return float(np.ravel(primal_value(x))[0]), np.array(gradient)


def _wheels_of_motor(robot: Robot, joint: str) -> tuple[str, ...]:
    """Names of the spins that turn with the motor of a joint."""
    title = next(drive.title for drive in sized_drives(robot) if drive.joint == joint)
    return tuple(spin.name for spin in input_wheels(assemble_tree(robot), title))


# Refinement

MAX_SLSQP_ITERATIONS = 60
LIMIT_BACKOFF_RATIO = 1e-6
"""Reserve of every limit, as a share: an optimiser satisfies constraints only within its tolerance."""
SHEET_AMBIENT_TEMPERATURE = 298.15
"""Ambient temperature of data sheets [K]."""
DIFFERENTIABLE_OBJECTIVES = ("mass", "energy", "temperature")
"""Objectives that depend smoothly on continuous variables."""


class SmoothProblem:
    """The objective and the margins of all limits, over variables scaled to 0 ... 1."""

    def __init__(self, problem: SizingProblem, evaluation: DesignEvaluation) -> None:
        space = problem.space
        values = dict(evaluation.design.values)
        self.free = tuple(name for name in space.continuous_variables if name != TIME_SCALE_VARIABLE)
        self.fixed = {name: x for name, x in values.items() if name not in self.free}
        self.problem, self.evaluation = problem, evaluation
        ranges = [space.domains[name] for name in self.free]
        self.low = np.array([domain.low for domain in ranges if isinstance(domain, Range)])
        self.span = np.array([domain.high - domain.low for domain in ranges if isinstance(domain, Range)])
        self.gradients = DesignGradients(problem, evaluation, self.free, self.fixed)
        self._scale = 0.0
        self._allowed_share = problem.share - LIMIT_BACKOFF_RATIO
        self._cache: dict[bytes, tuple[tuple[float, Array], Array, Array]] = {}

    @property
    def start_point(self) -> Array:
        """Scaled variables of the judgement."""
        return np.asarray((self.gradients.start - self.low) / self.span)

    def variable_values(self, y: Array) -> dict[str, Any]:
        """All variables of the design."""
        x = self.low + self.span * y
        return {**self.fixed, **dict(zip(self.free, x.tolist(), strict=True))}

    def _evaluate_at(self, y: Array) -> tuple[tuple[float, Array], Array, Array]:
        """The objective and its gradient, the margins of the limits (K,) and their derivatives (K, P), by y."""
        key = y.tobytes()
        if key not in self._cache:
            x = self.low + self.span * y
            uses, energy, warmest = self.gradients.shares_with_partials(x)
            goals = {"mass": self.gradients.beam_mass_with_partials(x), "energy": energy, "temperature": warmest}
            all_uses = [*uses.values(), *self.gradients.link_shares_with_partials(x)]
            pairs = [self.gradients.value_and_gradient(use) for use in all_uses]
            self._cache[key] = (
                self._scaled_objective(goals),
                self._allowed_share - np.array([value for value, _ in pairs]),
                -self.span * np.array([gradient for _, gradient in pairs]).reshape(len(pairs), len(y)),
            )
        return self._cache[key]

    def objective_and_gradient(self, y: Array) -> tuple[float, Array]:
        """The objective and its gradient."""
        return self._evaluate_at(y)[0]

    def _scaled_objective(self, goals: dict[str, Scalar]) -> tuple[float, Array]:
        """The objective and its gradient, scaled to start at 1; energy if the variables do not change the mass."""
        indifferent = self.problem.objective == "mass" and not self.problem.space.varied_links
        goal = goals["energy" if indifferent else self.problem.objective]
        value, gradient = self.gradients.value_and_gradient(goal)
        if self.problem.objective == "temperature":
            value -= self.problem.space.base.task.ambient or SHEET_AMBIENT_TEMPERATURE  # the temperature rise
        self._scale = self._scale or abs(value) or 1.0
        return value / self._scale, gradient * self.span / self._scale

    def remaining_margins(self, y: Array) -> Array:
        """Margins of the limits."""
        return self._evaluate_at(y)[1]

    def margin_partials(self, y: Array) -> Array:
        """Derivatives of the margins."""
        return self._evaluate_at(y)[2]


def refine_variables(problem: SizingProblem, evaluation: DesignEvaluation) -> DesignEvaluation:
    """The design with optimised continuous variables; the same design without an improvement."""
    if problem.objective not in DIFFERENTIABLE_OBJECTIVES or set(problem.space.continuous_variables) <= {
        TIME_SCALE_VARIABLE
    }:
        return evaluation
    from scipy.optimize import minimize

    smooth = SmoothProblem(problem, evaluation)
    solution = minimize(
        smooth.objective_and_gradient,
        smooth.start_point,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(smooth.free),
        constraints={"type": "ineq", "fun": smooth.remaining_margins, "jac": smooth.margin_partials},
        options={"maxiter": MAX_SLSQP_ITERATIONS, "ftol": 1e-10},
    )
    return _evaluation_with_values(problem, evaluation, smooth.variable_values(np.clip(solution.x, 0, 1)))


def _evaluation_with_values(
    problem: SizingProblem, evaluation: DesignEvaluation, values: dict[str, Any]
) -> DesignEvaluation:
    """The same drives in another design."""
    try:
        design = problem.space.design_with(values)
        drives = problem.drive_space_of(design)
    except GearwrightError:
        return evaluation
    options = problem.candidate_options(drives)
    choices = evaluation.design.choices
    places = np.array([pairs.choices.index(choice) for pairs, choice in zip(options, choices, strict=True)])
    return complete_evaluation(problem, design, values, DriveSets(drives, options), places)
