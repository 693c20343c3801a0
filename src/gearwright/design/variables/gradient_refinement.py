r"""Refinement of a design's continuous variables by SciPy's SLSQP with exact gradients, with fixed drives.

The machine is a function of the variables and of a factor $s_j$ per drive on the inertia that turns with its motor.
Drives, mounts and materials are fixed. One kernel computes the forces of the motion, another one their derivatives by
the variables. Forces are linear in $s_j$, so that the part that turns motor j alone is $2 (\tau(1) - \tau(s_j = 1/2))$.
Losses, currents, the limits of drives and all objectives follow from them with their gradients; stresses and
deflections of links come from jets.
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
from gearwright.algebra.differentiation.dual_numbers import dual_parameters, primal_value
from gearwright.algebra.differentiation.taylor_series import Jet
from gearwright.analysis import LimitKey
from gearwright.analysis.parametric_series import partial_by
from gearwright.analysis.sensitivity.structural_sensitivity import structural_partials
from gearwright.arrays import Array
from gearwright.compiling.kernel import Kernel
from gearwright.design.candidates.chosen_drives import with_chosen_drives
from gearwright.design.candidates.drive_equations import (
    JET_OPERATIONS,
    DriveData,
    JetReductions,
    limited_quantities,
    motor_series,
)
from gearwright.design.robot_preparation.rigid_gears import rigid_robot
from gearwright.design.search.drive_sets import DriveSets
from gearwright.design.variables.design_evaluation import (
    DesignEvaluation,
    SizingProblem,
    complete_evaluation,
    shares_from_peaks,
)
from gearwright.design.variables.design_variables import STRETCH_VARIABLE, Range
from gearwright.design.variables.task_speed import slowed_task
from gearwright.errors import GearwrightError
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.transmission.gear_wheels import input_wheels
from gearwright.forces.transmission.mesh_efficiency import MeshEfficiency
from gearwright.mechanism import Mechanism, approximate, assemble_tree
from gearwright.parts import Robot
from gearwright.programs import dynamics_programs
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
        """Utilisation of each limit of every drive, energy, and highest mean temperature, as jets."""
        tau, slopes = self.forces_and_partials(x)
        shares: dict[LimitKey, Scalar] = {}
        energy: Scalar = 0.0
        temperatures: list[Scalar] = []
        sets = self.evaluation.sets
        reductions = JetReductions(sets.space.t)
        for j, joint in enumerate(self.problem.judged_joints):
            at = sets.space.drives[j].speed_index
            whole, half = (Jet([tau[k, :, at], slopes[k, :, at].T]) for k in (0, j + 1))
            rotor_part = (whole - half) * 2.0
            pairs = sets.options[j][self.evaluation.places[j : j + 1]]
            drive_data = self._drive_data(pairs, joint, x)
            load = whole - rotor_part + sets.space.outside[:, at]
            series = motor_series(
                drive_data, load, rotor_part / drive_data.ratio, sets.space.motion.v[:, at], JET_OPERATIONS
            )
            values = limited_quantities(series, drive_data, reductions)
            shares |= {
                LimitKey(joint, kind): values[kind.screened_quantity] / float(limit[0])
                for kind, limit in pairs.limits.items()
                if np.isfinite(limit[0]) and isinstance(values.get(kind.screened_quantity), Jet)
            }
            energy = energy + reductions.mean(series.voltage * series.current) * reductions.span
            if not np.isnan(pairs.thermal_resistance).any():
                temperatures.append(pairs.mean_temperature(values["mean_square_current"], JET_OPERATIONS))
        return shares, energy, max(temperatures, key=lambda jet: float(jet.c[0][0]), default=None)

    def _drive_data(self, pairs: Any, joint: str, x: Array) -> DriveData:
        """The data of a drive, with a jet for a variable ratio."""
        columns = pairs.drive_data
        ratio = Jet([columns.ratio[0], np.zeros((len(self.free), 1))])
        variable = self.problem.space.ratio_variables.get(joint)
        if variable in self.free:
            k = self.free.index(variable)
            ratio = Jet([np.array([x[k]]), np.eye(len(self.free))[:, k : k + 1]])
        teeth, wire = columns.mesh, columns.winding
        mesh = MeshEfficiency(teeth.drive[0], teeth.back[0], teeth.input_torque[0], teeth.output_torque)
        winding = DcEquations(*(part[0] if isinstance(part, np.ndarray) else part for part in wire))
        return DriveData(
            ratio, mesh, columns.coulomb[0], columns.viscous[0], winding, float(columns.life_exponent[0, 0])
        )

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
            slowed_task(space.base.task, self.fixed.get(STRETCH_VARIABLE, 1.0)),
        )
        characteristics = structural_partials(robot, assemble_tree(robot), motion, beams, task)
        return list(
            shares_from_peaks(characteristics, {name: beam.material for name, beam in beams.items()}, task).values()
        )

    def beam_mass_with_partials(self, x: Array) -> Scalar:
        """Mass of the variable beams, as a jet."""
        steps = np.eye(len(self.free))
        jets = {name: Jet([float(x[k]), steps[k]]) for k, name in enumerate(self.free)}
        mass = self.problem.space.varied_beam_mass({**self.fixed, **jets})
        return mass if isinstance(mass, Jet) else Jet([float(mass), np.zeros(len(self.free))])


def _wheels_of_motor(robot: Robot, joint: str) -> tuple[str, ...]:
    """Names of the spins that turn with the motor of a joint."""
    title = next(drive.title for drive in robot.drives if drive.joint == joint)
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
        self.free = tuple(name for name in space.continuous_variables if name != STRETCH_VARIABLE)
        self.fixed = {name: x for name, x in values.items() if name not in self.free}
        self.problem, self.evaluation = problem, evaluation
        ranges = [space.domains[name] for name in self.free]
        self.low = np.array([domain.low for domain in ranges if isinstance(domain, Range)])
        self.span = np.array([domain.high - domain.low for domain in ranges if isinstance(domain, Range)])
        self.gradients = DesignGradients(problem, evaluation, self.free, self.fixed)
        self._scale = 0.0
        self._allowed_share = problem.share - LIMIT_BACKOFF_RATIO
        self._cache: dict[bytes, tuple[Scalar, Array, Array]] = {}

    @property
    def start_point(self) -> Array:
        """Scaled variables of the judgement."""
        return np.asarray((self.gradients.start - self.low) / self.span)

    def variable_values(self, y: Array) -> dict[str, Any]:
        """All variables of the design."""
        x = self.low + self.span * y
        return {**self.fixed, **dict(zip(self.free, x.tolist(), strict=True))}

    def _evaluate_at(self, y: Array) -> tuple[Scalar, Array, Array]:
        """The objective as a jet, the margins of the limits (K,) and their derivatives (K, P), by y."""
        key = y.tobytes()
        if key not in self._cache:
            x = self.low + self.span * y
            uses, energy, warmest = self.gradients.shares_with_partials(x)
            goals = {"mass": self.gradients.beam_mass_with_partials(x), "energy": energy, "temperature": warmest}
            goal = self._scaled_objective(goals)
            links, bends = self._link_margins(x)
            left = self._allowed_share - np.array([float(share.c[0]) for share in uses.values()])
            slopes = [-np.ravel(share.c[1]) * self.span for share in uses.values()]
            self._cache[key] = (
                goal,
                np.concatenate([left, links]),
                np.vstack([*slopes, *bends]) if slopes or len(bends) else np.zeros((0, len(y))),
            )
        return self._cache[key]

    def objective_and_gradient(self, y: Array) -> tuple[float, Array]:
        """The objective and its gradient."""
        jet = self._evaluate_at(y)[0]
        return float(jet.c[0]), jet.c[1] * self.span

    def _scaled_objective(self, goals: dict[str, Scalar]) -> Scalar:
        """The objective, scaled to start at 1; energy if the variables do not change the mass."""
        indifferent = self.problem.objective == "mass" and not self.problem.space.varied_links
        goal = goals["energy" if indifferent else self.problem.objective]
        value = float(np.ravel(goal.c[0])[0])
        if self.problem.objective == "temperature":
            value -= self.problem.space.base.task.ambient or SHEET_AMBIENT_TEMPERATURE  # the temperature rise
        self._scale = self._scale or abs(value) or 1.0
        return Jet([value / self._scale, np.ravel(goal.c[1]) / self._scale])

    def remaining_margins(self, y: Array) -> Array:
        """Margins of the limits."""
        return self._evaluate_at(y)[1]

    def margin_partials(self, y: Array) -> Array:
        """Derivatives of the margins."""
        return self._evaluate_at(y)[2]

    def _link_margins(self, x: Array) -> tuple[Array, Array]:
        """Margins of the limits of links (L,), and their derivatives by y (L, P)."""
        uses = self.gradients.link_shares_with_partials(x)
        left = [self._allowed_share - float(primal_value(use)) for use in uses]
        slopes = [[-partial_by(use, name) for name in self.free] for use in uses]
        return np.array(left), np.array(slopes).reshape(len(uses), len(self.free)) * self.span


def refine_variables(problem: SizingProblem, evaluation: DesignEvaluation) -> DesignEvaluation:
    """The design with optimised continuous variables; the same design without an improvement."""
    if problem.objective not in DIFFERENTIABLE_OBJECTIVES or set(problem.space.continuous_variables) <= {
        STRETCH_VARIABLE
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
