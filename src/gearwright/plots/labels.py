"""Names in figures: shown literally, never interpreted as mathematics or TeX."""

from __future__ import annotations

from gearwright.text import latex_text, plain_label


def plot_label(name: str) -> str:
    r"""Return a name escaped for matplotlib, also with `text.usetex`.

    >>> print(plot_label("$x$"))
    \$x\$
    """
    from matplotlib import rcParams

    return latex_text(name) if rcParams["text.usetex"] else plain_label(name)
