"""Base class of laws that wrap another law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.mechanism import Mechanism
from gearwright.system import ControlLaw, LawController


@dataclass(frozen=True)
class WrappedLaw(ControlLaw):
    """A law that wraps an inner law and has its properties unless overridden.

    Args:
        mech: the controlled machine.
        inner: the inner law.
    """

    mech: Mechanism
    inner: ControlLaw

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
        return self.inner.name

    @property
    def outputs(self) -> tuple[str, ...]:
        """Outputs of the law."""
        return self.inner.outputs

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """References of the law."""
        return self.inner.references

    @property
    def model(self) -> Mechanism:
        """The model of the law."""
        return self.inner.model

    @property
    def sensors(self) -> tuple[str, ...]:
        """Sensors of the inner law."""
        return self.inner.sensors

    @property
    def states(self) -> tuple[Quantity, ...]:
        """States of the inner law."""
        return self.inner.states

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Signals of the inner law."""
        return self.inner.signals


def continuous_law(caller: str, controller: object) -> ControlLaw:
    """Return the law of a continuous controller."""
    if not isinstance(controller, LawController):
        raise InputError(f"{caller}: a {type(controller).__name__} is not a controller of gw.control. Give one.")
    if controller.law.period is not None:
        raise InputError(
            f"{caller}: the controller is sampled already, every {controller.law.period:g} s. Give the continuous one, "
            "and sample the result."
        )
    return controller.law
