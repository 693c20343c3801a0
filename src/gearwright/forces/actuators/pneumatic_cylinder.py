"""The pneumatic cylinder with a proportional valve as a linear actuator."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import DriveError
from gearwright.forces.actuators.linear_actuator import LinearActuator
from gearwright.forces.actuators.mounting import place_line, require_not_negative, require_positive
from gearwright.forces.law import Quantity
from gearwright.forces.line import Line
from gearwright.mechanism import RobotOrMech, Row, tree_of

AIR_CONSTANT, AIR_EXPONENT = 287.05, 1.4
"""Specific gas constant [J/(kg K)] and isentropic exponent of air."""

NORMAL_DENSITY, ATMOSPHERE = 1.185, 101325.0
"""Reference of ISO 6358 conductances: density of air at 20 degrees C and 65 % humidity [kg/m3], and 1 bar [Pa]."""


@check_arguments
@dataclass(frozen=True)
class AirValve:
    r"""A proportional valve by ISO 6358: mass flow $u\, C \rho_0\, p_1 \psi(p_2/p_1)$ from $p_1$ to $p_2$.

    $\psi = 1$ below the critical ratio b (choked), above it $\sqrt{1 - ((p_2/p_1 - b)/(1 - b))^2}$.

    Args:
        conductance: C at full opening [m3/(s Pa)]; data sheets give l/(s bar): 1 l/(s bar) = 1e-8 m3/(s Pa).
        critical_ratio: b.

    >>> AirValve(1e-8).mass_flow(8e5, 2e5) == AirValve(1e-8).mass_flow(8e5, 1e5)  # choked
    True
    """

    conductance: float
    critical_ratio: float = 0.3

    def __post_init__(self) -> None:
        require_positive("air valve", conductance=self.conductance)
        real_number("air valve", "critical_ratio", self.critical_ratio, least=0, below=1, example=0.3, error=DriveError)

    def mass_flow(self, upstream: float, downstream: float) -> float:
        """Mass flow through the fully open valve [kg/s]; zero against a pressure gradient."""
        ratio = min(downstream / upstream, 1.0)
        excess = max(ratio - self.critical_ratio, 0.0) / (1 - self.critical_ratio)
        return self.conductance * NORMAL_DENSITY * upstream * sqrt(1 - excess * excess)

    def flow_gain(self, chamber: float, supply: float) -> float:
        """Mass flow into a chamber per unit opening [kg/s], the mean of filling and exhausting."""
        return (self.mass_flow(supply, chamber) + self.mass_flow(chamber, ATMOSPHERE)) / 2


@check_arguments
@dataclass(frozen=True, kw_only=True)
class PneumaticCylinder:
    """The data of a pneumatic cylinder, with the volumes and pressures of its operating point.

    Args:
        areas: $A_a, A_b$ [m2]; chamber a pushes forward.
        volumes: of the chambers at the operating point, dead volume included [m3].
        pressures: absolute pressures at the operating point [Pa].
        mass: piston and rod, m [kg].
        leakage: out of each chamber, c [kg/s/Pa].
        damping: viscous friction of the seals, B [Ns/m].
        carried: the part of m that the machine's links already contain [kg]; default: all of it.

    >>> PneumaticCylinder(areas=(8e-4, 8e-4), volumes=(1.2e-4, 1.2e-4), pressures=(4e5, 4e5), mass=0.5).leakage
    0.0
    """

    areas: tuple[float, float]
    volumes: tuple[float, float]
    pressures: tuple[float, float]
    mass: float
    leakage: float = 0.0
    damping: float = 0.0
    carried: float | None = None

    def __post_init__(self) -> None:
        sizes = {"area": min(self.areas), "volume": min(self.volumes), "pressure": min(self.pressures)}
        require_positive("PneumaticCylinder", **sizes, mass=self.mass)
        require_not_negative("PneumaticCylinder", leakage=self.leakage, damping=self.damping)


@check_arguments
def pneumatic_cylinder(
    mech: RobotOrMech,
    line: str | Row | Line,
    valve: AirValve,
    cylinder: PneumaticCylinder,
    *,
    supply: float = 7e5,
    temperature: float = 293.15,
    name: str | None = None,
) -> LinearActuator:
    r"""Return a pneumatic cylinder, linearised about a piston at rest; the input is the opening of its valve, -1 to 1.

    With the deviations $p_a, p_b$ of the chamber pressures from the operating point (absolute pressures $P_a, P_b$),

    - $m \dot v = A_a p_a - A_b p_b + F_0 - B v - M$
    - $\dot p_a = \tfrac{\kappa}{V_a} (R T (G_a u - c\, p_a) - P_a A_a v)$
    - $\dot p_b = \tfrac{\kappa}{V_b} (R T (-G_b u - c\, p_b) + P_b A_b v)$

    where $F_0 = A_a P_a - A_b P_b - (A_a - A_b) p_{atm}$ is the force at the operating point. With both chambers
    closed, the natural frequency of the mass m on the air is $\sqrt{\kappa (A_a^2 P_a/V_a + A_b^2 P_b/V_b)/m}$.

    Args:
        mech: the machine.
        line: the line that the rod moves: a speed, a row, an actuator of the machine, or
            a coordinate, such as the distance between its two hinges.
        valve: the valve.
        cylinder: the cylinder at its operating point.
        supply: absolute supply pressure [Pa].
        temperature: T of the air [K].
        name: its name; default: that of `line`.

    >>> import gearwright as gw
    >>> slide = gw.Mechanism([gw.Body("slide", joint="prismatic", mass=10.0)])
    >>> cylinder = PneumaticCylinder(areas=(8e-4, 8e-4), volumes=(1.2e-4, 1.2e-4), pressures=(4e5, 4e5), mass=0.5)
    >>> [x.name for x in pneumatic_cylinder(slide, "slide", AirValve(2e-8), cylinder).states]
    ['slide.pressure_a', 'slide.pressure_b']
    """
    mech = tree_of("pneumatic_cylinder", mech)
    if name is None and not isinstance(line, str):
        raise DriveError("pneumatic_cylinder: a cylinder along a row needs a name. Give name=...")
    title = name if name is not None else str(line)
    (Aa, Ab), (Va, Vb), (Pa, Pb) = cylinder.areas, cylinder.volumes, cylinder.pressures
    require_positive(f"cylinder {title!r}", supply=supply, temperature=temperature)
    mass, leakage = cylinder.mass, cylinder.leakage
    specific_energy, a, b = AIR_CONSTANT * temperature, AIR_EXPONENT / Va, AIR_EXPONENT / Vb
    standing_force = Aa * Pa - Ab * Pb - (Aa - Ab) * ATMOSPHERE
    units = {"position": "m", "speed": "m/s", "pressure_a": "Pa", "pressure_b": "Pa"}
    return LinearActuator(
        name=f"{title}.cylinder",
        line=place_line(mech, line),
        C=[
            [0, 1, 0, 0],
            [0, -cylinder.damping / mass, Aa / mass, -Ab / mass],
            [0, -a * Pa * Aa, -a * specific_energy * leakage, 0],
            [0, b * Pb * Ab, 0, -b * specific_energy * leakage],
        ],
        f=[0, -1 / mass, 0, 0],
        d=[0, 0, a * specific_energy * valve.flow_gain(Pa, supply), -b * specific_energy * valve.flow_gain(Pb, supply)],
        tie=[0, 1, 0, 0],
        offset=[0, standing_force / mass, 0, 0],
        variables=tuple(Quantity(f"{title}.{word}", unit) for word, unit in units.items()),
        controls=(Quantity(f"{title}.valve", "1"),),
        carried=mass if cylinder.carried is None else cylinder.carried,
        limits=(1.0,),
    )
