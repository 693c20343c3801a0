"""The electrohydraulic servo cylinder as a linear actuator."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError
from gearwright.forces.actuators.linear_actuator import LinearActuator
from gearwright.forces.actuators.mounting import place_line, require_not_negative, require_positive
from gearwright.forces.law import Quantity
from gearwright.forces.line import Line
from gearwright.mechanism import RobotOrMech, Row, tree_of


@check_arguments
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
        require_positive(
            "servo valve", rated_flow=self.rated_flow, rated_drop=self.rated_drop, frequency=self.frequency
        )
        require_not_negative("servo valve", damping=self.damping)

    def flow_gains(self, supply: float, load_pressure: float, opening: float) -> tuple[float, float]:
        """Flow gain [m3/s per unit opening] and flow-pressure coefficient [m3/s/Pa] at an operating point."""
        drop = supply - load_pressure * (1 if opening >= 0 else -1)
        if not drop > 0:
            raise DriveError(
                f"servo valve: the load pressure {load_pressure:g} Pa is not below the supply pressure {supply:g} Pa, "
                "so the valve has no flow. Choose an operating point below two thirds of the supply pressure."
            )
        per_opening = self.rated_flow * sqrt(drop / self.rated_drop)
        return per_opening, self.rated_flow * abs(opening) / (2 * sqrt(self.rated_drop * drop))


@check_arguments
@dataclass(frozen=True, kw_only=True)
class HydraulicCylinder:
    r"""The data of a double-rod cylinder and its oil.

    Args:
        area: piston area A [m2].
        volume: pressurised oil volume of both chambers and lines together, V [m3].
        mass: piston and rod, m [kg].
        bulk_modulus: effective bulk modulus of the oil with entrained air, $\beta$ [Pa].
        leakage: past the piston, c [m3/s/Pa].
        damping: viscous friction of the seals, B [Ns/m].
        carried: the part of m that the machine's links already contain [kg]; default: all of it.

    >>> HydraulicCylinder(area=1e-3, volume=4e-4, mass=5.0).bulk_modulus
    1000000000.0
    """

    area: float
    volume: float
    mass: float
    bulk_modulus: float = 1.0e9
    leakage: float = 0.0
    damping: float = 0.0
    carried: float | None = None

    def __post_init__(self) -> None:
        sizes = {"area": self.area, "volume": self.volume, "mass": self.mass, "bulk_modulus": self.bulk_modulus}
        require_positive("HydraulicCylinder", **sizes)
        require_not_negative("HydraulicCylinder", leakage=self.leakage, damping=self.damping)


@check_arguments
def servo_cylinder(
    mech: RobotOrMech,
    line: str | Row | Line,
    valve: ServoValve,
    cylinder: HydraulicCylinder,
    *,
    supply: float = 210e5,
    load_pressure: float = 0.0,
    opening: float = 0.0,
    name: str | None = None,
) -> LinearActuator:
    r"""Return a double-rod cylinder on a servo valve, linearised about an operating point; input: the valve command.

    - $m \dot v = A p_L - B v - M$
    - $\tfrac{V}{4 \beta} \dot p_L = K_q y - (K_c + c) p_L - A v$
    - $\ddot y = \omega^2 (u - y) - 2 \zeta \omega \dot y$

    Five states: position, speed, load pressure, opening and its rate. The natural frequency of the oil column with the
    mass m alone is $2 A \sqrt{\beta / (V m)}$.

    Args:
        mech: the machine.
        line: the line that the rod moves: a prismatic joint's speed, a row, an actuator of the machine, or
            a coordinate, such as the distance between its two hinges.
        valve: the valve.
        cylinder: the cylinder and its oil.
        supply: supply pressure [Pa].
        load_pressure: at the operating point [Pa].
        opening: of the valve at the operating point, -1 to 1.
        name: its name; default: that of `line`.

    >>> import gearwright as gw
    >>> slide = gw.Mechanism([gw.Body("slide", joint="prismatic", mass=100.0)])
    >>> cylinder = HydraulicCylinder(area=1e-3, volume=4e-4, mass=5.0)
    >>> axis = servo_cylinder(slide, "slide", ServoValve(rated_flow=6e-4), cylinder)
    >>> [x.name for x in axis.states], axis.limits
    (['slide.load_pressure', 'slide.opening', 'slide.opening_rate'], (1.0,))
    """
    mech = tree_of("servo_cylinder", mech)
    title = _cylinder_title(line, name, "servo_cylinder")
    require_positive(f"cylinder {title!r}", supply=supply)
    area, mass = cylinder.area, cylinder.mass
    flow, pressure_loss = valve.flow_gains(supply, load_pressure, opening)
    oil_stiffness, w = 4 * cylinder.bulk_modulus / cylinder.volume, valve.frequency
    # makes the flow at the operating point exact, not that of the tangent
    working_point_flow = pressure_loss * load_pressure
    return LinearActuator(
        name=f"{title}.cylinder",
        line=place_line(mech, line),
        C=[
            [0, 1, 0, 0, 0],
            [0, -cylinder.damping / mass, area / mass, 0, 0],
            [0, -oil_stiffness * area, -oil_stiffness * (pressure_loss + cylinder.leakage), oil_stiffness * flow, 0],
            [0, 0, 0, 0, 1],
            [0, 0, 0, -w * w, -2 * valve.damping * w],
        ],
        f=[0, -1 / mass, 0, 0, 0],
        d=[0, 0, 0, 0, w * w],
        tie=[0, 1, 0, 0, 0],
        offset=[0, 0, oil_stiffness * working_point_flow, 0, 0],
        variables=_cylinder_variables(title),
        controls=(Quantity(f"{title}.valve", "1"),),
        carried=mass if cylinder.carried is None else cylinder.carried,
        limits=(1.0,),
    )


def _cylinder_variables(title: str) -> tuple[Quantity, ...]:
    units = {"position": "m", "speed": "m/s", "load_pressure": "Pa", "opening": "1", "opening_rate": "1/s"}
    return tuple(Quantity(f"{title}.{word}", unit) for word, unit in units.items())


def _cylinder_title(place: str | Row | Line, name: str | None, function: str) -> str:
    if name is None and not isinstance(place, str):
        raise DriveError(f"{function}: a cylinder along a row needs a name. Give name=...")
    return name if name is not None else str(place)
