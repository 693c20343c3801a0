"""The unknowns of a physically consistent fit, and the parameters of the flat machine as functions of them.

For a robot the unknowns are the numbers of its parts that affect torques: each link, rotor and gear inertias, stiffness
and damping of drives and joints. The parameters of the flat machine are affine in them: pi = start + map x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import Tensor, Vec, is_number
from gearwright.arrays import Array
from gearwright.functions import parameters
from gearwright.identification.fit.friction import stated_friction
from gearwright.identification.model.columns import (
    FRICTION_KINDS,
    NONNEGATIVE_KINDS,
    UNIT_BY_KIND,
    ParameterColumn,
    ParameterKind,
)
from gearwright.identification.model.torque_model import TorqueModel
from gearwright.mechanism import BASE, Body, Mechanism, assemble_tree, joint_kind
from gearwright.parts import Drive, Gear, Link, Robot, parameter, with_parameters

# Numbers of parts


@dataclass(frozen=True)
class FittedNumber:
    """A number of a robot's parts: its column (named by its path), its value, and a function that replaces it."""

    column: ParameterColumn
    value: float
    with_value: Callable[[Robot, float], Robot]

    @property
    def parameter_path(self) -> str:
        """Its path in the robot, such as 'elbow.motor.inertia'."""
        return self.column.name


def fitted_numbers(robot: Robot) -> list[FittedNumber]:
    """Rotor inertias, gear inertias at the input, stiffness and damping of elastic drives and of joints' springs."""
    fitted = []
    for drive in robot.drives:
        force = _spring_unit(robot, drive.joint)
        if _is_positive(drive.motor.inertia) and drive.motor.tensor is None:
            fitted.append(_rotor_inertia(drive))
        if isinstance(drive.gear, Gear) and _is_positive(drive.gear.inertia):
            fitted.append(
                _number_at_path(robot, f"{drive.title}.gear.inertia", "wheel", drive.title, UNIT_BY_KIND["wheel"])
            )
        for path in _spring_paths(f"{drive.title}.gear", drive.gear):
            fitted += _stiffness_and_damping(robot, path, drive.title, force)
    for link in robot.links:
        if link.joint.spring is not None:
            name = link.joint_name
            fitted += _stiffness_and_damping(robot, f"{name}.spring", name, _spring_unit(robot, name))
    return fitted


def parameter_partials(robot: Robot, number: FittedNumber, nominal: Array) -> Array:
    """Derivative of the flat machine's parameters by a number; exact, because they are affine in it."""
    step = number.value or 1.0
    changed: Mechanism = assemble_tree(number.with_value(robot, number.value + step))
    change: Array = (parameters(changed) - nominal) / step
    return change


def _spring_unit(robot: Robot, joint: str | None) -> str:
    """Unit of a spring: N/m along a prismatic joint, otherwise Nm/rad."""
    slides = any(link.joint_name == joint and not joint_kind(link.joint.kind).has_rotation for link in robot.links)
    return "N/m" if slides else "Nm/rad"


def _spring_paths(path: str, gear: Any) -> Iterator[str]:
    """The paths of a gear's linear springs, stage by stage; piecewise characteristics are not changed."""
    for index, stage in enumerate(getattr(gear, "stages", ())):
        yield from _spring_paths(f"{path}.stages.{index}", stage)
    torsion = getattr(gear, "torsion", None)
    if gear.stiffness is not None and (torsion is None or not torsion.pieces):
        yield path


def _stiffness_and_damping(robot: Robot, path: str, owner: str, unit: str) -> list[FittedNumber]:
    return [
        _number_at_path(robot, f"{path}.stiffness", "stiffness", owner, unit),
        _number_at_path(robot, f"{path}.damping", "damping", owner, unit.replace("/", " s/")),
    ]


def _number_at_path(robot: Robot, path: str, kind: ParameterKind, owner: str, unit: str) -> FittedNumber:
    value = float(parameter(robot, path))
    return FittedNumber(
        ParameterColumn(path, kind, owner, unit), value, lambda fresh, x: with_parameters(fresh, {path: x})
    )


def _is_positive(x: object) -> bool:
    return is_number(x) and float(x) > 0  # type: ignore[arg-type]


def _rotor_inertia(drive: Drive) -> FittedNumber:
    title = drive.title
    return FittedNumber(
        ParameterColumn(f"{title}.motor.inertia", "wheel", title, UNIT_BY_KIND["wheel"]),
        float(drive.motor.inertia),
        lambda robot, x: robot.with_drive(title, _with_rotor(robot.drive(title), x)),
    )


def _with_rotor(drive: Drive, inertia: float) -> Drive:
    """The drive with another rotor inertia; transverse inertia and coupling are scaled with it."""
    share = inertia / drive.motor.inertia
    across, coupling = (
        None if x is None else x * share for x in (drive.motor.transverse_inertia, drive.motor.coupling)
    )
    return replace(drive, motor=replace(drive.motor, inertia=inertia, transverse_inertia=across, coupling=coupling))


# Unknowns


@dataclass(frozen=True)
class BodyParameters:
    """Ten consecutive unknowns of one rigid body; `is_physical` if they must be physically consistent."""

    first: int
    is_physical: bool = True


@dataclass(frozen=True)
class Unknowns:
    """The unknowns x with `pi = start + parameter_map @ x` for the model's parameters in use.

    Args:
        columns: of the unknowns x.
        nominal: their nominal (CAD) values.
        start: the model's parameters for x = 0.
        parameter_map: (parameters, unknowns).
        bodies: unknowns of rigid bodies.
        zero_map: parameters known to be zero, as (start, map): 0 = start + map @ x.
        full_map: all parameters of the model, including unused ones, as (start, map).
        wheels: per body (first index) the wheel inertias that it contains: (unknown, 4 x 4 pseudo-inertia per unit).
    """

    columns: tuple[ParameterColumn, ...]
    nominal: Array
    start: Array
    parameter_map: Array
    bodies: tuple[BodyParameters, ...]
    zero_map: tuple[Array, Array]
    full_map: tuple[Array, Array]
    wheels: tuple[tuple[int, int, Array], ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the unknowns x."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def nonnegative_indices(self) -> tuple[int, ...]:
        """Indices of unknowns that cannot be negative."""
        return tuple(k for k, column in enumerate(self.columns) if column.kind in NONNEGATIVE_KINDS)

    def model_parameters(self, x: Array) -> Array:
        """The model's parameters in use."""
        pi: Array = self.start + self.parameter_map @ x
        return pi

    @cached_property
    def unknown_scales(self) -> Array:
        """Scale of each unknown, from its nominal body."""
        typical = float(max((abs(self.nominal[body.first]) for body in self.bodies), default=1.0)) or 1.0
        scale = np.maximum(np.abs(self.nominal), 1e-6)
        for body in self.bodies:
            mass = abs(self.nominal[body.first]) or typical
            rotation = abs(self.nominal[body.first + np.array([4, 7, 9])]).sum() / 2
            radius = float(np.clip(np.sqrt(rotation / mass), 0.05, 1.0))
            scale[body.first : body.first + 10] = mass * np.array([1.0, *[radius] * 3, *[radius**2] * 6])
        scale[[k for k, column in enumerate(self.columns) if column.kind in FRICTION_KINDS]] = 1.0
        return scale


def model_unknowns(model: TorqueModel, robot: Robot | None) -> Unknowns:
    """The unknowns of a model: of the robot's parts if a robot is given, else of the flat machine."""
    if robot is None:
        return _machine_unknowns(model)
    return _part_unknowns(model, robot)


def _machine_unknowns(model: TorqueModel) -> Unknowns:
    """The parameters themselves; a body contains its wheels as locked thin discs at least."""
    columns, mech = model.every_column, model.mech
    bodies = [BodyParameters(10 * k, not body.effective) for k, body in enumerate(mech.bodies)]
    if model.payload is not None:
        bodies.append(BodyParameters(len(columns) - 10))
    wheels = []
    for k, spin in enumerate(mech.spins):
        if spin.carrier != BASE:
            e = np.array(list(spin.axis), dtype=float)
            disc = np.zeros((4, 4))
            disc[:3, :3] = 0.5 * spin.coupling_share**2 * (np.eye(3) - np.outer(e, e))
            wheels.append((10 * int(spin.carrier), 10 * len(mech.bodies) + k, disc))
    machine_values = parameters(mech)
    nominal = np.concatenate([machine_values, np.zeros(len(columns) - len(machine_values))])
    return _make_unknowns(model, columns, nominal, np.zeros(len(columns)), np.eye(len(columns)), bodies, wheels)


def _make_unknowns(
    model: TorqueModel,
    columns: Sequence[ParameterColumn],
    nominal: Array,
    start: Array,
    full: Array,
    bodies: Sequence[BodyParameters],
    wheels: Sequence[tuple[int, int, Array]] = (),
) -> Unknowns:
    """The unknowns from a map to all parameters of a model."""
    used = list(model.used_indices)
    zero = [model.every_name.index(name) for name in model.without]
    rows = (start[zero], full[zero])
    used_map = (start[used], full[used])
    return Unknowns(tuple(columns), nominal, *used_map, tuple(bodies), rows, (start, full), tuple(wheels))


def link_parameters(link: Link) -> Array:
    """The ten parameters of a link alone, about its frame's origin."""
    body = Body(link.name, mass=link.mass, com=link.com, inertia=link.inertia, effective=True)
    return np.array(list(body.about_origin), dtype=np.float64)


def link_of_parameters(link: Link, parameters: Array) -> Link:
    """The link with these ten parameters."""
    mass, com, inertia = central_parameters(parameters)
    return replace(link, mass=mass, com=com, inertia=inertia)


def central_parameters(parameters: Array) -> tuple[float, tuple[float, ...], tuple[tuple[float, ...], ...]]:
    """Mass, centre of mass and central inertia tensor from ten parameters about the origin."""
    mass, moment = float(parameters[0]), Vec(*(float(x) for x in parameters[1:4]))
    com = moment * (1 / mass) if mass > 0 else Vec(0.0, 0.0, 0.0)
    tensor = Tensor(*(float(x) for x in parameters[4:])) - Tensor.of_point_mass(com, mass)
    return mass, tuple(com), tensor.rows()


def _part_unknowns(model: TorqueModel, robot: Robot) -> Unknowns:
    """Unknowns of each link, of drives, friction and payload; stated payloads and other wheels are fixed."""
    numbers = fitted_numbers(robot)
    nominal = parameters(model.mech)
    machine_columns, extra_columns = model.every_column[: len(nominal)], model.every_column[len(nominal) :]
    slopes = list(np.eye(len(machine_columns))[: 10 * len(model.mech.bodies)])
    slopes += [parameter_partials(robot, number, nominal) for number in numbers]
    values = [x for body in model.mech.bodies for x in link_parameters(robot.link(body.name))]
    values += [number.value for number in numbers]
    partials = np.array(slopes).T
    start = nominal - partials @ np.array(values)
    padding = (len(machine_columns), len(extra_columns)), (len(extra_columns), len(values))
    full = np.block([[partials, np.zeros(padding[0])], [np.zeros(padding[1]), np.eye(len(extra_columns))]])
    columns = [*machine_columns[: 10 * len(model.mech.bodies)], *(number.column for number in numbers), *extra_columns]
    values += [stated_friction(robot, model, column) for column in extra_columns]
    bodies = [BodyParameters(10 * k, not body.effective) for k, body in enumerate(model.mech.bodies)]
    if model.payload is not None:
        bodies.append(BodyParameters(len(columns) - 10))
    return _make_unknowns(
        model, columns, np.array(values), np.concatenate([start, np.zeros(len(extra_columns))]), full, bodies
    )
