"""A tendon: inertia or a motor along a row over several joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.errors import PartError
from gearwright.parts.checks import require_at_least, require_kind
from gearwright.parts.drives.motor import Motor
from gearwright.parts.drives.supply_and_servo import Servo


@check_arguments
@dataclass(frozen=True)
class Tendon:
    r"""A cable over joints of length $\sum_j row_j q_j$, with inertia along it and optionally a motor.

    Only its kinetic energy $\tfrac12 (J + J_m) \dot l^2$ is modelled, not its route: there are no reactions on the
    links that carry it. The motor's torque acts along the row. A spring along a row is a `PassiveSpring`.

    Args:
        name: its name, and that of its motor.
        row: travel of the tendon (or rotation of its motor) per unit of each joint's coordinate.
        inertia: J [kg m2, or kg].
        motor: the motor that pulls it; its angle is the tendon's length, its rotor inertia $J_m$ has no reaction.
        servo: the servo of the motor, as data.

    >>> Tendon("cable", {"j1": 1.0, "j2": -1.0}, inertia=1e-3).total_inertia
    0.001
    """

    name: str
    row: Mapping[str, Scalar]
    inertia: Scalar = 0.0
    motor: Motor | None = None
    servo: Servo | None = None

    def __post_init__(self) -> None:
        owner = f"tendon {self.name!r}"
        if not isinstance(self.row, Mapping) or not self.row:
            raise PartError(
                f"{owner}: its row is {self.row!r}, which is not a non-empty mapping. Give a mapping from "
                "joints to numbers."
            )
        require_at_least(owner, 0.0, inertia=self.inertia)
        if self.motor is not None:
            require_kind(owner, "motor", self.motor, Motor)
        if self.servo is not None:
            require_kind(owner, "servo", self.servo, Servo)
            if self.motor is None:
                raise PartError(f"{owner}: a servo needs a motor. Give the motor, or Motor() if it is unknown.")

    @property
    def total_inertia(self) -> Scalar:
        """The inertia of the tendon and of its motor's rotor."""
        return self.inertia if self.motor is None else self.inertia + self.motor.inertia
