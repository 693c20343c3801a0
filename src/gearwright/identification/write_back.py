"""Identified parameters written into the robot, or into the flat machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.functions import parameter_names
from gearwright.identification.fit.friction import motor_shafts, with_identified_friction
from gearwright.identification.fit.unknowns import central_parameters, fitted_numbers, link_of_parameters
from gearwright.identification.model.columns import FRICTION_KINDS
from gearwright.identification.physical_consistency import ConsistentFit
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.text import listed_names


class UpdatedRobot(NamedTuple):
    """The robot with identified parameters, and remarks on values that could not be written into it."""

    robot: Robot
    remarks: tuple[str, ...]


@check_arguments
def identified_robot(fit: ConsistentFit) -> UpdatedRobot:
    """Return the robot of a consistent fit, with replaced links, rotor and gear inertias, springs and friction.

    Identified friction of a speed replaces all friction that acts along it: that of the joints and, for torques
    measured at the motors, that of motors and gears. The motor torques of the robot then equal those of the fit.
    Efficiencies, whose losses depend on the load, are not part of the model: they are removed, because the identified
    friction includes their mean, and a remark names them. Masses and positions of rotors are unchanged: torques do not
    distinguish them from the links that carry them.
    """
    robot = fit.identification.robot
    if robot is None:
        raise InputError(
            "identified_robot: the identification has no Robot but a Mechanism. Give the Robot to identify."
        )
    values, model = fit.values, fit.identification.model
    places = {body.name: ten for body, ten in zip(model.mech.bodies, fit.unknowns.bodies, strict=False)}
    links = []
    for link in robot.links:
        first = places[link.name].first
        links.append(link_of_parameters(link, fit.x[first : first + 10]))
    changed = replace(robot, links=tuple(links))
    for number in fitted_numbers(robot):
        changed = number.with_value(changed, max(values[number.parameter_path], 1e-12 * number.value))
    changed, replaced = with_identified_friction(changed, model, values)
    return UpdatedRobot(changed, (*_unwritten_friction_remarks(changed, fit), *_kept_wheel_remarks(fit), *replaced))


@check_arguments
def identified_mechanism(fit: ConsistentFit) -> Mechanism:
    """Return the flat machine of a consistent fit: bodies, wheels and springs with identified parameters."""
    model = fit.identification.model
    names = parameter_names(model.mech)
    values = dict(zip(names, fit.every_parameter[: len(names)].tolist(), strict=True))
    bodies = []
    for k, body in enumerate(model.mech.bodies):
        mass, com, tensor = central_parameters(fit.every_parameter[10 * k : 10 * k + 10])
        bodies.append(replace(body, mass=mass, com=com, inertia=tensor))
    spins = []
    for spin in model.mech.spins:
        inertia = max(values[f"{spin.name}.J"], 0.0)
        coupling = None if spin.coupling is None else inertia * spin.coupling_share
        spins.append(replace(spin, inertia=inertia, coupling=coupling))
    springs = [
        replace(s, stiffness=max(values[f"{s.name}.stiffness"], 0.0), damping=max(values[f"{s.name}.damping"], 0.0))
        for s in model.mech.springs
    ]
    return replace(model.mech, bodies=bodies, spins=spins, springs=springs)


@check_arguments
def save_identified(fit: ConsistentFit, path: str | Path) -> tuple[str, ...]:
    """Write the identified robot into a YAML robot file; returns remarks on values that could not be written."""
    from gearwright.files import save

    if Path(path).suffix.lower() == ".urdf":
        raise InputError(
            f"save_identified: {path} is not a YAML file. Use "
            "gearwright.save(identified_robot(fit).robot, path) for URDF."
        )
    robot, remarks = identified_robot(fit)
    save(robot, path)
    return remarks


def _kept_wheel_remarks(fit: ConsistentFit) -> tuple[str, ...]:
    """A remark on wheels that do not depend on a number of a motor or simple gear."""
    wheels = [
        column.name
        for column, row in zip(fit.identification.model.columns, fit.unknowns.parameter_map, strict=True)
        if column.kind == "wheel" and not row.any()
    ]
    return (f"Kept as stated in the robot: {listed_names(wheels)}.",) if wheels else ()


def _unwritten_friction_remarks(robot: Robot, fit: ConsistentFit) -> tuple[str, ...]:
    """A remark on friction that a robot file cannot represent."""
    written = {link.joint_name for link in robot.links} | set(motor_shafts(robot, fit.identification.model))
    unwritten = []
    for column, value in zip(fit.unknowns.columns, fit.x, strict=True):
        if column.kind in FRICTION_KINDS and (column.kind == "offset" or column.owner not in written) and value:
            unwritten.append(f"{column.name} = {value:.4g} {column.unit}")
    return (f"Not representable in the robot: {listed_names(unwritten)}.",) if unwritten else ()
