"""Base parameters: the minimal combinations of dynamic parameters that determine forces and motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Scalar, is_number
from gearwright.arguments import LARGEST_SEED, whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import integrate, neutral, parameter_names, regressor
from gearwright.mechanism import Mechanism
from gearwright.plots import html_table
from gearwright.programs import ClosedMechanism
from gearwright.programs.closed_loops.independent_speeds import LoopNumbers
from gearwright.text import did_you_mean

LARGEST_CLOSED_STEP = 0.5
"""Largest random step [rad, m] of a machine with closed loops."""

MAX_CONDITION_RATIO = 10.0
"""Condition number of closed loops, relative to that of the reference, up to which random configurations are used."""

RANK_TOLERANCE = 1e-11
"""Singular value, relative to the largest, below which it is zero; columns are scaled to unit length."""

NEGLIGIBLE_COLUMN_RATIO = 1e-12
"""Length of a column, relative to the longest, below which its parameter has no effect."""


@dataclass(frozen=True)
class BaseParameters:
    """The minimal parameters as linear combinations of all parameters: base = matrix @ pi, tau = Y[:, chosen] base.

    Args:
        parameters: names of all parameters, in the order of pi.
        chosen: index of the leading parameter of each base parameter; its column of Y is the base column.
        combinations: terms of each base parameter, parameter name -> coefficient; that of the leader is 1.
        no_effect: parameters without effect on any motion.
    """

    parameters: tuple[str, ...]
    chosen: tuple[int, ...]
    combinations: tuple[Mapping[str, Scalar], ...]
    no_effect: tuple[str, ...]

    def _repr_html_(self) -> str:
        return html_table(["leading parameter", "combination"], zip(self.leading_parameters, self.names, strict=True))

    @property
    def rank(self) -> int:
        """Number of base parameters."""
        return len(self.chosen)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Each as a readable sum, such as 'upper.Izz + 14400 shoulder.rotor.J'."""
        return tuple(sum_text(terms) for terms in self.combinations)

    @cached_property
    def leading_parameters(self) -> tuple[str, ...]:
        """The names of the leading parameters, short names of the combinations."""
        return tuple(self.parameters[k] for k in self.chosen)

    @cached_property
    def combination_matrix(self) -> Array:
        """K (rank, parameters) with base = K pi."""
        place = {name: k for k, name in enumerate(self.parameters)}
        K = np.zeros((self.rank, len(self.parameters)))
        for row, terms in zip(K, self.combinations, strict=True):
            for name, coefficient in terms.items():
                row[place[name]] = _as_float(coefficient)
        return K

    @cached_property
    def inseparable_groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of parameters of which only a combination is identifiable, one group per sum with several terms."""
        return tuple(tuple(terms) for terms in self.combinations if len(terms) > 1)

    @cached_property
    def separable_parameters(self) -> tuple[str, ...]:
        """Parameters that are identifiable individually."""
        return tuple(next(iter(terms)) for terms in self.combinations if len(terms) == 1)

    def combine(self, pi: ArrayLike) -> Array:
        """The base parameters (..., rank) of full parameters pi (..., parameters)."""
        values = np.asarray(pi, dtype=np.float64)
        if values.ndim == 0 or values.shape[-1] != len(self.parameters):
            raise InputError(
                f"combine: pi has shape {values.shape}; its last axis must have length {len(self.parameters)}, in the "
                "order of parameter_names."
            )
        return values @ self.combination_matrix.T

    def composed_with(self, fewer: BaseParameters) -> BaseParameters:
        """Return combinations of these combinations: the parameters of `fewer` are the leaders of these."""
        K = fewer.combination_matrix @ self.combination_matrix
        chosen = tuple(self.chosen[k] for k in fewer.chosen)
        combinations = []
        for row, lead in zip(K, chosen, strict=True):
            order = [lead, *(int(k) for k in np.flatnonzero(row) if k != lead)]
            combinations.append({self.parameters[k]: float(row[k]) for k in order})
        return BaseParameters(self.parameters, chosen, tuple(combinations), self.no_effect)

    def base_columns(self, Y: ArrayLike) -> Array:
        """The base columns (..., n, rank) of a full regressor (..., n, parameters)."""
        return np.asarray(Y, dtype=np.float64)[..., list(self.chosen)]


def numeric_base_parameters(mech: Mechanism, without: Iterable[str] = (), seed: int = 0) -> BaseParameters:
    """The base parameters from regressors stacked over random states, whose numerical rank is their number."""
    names = parameter_names(mech)
    Y = regressor(mech, *random_states(mech, len(names), seed))
    return independent_parameters(Y.reshape(-1, len(names)), names, without)


def independent_parameters(
    W: Array,
    names: Sequence[str],
    without: Iterable[str] = (),
    tolerance: float = RANK_TOLERANCE,
    scale: Array | None = None,
) -> BaseParameters:
    """Return the independent columns of stacked regressors W (rows, parameters), and the dependence of the others.

    `scale`: lengths of well-excited columns; the lengths of the columns of W unless given.
    """
    left_out = _checked_names(without, names)
    column_norms = np.linalg.norm(W, axis=0)
    length = column_norms if scale is None else scale
    dead = column_norms <= (
        NEGLIGIBLE_COLUMN_RATIO * column_norms.max(initial=0.0) if scale is None else tolerance * scale
    )
    alive = [k for k, name in enumerate(names) if not dead[k] and name not in left_out]
    R = triangular_factor(W[:, alive] / length[alive])
    picked = independent_columns(R, tolerance)
    dependent = [k for k in range(len(alive)) if k not in picked]
    shares = np.linalg.lstsq(R[:, picked], R[:, dependent], rcond=None)[0]
    combinations: list[dict[str, Scalar]] = []
    for row, k in zip(shares, picked, strict=True):
        terms: dict[str, Scalar] = {names[alive[k]]: 1.0}
        for share, j in zip(row, dependent, strict=True):
            if abs(share) > 100 * tolerance:
                terms[names[alive[j]]] = float(share * length[alive[j]] / length[alive[k]])
        combinations.append(terms)
    silent = tuple(name for k, name in enumerate(names) if dead[k] and name not in left_out)
    return BaseParameters(tuple(names), tuple(alive[k] for k in picked), tuple(combinations), silent)


def triangular_factor(W: Array) -> Array:
    """Return R of W = Q R (at most as many rows as parameters), sufficient for linear dependence and least squares."""
    from scipy.linalg import qr

    R: Array = qr(W, mode="r", check_finite=False)[0][: W.shape[1]]
    return R


def independent_columns(R: Array, tolerance: float = RANK_TOLERANCE) -> list[int]:
    """Return the columns (of about unit length) that are independent of those before; as many as the rank."""
    if not R.size:
        return []
    sizes = np.linalg.svd(R, compute_uv=False)
    rank = int((sizes > tolerance * sizes[0]).sum())
    basis = np.zeros((len(R), 0))
    left = np.empty(R.shape[1])
    picked: list[int] = []
    for k in range(R.shape[1]):
        residual = R[:, k]
        for _ in range(2):  # reorthogonalise once: twice is enough (Kahan and Parlett)
            residual = residual - basis @ (basis.T @ residual)
        left[k] = np.linalg.norm(residual)
        if left[k] > 100 * tolerance:
            picked.append(k)
            basis = np.column_stack([basis, residual / left[k]])
    if len(picked) == rank:
        return picked
    from scipy.linalg import qr

    _, _, order = qr(R, mode="economic", pivoting=True)
    return sorted(int(k) for k in order[:rank])


def random_states(mech: Mechanism, parameters: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Return random states q, v, a for at least twice as many equations as parameters."""
    count = 2 * parameters // max(mech.n, 1) + 10
    rng = np.random.default_rng(whole_number("base_parameters", "seed", seed, most=LARGEST_SEED))
    q = random_configurations(mech, count, rng)
    v, a = rng.uniform(-3.0, 3.0, (2, count, mech.n))
    return q, v, a


def random_configurations(mech: Mechanism, count: int, rng: np.random.Generator) -> Array:
    """Return random configurations (count, nq); of a machine with closed loops along a path that stays closed."""
    if mech.closure is None:
        return integrate(mech, neutral(mech), rng.uniform(-3.0, 3.0, (count, mech.n)))
    path, size = [neutral(mech)], LARGEST_CLOSED_STEP
    largest = MAX_CONDITION_RATIO * _loop_condition(mech, path[0])
    while len(path) < count:
        try:
            q = integrate(mech, path[-1], rng.uniform(-size, size, mech.n))
            if _loop_condition(mech, q) > largest:  # nearly singular: rounding of the closure would count
                raise InputError("close to a singular configuration")
            path.append(q)
            size = min(LARGEST_CLOSED_STEP, 1.2 * size)
        except InputError:  # the end of the workspace, or a singular configuration
            size *= 0.5
            if size < 1e-4:
                path, size = [*path, path[0]], LARGEST_CLOSED_STEP
    return np.array(path)


def _loop_condition(mech: Mechanism, q: Array) -> float:
    """Return the condition number of the loop equations in the dependent speeds."""
    assert isinstance(mech, ClosedMechanism)
    _, rows = LoopNumbers(mech.tree, mech.closure.loops).gaps_and_rows(q.tolist())
    dependent = [k for group in mech.closure.groups for k in group.dependent]
    return float(np.linalg.cond(rows[np.ix_(mech.used_equations, dependent)])) if dependent else 1.0


def sum_text(terms: Mapping[str, Scalar]) -> str:
    """Return a linear combination as readable text.

    >>> sum_text({"a": 1.0, "b": -1.0, "c": 0.4})
    'a - b + 0.4 c'
    """
    text = ""
    for name, coefficient in terms.items():
        sign, size = _sign_and_size(coefficient)
        part = name if size == "1" else f"{size} {name}"
        text += (f" {sign} " if text else "-" * (sign == "-")) + part
    return text


def _sign_and_size(coefficient: Scalar) -> tuple[str, str]:
    """Return sign and magnitude of a coefficient as text."""
    if is_number(coefficient) and not hasattr(coefficient, "free_symbols"):
        return "-" if coefficient < 0 else "+", f"{abs(float(f'{coefficient:.9g}')):.6g}"
    negative = coefficient.could_extract_minus_sign()
    size = str(-coefficient if negative else coefficient).replace("**", "^")
    bare = not any(sign in size for sign in " +-")
    return "-" if negative else "+", size if bare else f"({size})"


def _as_float(coefficient: Scalar) -> float:
    try:
        return float(coefficient)
    except TypeError:
        raise InputError(
            f"base parameters: the coefficient {coefficient} contains symbols, so a numeric matrix does not exist. "
            "Use .combinations, or substitute numbers for the symbols."
        ) from None


def _checked_names(without: Iterable[str], names: Sequence[str]) -> frozenset[str]:
    excluded_names = tuple(without)
    for name in excluded_names:
        if name not in names:
            raise InputError(f"base_parameters: there is no parameter {name!r}. {did_you_mean(name, names)}")
    return frozenset(excluded_names)
