"""The data of a robot that no model with one armature, damping and friction loss per joint represents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gearwright.algebra import is_zero
from gearwright.export.handover.projection import InertiaForm
from gearwright.functions import assemble
from gearwright.parts import Friction, Motor, Robot
from gearwright.parts.gears.elasticity import LINEAR_TORSION, elastic_elements
from gearwright.text import listed_names


def not_represented(robot: Robot, form: InertiaForm) -> list[str]:
    """Return the data of a robot that a model with numbers per joint does not represent, as texts."""
    texts = []
    spins = assemble(robot).spins
    reacting = [spin.name for spin in spins if spin.coupling_inertia]
    if reacting:
        texts.append(f"reaction of rotors and wheels on the links that carry them ({listed_names(reacting)})")
    if form == "diagonal" and any(len(spin.terms) > 1 for spin in spins):
        names = listed_names(spin.name for spin in spins if len(spin.terms) > 1)
        texts.append(f"inertia between the joints of coupled motors ({names})")
    for drive in robot.drives:
        words = [*_gear_words(drive.gear), *_motor_words(drive.motor)]
        texts += [f"of drive {drive.title!r}: {', '.join(words)}"] if words else []
    for train in robot.trains:
        for motor in train.motors:
            words = [*(["elasticity"] if motor.stiffness is not None else []), *_motor_words(motor.motor)]
            texts += [f"of motor {motor.name!r}: {', '.join(words)}"] if words else []
    for link in robot.links:
        words = list(_friction_words(link.joint.total_friction))
        words += ["spring"] if form == "diagonal" and link.joint.spring is not None else []
        texts += [f"of joint {link.joint_name!r}: {', '.join(words)}"] if words else []
    springs = robot.springs if form == "diagonal" else ()
    texts += [f"spring {x.name!r}" for x in springs]
    texts += [f"tendon {x.name!r}" for x in robot.tendons]
    texts += [f"cord {x.name!r}" for x in robot.cords]
    return [*texts, f"{len(robot.environment)} contact points"] if robot.environment else texts


def _gear_words(gear: Any) -> Iterator[str]:
    elements = elastic_elements(gear)
    torsions = [element.torsion or LINEAR_TORSION for element in elements]
    if elements:
        yield "elasticity"
    if any(torsion.hysteresis is not None for torsion in torsions):
        yield "hysteresis"
    if any(not is_zero(torsion.backlash) for torsion in torsions):
        yield "backlash"
    if any(torsion.errors for torsion in torsions):
        yield "kinematic error"
    losses = ("efficiency", "back_efficiency", "losses", "mesh_efficiency")
    if any(getattr(gear, word, None) not in (None, 1.0, ()) for word in losses):
        yield "losses in proportion to the load"


def _motor_words(motor: Motor) -> Iterator[str]:
    if motor.resistance is not None:
        yield "winding"
    if motor.heat is not None:
        yield "temperature"
    if motor.cogging is not None:
        yield "cogging"
    if motor.ripple:
        yield "torque ripple"
    yield from _friction_words(motor.total_friction)


def _friction_words(friction: Friction) -> Iterator[str]:
    if friction.kind in ("stribeck", "lugre"):
        yield "stiction and Stribeck effect"
    if friction.kind == "load":
        yield "friction in proportion to the load"
    if friction.lubricant is not None:
        yield "temperature-dependent viscosity"
