r"""The limits of a design as functions of its continuous variables, with exact gradients from kernels.

The machine is a function of the variables and of a factor $s_j$ per drive on the inertia of what turns with its motor.
One kernel gives the forces of the motion, its derivative by the variables another. Forces are linear in $s_j$, so that
what turns motor j alone is $2 (\tau(1) - \tau(s_j = 1/2))$. Losses, currents and limits follow over jets.
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
from gearwright.algebra.taylor import Jet
from gearwright.algebra.variations import varied_parameters
from gearwright.analysis.structure_slopes import structure_slopes
from gearwright.arrays import Array
from gearwright.compiling.kernel import Kernel
from gearwright.design.choosing import with_choices
from gearwright.design.designs import Judgement, Question, shares_of_links
from gearwright.design.drive_demand import JETS, JOINT_SPEED, Article, OfJets, compared, drive_demand
from gearwright.design.pace import stretched
from gearwright.design.rigid_robots import rigid_robot
from gearwright.design.variables import STRETCH
from gearwright.forces.dc_equations import DcEquations
from gearwright.forces.losses_mesh import Mesh
from gearwright.forces.wheels import wheels_before
from gearwright.mechanism import Mechanism, approximate, assemble
from gearwright.parts import Robot
from gearwright.programs import programs
from gearwright.tracing.recipe import Recipe
from gearwright.tracing.trace import TraceJob

FORCES = "inverse_dynamics"
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
        program = programs.BY_NAME[self.function]
        return TraceJob(program, assemble(self.source), {}, self.machine, len(self.parameters), self.wrt)  # type: ignore[arg-type]

    def identity(self) -> str:
        """All that the machine is made from but the values of its variables."""
        made = self.machine
        base = made.question.space.base
        about = (
            base.robot,
            dict(base.sections),
            base.task.carried_by(base.robot).payload,
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
            found |= {f"{joint}: {name}": values[name] / limit for name, limit in limits.items() if name != JOINT_SPEED}
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
