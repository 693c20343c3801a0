"""Checks of numbers given to functions: kind and range, with one form of message.

Every message names the function, the argument, its value, the rule and the remedy:

    simulate: until=nan must be a positive finite number of seconds. Give a number such as 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.errors import GearwrightError, InputError
from gearwright.text import listed_names

_MAX_SHOWN_CHARACTERS = 60
"""Letters of a value that a message shows."""
_NO_SCALAR = (bool, np.bool_, complex, np.complexfloating, np.ma.MaskedArray, type)
"""What can be divided, but is no real number, or a missing one."""
LARGEST_COUNT = 10**9
"""Largest number of samples, steps and other counts: more would not fit into memory."""
LARGEST_SEED = 2**128
"""Largest seed of random numbers."""
LARGEST_NUMBER = 1e100
"""The largest accepted magnitude: squares and cubes of larger numbers overflow to infinity."""


class NumberRange(NamedTuple):
    """A range of numbers, as a test and in words; nan is never inside."""

    above: float | None = None
    least: float | None = None
    below: float | None = None
    most: float | None = None
    infinite: bool = False

    def contains(self, x: Any) -> Any:
        """Return whether numbers are inside, element by element."""
        inside = np.abs(x) <= LARGEST_NUMBER
        inside = inside | np.isinf(x) if self.infinite else inside
        inside = inside if self.above is None else inside & (x > self.above)
        inside = inside if self.least is None else inside & (x >= self.least)
        inside = inside if self.below is None else inside & (x < self.below)
        return inside if self.most is None else inside & (x <= self.most)

    def rule_text(self, kind: str, unit: str) -> str:
        """Return the rule in words.

        >>> NumberRange(above=0, below=1).rule_text("number", "")
        'a positive finite number below 1'
        >>> NumberRange(least=0).rule_text("number", "seconds")
        'a finite number of seconds, at least 0'
        """
        sign = "positive " if self.above == 0 else ""
        noun = f"a {sign}{'' if self.infinite else 'finite '}{kind}{f' of {unit}' if unit else ''}"
        conditions = [f"above {self.above:g}"] if self.above else []
        conditions += [f"{'' if unit else 'of '}at least {self.least:g}"] if self.least is not None else []
        conditions += [f"below {self.below:g}"] if self.below is not None else []
        conditions += [f"at most {self.most:g}"] if self.most is not None else []
        return noun + (", " if unit else " ") * bool(conditions) + " and ".join(conditions)


def real_number(
    function: str,
    name: str,
    value: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    infinite: bool = False,
    unit: str = "",
    example: float | None = 1.0,
    hint: str = "",
    error: type[GearwrightError] = InputError,
) -> float:
    """Return a real number if it is within its range.

    Args:
        function: the calling function.
        name: the argument.
        value: the given value; texts, truth values, complex numbers and nan are errors.
        above: exclusive lower bound.
        least: inclusive lower bound.
        below: exclusive upper bound.
        most: inclusive upper bound.
        infinite: whether infinity is in the range.
        unit: the unit, such as "seconds".
        example: a number to suggest; None: the hint is the remedy.
        hint: a further sentence on the meaning of the number or an alternative.
        error: the type of error.

    >>> real_number("simulate", "until", 2)
    2.0
    >>> real_number("simulate", "until", -1.0, above=0)
    Traceback (most recent call last):
    gearwright.errors.InputError: simulate: until=-1.0 must be a positive finite number. Give a number such as 1.
    """
    x = _as_real(value)
    allowed = NumberRange(above, least, below, most, infinite)
    if x is None or not allowed.contains(x):
        size = f" of magnitude {LARGEST_NUMBER:g} or less" if x is not None and LARGEST_NUMBER < abs(x) < np.inf else ""
        broken = f"{function}: {name}={value_text(value)} must be {allowed.rule_text('number', unit)}{size}."
        suggestion = "" if example is None else f" Give a number such as {example:g}."
        raise error(f"{broken}{suggestion} {hint}".rstrip())
    return x


def require_range(
    owner: str,
    name: str,
    value: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    unit: str = "",
    hint: str = "Check value and units.",
    error: type[GearwrightError] = InputError,
) -> None:
    """Raise an error for a number of a part or law outside its range; None and symbols are accepted.

    >>> require_range("motor", "resistance", -2.0, least=0)
    Traceback (most recent call last):
    gearwright.errors.InputError: motor: resistance=-2.0 must be a finite number of at least 0. Check value and units.
    """
    if value is not None and not is_scalar_or_batch(value):
        raise error(f"{owner}: {name}={value_text(value)} must be a number. {hint}")
    if isinstance(value, (float, Real)):  # a float is recognised without the slower abstract class
        bounds = {"above": above, "least": least, "below": below, "most": most}
        given_bounds = {word: x for word, x in bounds.items() if isinstance(x, (float, Real))}
        real_number(owner, name, value, **given_bounds, unit=unit, example=None, hint=hint, error=error)  # type: ignore[arg-type]


def require_scalar(function: str, name: str, value: Any) -> None:
    """Raise an error for a value that is neither a number nor a symbol.

    >>> require_scalar("compliant_stops", "lower", "-1")
    Traceback (most recent call last):
    gearwright.errors.InputError: compliant_stops: lower='-1' must be a number. Give one.
    """
    if not is_scalar(value) or (isinstance(value, Real) and np.isnan(float(value))):
        raise InputError(f"{function}: {name}={value_text(value)} must be a number. Give one.")


def whole_number(
    function: str,
    name: str,
    value: Any,
    *,
    least: int = 0,
    most: int = LARGEST_COUNT,
    unit: str = "",
    example: int | None = None,
) -> int:
    """Return a whole number if it is at least `least` and at most `most`.

    >>> whole_number("simulate", "samples", 1, least=2)
    Traceback (most recent call last):
    gearwright.errors.InputError: simulate: samples=1 must be a whole number of at least 2. Give one such as 2.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or not least <= int(value) <= most:
        is_above = isinstance(value, Integral) and int(value) > most
        rule = NumberRange(least=least, most=most if is_above else None, infinite=True).rule_text("whole number", unit)
        suggested = least if example is None else example
        raise InputError(f"{function}: {name}={value_text(value)} must be {rule}. Give one such as {suggested}.")
    return int(value)


def number_array(
    function: str,
    name: str,
    value: ArrayLike,
    *,
    axes: int | None = None,
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
    infinite: bool = False,
    unit: str = "",
) -> NDArray[np.float64]:
    """Return a float64 array if all entries are within the range; the error names the first that is not.

    `axes` is the required number of axes; if that is 1, a single number counts as a list of one.

    >>> number_array("trapezoid", "speed", [1.0, -2.0], above=0)
    Traceback (most recent call last):
    gearwright.errors.InputError: trapezoid: speed[1]=-2.0 must be a positive finite number. Change this entry.
    """
    array = as_float_array(function, name, value)
    if axes == 1:
        array = np.atleast_1d(array)
    if axes is not None and array.ndim != axes:
        raise InputError(f"{function}: {name} has shape {array.shape}; it must have {axes} axes. Reshape it.")
    allowed = NumberRange(above, least, None, most, infinite)
    inside = allowed.contains(array)
    if not inside.all():
        index = tuple(int(k) for k in np.argwhere(~inside)[0])
        place = f"[{', '.join(map(str, index))}]" if index else ""
        size = f" of magnitude {LARGEST_NUMBER:g} or less" if LARGEST_NUMBER < abs(array[index]) < np.inf else ""
        rule = allowed.rule_text("number", unit) + size
        raise InputError(f"{function}: {name}{place}={float(array[index])} must be {rule}. Change this entry.")
    return array


def numbers_by_name(
    function: str,
    name: str,
    value: ArrayLike,
    names: Sequence[str],
    *,
    above: float | None = None,
    least: float | None = None,
) -> NDArray[np.float64]:
    """Return one value per name of `names`, (n,); a single value applies to all.

    >>> numbers_by_name("control.pd", "kp", 3.0, ["j1", "j2"])
    array([3., 3.])
    >>> numbers_by_name("control.pd", "kp", [1.0, 2.0, 3.0], ["j1", "j2"])
    Traceback (most recent call last):
    gearwright.errors.InputError: control.pd: kp has shape (3,); give one number, or one each for j1, j2.
    """
    values = number_array(function, name, value, above=above, least=least)
    if values.shape not in ((), (len(names),)):
        raise InputError(
            f"{function}: {name} has shape {values.shape}; give one number, or one each for {listed_names(names)}."
        )
    return np.broadcast_to(values, len(names))


def increasing_array(function: str, name: str, value: ArrayLike, *, least: int = 2) -> NDArray[np.float64]:
    """Return at least `least` finite numbers if they are strictly increasing.

    >>> increasing_array("simulate", "samples", [0.0, 0.5])
    array([0. , 0.5])
    """
    array = number_array(function, name, value, axes=1)
    if len(array) < least:
        raise InputError(f"{function}: {name} has {len(array)} entries; it must have {least} or more. Add entries.")
    descents = np.flatnonzero(np.diff(array) <= 0)
    if descents.size:
        k = int(descents[0])
        raise InputError(
            f"{function}: {name} must be increasing, but entry {k + 1} is {array[k + 1]:g} after {array[k]:g}. Sort "
            "them and remove duplicates."
        )
    return array


def is_scalar(value: Any) -> bool:
    """Whether a value is one real number or a symbol for one (CasADi's are 1 x 1).

    >>> [is_scalar(x) for x in (1.0, np.float64(2), "1", None, True, [1.0], 1j)]
    [True, True, False, False, False, False, False]
    """
    if isinstance(value, _NO_SCALAR):
        return False
    return (
        hasattr(value, "__truediv__")
        and not isinstance(value, PurePath)
        and getattr(value, "shape", ()) in ((), (1, 1))
    )


def is_scalar_or_batch(value: Any) -> bool:
    """Whether a value is what parts and laws take for one scalar: a number, a symbol, or an array of numbers."""
    if isinstance(value, float) or is_scalar(value):
        return True
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and not isinstance(value, np.ma.MaskedArray)


def is_whole_number(value: Any) -> bool:
    """Whether a value is a whole number by its type."""
    return hasattr(value, "__index__") and not isinstance(value, bool | np.bool_ | type) and is_scalar(value)


def is_function(value: Any) -> bool:
    """Whether a value is a callable, but not a class."""
    return callable(value) and not isinstance(value, type)


def is_single_value(value: Any) -> bool:
    """Whether a value is a single object: texts are, lists and arrays with axes are not."""
    return isinstance(value, str | bytes) or not hasattr(value, "__len__") or getattr(value, "shape", None) == ()


def as_float_array(function: str, name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return a float64 array of real numbers, which may be infinite or nan."""
    require_unmasked(function, name, value)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        raise InputError(f"{function}: {name} is not an array of numbers. Give nested lists of equal length.") from None
    if array.dtype.kind not in "fiu":
        raise InputError(
            f"{function}: {name} has dtype {array.dtype}; it must hold real numbers (float64). Convert it first."
        )
    return array.astype(np.float64, copy=False)


def require_unmasked(function: str, name: str, value: Any) -> Any:
    """Return the array; masked entries, whose mask `asarray` would drop, are an error."""
    if _has_masked_entries(value):
        raise InputError(f"{function}: {name} has masked entries. Fill them, or remove these samples.")
    return value


def _has_masked_entries(value: Any) -> bool:
    """Whether entries are masked, in an array or in a list of such arrays, whose masks `asarray` would drop."""
    if isinstance(value, list | tuple):
        return any(isinstance(x, np.ma.MaskedArray | list | tuple) and _has_masked_entries(x) for x in value)
    return isinstance(value, np.ma.MaskedArray) and bool(np.ma.getmaskarray(value).any())


def _as_real(value: Any) -> float | None:
    """Return a value as a float, or None if it is not a real number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def value_text(value: Any) -> str:
    """Return a value as text for a message."""
    try:
        text = repr(value)
    except Exception:  # a faulty repr, or an integer with too many digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _MAX_SHOWN_CHARACTERS else f"{text[:_MAX_SHOWN_CHARACTERS]}..."
