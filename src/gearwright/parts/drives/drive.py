"""A drive: a motor on a link that moves a joint through a gear."""

from __future__ import annotations

from dataclasses import dataclass, field

from gearwright.algebra import OptionalVector, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError
from gearwright.parts.checks import require_at_least, require_kind
from gearwright.parts.drives.motor import Motor
from gearwright.parts.drives.supply_and_servo import Servo, Supply
from gearwright.parts.gears.gear import Gear, GearType


@check_arguments
@dataclass(frozen=True)
class CurrentControl:
    r"""Electronics that make the current follow a reference: a PI controller whose zero cancels the winding's pole.

    With the winding's R and L its gains are $\omega_c L$ and $\omega_c R$, so that the current follows its reference
    with the time constant $1/\omega_c$ until a limit is reached.

    Args:
        bandwidth: $\omega_c$ [rad/s].
    """

    bandwidth: Scalar

    def __post_init__(self) -> None:
        require_at_least("current_control", 0.0, above=True, bandwidth=self.bandwidth)


@check_arguments
@dataclass(frozen=True)
class Drive:
    """A motor that drives one joint.

    Args:
        joint: name of the driven joint.
        motor: the motor.
        gear: the gear between motor and joint.
        mounted_on: name of the link that carries the motor, or "base"; the parent of the driven link unless given.
        axis: axis of the rotor in that link's frame; by default parallel to the joint's axis at its zero. An
            antiparallel axis reverses the sign of the ratio of a gear with parallel axes; a ratio given as a number is
            unchanged.
        name: its name; by default that of the joint.
        supply: its voltage supply; by default that of the robot.
        current_control: electronics that make the current follow a reference; None: its input is a voltage.
        servo: the position or speed controller stated for it, as data.
    """

    joint: str
    motor: Motor = field(default_factory=Motor)
    gear: GearType = field(default_factory=Gear)
    mounted_on: str | None = None
    axis: OptionalVector = None
    name: str | None = None
    supply: Supply | None = None
    current_control: CurrentControl | None = None
    servo: Servo | None = None

    def __post_init__(self) -> None:
        require_kind(f"drive {self.title!r}", "motor", self.motor, Motor)
        if not hasattr(self.gear, "wheels"):  # a user-defined gear need not be derived from a class of this package
            require_kind(f"drive {self.title!r}", "gear", self.gear, Gear)
        if self.supply is not None:
            require_kind(f"drive {self.title!r}", "supply", self.supply, Supply)
        if self.servo is not None:
            require_kind(f"drive {self.title!r}", "servo", self.servo, Servo)
        if self.current_control is not None:
            require_kind(f"drive {self.title!r}", "current_control", self.current_control, CurrentControl)
            if not self.motor.has_inductance:
                raise DriveError(
                    f"drive {self.title!r}: a current controller (bandwidth {self.current_control.bandwidth} rad/s) "
                    "needs the motor's inductance; without it the current follows the voltage without delay. Give the "
                    "motor an inductance, or use the voltage as input."
                )

    @property
    def title(self) -> str:
        """Its name; by default that of the joint."""
        return self.name if self.name is not None else self.joint
