"""Identified parameters back into the robot, or into the flat machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.functions.dynamics import parameter_names
from gearwright.identification.fit.friction import motor_shafts, with_identified_friction
from gearwright.identification.fit.unknowns import central, fitted_numbers, link_of_parameters
from gearwright.identification.model.columns import FRICTION
from gearwright.identification.physical_consistency import ConsistentFit
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.text import listed


class Rewritten(NamedTuple):
    """The robot with identified numbers, and what could not be written into it."""

    robot: Robot
    remarks: tuple[str, ...]


@check_arguments
def identified_robot(fit: ConsistentFit) -> Rewritten:
    """The robot of a consistent fit: links, rotor and gear inertias, springs and friction replaced.

    Friction identified along a speed replaces all that acts along it: that of the joints and, where the torques were
    measured at the motors, of the motors and gears before them, which the torques contain. So the motors of the robot
    need what the fit predicts. Efficiencies, whose losses grow with the load, are no part of the model: they are
    removed with the rest, since the identified friction holds their mean, and a remark names them. Masses and
    places of rotors stay as stated: torques do not show them apart from the links that carry them.
    """
    robot = fit.identification.robot
    if robot is None:
        raise InputError("identified_robot: the identification was given a Mechanism. Give identify the Robot itself.")
    values, model = fit.values, fit.identification.model
    places = {body.name: ten for body, ten in zip(model.mech.bodies, fit.unknowns.bodies, strict=False)}
    links = []
    for link in robot.links:
        first = places[link.name].first
        links.append(link_of_parameters(link, fit.x[first : first + 10]))
    changed = replace(robot, links=tuple(links))
    for number in fitted_numbers(robot):
        changed = number.with_value(changed, max(values[number.path], 1e-12 * number.value))
    changed, replaced = with_identified_friction(changed, model, values)
    return Rewritten(changed, (*_unwritten_friction(changed, fit), *_kept_wheels(fit), *replaced))


@check_arguments
def identified_mechanism(fit: ConsistentFit) -> Mechanism:
    """The flat machine of a consistent fit: bodies, wheels and springs with identified numbers."""
    model = fit.identification.model
    own = parameter_names(model.mech)
    values = dict(zip(own, fit.every_parameter[: len(own)].tolist(), strict=True))
    bodies = []
    for k, body in enumerate(model.mech.bodies):
        mass, com, tensor = central(fit.every_parameter[10 * k : 10 * k + 10])
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
    """Write the identified robot into a YAML robot file; returns what could not be written into it."""
    from gearwright.files import save

    if Path(path).suffix.lower() == ".urdf":
        raise InputError(
            f"save_identified: {path} is not a YAML file. Use "
            "gearwright.save(identified_robot(fit).robot, path) for URDF."
        )
    robot, remarks = identified_robot(fit)
    save(robot, path)
    return remarks


def _kept_wheels(fit: ConsistentFit) -> tuple[str, ...]:
    """Wheels that follow from no number of a motor or simple gear."""
    kept = [
        column.name
        for column, row in zip(fit.identification.model.columns, fit.unknowns.map, strict=True)
        if column.kind == "wheel" and not row.any()
    ]
    return (f"Kept as stated in the robot: {listed(kept)}.",) if kept else ()


def _unwritten_friction(robot: Robot, fit: ConsistentFit) -> tuple[str, ...]:
    """Friction that the robot's file has no word for."""
    written = {link.joint_name for link in robot.links} | set(motor_shafts(robot, fit.identification.model))
    lost = []
    for column, value in zip(fit.unknowns.columns, fit.x, strict=True):
        if column.kind in FRICTION and (column.kind == "offset" or column.owner not in written) and value:
            lost.append(f"{column.name} = {value:.4g} {column.unit}")
    return (f"Not written into the robot, which has no word for them: {listed(lost)}.",) if lost else ()
