"""Names in figures: shown as they are, never read as mathematics or as TeX."""

from __future__ import annotations

from gearwright.text import latex, plain_label


def label(name: str) -> str:
    r"""A name as matplotlib is to show it, also where the user has TeX set the text of figures.

    >>> print(label("$x$"))
    \$x\$
    """
    from matplotlib import rcParams

    return latex(name) if rcParams["text.usetex"] else plain_label(name)
