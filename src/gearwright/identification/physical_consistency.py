"""Physically consistent full parameters that fit the data and are close to CAD values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.errors import GearwrightError, MissingExtraError
from gearwright.identification.experiment.log import Log
from gearwright.identification.fit.unknowns import Unknowns, model_unknowns
from gearwright.identification.identification import Identification, Validation
from gearwright.identification.model.columns import FRICTION_KINDS

FRICTION_TRUST_RATIO = 100.0
"""Standard deviation of nominal friction, relative to that of other nominal values."""

PSEUDO_INERTIA_MARGIN = 1e-6
"""Smallest eigenvalue of a pseudo-inertia relative to the size of the body."""


@dataclass(frozen=True)
class ConsistentFit:
    """Full, physically consistent parameters.

    Args:
        identification: the base parameters they were fitted to.
        unknowns: the unknowns of the fit.
        x: the solution.
    """

    identification: Identification
    unknowns: Unknowns
    x: Array

    @cached_property
    def parameters(self) -> Array:
        """The model's parameters in use."""
        return self.unknowns.model_parameters(self.x)

    @cached_property
    def every_parameter(self) -> Array:
        """All parameters of the model, including those not fitted."""
        start, mapped = self.unknowns.full_map
        full: Array = start + mapped @ self.x
        return full

    @cached_property
    def values(self) -> dict[str, float]:
        """The unknowns by name."""
        return dict(zip(self.unknowns.names, self.x.tolist(), strict=True))

    def pseudo_inertias(self) -> tuple[Array, ...]:
        """Pseudo-inertia of every body (4, 4): positive definite if and only if the body is physically consistent."""
        return tuple(pseudo_inertia(self.x[body.first : body.first + 10]) for body in self.unknowns.bodies)

    @check_arguments
    def validate(self, log: Log) -> Validation:
        """The prediction of a log."""
        estimate = self.identification
        full = log.with_derivatives(estimate.model.mech, estimate.requested_cutoff)
        motion, base = full.motion(), estimate.model.base
        predicted = estimate.model.sample_blocks(motion).multiply(base.combine(self.parameters))
        return Validation(estimate.model.mech.speeds, motion.t, full.torques, predicted)


@check_arguments
def fit_consistent(identification: Identification, nominal_deviation: float = 1.0) -> ConsistentFit:
    """Fit full, physically consistent parameters, near the identified base parameters and the nominal values.

    Minimises (K pi - base)' covariance^-1 (K pi - base) + |(x - nominal) / (d scale)|^2, with d the relative
    deviation of the nominal values, subject to a positive definite pseudo-inertia of every body and no negative rotor
    inertia, friction, stiffness or damping. Directions that the data determine follow the data; the others follow the
    nominal values. Needs cvxpy and clarabel.

    Args:
        identification: the identification.
        nominal_deviation: relative standard deviation of the nominal values: smaller values stay closer to CAD.
    """
    return fit_unknowns(identification, model_unknowns(identification.model, identification.robot), nominal_deviation)


def fit_unknowns(identification: Identification, unknown_set: Unknowns, nominal_deviation: float) -> ConsistentFit:
    """Fit physically consistent parameters for given unknowns."""
    real_number(
        "fit_consistent",
        "nominal_deviation",
        nominal_deviation,
        above=0.0,
        example=0.3,
        hint="It is the relative uncertainty of the nominal values.",
    )
    cp = _import_solver()
    scale, weights = _scales_and_weights(identification, unknown_set, nominal_deviation)
    y = cp.Variable(len(unknown_set.names))  # x / scale
    x = cp.multiply(scale, y)
    K = identification.base.combination_matrix
    root = _whitening_matrix(identification)
    misfit = root @ (K @ (unknown_set.parameter_map * scale)) @ y - root @ (
        identification.values - K @ unknown_set.start
    )
    distance = cp.multiply(weights, y - unknown_set.nominal / scale)
    constraints = [y[list(unknown_set.nonnegative_indices)] >= 0] if unknown_set.nonnegative_indices else []
    constraints += _inertia_constraints(unknown_set, x)
    if len(unknown_set.zero_map[0]):
        constraints.append(unknown_set.zero_map[0] + unknown_set.zero_map[1] @ x == 0)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(misfit) + cp.sum_squares(distance)), constraints)
    try:
        problem.solve(solver=cp.CLARABEL)
    except cp.error.SolverError as error:
        raise GearwrightError(f"consistent: the solver failed ({error}). Check units and nominal values.") from None
    if y.value is None:
        raise GearwrightError(
            f"consistent: no physically consistent parameters were found ({problem.status}). Check the units of the "
            "log and the nominal values of the robot."
        )
    solution = scale * y.value
    solution[list(unknown_set.nonnegative_indices)] = np.maximum(solution[list(unknown_set.nonnegative_indices)], 0.0)
    return ConsistentFit(identification, unknown_set, solution)


def _scales_and_weights(
    identification: Identification, unknown_set: Unknowns, nominal_deviation: float
) -> tuple[Array, Array]:
    """Scales of the unknowns, and weights of their distance from nominal values.

    A data sheet has no friction to stay close to: its scale is the identified one, and its weight is small.
    """
    scale = unknown_set.unknown_scales.copy()
    weights = np.full(len(scale), 1 / nominal_deviation)
    identified = {column: abs(x) for column, x in zip(identification.columns, identification.values, strict=True)}
    for k, column in enumerate(unknown_set.columns):
        if column.kind in FRICTION_KINDS:
            scale[k] = max(scale[k], identified.get(column.name, 0.0))
            weights[k] /= FRICTION_TRUST_RATIO
    return scale, weights


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


def _inertia_constraints(unknown_set: Unknowns, x: Any) -> list[Any]:
    """Linear matrix inequalities: each body's pseudo-inertia, less the wheels it must contain, is positive definite."""
    constraints = []
    for body in unknown_set.bodies:
        if not body.is_physical:
            continue
        size = unknown_set.unknown_scales[body.first : body.first + 4]
        lengths = np.array([*size[1:] / size[0], 1.0])  # scales the matrix to numbers near 1
        frame = np.diag(1 / (lengths * np.sqrt(size[0])))
        matrix = sum(frame @ b @ frame * x[body.first + k] for k, b in enumerate(_pseudo_basis()))
        for first, unknown, disc in unknown_set.wheels:
            if first == body.first:
                matrix = matrix - frame @ disc @ frame * x[unknown]
        constraints.append(matrix >> PSEUDO_INERTIA_MARGIN * np.eye(4))
    return constraints


def _whitening_matrix(identification: Identification) -> Array:
    """R with R'R = covariance^-1, which scales misfits to standard deviations."""
    size = np.where(identification.standard_deviations > 0, identification.standard_deviations, 1.0)
    floor = 1e-9 * np.abs(identification.values) + 1e-12
    size = np.maximum(size, floor)
    correlation = identification.covariance / np.outer(size, size)
    values, vectors = np.linalg.eigh(correlation)
    values = np.maximum(values, 1e-6 * values.max())
    root: Array = (vectors / np.sqrt(values)).T / size
    return root


def _import_solver() -> Any:
    try:
        import clarabel  # noqa: F401
        import cvxpy
    except ImportError:
        raise MissingExtraError(
            "The physically consistent fit needs cvxpy and clarabel: pip install 'gearwright[identify]'. Base "
            "parameters do not need them."
        ) from None
    return cvxpy
