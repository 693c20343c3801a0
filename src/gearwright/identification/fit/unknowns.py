"""The unknowns of a physically consistent fit, and the parameters of the flat machine as functions of them.

For a robot made of parts the unknowns are the numbers of its parts that torques show: every link alone, rotor and gear
inertias, stiffness and damping of drives and joints. The flat machine's parameters are affine in them, because
`assemble` only adds: pi = start + map x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import Tensor, Vec, is_number
from gearwright.arrays import Array
from gearwright.functions.dynamics import parameters
from gearwright.identification.fit.friction import stated_friction
from gearwright.identification.model.columns import FRICTION, NOT_NEGATIVE, UNITS, Column, Kind
from gearwright.identification.model.torque_model import Model
from gearwright.mechanism import Body, Mechanism, assemble
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.parts import Drive, Gear, Link, Robot, parameter, with_parameters

# Numbers of parts


@dataclass(frozen=True)
class FittedNumber:
    """A number of a robot's parts: what it is (named by its path), its value, and how to put another one there."""

    column: Column
    value: float
    with_value: Callable[[Robot, float], Robot]

    @property
    def path(self) -> str:
        """Where it is in the robot, such as 'elbow.motor.inertia'."""
        return self.column.name


def fitted_numbers(robot: Robot) -> list[FittedNumber]:
    """Rotor inertias, gear inertias at the input, stiffness and damping of elastic drives and of joints' springs."""
    found = []
    for drive in robot.drives:
        force = _force(robot, drive.joint)
        if _positive(drive.motor.inertia) and drive.motor.tensor is None:
            found.append(_rotor(drive))
        if isinstance(drive.gear, Gear) and _positive(drive.gear.inertia):
            found.append(_at(robot, f"{drive.title}.gear.inertia", "wheel", drive.title, UNITS["wheel"]))
        for path in _springs(f"{drive.title}.gear", drive.gear):
            found += _stiffness_and_damping(robot, path, drive.title, force)
    for link in robot.links:
        if link.joint.spring is not None:
            name = link.joint_name
            found += _stiffness_and_damping(robot, f"{name}.spring", name, _force(robot, name))
    return found


def slope(robot: Robot, number: FittedNumber, nominal: Array) -> Array:
    """How the flat machine's parameters change with a number: exact, because they are affine in it."""
    step = number.value or 1.0
    moved: Mechanism = assemble(number.with_value(robot, number.value + step))
    change: Array = (parameters(moved) - nominal) / step
    return change


def _force(robot: Robot, joint: str | None) -> str:
    """N/m of a spring along a sliding joint, Nm/rad elsewhere."""
    slides = any(link.joint_name == joint and not joint_kind(link.joint.kind).turns for link in robot.links)
    return "N/m" if slides else "Nm/rad"


def _springs(path: str, gear: Any) -> Iterator[str]:
    """The paths of a gear's linear springs, stage by stage; a curve of pieces stays as it is."""
    for place, stage in enumerate(getattr(gear, "stages", ())):
        yield from _springs(f"{path}.stages.{place}", stage)
    torsion = getattr(gear, "torsion", None)
    if gear.stiffness is not None and (torsion is None or not torsion.pieces):
        yield path


def _stiffness_and_damping(robot: Robot, path: str, owner: str, unit: str) -> list[FittedNumber]:
    return [
        _at(robot, f"{path}.stiffness", "stiffness", owner, unit),
        _at(robot, f"{path}.damping", "damping", owner, unit.replace("/", " s/")),
    ]


def _at(robot: Robot, path: str, kind: Kind, owner: str, unit: str) -> FittedNumber:
    value = float(parameter(robot, path))
    return FittedNumber(Column(path, kind, owner, unit), value, lambda fresh, x: with_parameters(fresh, {path: x}))


def _positive(x: object) -> bool:
    return is_number(x) and float(x) > 0  # type: ignore[arg-type]


def _rotor(drive: Drive) -> FittedNumber:
    title = drive.title
    return FittedNumber(
        Column(f"{title}.motor.inertia", "wheel", title, UNITS["wheel"]),
        float(drive.motor.inertia),
        lambda robot, x: robot.with_drive(title, _with_rotor(robot.drive(title), x)),
    )


def _with_rotor(drive: Drive, inertia: float) -> Drive:
    """Another rotor inertia; the transverse inertia and the coupling keep their share of it."""
    share = inertia / drive.motor.inertia
    across, coupling = (
        None if x is None else x * share for x in (drive.motor.transverse_inertia, drive.motor.coupling)
    )
    return replace(drive, motor=replace(drive.motor, inertia=inertia, transverse_inertia=across, coupling=coupling))


# Unknowns


@dataclass(frozen=True)
class BodyParameters:
    """Ten unknowns in a row that describe one rigid body; `physical` when they must be those of a real one."""

    first: int
    physical: bool = True


@dataclass(frozen=True)
class Unknowns:
    """What is solved for: `pi = start + map @ x` for the model's parameters in use.

    Args:
        columns: what the unknowns x are.
        nominal: their nominal (CAD) values.
        start: the model's parameters when x is zero.
        map: (parameters, unknowns).
        bodies: which unknowns describe rigid bodies.
        zero: parameters known to be zero, as (start, map): 0 = start + map @ x.
        every: all parameters of the model, also those not in use, as (start, map).
        wheels: per body (first index) the inertias at rest it must contain: (unknown, 4 x 4 pseudo-inertia per unit).
    """

    columns: tuple[Column, ...]
    nominal: Array
    start: Array
    map: Array
    bodies: tuple[BodyParameters, ...]
    zero: tuple[Array, Array]
    every: tuple[Array, Array]
    wheels: tuple[tuple[int, int, Array], ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the unknowns x."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def positive(self) -> tuple[int, ...]:
        """Indices of unknowns that cannot be negative."""
        return tuple(k for k, column in enumerate(self.columns) if column.kind in NOT_NEGATIVE)

    def parameters(self, x: Array) -> Array:
        """The model's parameters in use."""
        pi: Array = self.start + self.map @ x
        return pi

    @cached_property
    def scale(self) -> Array:
        """The size at which each unknown counts as changed a lot: from the nominal body it belongs to."""
        typical = float(max((abs(self.nominal[body.first]) for body in self.bodies), default=1.0)) or 1.0
        scale = np.maximum(np.abs(self.nominal), 1e-6)
        for body in self.bodies:
            mass = abs(self.nominal[body.first]) or typical
            rotation = abs(self.nominal[body.first + np.array([4, 7, 9])]).sum() / 2
            radius = float(np.clip(np.sqrt(rotation / mass), 0.05, 1.0))
            scale[body.first : body.first + 10] = mass * np.array([1.0, *[radius] * 3, *[radius**2] * 6])
        scale[[k for k, column in enumerate(self.columns) if column.kind in FRICTION]] = 1.0
        return scale


def unknowns(model: Model, robot: Robot | None) -> Unknowns:
    """The unknowns of a model: of the robot's parts when it is known, else of the flat machine."""
    if robot is None:
        return _of_machine(model)
    return _of_parts(model, robot)


def _of_machine(model: Model) -> Unknowns:
    """The parameters themselves; a body must contain its wheels at rest, thin discs at least."""
    columns, mech = model.every_column, model.mech
    bodies = [BodyParameters(10 * k, not body.effective) for k, body in enumerate(mech.bodies)]
    if model.payload is not None:
        bodies.append(BodyParameters(len(columns) - 10))
    wheels = []
    for k, spin in enumerate(mech.spins):
        if spin.carrier != -1:
            e = np.array(list(spin.axis), dtype=float)
            disc = np.zeros((4, 4))
            disc[:3, :3] = 0.5 * spin.coupling_share**2 * (np.eye(3) - np.outer(e, e))
            wheels.append((10 * int(spin.carrier), 10 * len(mech.bodies) + k, disc))
    own = parameters(mech)
    nominal = np.concatenate([own, np.zeros(len(columns) - len(own))])
    return _made(model, columns, nominal, np.zeros(len(columns)), np.eye(len(columns)), bodies, wheels)


def _made(
    model: Model,
    columns: Sequence[Column],
    nominal: Array,
    start: Array,
    full: Array,
    bodies: Sequence[BodyParameters],
    wheels: Sequence[tuple[int, int, Array]] = (),
) -> Unknowns:
    """The unknowns from a map to all parameters of a model."""
    kept = list(model.kept)
    zero = [model.every_name.index(name) for name in model.without]
    rows = (start[zero], full[zero])
    own = (start[kept], full[kept])
    return Unknowns(tuple(columns), nominal, *own, tuple(bodies), rows, (start, full), tuple(wheels))


def link_parameters(link: Link) -> Array:
    """The ten parameters of a link alone, about its frame's origin."""
    own = Body(link.name, mass=link.mass, com=link.com, inertia=link.inertia, effective=True)
    return np.array(list(own.about_origin), dtype=np.float64)


def link_of_parameters(link: Link, parameters: Array) -> Link:
    """The link with these ten parameters."""
    mass, com, inertia = central(parameters)
    return replace(link, mass=mass, com=com, inertia=inertia)


def central(parameters: Array) -> tuple[float, tuple[float, ...], tuple[tuple[float, ...], ...]]:
    """Mass, centre of mass and tensor about it, from ten parameters about the origin."""
    mass, moment = float(parameters[0]), Vec(*(float(x) for x in parameters[1:4]))
    com = moment * (1 / mass) if mass > 0 else Vec(0.0, 0.0, 0.0)
    tensor = Tensor(*(float(x) for x in parameters[4:])) - Tensor.point(com, mass)
    return mass, tuple(com), tensor.rows()


def _of_parts(model: Model, robot: Robot) -> Unknowns:
    """Every link alone, numbers of the drives, friction and payload; payloads and other wheels keep their numbers."""
    turned = fitted_numbers(robot)
    nominal = parameters(model.mech)
    own, more = model.every_column[: len(nominal)], model.every_column[len(nominal) :]
    slopes = list(np.eye(len(own))[: 10 * len(model.mech.bodies)])
    slopes += [slope(robot, number, nominal) for number in turned]
    values = [x for body in model.mech.bodies for x in link_parameters(robot.link(body.name))]
    values += [number.value for number in turned]
    mapped = np.array(slopes).T
    start = nominal - mapped @ np.array(values)
    rest = (len(own), len(more)), (len(more), len(values))
    full = np.block([[mapped, np.zeros(rest[0])], [np.zeros(rest[1]), np.eye(len(more))]])
    columns = [*own[: 10 * len(model.mech.bodies)], *(number.column for number in turned), *more]
    values += [stated_friction(robot, model, column) for column in more]
    bodies = [BodyParameters(10 * k, not body.effective) for k, body in enumerate(model.mech.bodies)]
    if model.payload is not None:
        bodies.append(BodyParameters(len(columns) - 10))
    return _made(model, columns, np.array(values), np.concatenate([start, np.zeros(len(more))]), full, bodies)
