"""A recommendation for an exceeded limit as a value, and its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any

from gearwright.parts import Box, Tube
from gearwright.text import listed_names

ADVICE_TEXTS = {
    "ratio": "A ratio of {ratio:.4g} instead of {present:.4g}{wheels} satisfies the limit: {result:.4g} {unit}."
    "{exceeds}",
    "no ratio": "No ratio from {least:.4g} to {most:.4g}{wheels} satisfies the limit with this motor: the best, "
    "{ratio:.4g}, still {best_result}.",
    "winding": "The same motor with a winding of {value:.4g} instead of {present:.4g} Nm/A satisfies the limit.",
    "motor": "The lightest motor of the catalogue that satisfies its limits here is {entry} ({mass:.3g} kg{of_limit}).",
    "no motor": "No motor of the catalogue satisfies its limits here: the closest, {entry} ({mass:.3g} kg), needs "
    "{share:.0%} of the {quantity}.",
    "no other motor": "The catalogue has no other motor{with_data}: a larger one is needed.",
    "gearbox": "The lightest gearbox of about this ratio of the catalogue that satisfies its limits here is {entry} "
    "({mass:.3g} kg{of_limit}).",
    "no gearbox": "No gearbox of about this ratio of the catalogue satisfies its limits here: the closest, {entry} "
    "({mass:.3g} kg), needs {share:.0%} of the {quantity}.",
    "no other gearbox": "The catalogue has no other gearbox of about this ratio{with_data}: a larger one is needed.",
    "no gearbox life": "No gearbox of about this ratio of the catalogue has the required life: the best, {entry}, has "
    "{result:.4g} h.",
    "smaller mean torque": "A mean torque {share:.0%} smaller satisfies the limit.",
    "longer motion": "A motion {factor:.3g} times as long satisfies the limit.",
    "longer cycle": "A cycle {factor:.3g} times as long satisfies the limit.",
    "faster motions": "Motions {factor:.4g} times as fast satisfy the limit; dynamic forces grow {square:.3g}-fold.",
    "shorter pauses": "The pauses alone take {value:.4g} s: shorten them.",
    "static load": "The static load alone is {value:.4g} {unit}: reduce the payload, or raise the limit.",
    "payload": "A payload of {value:.3g} instead of {present:.3g} kg satisfies the limit.",
    "separate bearing": "Or support the link by a separate bearing.",
    "pretension": "Set the pretension to {value:.4g} N.",
    "cooling": "The ambient temperature is {value:.4g} K above the limit of the winding: cool the motor, or use one "
    "with a higher temperature limit.",
    "actual limit": "The limit of {present:.4g} {unit} cannot be satisfied: state the actual limit.",
    "smaller value": "Reduce it to {share:.0%} of its present value.",
    "joint range": "At {time:.4g} s its position is {value:.4g} {unit}, {excess:.4g} {unit} beyond {present:.4g} "
    "{unit}. Keep the motion inside the range, or give the joint a wider range.",
    "section": "A {shape} in {part} satisfies the limit: {factor:.3g} times the present size, {mass:.3g} kg heavier.",
    "stronger material": "No larger section is sufficient: use a material {factor:.3g} times as strong.",
    "largest contribution": "{part} contributes most, {value_mm:.3g} of {present_mm:.3g} mm.",
    "stiffer part": "The {part} {factor:.3g} times as stiff satisfies the limit.",
    "stiffer parts": "No single part is sufficient: all must be {factor:.3g} times as stiff.",
    "stiffer springs": "All springs {factor:.3g} times as stiff satisfy the limit.",
    "rigid spring": "{part} has the largest effect: if it were rigid, the lowest frequency would be {result:.4g} Hz.",
    "faster loop": "A loop of {value:.3g} instead of {present:.3g} rad/s satisfies the limit: the error is "
    "{result_mm:.3g} mm.",
    "no faster loop": "A loop of {value:.3g} instead of {present:.3g} rad/s is not enough: the error is "
    "{result_mm:.3g} mm.",
    "start error": "The start error is {value_mm:.3g} mm.",
    "smaller errors": "Reduce the errors.",
}
"""Text of each kind of recommendation."""


@dataclass(frozen=True)
class Advice:
    """A recommendation for an exceeded limit, computed from the model.

    >>> winding = Advice("winding", value=0.03, present=0.05)
    >>> winding.value, winding.text
    (0.03, 'The same motor with a winding of 0.03 instead of 0.05 Nm/A satisfies the limit.')

    Args:
        kind: what is recommended, such as "ratio", "motor", "payload"; "no ratio", "no motor" if none was found.
        entry: key of a catalogue entry: the lightest that satisfies the limits, or the closest.
        ratio: ratio of the gear: the nearest that satisfies the limit, or the best.
        share: utilisation of `quantity` by the entry; fraction by which or to which a value is reduced.
        quantity: limit with the largest utilisation by the entry; data that a data sheet must state.
        value: recommended value: torque constant [Nm/A], payload [kg], frequency of the loop [rad/s]; else the value
            that the recommendation is about.
        present: present value of what is changed.
        result: value of the limited quantity if the recommendation is followed.
        factor: by which a duration, a speed, a size, a stiffness or a strength is multiplied.
        mass: mass of the entry, or added mass of a larger section [kg].
        part: name of the link, drive or spring that is changed.
        section: larger cross-section; None if the link has several.
        time: at which a joint is farthest beyond its range [s].
        unit: of the limited quantity.
        ratio_range: smallest and largest ratio that were tried.
        has_present_wheels: whether the ratio was changed with the present wheels and losses of the gear.
        exceeded: other limits that the ratio exceeds.
    """

    kind: str
    entry: str | None = None
    ratio: float | None = None
    share: float | None = None
    quantity: str | None = None
    value: float | None = None
    present: float | None = None
    result: float | None = None
    factor: float | None = None
    mass: float | None = None
    part: str | None = None
    section: Tube | Box | None = None
    time: float | None = None
    unit: str | None = None
    ratio_range: tuple[float, float] | None = None
    has_present_wheels: bool = False
    exceeded: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The recommendation in words, one or more sentences."""
        return ADVICE_TEXTS[self.kind].format(**_stated_fields(self), **_clauses(self))


class LazyAdvice(Sequence[Advice]):
    """Recommendations that are computed when they are read first.

    >>> advice = LazyAdvice(lambda: [Advice("cooling", value=5.0)])
    >>> len(advice), advice[0].kind
    (1, 'cooling')
    """

    def __init__(self, compute: Callable[[], Iterable[Advice]]) -> None:
        self._compute: Callable[[], Iterable[Advice]] | None = compute
        self._computed: tuple[Advice, ...] = ()

    def _all(self) -> tuple[Advice, ...]:
        if self._compute is not None:
            self._computed, self._compute = tuple(self._compute()), None
        return self._computed

    def __getitem__(self, index: Any) -> Any:
        """One recommendation, or several."""
        return self._all()[index]

    def __len__(self) -> int:
        """The number of recommendations."""
        return len(self._all())

    def __eq__(self, other: object) -> bool:
        """Whether the recommendations are equal."""
        return isinstance(other, Sequence) and self._all() == tuple(other)

    def __hash__(self) -> int:
        """The hash of the recommendations."""
        return hash(self._all())

    def __repr__(self) -> str:
        """The recommendations."""
        return repr(self._all())

    def __reduce__(self) -> tuple[Any, ...]:
        """The recommendations as a plain tuple, for other processes."""
        return tuple, (self._all(),)


def advice_text(advice: Iterable[Advice]) -> str:
    """Recommendations in words; empty without any."""
    return " ".join(one.text for one in advice)


def _stated_fields(advice: Advice) -> dict[str, object]:
    return {field.name: getattr(advice, field.name) for field in fields(advice)}


def _clauses(advice: Advice) -> dict[str, object]:
    """Parts of the texts that follow from the fields."""
    value, present, result = (number or 0.0 for number in (advice.value, advice.present, advice.result))
    least, most = advice.ratio_range or (0.0, 0.0)
    finite_result = f"gives {result:.4g} {advice.unit}" if isfinite(result) else "has no steady-state temperature"
    return {
        "least": least,
        "most": most,
        "wheels": ", with the present wheels and losses of the gear," if advice.has_present_wheels else "",
        "exceeds": f" It exceeds {listed_names(advice.exceeded)}." if advice.exceeded else "",
        "best_result": finite_result,
        "of_limit": f", {advice.share:.0%} of the {advice.quantity}" if advice.share is not None else "",
        "with_data": f" whose data sheet states {advice.quantity} and all other required data"
        if advice.quantity
        else "",
        "square": (advice.factor or 0.0) ** 2,
        "excess": abs(value - present),
        "shape": _section_text(advice.section),
        "value_mm": 1e3 * value,
        "present_mm": 1e3 * present,
        "result_mm": 1e3 * result,
    }


def _section_text(section: Tube | Box | None) -> str:
    if section is None:
        return "larger section along the whole length"
    if isinstance(section, Tube):
        return f"tube of {1e3 * section.outer:.4g} x {1e3 * section.inner:.4g} mm"
    wall = "solid" if section.wall is None else f"wall {1e3 * section.wall:.3g} mm"
    return f"box of {1e3 * section.width:.4g} x {1e3 * section.height:.4g} mm ({wall})"
