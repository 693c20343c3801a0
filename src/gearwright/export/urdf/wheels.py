"""Wheels as links of a URDF: each turns on its carrier, tied to its joint by <mimic> or by a <transmission>."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gearwright.algebra import IDENTITY, Tensor, Vec
from gearwright.errors import InputError
from gearwright.export.mujoco.bodies import Weight
from gearwright.export.mujoco.rotors import RotorBody, Wheels, carrier_weight, wheels_of
from gearwright.export.urdf.wheel_forms import WHEEL_FORMS, WheelForm
from gearwright.files.urdf.writer import Inertial
from gearwright.mechanism import Mechanism
from gearwright.parts import Drive, Gear, Joint, Limits, Link, Motor, Robot
from gearwright.text import did_you_mean, fresh_name

UNLIMITED = 1e9
"""How far [rad] a wheel may turn that follows a slide without limits."""


@dataclass(frozen=True)
class Explicit:
    """A robot with its wheels among its links, their inertials, and what no URDF can say of them."""

    robot: Robot
    inertials: dict[str, Inertial]
    lost: tuple[str, ...]


def with_wheels(robot: Robot, mech: Mechanism, form: WheelForm) -> Explicit:
    """The robot as a URDF sees it; `form` "at rest" leaves the wheels in the links that carry them."""
    if form not in WHEEL_FORMS:
        raise InputError(f"write_urdf: wheels is {form!r}. {did_you_mean(form, WHEEL_FORMS)}")
    if form == "at rest":
        bodies = {b.name: Inertial(b.mass, b.com, b.inertia) for b in mech.bodies}
        return Explicit(robot, bodies, ())
    made = wheels_of(mech, "bodies", physical=False)
    lost = [*made.lost, *_reflected(made), *_untied(mech, made)]
    made.bodies = [rotor for rotor in made.bodies if len(rotor.row) == 1]
    inertials = {b.name: _inertial(carrier_weight(mech, made, i)) for i, b in enumerate(mech.bodies)}
    names = {link.name for link in robot.links} | {link.joint_name for link in robot.links}
    links = list(_links(robot, mech, made.bodies, names, form == "mimic"))
    turns = dict(zip((link.name for link in links), made.bodies, strict=True))
    inertials |= {name: _inertial(replace(rotor.weight, com=np.zeros(3))) for name, rotor in turns.items()}
    drives = [replace(drive, motor=Motor()) for drive in robot.drives]  # the rotor is a link now
    if form == "transmission":
        drives += [_tie(name, rotor) for name, rotor in turns.items() if next(iter(rotor.row)) not in mech.shafts]
    explicit = replace(robot, links=[*robot.links, *links], drives=drives)
    return Explicit(explicit, inertials, tuple(lost))


def _links(robot: Robot, mech: Mechanism, rotors: list[RotorBody], names: set[str], mimic: bool) -> Iterator[Link]:
    for rotor in rotors:
        ((speed, ratio),) = rotor.row.items()
        name = fresh_name(rotor.name, names)
        carrier = mech.carrier_name(rotor.carrier)
        follows = (speed, ratio, 0.0) if mimic and speed not in mech.shafts else None
        limits = Limits() if speed in mech.shafts else _limits(robot.link_of_joint(speed).joint, ratio)
        place = tuple(rotor.weight.com)
        yield Link(name, carrier, Joint(name, "revolute", tuple(rotor.axis), IDENTITY, place, limits, follows))


def _limits(leader: Joint, ratio: float) -> Limits:
    """What the leader's limits let a wheel do: a tool may ask that both have limits, or neither."""
    position = leader.limits.position
    if position is None:
        return Limits() if leader.kind == "revolute" else Limits((-UNLIMITED, UNLIMITED))
    ends = sorted(ratio * x for x in position)
    return Limits((ends[0], ends[1]))


def _tie(name: str, rotor: RotorBody) -> Drive:
    """A simple transmission from the wheel, as its actuator, to the joint that it turns with."""
    ((joint, ratio),) = rotor.row.items()
    return Drive(joint, Motor(), Gear(ratio), name=name)


def _inertial(weight: Weight) -> Inertial:
    tensor = Tensor.of([tuple(float(x) for x in row) for row in weight.tensor])
    return Inertial(weight.mass, Vec(*(float(x) for x in weight.com)), tensor)


def _reflected(made: Wheels) -> Iterator[str]:
    for name in (*made.joints, *(name for name, _, _ in made.tendons), *made.actuators):
        yield f"inertia of {name!r} that is known as reflected only"


def _untied(mech: Mechanism, made: Wheels) -> Iterator[str]:
    for rotor in made.bodies:
        if len(rotor.row) > 1:
            yield f"wheel {rotor.name!r} turns with several joints, which URDF cannot say: it stays at rest"
        elif next(iter(rotor.row)) in mech.shafts:
            yield f"the spring of {next(iter(rotor.row))!r}: its wheel {rotor.name!r} turns freely"
