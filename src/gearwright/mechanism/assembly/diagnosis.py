"""All errors that prevent the assembly of a robot, not only the first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gearwright.errors import GearwrightError, InertiaError
from gearwright.mechanism.assembly.assemble import assemble_tree
from gearwright.parts import Robot


def assembly_problems(robot: Robot) -> list[GearwrightError]:
    """Return the errors of assembling a robot, each once; empty if it can be assembled.

    The links are assembled alone and with one drive, train, payload or frame at a time. Missing inertia of the links is
    reported only if the whole robot lacks it too.

    >>> from gearwright.parts import Drive, Gear, Link, Motor
    >>> lost = [Drive(joint, Motor(1e-4), Gear(100)) for joint in ("elbo", "wrist")]
    >>> len(assembly_problems(Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))], lost)))
    2
    """
    assembly_error = _assembly_error(robot)
    if assembly_error is None:
        return []
    errors = {
        str(error): error
        for error in map(_assembly_error, _partial_robots(robot))
        if error and not isinstance(error, InertiaError)
    }
    return list({str(assembly_error): assembly_error, **errors}.values())


def _partial_robots(robot: Robot) -> Iterator[Robot]:
    bare = replace(robot, drives=(), trains=(), payload=None, frames=())
    yield bare
    yield from (replace(bare, drives=(drive,)) for drive in robot.drives)
    yield from (replace(bare, trains=(train,)) for train in robot.trains)
    yield from (replace(bare, frames=(frame,)) for frame in robot.frames)
    yield replace(bare, payload=robot.payload)


def _assembly_error(robot: Robot) -> GearwrightError | None:
    try:
        assemble_tree(robot)
    except GearwrightError as error:
        return error
    return None
