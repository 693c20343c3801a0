"""The stepping motor as a linear actuator about one of its steps."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.argument_kinds import check_arguments
from gearwright.forces.actuators.linear_actuator import LinearActuator
from gearwright.forces.actuators.mounting import place_line, require_not_negative, require_positive, rotor_inertia
from gearwright.forces.law import Quantity
from gearwright.mechanism import RobotOrMech, tree_of


@check_arguments
@dataclass(frozen=True, kw_only=True)
class SteppingMotorData:
    """The data of a two-phase hybrid stepping motor.

    Args:
        torque_constant: $K_m$ [Nm/A].
        teeth: N of the rotor: 50 for 200 full steps a turn.
        current: I of the energised winding [A].
        resistance: R of a winding [Ohm].
        inductance: L of a winding [H].
        damping: viscous friction B [Nms/rad].
        detent: amplitude D of the detent torque [Nm].
        inertia: J [kg m2]; the machine's rotor's unless given.
        max_voltage: limit of u [V].

    >>> SteppingMotorData(torque_constant=0.5, teeth=50, current=2.0, resistance=1.1, inductance=3e-3).detent
    0.0
    """

    torque_constant: float
    teeth: int
    current: float
    resistance: float
    inductance: float
    damping: float = 0.0
    detent: float = 0.0
    inertia: float | None = None
    max_voltage: float | None = None

    def __post_init__(self) -> None:
        positive = {"torque_constant": self.torque_constant, "teeth": self.teeth, "resistance": self.resistance}
        require_positive("SteppingMotorData", **positive, inductance=self.inductance)
        require_not_negative("SteppingMotorData", current=self.current, damping=self.damping, detent=self.detent)

    @property
    def stiffness(self) -> float:
        """Stiffness k about a step [Nm/rad]."""
        return self.teeth * self.torque_constant * self.current + 4 * self.teeth * self.detent


@check_arguments
def stepping_motor(
    mech: RobotOrMech, drive: str, data: SteppingMotorData, *, step: float = 0.0, port: str | None = None
) -> LinearActuator:
    r"""Return a two-phase hybrid stepping motor, linearised about a step with one winding energised.

    The torque is $K_m (-i_a \sin N\theta + i_b \cos N\theta) - D \sin 4 N \theta$. About the step with $i_a = I$, small
    motions satisfy

    - $J \ddot\theta = -k (\theta - \theta_0) - B \dot\theta + K_m i_b - M$
    - $k = N K_m I + 4 N D$
    - $L\, di_b/dt = u - R i_b - K_m \dot\theta$

    where u is the voltage of the winding that is off. The holding torque is $K_m I$; the natural frequency of the
    unloaded rotor is $\sqrt{k/J}$.

    Args:
        mech: the machine.
        drive: name of the drive, one of the machine's actuators.
        data: the motor's constants.
        step: $\theta_0$, the motor angle of the step [rad].
        port: name of the drive through whose gear losses the torque acts.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> data = SteppingMotorData(torque_constant=0.5, teeth=50, current=2.0, resistance=1.1, inductance=3e-3)
    >>> motor = stepping_motor(arm, "j1", data)
    >>> -motor.C[1][0] * motor.inertia      # N K_m I
    50.0
    """
    mech = tree_of("stepping_motor", mech)
    J, carried = rotor_inertia(mech, drive, data.inertia)
    K, L, stiffness = data.torque_constant, data.inductance, data.stiffness
    units = {"motor_angle": "rad", "motor_speed": "rad/s", "current": "A"}
    return LinearActuator(
        name=f"{drive}.motor",
        line=place_line(mech, drive),
        C=[[0, 1, 0], [-stiffness / J, -data.damping / J, K / J], [0, -K / L, -data.resistance / L]],
        f=[0, -1 / J, 0],
        d=[0, 0, 1 / L],
        tie=[0, 1, 0],
        offset=[0, stiffness * step / J, 0],
        variables=tuple(Quantity(f"{drive}.{word}", unit) for word, unit in units.items()),
        controls=(Quantity(f"{drive}.voltage", "V"),),
        carried=carried,
        limits=(data.max_voltage,),
        port=port,
    )
