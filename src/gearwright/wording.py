"""What error messages of every room say in the same words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST_WORD, MOST_NAMES = 60, 60
"""Words longer and lists larger than these are not searched for what was meant: a hostile file must not take hours."""


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """The sentence that helps after an unknown word: the closest known one, or all of them.

    >>> did_you_mean("elbo", ["shoulder", "elbow"])
    "Did you mean 'elbow'?"
    >>> did_you_mean("wrist", ["shoulder", "elbow"])
    'Known are: shoulder, elbow.'
    """
    names = list(dict.fromkeys(known))
    if not names:
        return "There are none."
    close = difflib.get_close_matches(str(word)[:LONGEST_WORD], names[:MOST_NAMES], n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    more = ", ..." if len(names) > MOST_NAMES else ""
    return f"Known are: {', '.join(names[:MOST_NAMES])}{more}."
