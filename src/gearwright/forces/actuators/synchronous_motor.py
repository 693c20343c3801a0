"""The synchronous AC motor in rotor coordinates (dq): the nonlinear law, and its linearisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.forces.actuators.linear_actuator import ActuatorInputs, ActuatorMotion, LinearActuator
from gearwright.forces.actuators.mounting import place_line, require_not_negative, require_positive, rotor_inertia
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.mechanism import RobotOrMech, tree_of


@check_arguments
@dataclass(frozen=True)
class SynchronousMotor(Law):
    r"""A permanent-magnet synchronous motor, star connected, with amplitude-invariant dq values per phase.

    - $L_d \dot i_d = u_d - R i_d + p \omega L_q i_q$
    - $L_q \dot i_q = u_q - R i_q - p \omega (L_d i_d + \psi)$
    - $m = \tfrac32 p\, (\psi + (L_d - L_q) i_d)\, i_q$

    With $i_d = 0$ it is a DC motor with $K_T = \tfrac32 p \psi$ and $K_E = p \psi$. The rotor's inertia is part of the
    machine.

    Args:
        name: name of the law, `<drive>.motor`; its states and inputs are called `<drive>.current_d` and so on.
        line: the motor's row.
        pole_pairs: p.
        flux: $\psi$ of the magnets [Vs].
        resistance: R of a phase [Ohm].
        inductances: $L_d, L_q$ [H].
        port: name of the drive through whose gear losses the torque acts.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> motor = SynchronousMotor("j1.motor", place_line(arm, "j1"), 4, 0.01, 0.2, (4e-4, 6e-4))
    >>> motor.torque(0.0, 10.0)
    0.6
    """

    name: str
    line: Line
    pole_pairs: int
    flux: float
    resistance: float
    inductances: tuple[float, float]
    port: str | None = None

    def __post_init__(self) -> None:
        d, q = self.inductances
        require_positive(
            f"motor {self.name!r}", pole_pairs=self.pole_pairs, flux=self.flux, inductance_d=d, inductance_q=q
        )
        require_positive(f"motor {self.name!r}", resistance=self.resistance)

    def _named_quantities(self, words: dict[str, str]) -> tuple[Quantity, ...]:
        drive = self.name.removesuffix(".motor")
        return tuple(Quantity(f"{drive}.{word}", unit) for word, unit in words.items())

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Currents of the d and q axes."""
        return self._named_quantities({"current_d": "A", "current_q": "A"})

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Voltages of the d and q axes."""
        return self._named_quantities({"voltage_d": "V", "voltage_q": "V"})

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its torque."""
        return self._named_quantities({"motor_torque": "Nm"})

    @property
    def limits(self) -> tuple[None, None]:
        """None: its voltages have no limits."""
        return (None, None)

    @property
    def inverse(self) -> SynchronousInverse:
        """The inverse model: its voltages from motion and torque."""
        return SynchronousInverse(self)

    def torque(self, i_d: Scalar, i_q: Scalar) -> Scalar:
        """Torque of the currents [Nm]."""
        d, q = self.inductances
        return 1.5 * self.pole_pairs * (self.flux + (d - q) * i_d) * i_q

    def voltages(
        self, speed: Scalar, currents: Sequence[Scalar], rates: Sequence[Scalar] = (0.0, 0.0)
    ) -> tuple[Scalar, Scalar]:
        """Voltages (d, q) for currents and their rates at a speed of the rotor [V]."""
        (d, q), (i_d, i_q) = self.inductances, currents
        w, R = self.pole_pairs * speed, self.resistance
        return R * i_d - w * q * i_q + d * rates[0], R * i_q + w * (d * i_d + self.flux) + q * rates[1]

    def act(self, mode: str, situation: Situation) -> Action:
        """The torque of its currents."""
        return Action(forces=(Force(self.line, self.torque(*situation.states), self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Rates of the currents, copper losses, and the magnetic energy of the windings."""
        currents, voltages = situation.states, situation.inputs
        steady = self.voltages(situation.speed(self.line), currents)
        squares = [i * i for i in currents]
        stored = sum((L * s for L, s in zip(self.inductances, squares, strict=True)), 0.0)
        return Outcome(
            rates=tuple((u - s) / L for u, s, L in zip(voltages, steady, self.inductances, strict=True)),
            supplied=1.5 * (voltages[0] * currents[0] + voltages[1] * currents[1]),
            dissipated=1.5 * self.resistance * (squares[0] + squares[1]),
            stored=0.75 * stored,
            signals={self.signals[0].name: self.torque(*currents)},
        )


@dataclass(frozen=True)
class SynchronousInverse:
    """The inverse model of a synchronous motor: voltages for a motion and a torque, with i_d = 0."""

    motor: SynchronousMotor
    relative_degree: int = 2

    def solve(self, demand: ActuatorMotion, state: Any = None) -> tuple[ActuatorInputs, Any]:
        """Currents and voltages over a smooth segment; there is no internal state."""
        per_ampere = self.motor.torque(0.0, 1.0)
        zeros = np.zeros_like(demand.t)
        current, rate = demand.force[0] / per_ampere, demand.force[1] / per_ampere
        voltages = self.motor.voltages(demand.motion[1], (zeros, current), (zeros, rate))
        return ActuatorInputs(np.column_stack([zeros, current]), np.column_stack(voltages)), zeros[:0]


@check_arguments
@dataclass(frozen=True, kw_only=True)
class SynchronousMotorData:
    r"""The data of a permanent-magnet synchronous motor.

    Args:
        pole_pairs: p.
        flux: $\psi$ of the magnets [Vs].
        resistance: R of a phase [Ohm].
        inductances: $L_d, L_q$ [H].
        damping: viscous friction B at the motor shaft [Nms/rad].
        inertia: J [kg m2]; the machine's rotor's unless given.

    >>> SynchronousMotorData(pole_pairs=4, flux=0.012, resistance=0.3, inductances=(4e-4, 7e-4)).damping
    0.0
    """

    pole_pairs: int
    flux: float
    resistance: float
    inductances: tuple[float, float]
    damping: float = 0.0
    inertia: float | None = None

    def __post_init__(self) -> None:
        require_not_negative("SynchronousMotorData", damping=self.damping)


@check_arguments
def synchronous_motor(
    mech: RobotOrMech,
    drive: str,
    data: SynchronousMotorData,
    *,
    speed: float = 0.0,
    currents: tuple[float, float] = (0.0, 0.0),
    port: str | None = None,
) -> LinearActuator:
    r"""Return a synchronous motor linearised about a speed and currents (d, q); four states, inputs $u_d, u_q$.

    The equations of `SynchronousMotor` with the products $\omega i_q$, $\omega i_d$ and $i_d i_q$ linearised. About
    rest without current, d and q axes are decoupled.

    Args:
        mech: the machine.
        drive: name of the drive, one of the machine's actuators.
        data: the motor's constants.
        speed: of the rotor at the operating point [rad/s].
        currents: $i_d, i_q$ at the operating point [A].
        port: name of the drive through whose gear losses the torque acts.
    """
    mech = tree_of("synchronous_motor", mech)
    p, flux, R = data.pole_pairs, data.flux, data.resistance
    exact = SynchronousMotor(f"{drive}.motor", place_line(mech, drive), p, flux, R, data.inductances, port)
    J, carried = rotor_inertia(mech, drive, data.inertia)
    (Ld, Lq), (i_d, i_q) = data.inductances, currents
    w = p * speed
    per_d, per_q = exact.torque(i_d + 1, i_q) - exact.torque(i_d, i_q), exact.torque(i_d, 1.0)
    excess = exact.torque(i_d, i_q) - per_d * i_d - per_q * i_q  # torque minus its linear part
    units = {"motor_angle": "rad", "motor_speed": "rad/s", "current_d": "A", "current_q": "A"}
    return LinearActuator(
        name=exact.name,
        line=exact.line,
        C=[
            [0, 1, 0, 0],
            [0, -data.damping / J, per_d / J, per_q / J],
            [0, p * Lq * i_q / Ld, -R / Ld, w * Lq / Ld],
            [0, -p * (Ld * i_d + flux) / Lq, -w * Ld / Lq, -R / Lq],
        ],
        f=[0, -1 / J, 0, 0],
        d=[[0, 0], [0, 0], [1 / Ld, 0], [0, 1 / Lq]],
        tie=[0, 1, 0, 0],
        offset=[0, excess / J, -w * Lq * i_q / Ld, w * Ld * i_d / Lq],
        variables=tuple(Quantity(f"{drive}.{word}", unit) for word, unit in units.items()),
        controls=exact.inputs,
        carried=carried,
        port=port,
    )
