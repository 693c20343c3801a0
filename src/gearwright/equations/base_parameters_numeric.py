"""Base parameters: the combinations of dynamic parameters that forces and motion depend on, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Scalar, is_number
from gearwright.arguments import whole
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.dynamics import integrate, neutral, parameter_names, regressor
from gearwright.mechanism import Mechanism
from gearwright.plots.notebook import table
from gearwright.text import did_you_mean

TOLERANCE = 1e-11
"""Singular values below this share of the largest are rounding: columns are scaled to length 1 before."""

NEGLIGIBLE = 1e-12
"""A column shorter than this share of the longest has no effect."""


@dataclass(frozen=True)
class BaseParameters:
    """The minimal parameters as linear combinations of all parameters: base = matrix @ pi, tau = Y[:, chosen] base.

    Args:
        parameters: names of all parameters, in the order of pi.
        chosen: per base parameter the index of the parameter that leads it; its column of Y is the base column.
        combinations: per base parameter its terms, parameter name -> coefficient; the leader's is 1.
        no_effect: parameters that no motion shows.
    """

    parameters: tuple[str, ...]
    chosen: tuple[int, ...]
    combinations: tuple[Mapping[str, Scalar], ...]
    no_effect: tuple[str, ...]

    def _repr_html_(self) -> str:
        return table(["leading parameter", "combination"], zip(self.leaders, self.names, strict=True))

    @property
    def rank(self) -> int:
        """How many there are."""
        return len(self.chosen)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Each as a readable sum, such as 'upper.Izz + 14400 shoulder.rotor.J'."""
        return tuple(written_sum(terms) for terms in self.combinations)

    @cached_property
    def leaders(self) -> tuple[str, ...]:
        """The names of the leading parameters, short names of the combinations."""
        return tuple(self.parameters[k] for k in self.chosen)

    @cached_property
    def matrix(self) -> Array:
        """K (rank, parameters) with base = K pi."""
        place = {name: k for k, name in enumerate(self.parameters)}
        K = np.zeros((self.rank, len(self.parameters)))
        for row, terms in zip(K, self.combinations, strict=True):
            for name, coefficient in terms.items():
                row[place[name]] = _number(coefficient)
        return K

    @cached_property
    def inseparable(self) -> tuple[tuple[str, ...], ...]:
        """Groups of parameters of which only the combination can be found, one group per sum with several terms."""
        return tuple(tuple(terms) for terms in self.combinations if len(terms) > 1)

    @cached_property
    def separable(self) -> tuple[str, ...]:
        """Parameters that can be found on their own."""
        return tuple(next(iter(terms)) for terms in self.combinations if len(terms) == 1)

    def combine(self, pi: ArrayLike) -> Array:
        """The base parameters (..., rank) of full parameters pi (..., parameters)."""
        values = np.asarray(pi, dtype=np.float64)
        if values.ndim == 0 or values.shape[-1] != len(self.parameters):
            raise InputError(
                f"combine: pi has shape {values.shape}; its last axis must be {len(self.parameters)} long, in the "
                "order of parameter_names."
            )
        return values @ self.matrix.T

    def combined(self, fewer: BaseParameters) -> BaseParameters:
        """Combinations of these combinations: `fewer` takes the leaders of these for its parameters."""
        K = fewer.matrix @ self.matrix
        chosen = tuple(self.chosen[k] for k in fewer.chosen)
        combinations = []
        for row, lead in zip(K, chosen, strict=True):
            order = [lead, *(int(k) for k in np.flatnonzero(row) if k != lead)]
            combinations.append({self.parameters[k]: float(row[k]) for k in order})
        return BaseParameters(self.parameters, chosen, tuple(combinations), self.no_effect)

    def columns(self, Y: ArrayLike) -> Array:
        """The base columns (..., n, rank) of a full regressor (..., n, parameters)."""
        return np.asarray(Y, dtype=np.float64)[..., list(self.chosen)]


def numeric_base_parameters(mech: Mechanism, without: Iterable[str] = (), seed: int = 0) -> BaseParameters:
    """The base parameters from regressors stacked over random states, whose numerical rank is their number."""
    names = parameter_names(mech)
    Y = regressor(mech, *random_states(mech, len(names), seed))
    return independent(Y.reshape(-1, len(names)), names, without)


def independent(
    W: Array,
    names: Sequence[str],
    without: Iterable[str] = (),
    tolerance: float = TOLERANCE,
    scale: Array | None = None,
) -> BaseParameters:
    """The independent columns of stacked regressors W (rows, parameters), and how the others depend on them.

    `scale`: lengths that the columns would have if they were well excited; their own lengths unless given.
    """
    left_out = _known(without, names)
    own = np.linalg.norm(W, axis=0)
    length = own if scale is None else scale
    dead = own <= (NEGLIGIBLE * own.max(initial=0.0) if scale is None else tolerance * scale)
    alive = [k for k, name in enumerate(names) if not dead[k] and name not in left_out]
    R = triangle(W[:, alive] / length[alive])
    picked = first_independent(R, tolerance)
    rest = [k for k in range(len(alive)) if k not in picked]
    shares = np.linalg.lstsq(R[:, picked], R[:, rest], rcond=None)[0]
    combinations: list[dict[str, Scalar]] = []
    for row, k in zip(shares, picked, strict=True):
        terms: dict[str, Scalar] = {names[alive[k]]: 1.0}
        for share, j in zip(row, rest, strict=True):
            if abs(share) > 100 * tolerance:
                terms[names[alive[j]]] = float(share * length[alive[j]] / length[alive[k]])
        combinations.append(terms)
    silent = tuple(name for k, name in enumerate(names) if dead[k] and name not in left_out)
    return BaseParameters(tuple(names), tuple(alive[k] for k in picked), tuple(combinations), silent)


def triangle(W: Array) -> Array:
    """R of W = Q R (parameters or fewer rows): all that linear dependence and least squares need of many rows."""
    from scipy.linalg import qr

    R: Array = qr(W, mode="r", check_finite=False)[0][: W.shape[1]]
    return R


def first_independent(R: Array, tolerance: float = TOLERANCE) -> list[int]:
    """Columns (of unit length or so) that are independent of those before them; as many as the numerical rank."""
    if not R.size:
        return []
    sizes = np.linalg.svd(R, compute_uv=False)
    rank = int((sizes > tolerance * sizes[0]).sum())
    basis = np.zeros((len(R), 0))
    left = np.empty(R.shape[1])
    picked: list[int] = []
    for k in range(R.shape[1]):
        rest = R[:, k]
        for _ in range(2):  # twice is enough (Kahan and Parlett)
            rest = rest - basis @ (basis.T @ rest)
        left[k] = np.linalg.norm(rest)
        if left[k] > 100 * tolerance:
            picked.append(k)
            basis = np.column_stack([basis, rest / left[k]])
    if len(picked) == rank:
        return picked
    from scipy.linalg import qr

    _, _, order = qr(R, mode="economic", pivoting=True)
    return sorted(int(k) for k in order[:rank])


def random_states(mech: Mechanism, parameters: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Enough states q, v, a for twice as many equations as parameters."""
    count = 2 * parameters // max(mech.n, 1) + 10
    rng = np.random.default_rng(whole("base_parameters", "seed", seed))
    q = integrate(mech, neutral(mech), rng.uniform(-3.0, 3.0, (count, mech.n)))
    v, a = rng.uniform(-3.0, 3.0, (2, count, mech.n))
    return q, v, a


def written_sum(terms: Mapping[str, Scalar]) -> str:
    """A linear combination for people.

    >>> written_sum({"a": 1.0, "b": -1.0, "c": 0.4})
    'a - b + 0.4 c'
    """
    text = ""
    for name, coefficient in terms.items():
        sign, size = _signed(coefficient)
        part = name if size == "1" else f"{size} {name}"
        text += (f" {sign} " if text else "-" * (sign == "-")) + part
    return text


def _signed(coefficient: Scalar) -> tuple[str, str]:
    """Sign and size of a coefficient as text."""
    if is_number(coefficient) and not hasattr(coefficient, "free_symbols"):
        return "-" if coefficient < 0 else "+", f"{abs(float(f'{coefficient:.9g}')):.6g}"
    negative = coefficient.could_extract_minus_sign()
    size = str(-coefficient if negative else coefficient).replace("**", "^")
    bare = not any(sign in size for sign in " +-")
    return "-" if negative else "+", size if bare else f"({size})"


def _number(coefficient: Scalar) -> float:
    try:
        return float(coefficient)
    except TypeError:
        raise InputError(
            f"base parameters: the coefficient {coefficient} holds symbols, so there is no matrix of numbers. "
            "Use .combinations, or put numbers for the symbols."
        ) from None


def _known(without: Iterable[str], names: Sequence[str]) -> frozenset[str]:
    wanted = tuple(without)
    for name in wanted:
        if name not in names:
            raise InputError(f"base_parameters: there is no parameter {name!r}. {did_you_mean(name, names)}")
    return frozenset(wanted)
