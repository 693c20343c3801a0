r"""Refinement of a design's continuous variables by SciPy's SLSQP on exact gradients, the drives unchanged.

The machine is a function of the variables and of a factor $s_j$ per drive on the inertia of what turns with its motor.
Drives, mounts and materials stay as they are. One kernel gives the forces of the motion, its derivative by the
variables another. Forces are linear in $s_j$, so that the part that turns motor j alone is $2 (\tau(1) - \tau(s_j =
1/2))$. Losses, currents, the limits of drives and all objectives follow from them with their gradients; stresses and
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
from gearwright.algebra.differentiation.dual_numbers import value_of, varied_parameters
from gearwright.algebra.differentiation.taylor_series import Jet
from gearwright.analysis.drives.limit_checks import SHAFT_LIMITS
from gearwright.analysis.parametric_series import slope_of
from gearwright.analysis.sensitivity.structural_sensitivity import structure_slopes
from gearwright.arrays import Array
from gearwright.compiling.kernel import Kernel
from gearwright.design.candidates.chosen_drives import with_choices
from gearwright.design.candidates.drive_equations import JETS, JOINT_SPEED, Article, OfJets, compared, drive_demand
from gearwright.design.robot_preparation.rigid_gears import rigid_robot
from gearwright.design.search.drive_sets import DriveSets
from gearwright.design.variables.design_evaluation import Judgement, Question, completed, shares_of_links
from gearwright.design.variables.design_variables import STRETCH, Range
from gearwright.design.variables.task_speed import stretched
from gearwright.errors import GearwrightError
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.transmission.gear_wheels import wheels_before
from gearwright.forces.transmission.mesh_efficiency import Mesh
from gearwright.mechanism import Mechanism, approximate, assemble
from gearwright.parts import Robot
from gearwright.programs import dynamics_programs
from gearwright.tracing.recipe import Recipe
from gearwright.tracing.trace import TraceJob

# Gradients

FORCES = "inverse_dynamics"
CONSTANT = (JOINT_SPEED, *SHAFT_LIMITS)
"""Limits of drives whose shares the screening does not follow with the variables."""
PARAMETERS = "parameters"


@dataclass(frozen=True)
class DesignMachine:
    """Makes the machine of a design from its continuous variables and the factors of its drives.

    Args:
        question: with the space of designs.
        fixed: variables that do not change.
        free: names of those that do.
        choices: the drives.
        turning: per drive the names of the wheels that turn with its motor.
    """

    question: Question
    fixed: Mapping[str, Any]
    free: tuple[str, ...]
    choices: Mapping[str, Any]
    turning: tuple[tuple[str, ...], ...]

    def robot(self, values: Sequence[Scalar]) -> Robot:
        """The robot with its drives and its payload, its gears rigid."""
        space = self.question.space
        robot = space.robot({**self.fixed, **dict(zip(self.free, values, strict=True))})
        return rigid_robot(space.base.task.carried_by(with_choices(robot, self.choices)))

    def __call__(self, values: Sequence[Scalar]) -> Mechanism:
        """The machine; what turns with motor j has so many times its inertia."""
        mech = approximate(assemble(self.robot(values[: len(self.free)])), self.question.model or "exact")
        factors = values[len(self.free) :]
        scale = {name: s for names, s in zip(self.turning, factors, strict=True) for name in names}
        spins = [spin.times(scale[spin.name]) if spin.name in scale else spin for spin in mech.spins]
        return replace(mech, spins=tuple(spins))


@dataclass(frozen=True)
class DesignRecipe(Recipe):
    """A kernel whose parameters are variables of a design instead of paths of a robot."""

    machine: Any = None

    def job(self) -> TraceJob:
        """What to trace."""
        program = dynamics_programs.BY_NAME[self.function]
        return TraceJob(program, assemble(self.source), {}, self.machine, len(self.parameters), self.wrt)  # type: ignore[arg-type]

    def identity(self) -> str:
        """All that the machine is made from but the values of its variables."""
        made = self.machine
        base = made.question.space.base
        about = (
            base.robot,
            dict(base.sections),
            base.task.payload,
            base.task.payloads,
            made.fixed,
            made.free,
            made.choices,
            made.turning,
            made.question.model,
        )
        return hashlib.sha256(pickle.dumps(about)).hexdigest()


class DesignGradients:
    """Uses and objectives of a design near a judgement, with their slopes by the continuous variables.

    Args:
        question: what is looked for.
        judgement: whose drives are kept.
        free: the variables.
        fixed: values of all others.
    """

    def __init__(
        self, question: Question, judgement: Judgement, free: tuple[str, ...], fixed: Mapping[str, Any]
    ) -> None:
        self.question, self.judgement, self.free, self.fixed = question, judgement, free, fixed
        values = dict(judgement.found.values)
        self.start = np.array([float(values[name]) for name in free])
        choices = judgement.choices(question.joints)
        self._plain = plain = DesignMachine(question, fixed, free, choices, ())
        robot = plain.robot(self.start.tolist())
        turning = tuple(_turning(robot, joint) for joint in question.joints)
        machine = replace(plain, turning=turning)
        names = (*free, *(f"{joint} factor" for joint in question.joints))
        recipe = DesignRecipe(FORCES, robot, names, machine=machine)
        self._forces = Kernel(recipe)
        self._slopes = Kernel(replace(recipe, wrt=(PARAMETERS,)))

    @cached_property
    def _rows(self) -> Array:
        """Factors of the drives: all one, then one of them a half."""
        count = len(self.question.joints)
        return np.vstack([np.ones(count), 1 - 0.5 * np.eye(count)])

    def forces(self, x: Array) -> tuple[Array, Array]:
        """Forces (1 + J, T, n) for all factors one, then one drive's a half; and slopes (1 + J, T, n, P)."""
        motion = self.judgement.sets.space.motion
        rows = np.hstack([np.broadcast_to(x, (len(self._rows), len(x))), self._rows])[:, None, :]
        arguments = (motion.q, motion.v, motion.a)
        tau = self._forces(*arguments, parameters=rows)
        slopes = self._slopes(*arguments, parameters=rows)
        return tau, slopes[..., : len(self.free)]

    def uses(self, x: Array) -> tuple[dict[str, Scalar], Scalar, Scalar]:
        """Per limit of every drive the share that is taken, the energy, and the highest mean temperature: jets."""
        tau, slopes = self.forces(x)
        found: dict[str, Scalar] = {}
        energy: Scalar = 0.0
        warmest: list[Scalar] = []
        sets = self.judgement.sets
        over = OfJets(sets.space.t)
        for j, joint in enumerate(self.question.joints):
            at = sets.space.drives[j].at
            whole, half = (Jet([tau[k, :, at], slopes[k, :, at].T]) for k in (0, j + 1))
            own = (whole - half) * 2.0
            some = sets.options[j][self.judgement.places[j : j + 1]]
            article = self._article(some, joint, x)
            load = whole - own + sets.space.outside[:, at]
            series = drive_demand(article, load, own / article.ratio, sets.space.motion.v[:, at], JETS)
            values = compared(series, article, over)
            limits = {name: float(limit[0]) for name, limit in some.limits.items() if np.isfinite(limit[0])}
            found |= {
                f"{joint}: {name}": values[name] / limit for name, limit in limits.items() if name not in CONSTANT
            }
            energy = energy + over.mean(series.voltage * series.current) * over.span
            if not np.isnan(some.thermal).any():
                warmest.append(some.temperature(values["winding above air"], JETS))
        return found, energy, max(warmest, key=lambda one: float(one.c[0][0]), default=None)

    def _article(self, some: Any, joint: str, x: Array) -> Article:
        """The numbers of a drive, its ratio a jet where it varies."""
        columns = some.article
        ratio = Jet([columns.ratio[0], np.zeros((len(self.free), 1))])
        variable = self.question.space.ratios.get(joint)
        if variable in self.free:
            k = self.free.index(variable)
            ratio = Jet([np.array([x[k]]), np.eye(len(self.free))[:, k : k + 1]])
        teeth, wire = columns.mesh, columns.winding
        mesh = Mesh(teeth.drive[0], teeth.back[0], teeth.input_torque[0], teeth.output_torque)
        winding = DcEquations(*(part[0] if isinstance(part, np.ndarray) else part for part in wire))
        return Article(ratio, mesh, columns.coulomb[0], columns.viscous[0], winding, float(columns.life_exponent[0, 0]))

    def link_uses(self, x: Array) -> list[Scalar]:
        """Per limit of the links and the tip the share that is taken, varied by the names of the variables."""
        space = self.question.space
        if not space.base.sections:
            return []
        varied = varied_parameters(dict(zip(self.free, x.tolist(), strict=True)))
        robot = self._plain.robot(list(varied.values()))
        beams = space.beams({**self.fixed, **varied})
        motion, task = self.judgement.sets.space.motion, stretched(space.base.task, self.fixed.get(STRETCH, 1.0))
        found = structure_slopes(robot, assemble(robot), motion, beams, task)
        return list(shares_of_links(found, {name: beam.material for name, beam in beams.items()}, task).values())

    def beam_mass(self, x: Array) -> Scalar:
        """Mass of the beams that vary, as a jet."""
        steps = np.eye(len(self.free))
        jets = {name: Jet([float(x[k]), steps[k]]) for k, name in enumerate(self.free)}
        mass = self.question.space.beam_mass({**self.fixed, **jets})
        return mass if isinstance(mass, Jet) else Jet([float(mass), np.zeros(len(self.free))])


def _turning(robot: Robot, joint: str) -> tuple[str, ...]:
    """What turns with the motor of a joint."""
    title = next(drive.title for drive in robot.drives if drive.joint == joint)
    return tuple(spin.name for spin in wheels_before(assemble(robot), title))


# Refinement

STEPS = 60
BACKOFF = 1e-6
"""Share of a limit that is left: an optimiser ends at its constraints only to within its tolerance."""
AMBIENT = 298.15
"""Of data sheets [K]."""
GRADED = ("mass", "energy", "temperature")
"""Objectives that continuous variables change smoothly."""


class Smooth:
    """The objective and what is left of every limit, over variables scaled to 0 ... 1."""

    def __init__(self, question: Question, judgement: Judgement) -> None:
        space = question.space
        values = dict(judgement.found.values)
        self.free = tuple(name for name in space.continuous if name != STRETCH)
        self.fixed = {name: x for name, x in values.items() if name not in self.free}
        self.question, self.judgement = question, judgement
        ranges = [space.domains[name] for name in self.free]
        self.low = np.array([one.low for one in ranges if isinstance(one, Range)])
        self.span = np.array([one.high - one.low for one in ranges if isinstance(one, Range)])
        self.graded = DesignGradients(question, judgement, self.free, self.fixed)
        self._scale = 0.0
        self._most = question.share - BACKOFF
        self._known: dict[bytes, tuple[Scalar, Array, Array]] = {}

    @property
    def start(self) -> Array:
        """Where the judgement is."""
        return np.asarray((self.graded.start - self.low) / self.span)

    def values(self, y: Array) -> dict[str, Any]:
        """All variables of the design."""
        x = self.low + self.span * y
        return {**self.fixed, **dict(zip(self.free, x.tolist(), strict=True))}

    def _at(self, y: Array) -> tuple[Scalar, Array, Array]:
        """The objective as a jet, what is left of the limits (K,) and its slopes (K, P), by y."""
        key = y.tobytes()
        if key not in self._known:
            x = self.low + self.span * y
            uses, energy, warmest = self.graded.uses(x)
            goals = {"mass": self.graded.beam_mass(x), "energy": energy, "temperature": warmest}
            goal = self._scaled(goals)
            links, bends = self._links(x)
            left = self._most - np.array([float(one.c[0]) for one in uses.values()])
            slopes = [-np.ravel(one.c[1]) * self.span for one in uses.values()]
            self._known[key] = (
                goal,
                np.concatenate([left, links]),
                np.vstack([*slopes, *bends]) if slopes or len(bends) else np.zeros((0, len(y))),
            )
        return self._known[key]

    def goal(self, y: Array) -> tuple[float, Array]:
        """The objective and its slopes."""
        jet = self._at(y)[0]
        return float(jet.c[0]), jet.c[1] * self.span

    def _scaled(self, goals: dict[str, Scalar]) -> Scalar:
        """The objective, which begins at one; energy where nothing that varies changes the mass."""
        indifferent = self.question.objective == "mass" and not self.question.space.links
        goal = goals["energy" if indifferent else self.question.objective]
        value = float(np.ravel(goal.c[0])[0])
        if self.question.objective == "temperature":
            value -= self.question.space.base.task.ambient or AMBIENT  # what counts is how much warmer than the air
        self._scale = self._scale or abs(value) or 1.0
        return Jet([value / self._scale, np.ravel(goal.c[1]) / self._scale])

    def left(self, y: Array) -> Array:
        """What is left of the limits."""
        return self._at(y)[1]

    def left_slopes(self, y: Array) -> Array:
        """Its slopes."""
        return self._at(y)[2]

    def _links(self, x: Array) -> tuple[Array, Array]:
        """What is left of the limits of links (L,), and its slopes by y (L, P)."""
        uses = self.graded.link_uses(x)
        left = [self._most - float(value_of(use)) for use in uses]
        slopes = [[-slope_of(use, name) for name in self.free] for use in uses]
        return np.array(left), np.array(slopes).reshape(len(uses), len(self.free)) * self.span


def polished(question: Question, judgement: Judgement) -> Judgement:
    """The design with its continuous variables at their best; the same design where nothing is gained."""
    if question.objective not in GRADED or set(question.space.continuous) <= {STRETCH}:
        return judgement
    from scipy.optimize import minimize

    smooth = Smooth(question, judgement)
    found = minimize(
        smooth.goal,
        smooth.start,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(smooth.free),
        constraints={"type": "ineq", "fun": smooth.left, "jac": smooth.left_slopes},
        options={"maxiter": STEPS, "ftol": 1e-10},
    )
    return _with_values(question, judgement, smooth.values(np.clip(found.x, 0, 1)))


def _with_values(question: Question, judgement: Judgement, values: dict[str, Any]) -> Judgement:
    """The same drives in another design."""
    try:
        design = question.space.design(values)
        drives = question.drives(design)
    except GearwrightError:
        return judgement
    options = question.options(drives)
    choices = judgement.found.choices
    places = np.array([some.choices.index(choice) for some, choice in zip(options, choices, strict=True)])
    return completed(question, design, values, DriveSets(drives, options), places)
