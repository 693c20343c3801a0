"""A machine with symbolic inertial parameters, lengths, ratios of gear trains and numbers of planets.

The rows of a train's wheels are solved from its graph, as products of ratios. The contribution of planets to a link or
wheel is their number times that of one planet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from gearwright.algebra import ZERO, Inertia, Rot, Scalar, Tensor, Vec, is_number
from gearwright.dynamics.regressor import BODY_PARAMETERS
from gearwright.equations.symbol_names import NUMBERED_NAMES, SymbolNames
from gearwright.equations.trigonometric_polynomial import TrigPolynomial, symbol_polynomial
from gearwright.errors import GearwrightError, InputError, JointError
from gearwright.mechanism import Actuator, Body, Mechanism, RobotOrMech, Spin, Spring, assemble_tree, tree_of
from gearwright.parts import Drive, Mesh, Robot

# Machines of symbols

SYMBOL_KINDS = ("inertias", "lengths", "ratios", "gravity", "springs", "planets")
"""Quantities that may be symbolic."""


@dataclass
class SymbolTable:
    """The symbols in use: name -> value, and their meanings."""

    keep: Collection[str]
    symbol_names: SymbolNames = NUMBERED_NAMES
    values: dict[str, float] = field(default_factory=dict)
    meanings: dict[str, str] = field(default_factory=dict)

    def symbol_or_number(self, kind: str, name: str, value: Scalar, meaning: str) -> Scalar:
        """Return a symbol for a kept number; the number itself if it is not kept or is zero."""
        if not is_number(value):
            return value
        value = float(value)
        if abs(value) < 1e-14:
            return 0.0
        if kind not in self.keep and name not in self.keep:
            return value
        self.values[name], self.meanings[name] = value, meaning
        return symbol_polynomial(name)


def symbolic_machine(
    mech: Mechanism,
    keep: Collection[str],
    ratios: Mapping[str, tuple[float, str]] | None = None,
    symbol_names: SymbolNames = NUMBERED_NAMES,
) -> tuple[Mechanism, SymbolTable]:
    """Return the machine with symbols for kept quantities and numbers for the others; zeros remain zeros.

    Per body i the ten parameters about its origin, m1, mx1, ..., Ixx1, ...; positions lx1, ly1, lz1, pitch h1; per
    spin J1, ... and its ratios k1, ...; gravity g; stiffness K1 and damping D1 per spring; `symbol_names` may give
    other names. `ratios` are symbols that rows of spins already contain, with value and meaning.
    """
    _refuse_quaternions(mech)
    names = SymbolTable(keep, symbol_names)
    for name, (value, meaning) in (ratios or {}).items():
        names.values[name], names.meanings[name] = value, meaning
    machine = Mechanism(
        bodies=[_symbolic_body(names, i + 1, body) for i, body in enumerate(mech.bodies)],
        spins=[_symbolic_spin(names, mech, j + 1, spin) for j, spin in enumerate(mech.spins)],
        shafts=mech.shafts,
        springs=[_symbolic_spring(names, j + 1, spring) for j, spring in enumerate(mech.springs)],
        actuators=[_symbolic_actuator(names, mech, actuator) for actuator in mech.actuators],
        gravity=_symbolic_gravity(names, mech.gravity),
        frames=[replace(frame, rotation=_round_rotation(frame.rotation)) for frame in mech.frames],
    )
    unknown = [name for name in keep if name not in SYMBOL_KINDS and name not in names.values]
    if unknown:
        raise InputError(
            f"closed form: keep={unknown[0]!r} is unknown. Use {', '.join(SYMBOL_KINDS)}, or a symbol's name."
        )
    return machine, names


def _refuse_quaternions(mech: Mechanism) -> None:
    for body in mech.bodies:
        if body.kind.space.quaternion_start is not None:
            raise JointError(
                f"closed form: body {body.name!r} has a {body.joint} joint, whose rotation has no angle. "
                "Replace it by revolute and prismatic joints."
            )


def named_parameters(body: Body, inertia: Inertia, symbol_names: SymbolNames) -> dict[str, Scalar]:
    """Return the ten parameters about the body's origin, in the axes of their names."""
    rotated_inertia = inertia.transformed_by(_round_rotation(symbol_names.parameter_axes(body)).T, ZERO)
    return dict(zip(BODY_PARAMETERS, rotated_inertia, strict=True))


def _symbolic_body(names: SymbolTable, number: int, body: Body) -> Body:
    scalars = {
        key: names.symbol_or_number(
            "inertias", names.symbol_names.inertial_name(key, number), value, f"{body.name}.{key}"
        )
        for key, value in named_parameters(body, body.about_origin, names.symbol_names).items()
    }
    axes = _round_rotation(names.symbol_names.parameter_axes(body))
    mass, moment = scalars["m"], axes @ Vec(scalars["mcx"], scalars["mcy"], scalars["mcz"])
    tensor = Tensor(*(scalars[key] for key in BODY_PARAMETERS[4:])).rotated_by(axes)
    # Mass and first moment are one symbol each: their quotient is a monomial.
    com = ZERO if is_number(mass) and mass == 0 else moment * (1 / mass)
    return replace(
        body,
        mass=mass,
        com=com,
        inertia=tensor - Tensor.of_point_mass(com, mass),
        position=_symbolic_position(names, number, body),
        rotation=_round_rotation(body.rotation),
        axis=_round_entries(body.axis),
        axis2=None if body.axis2 is None else _round_entries(body.axis2),
        pitch=_symbolic_pitch(names, number, body),
        effective=True,
    )


def _symbolic_position(names: SymbolTable, number: int, body: Body) -> Vec:
    """Return the position of the joint in its parent: a sum of named lengths, each along its direction."""
    total = ZERO
    for length in names.symbol_names.joint_lengths(number, body):
        size = names.symbol_or_number("lengths", length.name, length.value, length.meaning)
        total = total + _round_entries(length.direction) * size
    return total


def _symbolic_pitch(names: SymbolTable, number: int, body: Body) -> Scalar | None:
    meaning = f"{body.name}: pitch of its joint [m/rad]"
    return None if body.pitch is None else names.symbol_or_number("lengths", f"h{number}", body.pitch, meaning)


def _symbolic_spin(names: SymbolTable, mech: Mechanism, number: int, spin: Spin) -> Spin:
    symbol_names = names.symbol_names
    inertia = names.symbol_or_number(
        "inertias", symbol_names.inertia_name(number, spin.name), spin.inertia, f"{spin.name}.J"
    )
    single = len(spin.terms) == 1
    if any(not is_number(value) for _, value in spin.terms):  # its row consists of ratios of a train
        names = SymbolTable(())
    ratio = {
        mech.speeds[index]: names.symbol_or_number(
            "ratios",
            symbol_names.ratio_name(number, spin.name) + ("" if single else f"_{index + 1}"),
            value,
            f"{spin.name} per {mech.speeds[index]}",
        )
        for index, value in spin.terms
    }
    coupling = None if spin.coupling is None else inertia * spin.coupling_share
    if coupling is not None and spin.coupling_share == 0:
        coupling = 0.0
    return replace(spin, inertia=inertia, ratio=ratio, coupling=coupling, axis=_round_entries(spin.axis))


def _symbolic_actuator(names: SymbolTable, mech: Mechanism, actuator: Actuator) -> Actuator:
    """Return the actuator, with the wheel's ratio if its row is that of a wheel."""
    for number, spin in enumerate(mech.spins, start=1):
        if spin.terms == actuator.terms and spin.name.startswith(f"{actuator.name}."):
            return replace(actuator, row=_symbolic_spin(names, mech, number, spin).ratio)
    return replace(actuator, row={mech.speeds[index]: value for index, value in actuator.terms})


def _symbolic_spring(names: SymbolTable, number: int, spring: Spring) -> Spring:
    stiffness = names.symbol_or_number("springs", f"K{number}", spring.stiffness, f"{spring.name}.stiffness")
    damping = names.symbol_or_number("springs", f"D{number}", spring.damping, f"{spring.name}.damping")
    return replace(spring, stiffness=stiffness, damping=damping)


def _symbolic_gravity(names: SymbolTable, gravity: Vec) -> list[Scalar]:
    """Return gravity along a base axis as one symbol g > 0; any other direction as numbers."""
    size = max(abs(x) for x in gravity)
    if sum(1 for x in gravity if x) != 1:
        return list(gravity)
    g = names.symbol_or_number("gravity", "g", size, "acceleration of gravity [m/s2]")
    return [g * (1.0 if x > 0 else -1.0) if x else 0.0 for x in gravity]


def _round_entries(v: Vec) -> Vec:
    """Return the vector with entries rounded to 0 or +-1 where they differ by rounding only."""
    return Vec(*(round(x) * 1.0 if abs(x - round(x)) < 1e-12 else x for x in v))


def _round_rotation(R: Rot) -> Rot:
    return Rot(_round_entries(R.a), _round_entries(R.b), _round_entries(R.c))


# Numbers of planets

MIN_SYMMETRIC_PLANETS = 3
"""Least number of planets for which the links' inertia is proportional to it (rotational symmetry)."""


class PlanetStage(NamedTuple):
    """The planets of a drive's stage: the wheel that represents them, their number, and its symbol."""

    wheel: str
    number: int
    symbol: str
    drive: Drive


def planet_table(machine: RobotOrMech, names: SymbolTable) -> dict[str, TrigPolynomial]:
    """Return symbols that include planets in terms of n times one planet (Fernini, eqs 55 to 62).

    The symbols of a link then refer to the link without its planets.
    """
    if not isinstance(machine, Robot) or "planets" not in names.keep:
        return {}
    table: dict[str, TrigPolynomial] = {}
    whole = assemble_tree(machine)
    for planets in _planet_stages(machine):
        names.values[planets.symbol] = float(planets.number)
        names.meanings[planets.symbol] = f"{planets.wheel}: number of planets"
        table |= _planet_wheel_terms(planets, whole, names)
        for name, share in _planet_link_terms(planets, machine, whole, names).items():
            table[name] = table.get(name, symbol_polynomial(name)) + share
    return table


def _planet_stages(robot: Robot) -> Iterator[PlanetStage]:
    numbers = {k: int(getattr(drive.gear, "planets", 0)) for k, drive in enumerate(robot.drives)}
    shown = {k: number for k, number in numbers.items() if number >= MIN_SYMMETRIC_PLANETS}
    alike = len(set(shown.values())) == 1
    for k, number in shown.items():
        drive = robot.drives[k]
        yield PlanetStage(f"{drive.title}.planets", number, "n" if alike else f"n{k + 1}", drive)


def _planet_wheel_terms(planets: PlanetStage, mech: Mechanism, names: SymbolTable) -> dict[str, TrigPolynomial]:
    """Return the wheels that represent all planets: their own spin, and their orbit with a carrier."""
    table: dict[str, TrigPolynomial] = {}
    for number, spin in enumerate(mech.spins, start=1):
        name = names.symbol_names.inertia_name(number, spin.name)
        if spin.name in (planets.wheel, f"{planets.drive.title}.orbit") and name in names.values:
            names.values[name] /= planets.number
            names.meanings[name] += " of one planet"
            table[name] = symbol_polynomial(planets.symbol) * symbol_polynomial(name)
    return table


def _planet_link_terms(
    planets: PlanetStage, robot: Robot, whole: Mechanism, names: SymbolTable
) -> dict[str, TrigPolynomial]:
    """Return the contribution of one planet to its link: the difference to the robot without planets, over n."""
    table: dict[str, Any] = {}
    bare = assemble_tree(_without_planets(robot, planets.drive))
    for number, (full, bare_body) in enumerate(zip(whole.bodies, bare.bodies, strict=True), start=1):
        values = named_parameters(full, full.about_origin, names.symbol_names)
        bare_values = named_parameters(bare_body, bare_body.about_origin, names.symbol_names)
        for key, value in values.items():
            share_of_one = float(value - bare_values[key]) / planets.number
            name = names.symbol_names.inertial_name(key, number)
            if abs(share_of_one) > 1e-12 * (1 + abs(value)) and name in names.values:
                table[name] = _planet_share(name, share_of_one, planets, names)
    return table


def _planet_share(name: str, share_of_one: float, planets: PlanetStage, names: SymbolTable) -> TrigPolynomial:
    """Return the planets' part of a link's parameter, whose symbol then excludes them."""
    planet = f"{name}p{planets.symbol[1:]}"  # m1p, or m1p2 if the stage has its own number
    if "without planets" not in names.meanings[name]:
        names.meanings[name] += " without planets"
    names.values[name] -= share_of_one * planets.number
    names.values[planet] = names.values.get(planet, 0.0) + share_of_one
    names.meanings[planet] = f"{names.meanings[name].removesuffix(' without planets')} of one planet"
    return symbol_polynomial(planets.symbol) * symbol_polynomial(planet)


def _without_planets(robot: Robot, drive: Drive) -> Robot:
    gear: Any = drive.gear
    bare = replace(gear, planet_member=replace(gear.planet_member, included=True))
    drives = [replace(robot_drive, gear=bare) if robot_drive is drive else robot_drive for robot_drive in robot.drives]
    return replace(robot, drives=tuple(drives))


def substitute_symbols(value: Any, table: Mapping[str, TrigPolynomial]) -> Any:
    """Return the value with every symbol of the table replaced; they occur to the first power only."""
    if not isinstance(value, TrigPolynomial) or not table:
        return value
    total: Any = TrigPolynomial({})
    for (waves, powers), factor in value.terms.items():
        remaining_powers = tuple((name, power) for name, power in powers if name not in table)
        term: Any = TrigPolynomial({(waves, remaining_powers): factor})
        for name, power in powers:
            if name in table:
                term = _multiply_power(term, table[name], power)
        total = total + term
    return total


def _multiply_power(term: TrigPolynomial, factor: TrigPolynomial, power: int) -> TrigPolynomial:
    for _ in range(power):
        term = term * factor
    return term


# Ratios of gear trains

SymbolRatios = dict[str, tuple[float, str]]
"""Symbol -> its value, and its gears."""


def machine_with_ratios(
    caller: str, machine: RobotOrMech, keep: Collection[str], symbol_names: SymbolNames = NUMBERED_NAMES
) -> tuple[Mechanism, SymbolRatios]:
    """Return the machine with a symbol g1, g2, ... for every kept ratio of a train's mesh (Chen and Wang, eq. 9).

    Meshes that state teeth, and trains that cannot be solved with symbols (a circuit that closes for certain numbers
    only, or a row that is a quotient of sums), remain numeric: the rows of their wheels are then symbols.
    """
    if isinstance(machine, Robot) and machine.trains:
        robot, ratios = _with_ratio_symbols(machine, keep, symbol_names)
        if ratios:
            try:
                return assemble_tree(robot), ratios
            except GearwrightError:
                pass  # fall back to numbers; the next line raises the error if they fail too
    return tree_of(caller, machine, "names"), {}


def _with_ratio_symbols(robot: Robot, keep: Collection[str], symbol_names: SymbolNames) -> tuple[Robot, SymbolRatios]:
    ratios: SymbolRatios = {}
    number = 0
    trains = []
    for train in robot.trains:
        meshes: list[Mesh] = []
        for mesh in train.meshes:
            number += 1
            name = symbol_names.mesh_name(number, mesh.first, mesh.second)
            name = name if name not in ratios else f"g_{number}"
            if mesh.ratio is not None and ("ratios" in keep or name in keep):
                ratios[name] = float(mesh.ratio), f"{train.name}: {mesh.first} per {mesh.second}"
                mesh = replace(mesh, ratio=symbol_polynomial(name))
            meshes.append(mesh)
        trains.append(replace(train, meshes=tuple(meshes)))
    return replace(robot, trains=tuple(trains)), ratios
