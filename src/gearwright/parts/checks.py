"""Parts made of parts: each must be of the kind its place asks for, or be refused by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gearwright.arguments import require_range
from gearwright.errors import DriveError, InputError


def require_kind(owner: str, word: str, value: object, kind: type) -> None:
    """Refuse a part of another kind.

    >>> require_kind("drive 'j1'", "motor", 2e-4, complex)
    Traceback (most recent call last):
    gearwright.errors.InputError: drive 'j1': its motor is 0.0002, which is not a complex. Give a complex(...).
    """
    if not isinstance(value, kind):
        raise InputError(
            f"{owner}: its {word} is {value!r}, which is not a {kind.__name__}. Give a {kind.__name__}(...)."
        )


def sequence_of(owner: str, word: str, given: Any, kind: type) -> tuple[Any, ...]:
    """The parts of a list, all of one kind.

    >>> sequence_of("robot", "links", [1j, 2j], complex)
    (1j, 2j)
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"{owner}: {given!r} stands for its {word}. Give a list of {kind.__name__}(...).")
    parts = tuple(given)
    wrong = [part for part in parts if not isinstance(part, kind)]
    if wrong:
        raise InputError(f"{owner}: {wrong[0]!r} is among its {word}. Give a list of {kind.__name__}(...).")
    return parts


def require_at_least(owner: str, least: float, *, above: bool = False, **values: Any) -> None:
    """Refuse numbers below the least (or not above it) and those that are not finite; symbols and None pass.

    >>> require_at_least("motor", 0.0, resistance=-2.0)
    Traceback (most recent call last):
    gearwright.errors.DriveError: motor: resistance=-2.0 must be a finite number of 0 or more. Check value and units.
    """
    for name, x in values.items():
        require_range(owner, name, x, above=least if above else None, least=None if above else least, error=DriveError)
