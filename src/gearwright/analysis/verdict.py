"""The verdict on an analysis in a sentence: what is kept, what is not, and what nobody could check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from gearwright.analysis.limit_checks import LimitCheck, by_tightness
from gearwright.text import listed

if TYPE_CHECKING:
    from gearwright.analysis.analyse import Analysis


class Verdict(NamedTuple):
    """What an analysis comes to.

    Args:
        text: in a sentence.
        grade: "good": every kind of limit was checked and kept; "open": what is known is kept, the rest is not known;
            "bad": something is not kept, or cannot be moved.
    """

    text: str
    grade: Literal["good", "open", "bad"]


def verdict_on(analysis: Analysis) -> Verdict:
    """What an analysis comes to, of the prescribed motion and of the closed loop together."""
    checks = [*analysis.limits, *(() if analysis.perturbed is None else analysis.perturbed.limits)]
    open_kinds = dict.fromkeys(title for one in analysis.unchecked for title in one.titles)
    broken = {check.name for check in checks if not check.kept}
    sentences = [_of_limits(checks, broken, bool(open_kinds))]
    if analysis.demands.unactuated:
        sentences.append(f"No motor gives the force that {listed(analysis.demands.unactuated)} needs.")
    if open_kinds:
        kinds = "1 kind" if len(open_kinds) == 1 else f"{len(open_kinds)} kinds"
        sentences.append(f"{kinds} could not be checked at one drive or more: {listed(open_kinds)}; remarks say why.")
    bad = broken or not analysis.possible
    return Verdict(" ".join(sentences), "bad" if bad else "open" if open_kinds or not checks else "good")


def _of_limits(checks: list[LimitCheck], broken: set[str], partly: bool) -> str:
    count = len({check.name for check in checks})
    if not checks:
        return "No limits are stated: there is nothing to check."
    if broken:
        return f"{len(broken)} of {count} limits are not kept."
    tightest = by_tightness(checks)[0]
    known = " that are known" if partly else ""
    return f"All {count} limits{known} are kept; the tightest is {tightest.name}, {tightest.margin:.0%} left."
