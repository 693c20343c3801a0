"""Physically consistent parameters: full sets that bodies can have, that fit the data and stay close to CAD values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.errors import GearwrightError, MissingExtraError
from gearwright.identification.experiment.log import Log
from gearwright.identification.fit.unknowns import Unknowns, unknowns
from gearwright.identification.identification import Identification, Validation

MARGIN = 1e-6
"""How far, relative to a body's size, its pseudo-inertia stays from being singular."""


@dataclass(frozen=True)
class ConsistentFit:
    """Full parameters that are physically possible.

    Args:
        identification: the base parameters they were fitted to.
        unknowns: what was solved for.
        x: the solution.
    """

    identification: Identification
    unknowns: Unknowns
    x: Array

    @cached_property
    def parameters(self) -> Array:
        """The model's parameters in use."""
        return self.unknowns.parameters(self.x)

    @cached_property
    def every_parameter(self) -> Array:
        """All parameters of the model, also those left out of the fit."""
        start, mapped = self.unknowns.every
        full: Array = start + mapped @ self.x
        return full

    @cached_property
    def values(self) -> dict[str, float]:
        """The unknowns by name."""
        return dict(zip(self.unknowns.names, self.x.tolist(), strict=True))

    def pseudo_inertias(self) -> tuple[Array, ...]:
        """Of every body (4, 4): positive definite exactly when the body is physically possible."""
        return tuple(pseudo_inertia(self.x[body.first : body.first + 10]) for body in self.unknowns.bodies)

    def validate(self, log: Log) -> Validation:
        """The prediction of a log."""
        found = self.identification
        full = log.derived(found.model.mech, found.asked_cutoff)
        motion, base = full.motion(), found.model.base
        predicted = found.model.blocks(motion).times(base.combine(self.parameters))
        return Validation(found.model.mech.speeds, motion.t, full.torques, predicted)


@check_arguments
def fit_consistent(found: Identification, trust: float = 1.0) -> ConsistentFit:
    """Full parameters that bodies can have, near the identified base parameters and near the nominal values.

    Minimises (K pi - base)' covariance^-1 (K pi - base) + |(x - nominal) / (trust scale)|^2 subject to a positive
    definite pseudo-inertia of every body and no negative rotor inertia, friction, stiffness or damping. What the data
    determine is taken from the data; what they do not is taken from the nominal values. Needs cvxpy and clarabel.

    Args:
        found: the identification.
        trust: relative standard deviation of the nominal values: small keeps closer to CAD.
    """
    return consistent_among(found, unknowns(found.model, found.robot), trust)


def consistent_among(found: Identification, what: Unknowns, trust: float) -> ConsistentFit:
    """The same for a given choice of unknowns."""
    number("consistent", "trust", trust, above=0.0, example=0.3, hint="It is the nominal values' relative uncertainty.")
    cp = _solver()
    scale = what.scale
    y = cp.Variable(len(what.names))  # x / scale
    x = cp.multiply(scale, y)
    K = found.base.matrix
    root = _whitening(found)
    misfit = root @ (K @ (what.map * scale)) @ y - root @ (found.values - K @ what.start)
    distance = (y - what.nominal / scale) / trust
    constraints = [y[list(what.positive)] >= 0] if what.positive else []
    constraints += _physical(what, x)
    if len(what.zero[0]):
        constraints.append(what.zero[0] + what.zero[1] @ x == 0)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(misfit) + cp.sum_squares(distance)), constraints)
    try:
        problem.solve(solver=cp.CLARABEL)
    except cp.error.SolverError as error:
        raise GearwrightError(f"consistent: the solver failed ({error}). Check units and nominal values.") from None
    if y.value is None:
        raise GearwrightError(
            f"consistent: no physically possible parameters were found ({problem.status}). Check the units of the log "
            "and the nominal values of the robot."
        )
    solution = scale * y.value
    solution[list(what.positive)] = np.maximum(solution[list(what.positive)], 0.0)
    return ConsistentFit(found, what, solution)


def pseudo_inertia(parameters: Any) -> Any:
    """[[Sigma, h], [h', m]] with Sigma = tr(I)/2 1 - I and the first moment h, of ten parameters about the origin.

    >>> pseudo_inertia([2.0, 0.2, 0.0, 0.0, 0.1, 0.0, 0.0, 0.1, 0.0, 0.1]).diagonal()
    array([0.05, 0.05, 0.05, 2.  ])
    """
    basis = _pseudo_basis()
    return sum((basis[k] * parameters[k] for k in range(1, 10)), basis[0] * parameters[0])


def _pseudo_basis() -> list[Array]:
    """Per parameter its 4 x 4 contribution."""
    basis = [np.zeros((4, 4)) for _ in range(10)]
    basis[0][3, 3] = 1.0
    for axis in range(3):
        basis[1 + axis][axis, 3] = basis[1 + axis][3, axis] = 1.0
    places = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    for k, (i, j) in enumerate(places):
        matrix = basis[4 + k]
        if i == j:
            matrix[[0, 1, 2], [0, 1, 2]] = 0.5
            matrix[i, i] -= 1.0
        else:
            matrix[i, j] = matrix[j, i] = -1.0
    return basis


def _physical(what: Unknowns, x: Any) -> list[Any]:
    """Linear matrix inequalities: each body's pseudo-inertia, less the wheels it must contain, is positive definite."""
    constraints = []
    for body in what.bodies:
        if not body.physical:
            continue
        size = what.scale[body.first : body.first + 4]
        lengths = np.array([*size[1:] / size[0], 1.0])  # makes the matrix one of numbers near 1
        frame = np.diag(1 / (lengths * np.sqrt(size[0])))
        matrix = sum(frame @ b @ frame * x[body.first + k] for k, b in enumerate(_pseudo_basis()))
        for first, unknown, disc in what.wheels:
            if first == body.first:
                matrix = matrix - frame @ disc @ frame * x[unknown]
        constraints.append(matrix >> MARGIN * np.eye(4))
    return constraints


def _whitening(found: Identification) -> Array:
    """R with R'R = covariance^-1: misfits counted in standard deviations."""
    size = np.where(found.standard_deviations > 0, found.standard_deviations, 1.0)
    floor = 1e-9 * np.abs(found.values) + 1e-12
    size = np.maximum(size, floor)
    correlation = found.covariance / np.outer(size, size)
    values, vectors = np.linalg.eigh(correlation)
    values = np.maximum(values, 1e-6 * values.max())
    root: Array = (vectors / np.sqrt(values)).T / size
    return root


def _solver() -> Any:
    try:
        import clarabel  # noqa: F401
        import cvxpy
    except ImportError:
        raise MissingExtraError(
            "The physically consistent fit needs cvxpy and clarabel: pip install 'gearwright[identify]'. Base "
            "parameters are found without them."
        ) from None
    return cvxpy
