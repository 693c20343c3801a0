"""Friction of a robot's parts in measured torques: summed per speed, and replaced by the identified friction.

Torques measured at the motors contain the friction of motors, gears and joints, reflected to the speeds that they act
along: a motor whose rotor turns at r times a speed adds |r| times its Coulomb friction and r^2 times its viscous one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from gearwright.algebra import is_number, is_zero
from gearwright.forces.robot_lines import joint_line, motor_line, robot_motors
from gearwright.identification.model.columns import ParameterColumn
from gearwright.identification.model.torque_model import TorqueModel
from gearwright.parts import Friction, Joint, Motor, Robot
from gearwright.parts.gears.losses import gear_losses, without_losses
from gearwright.text import listed_names

Part = TypeVar("Part", Joint, Motor)


def stated_friction(robot: Robot, model: TorqueModel, column: ParameterColumn) -> float:
    """The friction that a robot states along a speed, of all parts whose friction the torques contain [Nm, Nms/rad].

    Friction of motors that drive several speeds is not included, nor are efficiencies.
    """
    if column.kind not in ("viscous", "coulomb"):
        return 0.0
    total, speed = 0.0, model.mech.speeds.index(column.owner) if column.owner in model.mech.speeds else -1
    for terms, friction, no_load in _friction_sources(robot, model):
        if len(terms) == 1 and terms[0][0] == speed:
            r = abs(float(terms[0][1]))
            total += r * r * friction.viscous if column.kind == "viscous" else r * (friction.coulomb + no_load)
    return float(total)


def motor_shafts(robot: Robot, model: TorqueModel) -> dict[str, tuple[str, float]]:
    """Friction that belongs to one motor alone (elastic drives, coupled joints): its name and turns per unit of speed.

    >>> import gearwright as gw
    >>> robot = gw.load("elastic_elbow")
    >>> motor_shafts(robot, TorqueModel(gw.assemble(robot)))["j2.motor"]
    ('j2', 100.0)
    """
    shafts = {}
    for title, _ in robot_motors(robot):
        terms = motor_line(model.mech, title).terms
        name = model.mech.speeds[terms[0][0]]
        if len(terms) == 1 and name in model.mech.shafts:
            shafts[name] = (title, abs(float(terms[0][1])))
        elif any(line.owner == f"{title}.motor" for line in model.friction_lines):
            shafts[f"{title}.motor"] = (title, 1.0)  # of coupled joints: its columns are those of its own shaft
    return shafts


def with_identified_friction(
    robot: Robot, model: TorqueModel, values: Mapping[str, float]
) -> tuple[Robot, tuple[str, ...]]:
    """The robot with identified friction in place of all friction in its torques, and remarks on replaced values."""
    kinds = [kind for kind in ("viscous", "coulomb") if kind in model.friction]
    if not kinds:
        return robot, ()
    links, replaced = [], []
    for link in robot.links:
        coefficients = {kind: values.get(f"{link.joint_name}.{kind}", 0.0) for kind in kinds}
        if link.joint.follows is not None and link.joint.total_friction.kind != "none":
            replaced.append(f"{link.joint_name}: {_friction_text(link.joint.total_friction, kinds)}")
        links.append(replace(link, joint=with_sliding_friction(link.joint, **coefficients)))
    robot = replace(robot, links=tuple(links))
    if model.side == "link":  # friction of motors and gears is not in the torques
        return robot, _replaced_remark(replaced)
    shafts = {title: (name, r) for name, (title, r) in motor_shafts(robot, model).items()}

    def with_fitted_friction(title: str, motor: Motor) -> Motor:
        name, r = shafts.get(title, ("", 1.0))
        power = {"viscous": r * r, "coulomb": r}
        if not name and motor.total_friction.kind != "none":
            replaced.append(f"{title}.motor: {_friction_text(motor.total_friction, kinds)}")
        return with_sliding_friction(motor, **{kind: values.get(f"{name}.{kind}", 0.0) / power[kind] for kind in kinds})

    robot = _with_motors(robot, with_fitted_friction)
    if "coulomb" not in kinds:
        return robot, (*_replaced_remark(replaced), *_losses_remark(list(_stated_losses(robot)), removed=False))
    return _without_losses(robot), (
        *_replaced_remark(replaced),
        *_losses_remark(list(_stated_losses(robot)), removed=True),
    )


def with_sliding_friction(part: Part, viscous: float | None = None, coulomb: float | None = None) -> Part:
    """A joint or motor with another viscous or Coulomb friction; static friction is at least the Coulomb friction.

    >>> with_sliding_friction(Motor(friction=Friction(0.5, static=0.8)), coulomb=0.9).friction.static
    0.9
    """
    total = part.total_friction
    viscous = total.viscous if viscous is None else viscous
    coulomb = total.coulomb if coulomb is None else coulomb
    if not isinstance(part.friction, Friction) or is_zero(coulomb):
        return replace(part, damping=viscous, friction=coulomb)
    static = None if total.static is None else max(total.static, coulomb)  # a fit of sliding leaves it open
    return replace(part, damping=0.0, friction=replace(total, viscous=viscous, coulomb=coulomb, static=static))


def _friction_sources(robot: Robot, model: TorqueModel) -> Iterator[tuple[Any, Friction, float]]:
    """Line, friction and no-load torque of all friction in measured torques, without symbolic values."""
    for link in robot.links:
        line = joint_line(model.mech, link)
        if line is not None and _is_numeric(link.joint.total_friction):
            yield line[0].terms, link.joint.total_friction, 0.0
    if model.side == "link":
        return
    idle = {drive.title: getattr(drive.gear, "no_load_torque", 0.0) for drive in robot.drives}
    for title, motor in robot_motors(robot):
        no_load = idle.get(title, 0.0)
        if _is_numeric(motor.total_friction):
            yield motor_line(model.mech, title).terms, motor.total_friction, no_load if is_number(no_load) else 0.0


def _is_numeric(friction: Friction) -> bool:
    return is_number(friction.viscous) and is_number(friction.coulomb)


def _with_motors(robot: Robot, change: Callable[[str, Motor], Motor]) -> Robot:
    """The robot with other motors, of drives, trains and tendons."""
    drives = [replace(drive, motor=change(drive.title, drive.motor)) for drive in robot.drives]
    trains = [
        replace(train, motors=[replace(owner, motor=change(owner.name, owner.motor)) for owner in train.motors])
        for train in robot.trains
    ]
    tendons = [
        owner if owner.motor is None else replace(owner, motor=change(owner.name, owner.motor))
        for owner in robot.tendons
    ]
    return replace(robot, drives=tuple(drives), trains=tuple(trains), tendons=tuple(tendons))


def _without_losses(robot: Robot) -> Robot:
    """The robot with lossless gears and meshes."""
    drives = [replace(drive, gear=without_losses(drive.gear)) for drive in robot.drives]
    trains = [replace(train, meshes=[replace(mesh, efficiency=1.0) for mesh in train.meshes]) for train in robot.trains]
    return replace(robot, drives=tuple(drives), trains=tuple(trains))


def _stated_losses(robot: Robot) -> Iterator[str]:
    """Every gear and mesh with losses, with its numbers."""
    for drive in robot.drives:
        for row in gear_losses(drive.gear)[:1]:
            idle = "" if is_zero(row.no_load_torque) else f", no-load torque {row.no_load_torque:.4g} Nm"
            yield f"{drive.title}.gear (efficiency {row.efficiency:.4g}{idle})"
    for train in robot.trains:
        for mesh in train.meshes:
            if not is_zero(mesh.efficiency - 1.0):
                yield f"{train.name} {mesh.first}-{mesh.second} (efficiency {mesh.efficiency:.4g})"


def _friction_text(friction: Friction, kinds: list[str]) -> str:
    units = {"viscous": "Nms/rad", "coulomb": "Nm"}
    numbers = [f"{kind} {getattr(friction, kind):.4g} {units[kind]}" for kind in kinds]
    static = [] if friction.static is None else [f"static {friction.static:.4g} Nm"]
    return ", ".join([*numbers, *static])


def _replaced_remark(replaced: list[str]) -> tuple[str, ...]:
    if not replaced:
        return ()
    return (f"Replaced by the identified friction of the joints, which includes it: {listed_names(replaced, '; ')}.",)


def _losses_remark(losses: list[str], removed: bool) -> tuple[str, ...]:
    if not losses:
        return ()
    if not removed:
        return (f"Kept, although not part of the fitted model: the losses of {listed_names(losses, '; ')}.",)
    return (
        f"Removed, because the identified friction includes them: the losses of {listed_names(losses, '; ')}. Losses "
        "in proportion to the load are not part of the fitted model: friction includes their mean over the log, so "
        "predictions at other loads differ.",
    )
