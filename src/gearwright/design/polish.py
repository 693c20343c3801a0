"""Continuous variables brought to their best while drives, mounts and materials stay: SciPy's SLSQP on exact gradients.

Shares of the limits of drives and all objectives have slopes from kernels, stresses and deflections of links from jets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.taylor import Jet
from gearwright.algebra.variations import value_of
from gearwright.analysis.varied_series import slope_of
from gearwright.arrays import Array
from gearwright.design.designs import Judgement, Question, completed
from gearwright.design.drive_sets import DriveSets
from gearwright.design.kernels import DesignGradients
from gearwright.design.variables import STRETCH, Range
from gearwright.errors import GearwrightError

STEPS = 60
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
            left = self.question.share - np.array([float(one.c[0]) for one in uses.values()])
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
        left = [self.question.share - float(value_of(use)) for use in uses]
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
