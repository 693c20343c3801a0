"""Numbers that users give to functions: kind and range are checked once, here, with one form of message.

Every message names the function, the argument, its value, the rule and the way out:

    simulate: rtol=nan must be a positive finite number below 1. Give a number such as 1e-08.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.errors import GearwrightError, InputError
from gearwright.text import listed

_SHOWN = 60
"""Letters of a value that a message shows."""
LARGEST = 1e100
"""The largest size of a number that is taken: squares and cubes of larger ones overflow to infinity."""


class Span(NamedTuple):
    """Which numbers are allowed, as a test and in words; nan never is."""

    above: float | None = None
    least: float | None = None
    below: float | None = None
    most: float | None = None
    infinite: bool = False

    def holds(self, x: Any) -> Any:
        """Whether, or where, numbers lie within."""
        good = np.abs(x) <= LARGEST
        good = good | np.isinf(x) if self.infinite else good
        good = good if self.above is None else good & (x > self.above)
        good = good if self.least is None else good & (x >= self.least)
        good = good if self.below is None else good & (x < self.below)
        return good if self.most is None else good & (x <= self.most)

    def rule(self, kind: str, unit: str) -> str:
        """What is asked for.

        >>> Span(above=0, below=1).rule("number", "")
        'a positive finite number below 1'
        >>> Span(least=0).rule("number", "seconds")
        'a finite number of seconds, 0 or more'
        """
        sign = "positive " if self.above == 0 else ""
        what = f"a {sign}{'' if self.infinite else 'finite '}{kind}{f' of {unit}' if unit else ''}"
        words = [f"above {self.above:g}"] if self.above else []
        words += [f"{'' if unit else 'of '}{self.least:g} or more"] if self.least is not None else []
        words += [f"below {self.below:g}"] if self.below is not None else []
        words += [f"at most {self.most:g}"] if self.most is not None else []
        return what + (", " if unit else " ") * bool(words) + " and ".join(words)


def number(
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
    """A real number within its range, or an error.

    Args:
        function: who asks.
        name: the argument.
        value: what was given; texts, truth values, complex numbers and nan are refused.
        above: what it must exceed.
        least: what it must not fall below.
        below: what it must stay below.
        most: what it must not exceed.
        infinite: whether infinity is in the range.
        unit: what is counted, such as "seconds".
        example: a number to suggest; None: the hint says the way out.
        hint: a sentence more, about what the number means or what to use instead.
        error: the kind of error.

    >>> number("simulate", "until", 2)
    2.0
    >>> number("simulate", "until", -1.0, above=0)
    Traceback (most recent call last):
    gearwright.errors.InputError: simulate: until=-1.0 must be a positive finite number. Give a number such as 1.
    """
    x = _real(value)
    span = Span(above, least, below, most, infinite)
    if x is None or not span.holds(x):
        size = f" of size {LARGEST:g} or less" if x is not None and LARGEST < abs(x) < np.inf else ""
        broken = f"{function}: {name}={shown(value)} must be {span.rule('number', unit)}{size}."
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
    """Refuse a number of a part or law out of its range; None and symbols, whose numbers come later, pass.

    >>> require_range("motor", "resistance", -2.0, least=0)
    Traceback (most recent call last):
    gearwright.errors.InputError: motor: resistance=-2.0 must be a finite number of 0 or more. Check value and units.
    """
    if value is not None and not isinstance(value, float) and not is_scalar(value) and not _holds_scalars(value):
        raise error(f"{owner}: {name}={shown(value)} must be a number. {hint}")
    if isinstance(value, (float, Real)):  # a float is told at once, without asking the abstract class
        bounds = {"above": above, "least": least, "below": below, "most": most}
        span = {word: x for word, x in bounds.items() if isinstance(x, (float, Real))}
        number(owner, name, value, **span, unit=unit, example=None, hint=hint, error=error)  # type: ignore[arg-type]


def require_scalar(function: str, name: str, value: Any) -> None:
    """Refuse what is neither a number nor a symbol.

    >>> require_scalar("compliant_stops", "lower", "-1")
    Traceback (most recent call last):
    gearwright.errors.InputError: compliant_stops: lower='-1' must be a number. Give one.
    """
    if not is_scalar(value) or (isinstance(value, Real) and np.isnan(float(value))):
        raise InputError(f"{function}: {name}={shown(value)} must be a number. Give one.")


def whole(function: str, name: str, value: Any, *, least: int = 0, unit: str = "", example: int | None = None) -> int:
    """A whole number of at least so many, or an error.

    >>> whole("simulate", "samples", 1, least=2)
    Traceback (most recent call last):
    gearwright.errors.InputError: simulate: samples=1 must be a whole number of 2 or more. Give one such as 2.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or value < least:
        rule = Span(least=least, infinite=True).rule("whole number", unit)
        suggested = least if example is None else example
        raise InputError(f"{function}: {name}={shown(value)} must be {rule}. Give one such as {suggested}.")
    return int(value)


def numbers(
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
    """A float64 array whose entries all lie within the range, or an error that names the first that does not.

    `axes` is how many axes it must have; a single number counts as a list of one where that is 1.

    >>> numbers("trapezoid", "speed", [1.0, -2.0], above=0)
    Traceback (most recent call last):
    gearwright.errors.InputError: trapezoid: speed[1]=-2.0 must be a positive finite number. Change this entry.
    """
    array = as_floats(function, name, value)
    if axes == 1:
        array = np.atleast_1d(array)
    if axes is not None and array.ndim != axes:
        raise InputError(f"{function}: {name} has shape {array.shape}; it must have {axes} axes. Give such an array.")
    span = Span(above, least, None, most, infinite)
    good = span.holds(array)
    if not good.all():
        where = tuple(int(k) for k in np.argwhere(~good)[0])
        place = f"[{', '.join(map(str, where))}]" if where else ""
        size = f" of size {LARGEST:g} or less" if LARGEST < abs(array[where]) < np.inf else ""
        rule = span.rule("number", unit) + size
        raise InputError(f"{function}: {name}{place}={float(array[where])} must be {rule}. Change this entry.")
    return array


def one_or_each(
    function: str,
    name: str,
    value: ArrayLike,
    of: Sequence[str],
    *,
    above: float | None = None,
    least: float | None = None,
) -> NDArray[np.float64]:
    """As many numbers as there are names `of`, (n,); a single one serves all of them.

    >>> one_or_each("control.pd", "kp", 3.0, ["j1", "j2"])
    array([3., 3.])
    >>> one_or_each("control.pd", "kp", [1.0, 2.0, 3.0], ["j1", "j2"])
    Traceback (most recent call last):
    gearwright.errors.InputError: control.pd: kp has shape (3,); give one number, or one each for j1, j2.
    """
    found = numbers(function, name, value, above=above, least=least)
    if found.shape not in ((), (len(of),)):
        raise InputError(f"{function}: {name} has shape {found.shape}; give one number, or one each for {listed(of)}.")
    return np.broadcast_to(found, len(of))


def increasing(function: str, name: str, value: ArrayLike, *, least: int = 2) -> NDArray[np.float64]:
    """At least so many finite numbers, each above the one before, or an error.

    >>> increasing("simulate", "samples", [0.0, 0.5])
    array([0. , 0.5])
    """
    array = numbers(function, name, value, axes=1)
    if len(array) < least:
        raise InputError(f"{function}: {name} has {len(array)} entries; it must have {least} or more. Give more.")
    back = np.flatnonzero(np.diff(array) <= 0)
    if back.size:
        k = int(back[0])
        raise InputError(
            f"{function}: {name} must be increasing, but entry {k + 1} is {array[k + 1]:g} after {array[k]:g}. Sort "
            "them and keep one of each."
        )
    return array


def is_scalar(value: Any) -> bool:
    """Whether a value is one real number, or a symbol that stands for one (CasADi's are 1 x 1): it can be divided.

    >>> [is_scalar(x) for x in (1.0, np.float64(2), "1", None, True, [1.0], 1j)]
    [True, True, False, False, False, False, False]
    """
    if isinstance(value, bool | np.bool_ | complex | np.complexfloating | type):
        return False
    return (
        hasattr(value, "__truediv__")
        and not isinstance(value, PurePath)
        and getattr(value, "shape", ()) in ((), (1, 1))
    )


def _holds_scalars(value: Any) -> bool:
    """Whether a value is an array of numbers, which parts and laws take for one scalar (a batch)."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and not isinstance(value, np.ma.MaskedArray)


def is_whole(value: Any) -> bool:
    """Whether a value is one whole number by its type."""
    return hasattr(value, "__index__") and not isinstance(value, bool | np.bool_ | type) and is_scalar(value)


def is_function(value: Any) -> bool:
    """Whether a value is a function to call; a class, which can be called too, is none."""
    return callable(value) and not isinstance(value, type)


def is_single(value: Any) -> bool:
    """Whether a value is one thing rather than several: texts are, lists and arrays with axes are not."""
    return isinstance(value, str | bytes) or not hasattr(value, "__len__") or getattr(value, "shape", None) == ()


def as_floats(function: str, name: str, value: ArrayLike) -> NDArray[np.float64]:
    """A float64 array of real numbers, which may be infinite or nan."""
    unmasked(function, name, value)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        raise InputError(f"{function}: {name} is not an array of numbers. Give nested lists of equal length.") from None
    if array.dtype.kind not in "fiu":
        raise InputError(
            f"{function}: {name} has dtype {array.dtype}; it must hold real numbers (float64). Convert it first."
        )
    return array.astype(np.float64, copy=False)


def unmasked(function: str, name: str, value: Any) -> Any:
    """The same array; masked entries, which `asarray` would take for numbers, are an error."""
    if _has_gaps(value):
        raise InputError(f"{function}: {name} has masked entries. Fill them, or leave these samples out.")
    return value


def _has_gaps(value: Any) -> bool:
    """Whether entries are masked, in an array or in a list of such arrays, whose masks `asarray` would drop."""
    if isinstance(value, list | tuple):
        return any(isinstance(x, np.ma.MaskedArray | list | tuple) and _has_gaps(x) for x in value)
    return isinstance(value, np.ma.MaskedArray) and bool(np.ma.getmaskarray(value).any())


def _real(value: Any) -> float | None:
    """The number a value is, or None."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def shown(value: Any) -> str:
    """A value as a message shows it."""
    try:
        text = repr(value)
    except Exception:  # whoever wrote its repr, or a whole number of too many digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
