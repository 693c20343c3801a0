"""A law around another one: what wrapping laws share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.mechanism import Mechanism
from gearwright.system.controllers.control_law import ControlLaw
from gearwright.system.controllers.law_controller import LawController


@dataclass(frozen=True)
class Wrapped(ControlLaw):
    """A law around an inner one, as which it appears unless it overrides something.

    Args:
        mech: the controlled machine.
        inner: the inner law.
    """

    mech: Mechanism
    inner: ControlLaw

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return self.inner.name

    @property
    def outputs(self) -> tuple[str, ...]:
        """What it drives."""
        return self.inner.outputs

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """What it is to follow."""
        return self.inner.references

    @property
    def model(self) -> Mechanism:
        """The machine that it computes with."""
        return self.inner.model

    @property
    def sensors(self) -> tuple[str, ...]:
        """What the inner law measures."""
        return self.inner.sensors

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Those of the inner law."""
        return self.inner.states

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """What the inner law reports."""
        return self.inner.signals


def continuous_law(caller: str, controller: object) -> ControlLaw:
    """The law of a continuous controller."""
    if not isinstance(controller, LawController):
        raise InputError(f"{caller}: a {type(controller).__name__} is not a controller of gw.control. Give one.")
    if controller.law.period is not None:
        raise InputError(
            f"{caller}: the controller is sampled already, every {controller.law.period:g} s. Give the continuous one, "
            "and sample the result."
        )
    return controller.law
