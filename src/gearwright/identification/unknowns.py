"""The unknowns of a physically consistent fit, and how the parameters of the flat machine follow from them.

For a robot made of parts the unknowns are the numbers of its parts: every link alone, rotor and gear inertias, spring
constants. The flat machine's parameters are affine in them, because `assemble` only adds: pi = start + map x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import Tensor, Vec, is_number
from gearwright.arrays import Array
from gearwright.functions.functions import parameter_names, parameters
from gearwright.identification.model import Model
from gearwright.mechanism import Body, Mechanism, assemble
from gearwright.parts import Drive, Gear, Link, Robot, parameter, with_parameters


@dataclass(frozen=True)
class BodyParameters:
    """Ten unknowns in a row that describe one rigid body; `physical` when they must be those of a real one."""

    first: int
    physical: bool = True


@dataclass(frozen=True)
class Unknowns:
    """What is solved for: `pi = start + map @ x` for the model's parameters in use.

    Args:
        names: of the unknowns x.
        nominal: their nominal (CAD) values.
        start: the model's parameters when x is zero.
        map: (parameters, unknowns).
        bodies: which unknowns describe rigid bodies.
        positive: indices of unknowns that cannot be negative.
        zero: parameters known to be zero, as (start, map): 0 = start + map @ x.
        every: all parameters of the model, also those not in use, as (start, map).
        wheels: per body (first index) the inertias at rest it must contain: (unknown, 4 x 4 pseudo-inertia per unit).
    """

    names: tuple[str, ...]
    nominal: Array
    start: Array
    map: Array
    bodies: tuple[BodyParameters, ...]
    positive: tuple[int, ...]
    zero: tuple[Array, Array]
    every: tuple[Array, Array]
    wheels: tuple[tuple[int, int, Array], ...] = ()

    def parameters(self, x: Array) -> Array:
        """The model's parameters in use."""
        pi: Array = self.start + self.map @ x
        return pi

    @cached_property
    def scale(self) -> Array:
        """The size at which each unknown counts as changed a lot: from the nominal body it belongs to."""
        typical = float(max((abs(self.nominal[ten.first]) for ten in self.bodies), default=1.0)) or 1.0
        scale = np.maximum(np.abs(self.nominal), 1e-6)
        for ten in self.bodies:
            mass = abs(self.nominal[ten.first]) or typical
            rotation = abs(self.nominal[ten.first + np.array([4, 7, 9])]).sum() / 2
            radius = float(np.clip(np.sqrt(rotation / mass), 0.05, 1.0))
            scale[ten.first : ten.first + 10] = mass * np.array([1.0, *[radius] * 3, *[radius**2] * 6])
        for k, name in enumerate(self.names):
            if name.endswith((".viscous", ".coulomb", ".offset")):
                scale[k] = 1.0
        return scale


def unknowns(model: Model, robot: Robot | None) -> Unknowns:
    """The unknowns of a model: of the robot's parts when it is known, else of the flat machine."""
    if robot is None:
        return _of_machine(model)
    return _of_parts(model, robot)


def _of_machine(model: Model) -> Unknowns:
    """The parameters themselves; a body must contain its wheels at rest, thin discs at least."""
    names, mech = model.every_name, model.mech
    bodies = [BodyParameters(10 * k, not body.effective) for k, body in enumerate(mech.bodies)]
    if model.payload is not None:
        bodies.append(BodyParameters(len(names) - 10))
    wheels = []
    for k, spin in enumerate(mech.spins):
        if spin.carrier != -1:
            e = np.array(list(spin.axis), dtype=float)
            disc = np.zeros((4, 4))
            disc[:3, :3] = 0.5 * spin.coupling_share**2 * (np.eye(3) - np.outer(e, e))
            wheels.append((10 * int(spin.carrier), 10 * len(mech.bodies) + k, disc))
    nominal = np.concatenate([parameters(mech), np.zeros(len(names) - len(parameter_names(mech)))])
    return _made(model, names, nominal, np.zeros(len(names)), np.eye(len(names)), bodies, wheels)


def _made(
    model: Model,
    names: Sequence[str],
    nominal: Array,
    start: Array,
    full: Array,
    bodies: Sequence[BodyParameters],
    wheels: Sequence[tuple[int, int, Array]] = (),
) -> Unknowns:
    """The unknowns from a map to all parameters of a model."""
    kept = list(model.kept)
    zero = [model.every_name.index(name) for name in model.without]
    positive = tuple(k for k, name in enumerate(names) if _not_negative(name))
    rows = (start[zero], full[zero])
    own = (start[kept], full[kept])
    return Unknowns(tuple(names), nominal, *own, tuple(bodies), positive, rows, (start, full), tuple(wheels))


def _not_negative(name: str) -> bool:
    return name.endswith((".J", ".viscous", ".coulomb", ".stiffness", ".damping", ".inertia"))


@dataclass(frozen=True)
class FittedNumber:
    """A number of a robot's parts: its path, its value, and the robot with another value there."""

    path: str
    value: float
    with_value: Callable[[Robot, float], Robot]


def fitted_numbers(robot: Robot) -> list[FittedNumber]:
    """Rotor inertias, gear inertias at the input, stiffness and damping of elastic drives and of joints' springs."""
    found = []
    for drive in robot.drives:
        if _positive(drive.motor.inertia) and drive.motor.tensor is None:
            found.append(_of_drive(drive, "motor.inertia", drive.motor.inertia, _with_rotor))
        if isinstance(drive.gear, Gear) and _positive(drive.gear.inertia):
            found.append(_at_path(robot, f"{drive.title}.gear.inertia"))
        found += [_at_path(robot, path) for path in _spring_paths(f"{drive.title}.gear", drive.gear)]
    for link in robot.links:
        if link.joint.spring is not None:
            found += [_at_path(robot, f"{link.joint_name}.spring.{word}") for word in ("stiffness", "damping")]
    return found


def _spring_paths(path: str, gear: Any) -> Iterator[str]:
    """The numbers of a gear's linear springs, stage by stage; a curve of pieces stays as it is."""
    for place, stage in enumerate(getattr(gear, "stages", ())):
        yield from _spring_paths(f"{path}.stages.{place}", stage)
    torsion = getattr(gear, "torsion", None)
    if gear.stiffness is not None and (torsion is None or not torsion.pieces):
        yield f"{path}.stiffness"
        yield f"{path}.damping"


def _at_path(robot: Robot, path: str) -> FittedNumber:
    return FittedNumber(path, float(parameter(robot, path)), lambda fresh, x: with_parameters(fresh, {path: x}))


def _positive(x: object) -> bool:
    return is_number(x) and float(x) > 0  # type: ignore[arg-type]


def _of_drive(drive: Drive, path: str, value: float, change: Callable[[Drive, float], Drive]) -> FittedNumber:
    title = drive.title
    return FittedNumber(
        f"{title}.{path}", float(value), lambda robot, x: robot.with_drive(title, change(robot.drive(title), x))
    )


def _with_rotor(drive: Drive, inertia: float) -> Drive:
    """Another rotor inertia; the transverse inertia and the coupling keep their share of it."""
    share = inertia / drive.motor.inertia
    across, coupling = (
        None if x is None else x * share for x in (drive.motor.transverse_inertia, drive.motor.coupling)
    )
    return replace(drive, motor=replace(drive.motor, inertia=inertia, transverse_inertia=across, coupling=coupling))


def link_parameters(link: Link) -> Array:
    """The ten parameters of a link alone, about its frame's origin."""
    own = Body(link.name, mass=link.mass, com=link.com, inertia=link.inertia, effective=True)
    return np.array(list(own.about_origin), dtype=np.float64)


def link_of_parameters(link: Link, ten: Array) -> Link:
    """The link with these ten parameters."""
    mass, com, inertia = central(ten)
    return replace(link, mass=mass, com=com, inertia=inertia)


def central(ten: Array) -> tuple[float, tuple[float, ...], tuple[tuple[float, ...], ...]]:
    """Mass, centre of mass and tensor about it, from ten parameters about the origin."""
    mass, moment = float(ten[0]), Vec(*(float(x) for x in ten[1:4]))
    com = moment * (1 / mass) if mass > 0 else Vec(0.0, 0.0, 0.0)
    tensor = Tensor(*(float(x) for x in ten[4:])) - Tensor.point(com, mass)
    return mass, tuple(com), tensor.rows()


def _of_parts(model: Model, robot: Robot) -> Unknowns:
    """Every link alone, numbers of the drives, friction and payload; payloads and other wheels keep their numbers."""
    turned = fitted_numbers(robot)
    own = parameter_names(model.mech)
    nominal = parameters(model.mech)
    columns, names, values = [], [], []
    for k, body in enumerate(model.mech.bodies):
        names += own[10 * k : 10 * k + 10]
        values += link_parameters(robot.link(body.name)).tolist()
        columns += list(np.eye(len(own))[10 * k : 10 * k + 10])
    for number in turned:
        names.append(number.path)
        values.append(number.value)
        columns.append(_slope(robot, number, nominal))
    mapped = np.array(columns).T
    start = nominal - mapped @ np.array(values)
    more = len(model.every_name) - len(own)
    full = np.block([[mapped, np.zeros((len(own), more))], [np.zeros((more, len(names))), np.eye(more)]])
    names += model.every_name[len(own) :]
    values += [_stated_friction(robot, name) for name in model.every_name[len(own) :]]
    bodies = [BodyParameters(10 * k, not body.effective) for k, body in enumerate(model.mech.bodies)]
    if model.payload is not None:
        bodies.append(BodyParameters(len(names) - 10))
    return _made(model, names, np.array(values), np.concatenate([start, np.zeros(more)]), full, bodies)


def _stated_friction(robot: Robot, name: str) -> float:
    """The friction that a robot states for a joint; zero for anything else."""
    joint, _, kind = name.rpartition(".")
    for link in robot.links:
        if kind in ("viscous", "coulomb") and link.joint_name == joint:
            return float(getattr(link.joint.total_friction, kind))
    return 0.0


def _slope(robot: Robot, number: FittedNumber, nominal: Array) -> Array:
    """How the flat machine's parameters change with a number: exact, because they are affine in it."""
    step = number.value or 1.0
    moved: Mechanism = assemble(number.with_value(robot, number.value + step))
    slope: Array = (parameters(moved) - nominal) / step
    return slope
