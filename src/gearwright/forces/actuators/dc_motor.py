"""The permanent-magnet DC motor as a linear actuator."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.actuators.linear_actuator import LinearActuator
from gearwright.forces.actuators.mounting import place_line, require_not_negative, require_positive, rotor_inertia
from gearwright.forces.law import Quantity
from gearwright.forces.robot_lines import robot_motors, voltage_limit
from gearwright.mechanism import Mechanism, RobotOrMech, tree_of
from gearwright.parts import Robot

Matrix = list[list[float]]


@check_arguments
@dataclass(frozen=True, kw_only=True)
class DcMotorData:
    """The data of a DC motor.

    Args:
        torque_constant: $K_T$ [Nm/A].
        resistance: R [Ohm].
        inductance: L [H]; 0: the current has no dynamics.
        back_emf_constant: $K_E$ [Vs/rad]; the torque constant unless given.
        damping: viscous friction B at the motor shaft [Nms/rad].
        inertia: J [kg m2]; the machine's rotor's unless given.
        max_voltage: limit of u [V].

    >>> DcMotorData(torque_constant=0.05, resistance=0.5).inductance
    0.0
    """

    torque_constant: float
    resistance: float
    inductance: float = 0.0
    back_emf_constant: float | None = None
    damping: float = 0.0
    inertia: float | None = None
    max_voltage: float | None = None

    def __post_init__(self) -> None:
        owner = "DcMotorData"
        require_positive(owner, torque_constant=self.torque_constant, resistance=self.resistance)
        require_not_negative(owner, inductance=self.inductance, damping=self.damping)
        if self.back_emf_constant is not None:
            require_not_negative(owner, back_emf_constant=self.back_emf_constant)


@check_arguments
def dc_motor(mech: RobotOrMech, drive: str, data: DcMotorData, *, port: str | None = None) -> LinearActuator:
    r"""Return a DC motor: $J \ddot\theta = K_T i - B \dot\theta - M$, $u = R i + L\, di/dt + K_E \dot\theta$.

    Three states with an inductance (Vukobratovic and Potkonjak, eq. 20.65), two without (eq. 20.67, corrected: its
    first row is [0 1]). The inertia of the machine's rotor `<drive>.rotor` stays in the mass matrix, with its reaction
    on the link that carries the motor.

    Args:
        mech: the machine.
        drive: name of the drive, one of the machine's actuators.
        data: the motor's constants.
        port: name of the drive through whose gear losses the torque acts.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> motor = dc_motor(arm, "j1", DcMotorData(torque_constant=0.05, resistance=0.5))
    >>> [x.name for x in motor.variables], motor.carried
    (['j1.motor_angle', 'j1.motor_speed'], 0.0005)
    """
    mech = tree_of("dc_motor", mech)
    J, carried = rotor_inertia(mech, drive, data.inertia)
    back_emf_constant = data.back_emf_constant or data.torque_constant
    motor = DcEquations(data.torque_constant, back_emf_constant, data.resistance, data.inductance)
    matrices = _matrices_with_current if data.inductance else _matrices_without_current
    C, d = matrices(motor, data.damping, J)
    states = [("motor_angle", "rad"), ("motor_speed", "rad/s"), ("current", "A")]
    return LinearActuator(
        name=f"{drive}.motor",
        line=place_line(mech, drive),
        C=C,
        f=[0, -1 / J, 0][: len(C)],
        d=d,
        tie=[0, 1, 0][: len(C)],
        variables=tuple(Quantity(f"{drive}.{name}", unit) for name, unit in states[: len(C)]),
        controls=(Quantity(f"{drive}.voltage", "V"),),
        carried=carried,
        limits=(data.max_voltage,),
        port=port,
    )


def _matrices_with_current(motor: DcEquations, damping: float, inertia: float) -> tuple[Matrix, list[float]]:
    """C and d of the equations in angle, speed and current."""
    speed_row = [0.0, -damping / inertia, motor.motor_torque(1.0) / inertia]
    current_row = [0.0, motor.current_rate(0.0, 0.0, 1.0), motor.current_rate(0.0, 1.0, 0.0)]
    # Vukobratovic (20.64)-(20.65)
    return [[0.0, 1.0, 0.0], speed_row, current_row], [0.0, 0.0, motor.current_rate(1.0, 0.0, 0.0)]


def _matrices_without_current(motor: DcEquations, damping: float, inertia: float) -> tuple[Matrix, list[float]]:
    """C and d of the equations in angle and speed."""
    by_speed, by_voltage = (motor.motor_torque(motor.steady_current(*unit)) for unit in ((0.0, 1.0), (1.0, 0.0)))
    # Vukobratovic (20.66)-(20.67), corrected
    return [[0.0, 1.0], [0.0, (by_speed - damping) / inertia]], [0.0, by_voltage / inertia]


@check_arguments
def dc_motors(robot: Robot, mech: Mechanism, only: Collection[str] | None = None) -> list[LinearActuator]:
    """Return the motors of a robot as linear actuators; their friction and gear losses are laws of the robot.

    `only` names the motors to include; the default is all.
    """
    actuators = []
    for title, motor in robot_motors(robot):
        if only is not None and title not in only:
            continue
        if motor.torque_constant is None or motor.resistance is None:
            raise DriveError(
                f"motor {title!r} has no torque constant or no resistance, so its voltage cannot be "
                "computed. Give both to the motor, or give `actuators`."
            )
        has_no_rotor = not any(spin.name == f"{title}.rotor" for spin in mech.spins)
        actuator = dc_motor(
            mech,
            title,
            DcMotorData(
                torque_constant=motor.torque_constant,
                resistance=motor.resistance,
                inductance=motor.inductance or 0.0,
                max_voltage=voltage_limit(robot, title, motor),
                inertia=1.0 if has_no_rotor else None,
            ),
            port=title,
        )
        # A rotor without inertia: any inertia in the actuator's equations works, because `carried` cancels it.
        actuators.append(replace(actuator, carried=1.0) if has_no_rotor else actuator)
    return actuators
