"""A user's function over scalars as a control law: it runs wherever control laws run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.operations import ARRAYS
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.functions.dynamics import neutral
from gearwright.mechanism import Mechanism
from gearwright.system.controllers.control_law import ControlLaw, Decision, Measurement
from gearwright.system.controllers.controller import Controller
from gearwright.system.controllers.law_controller import LawController, law_controller
from gearwright.system.state import State
from gearwright.text import listed

TIME = "t"
"""The reference of such a law: the time [s]."""


@dataclass(frozen=True)
class ScalarLaw(ControlLaw):
    """The function of a `Controller` over scalars; it follows the time.

    Args:
        mech: the controlled machine.
        function: (t, State, operations) -> outputs, and with states the rates or next values of these.
        own: names of its states with their values at the start.
        every: time between two decisions [s]; None: it decides all the time.
        driven: what it drives.
        measured: states of the run's laws that it reads.
        by_name: whether it returns a mapping, whose entries replace inputs; otherwise forces, which are added.
    """

    mech: Mechanism
    function: Callable[..., Any]
    own: tuple[tuple[str, float], ...]
    every: float | None
    driven: tuple[str, ...]
    measured: tuple[str, ...]
    by_name: bool

    @property
    def name(self) -> str:
        """The name of the function."""
        name = getattr(self.function, "__name__", "")
        return name if name.isidentifier() else "controller"

    @property
    def outputs(self) -> tuple[str, ...]:
        """What it drives."""
        return self.driven

    @property
    def adds_forces(self) -> bool:
        """Whether its forces are added to those given."""
        return not self.by_name

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """The time."""
        return {TIME: ("time",)}

    @property
    def sensors(self) -> tuple[str, ...]:
        """States of the run's laws that it reads."""
        return self.measured

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its states with their values at the start."""
        return tuple(Quantity(name, "", initial) for name, initial in self.own)

    @property
    def period(self) -> float | None:
        """Time between two decisions [s]."""
        return self.every

    def decide(self, measured: Measurement) -> Decision:
        """What the function returns."""
        own = [name for name, _ in self.own]
        known = dict(zip((*self.measured, *own), (*measured.sensors, *measured.states), strict=True))
        state = State(measured.q, measured.v, known)
        outputs, changes = _answer(self.function, own, measured.reference[TIME][0], state, measured.ops)
        values = [outputs[name] for name in self.driven] if self.by_name else list(outputs)
        changed = [changes[name] for name in own]
        return Decision(values, rates=changed) if self.every is None else Decision(values, next=changed)


def control_law_of(caller: str, control: object, mech: Mechanism) -> LawController:
    """A controller whose law is known: one of `gw.control`, or a `Controller` over scalars on this machine."""
    if isinstance(control, LawController):
        return control
    if not isinstance(control, Controller) or not control.scalars:
        what = "without scalars=True" if isinstance(control, Controller) else ""
        raise InputError(
            f"{caller}: controller is a {type(control).__name__} {what}".rstrip()
            + "; machine code takes what gw.control "
            "makes, a ControlLaw of your own, or gw.Controller(function, scalars=True) with a function "
            "(t, state, ops). gw.simulate takes any function."
        )
    read = _Read(control.states)
    q, v = np.array(neutral(mech), dtype=float), np.zeros(mech.n)
    with np.errstate(all="ignore"):
        outputs, _ = _answer(control.function, [*control.states], np.float64(0.0), State(q, v, read), ARRAYS)
    by_name = isinstance(outputs, Mapping)
    names = tuple(outputs) if by_name else tuple(f"tau.{speed}" for speed in mech.speeds)
    law = ScalarLaw(
        mech, control.function, tuple(control.states.items()), control.period, names, tuple(read.others), by_name
    )
    return law_controller(law, _times, control.breaks)


def _times(t: Array) -> Array:
    return np.asarray(t, dtype=float)[:, None]


def _answer(
    function: Callable[..., Any], own: list[str], t: Scalar, state: State, ops: Operations
) -> tuple[Any, Mapping[str, Scalar]]:
    answer = function(t, state, ops)
    if not own:
        return answer, {}
    try:
        outputs, changes = answer
        return outputs, {name: changes[name] for name in own}
    except (TypeError, ValueError, KeyError):
        raise InputError(
            f"controller: with states ({listed(own)}) it must return (outputs, rates or next values by name); it "
            f"returned {answer!r}."
        ) from None


class _Read(Mapping[str, float]):
    """States that a function may ask for, whatever their names; those that are not its own are noted."""

    def __init__(self, own: Mapping[str, float]) -> None:
        self._own = own
        self.others: dict[str, None] = {}

    def __getitem__(self, name: str) -> float:
        if name not in self._own:
            self.others[name] = None
        return np.float64(self._own.get(name, 0.0))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)
