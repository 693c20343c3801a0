"""The electrohydraulic servo cylinder as a linear actuator."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError
from gearwright.forces.actuators.linear_actuator import LinearActuator
from gearwright.forces.actuators.mounting import not_negative, place_line, positive
from gearwright.forces.law import Quantity
from gearwright.forces.line import Line
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.mechanism.rows import Row


@dataclass(frozen=True)
class ServoValve:
    r"""A four-way servo valve: flow $Q_n\, y \sqrt{(p_s - p_L)/\Delta p_n}$ at the opening y.

    The spool follows the command u with $\ddot y = \omega^2 (u - y) - 2 \zeta \omega \dot y$. Data sheets give
    the rated flow at full opening (y = 1) and a rated pressure drop, and the frequency of the spool.

    Args:
        rated_flow: $Q_n$ [m3/s].
        rated_drop: $\Delta p_n$ over both edges together [Pa]; 70 bar is usual.
        frequency: $\omega$ of the spool [rad/s].
        damping: $\zeta$ of the spool.
    """

    rated_flow: float
    rated_drop: float = 70e5
    frequency: float = 500.0
    damping: float = 0.8

    def __post_init__(self) -> None:
        positive("servo valve", rated_flow=self.rated_flow, rated_drop=self.rated_drop, frequency=self.frequency)
        not_negative("servo valve", damping=self.damping)

    def gains(self, supply: float, load_pressure: float, opening: float) -> tuple[float, float]:
        """Flow per opening [m3/s] and loss of flow per load pressure [m3/s/Pa] at a working point."""
        drop = supply - load_pressure * (1 if opening >= 0 else -1)
        if not drop > 0:
            raise DriveError(
                f"servo valve: the load pressure {load_pressure:g} Pa uses up the supply of {supply:g} Pa, so nothing "
                "flows. Take a working point below two thirds of the supply pressure."
            )
        per_opening = self.rated_flow * sqrt(drop / self.rated_drop)
        return per_opening, self.rated_flow * abs(opening) / (2 * sqrt(self.rated_drop * drop))


@check_arguments
def servo_cylinder(
    mech: RobotOrMech,
    where: str | Row | Line,
    valve: ServoValve,
    *,
    area: float,
    volume: float,
    mass: float,
    supply: float = 210e5,
    bulk_modulus: float = 1.0e9,
    leakage: float = 0.0,
    damping: float = 0.0,
    load_pressure: float = 0.0,
    opening: float = 0.0,
    carried: float | None = None,
    name: str | None = None,
) -> LinearActuator:
    r"""A double-rod cylinder on a servo valve, linearised about a working point; the input is the valve's command.

    - $m \dot v = A p_L - B v - M$
    - $\tfrac{V}{4 \beta} \dot p_L = K_q y - (K_c + c) p_L - A v$
    - $\ddot y = \omega^2 (u - y) - 2 \zeta \omega \dot y$

    Five states: way, speed, load pressure, opening and its rate. The frequency of the oil column under the mass m alone
    is $2 A \sqrt{\beta / (V m)}$.

    Args:
        mech: the machine.
        where: the line that the rod moves: a prismatic joint's speed, a row, an actuator of the machine, or
            a coordinate, such as the distance of its two hinges.
        valve: the valve.
        area: piston area A [m2].
        volume: oil under pressure in both chambers and lines together, V [m3].
        mass: piston and rod, m [kg].
        supply: supply pressure [Pa].
        bulk_modulus: of the oil with its air, $\beta$ [Pa].
        leakage: past the piston, c [m3/s/Pa].
        damping: viscous friction of the seals, B [Ns/m].
        load_pressure: at the working point [Pa].
        opening: of the valve at the working point, -1 to 1.
        carried: how much of m the machine's links contain already [kg]; all of it unless given.
        name: its name; that of `where` unless given.

    >>> import gearwright as gw
    >>> slide = gw.Mechanism([gw.Body("slide", joint="prismatic", mass=100.0)])
    >>> axis = servo_cylinder(slide, "slide", ServoValve(rated_flow=6e-4), area=1e-3, volume=4e-4, mass=5.0)
    >>> [x.name for x in axis.states], axis.limits
    (['slide.load_pressure', 'slide.opening', 'slide.opening_rate'], (1.0,))
    """
    mech = machine_of("servo_cylinder", mech)
    title = _title(where, name, "servo_cylinder")
    positive(f"cylinder {title!r}", area=area, volume=volume, mass=mass, supply=supply, bulk_modulus=bulk_modulus)
    not_negative(f"cylinder {title!r}", leakage=leakage, damping=damping)
    flow, choke = valve.gains(supply, load_pressure, opening)
    stiff, w = 4 * bulk_modulus / volume, valve.frequency
    standing = choke * load_pressure  # so that the flow at the working point is that of the valve, not of its tangent
    return LinearActuator(
        name=f"{title}.cylinder",
        line=place_line(mech, where),
        C=[
            [0, 1, 0, 0, 0],
            [0, -damping / mass, area / mass, 0, 0],
            [0, -stiff * area, -stiff * (choke + leakage), stiff * flow, 0],
            [0, 0, 0, 0, 1],
            [0, 0, 0, -w * w, -2 * valve.damping * w],
        ],
        f=[0, -1 / mass, 0, 0, 0],
        d=[0, 0, 0, 0, w * w],
        tie=[0, 1, 0, 0, 0],
        offset=[0, 0, stiff * standing, 0, 0],
        variables=_variables(title),
        controls=(Quantity(f"{title}.valve", "1"),),
        carried=mass if carried is None else carried,
        limits=(1.0,),
    )


def _variables(title: str) -> tuple[Quantity, ...]:
    units = {"way": "m", "speed": "m/s", "load_pressure": "Pa", "opening": "1", "opening_rate": "1/s"}
    return tuple(Quantity(f"{title}.{word}", unit) for word, unit in units.items())


def _title(where: str | Row | Line, name: str | None, function: str) -> str:
    if name is None and not isinstance(where, str):
        raise DriveError(f"{function}: a cylinder along a row needs a name. Give name=...")
    return name if name is not None else str(where)
