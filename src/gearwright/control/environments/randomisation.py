"""Random parameters of a robot, from the covariance of an identification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, number_array, whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.system import find_parameter
from gearwright.text import listed_names

MAX_DRAWS = 1000
"""Draws after which the bounds count as excluding the distribution."""
SYMMETRY_RATIO = 1e-9
"""Difference of opposite elements of a covariance, and negative eigenvalue, relative to the largest element."""


class FittedRuns(Protocol):
    """What a distribution uses of a fit of runs (`gw.identification.fit_run`)."""

    problem: Any
    controller: Any

    @property
    def information(self) -> Any:
        """Covariance of the parameters, and those that are not bounded."""

    @property
    def values(self) -> Any:
        """Fitted values by name."""


@check_arguments
@dataclass(frozen=True)
class Randomisation:
    """A normal distribution of parameters, cut off at bounds.

    Args:
        names: paths of parameters of the robot or its laws.
        mean: their means, (P,).
        covariance: (P, P).
        lower: least values, (P,) or a number.
        upper: largest values, (P,) or a number.

    >>> spread = Randomisation(["j1.motor.inertia"], [5e-4], [[1e-10]], lower=0.0)
    >>> spread.draw(np.random.default_rng(0), 3).round(6).tolist()
    [[0.000501], [0.000499], [0.000506]]
    """

    names: Sequence[str]
    mean: ArrayLike
    covariance: ArrayLike
    lower: ArrayLike = -np.inf
    upper: ArrayLike = np.inf
    _factor: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = tuple(self.names)
        mean, covariance = (as_float_array("randomisation", x, getattr(self, x)) for x in ("mean", "covariance"))
        if mean.shape != (len(names),) or covariance.shape != (len(names), len(names)):
            raise InputError(
                f"randomisation: mean {mean.shape} and covariance {covariance.shape} do not fit {len(names)} names. "
                "Give (P,) and (P, P)."
            )
        if not names:
            raise InputError("randomisation: no parameter is named. Give at least one, such as 'j1.motor.inertia'.")
        number_array("randomisation", "mean", mean)
        number_array("randomisation", "covariance", covariance)
        size = max(float(np.abs(covariance).max(initial=0.0)), 1e-300)
        scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        safe = np.where(scale > 0, scale, 1.0)
        if np.abs(covariance - covariance.T).max(initial=0.0) > SYMMETRY_RATIO * size:
            raise InputError("randomisation: the covariance is not symmetric. Give the same number on both sides.")
        values, vectors = np.linalg.eigh(covariance / np.outer(safe, safe))
        if values.min() < -SYMMETRY_RATIO * len(names) or np.diag(covariance).min() < 0:
            raise InputError(
                f"randomisation: the covariance of {listed_names(names)} has a negative eigenvalue: a combination of "
                "them would have a negative variance. Check variances and covariances."
            )
        factor = safe[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
        bounds = {x: _bounds(x, getattr(self, x), len(names)) for x in ("lower", "upper")}
        if not (bounds["lower"] <= bounds["upper"]).all():
            raise InputError("randomisation: a lower bound is above its upper bound. Swap them.")
        for word, value in {
            "names": names,
            "mean": mean,
            "covariance": covariance,
            **bounds,
            "_factor": factor,
        }.items():
            object.__setattr__(self, word, value)

    @classmethod
    @check_arguments
    def of_fit(cls, fit: FittedRuns) -> Randomisation:
        """Return the distribution that a fit of runs (`gw.identification.fit_run`) found for the robot's parameters.

        Offsets and delays of measured signals, and gains of controllers, are left out; bounds are those of the fit.

        Raises:
            InputError: the log does not bound a parameter.
        """
        unknowns = {x.name: x for x in fit.problem.unknowns}
        controllers = () if fit.controller is None else (fit.controller.law,)
        names = [
            name
            for name in fit.information.names
            if name in unknowns and not _is_of_measurement(name) and find_parameter(controllers, name) is None
        ]
        open_names = [name for name in names if name in fit.information.unbounded]
        if open_names:
            raise InputError(
                f"randomisation: the fit does not bound {listed_names(open_names)}. Give prior knowledge "
                "(Unknown(prior=)), or name the parameters with their covariance."
            )
        at = [fit.information.names.index(name) for name in names]
        covariance = np.asarray(fit.information.covariance)[np.ix_(at, at)]
        lower, upper = ([getattr(unknowns[name], word) for name in names] for word in ("lower", "upper"))
        return cls(names, [fit.values[name] for name in names], covariance, lower, upper)

    def draw(self, rng: np.random.Generator, count: int) -> Array:
        """Return random values, (count, P)."""
        if not isinstance(rng, np.random.Generator):
            raise InputError(f"randomisation: rng={rng!r} is no generator. Give np.random.default_rng(seed).")
        whole_number("randomisation", "count", count, least=0, example=64)
        mean, lower, upper = (np.asarray(x, dtype=float) for x in (self.mean, self.lower, self.upper))
        values, wanted = np.empty((count, len(mean))), np.arange(count)
        for _ in range(MAX_DRAWS):
            values[wanted] = mean + rng.standard_normal((len(wanted), len(mean))) @ self._factor.T
            wanted = wanted[((values[wanted] < lower) | (values[wanted] > upper)).any(axis=1)]
            if not len(wanted):
                return values
        raise InputError(
            f"randomisation: no values within the bounds after {MAX_DRAWS} draws. Check bounds and covariance of "
            f"{listed_names(self.names)}."
        )


def _bounds(word: str, values: ArrayLike, count: int) -> Array:
    """Bounds as (P,), from a number or (P,)."""
    array = as_float_array("randomisation", word, values)
    if array.shape not in ((), (count,)) or np.isnan(array).any():
        raise InputError(f"randomisation: {word} {array.shape} is not a number or one per name. Give ({count},).")
    return np.broadcast_to(array, (count,))


def _is_of_measurement(name: str) -> bool:
    return name == "delay" or name.startswith(("delay.", "offset."))
