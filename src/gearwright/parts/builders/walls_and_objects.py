"""Something with mass that a robot touches: a wall, an object on an elastic support, an object that flies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, numbers
from gearwright.errors import InputError
from gearwright.parts.environment.surfaces import Plane
from gearwright.parts.gears.elasticity import JointSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.robot import Robot

ORIGIN = (0.0, 0.0, 0.0)

BALANCED = 1e-9
"""Gravity along a normal [m/s2] that is rounding."""
BALL = 0.05
"""Radius [m] of an object whose inertia nobody gives."""


@check_arguments
def with_wall(
    robot: Robot,
    name: str,
    surface: Plane,
    mass: float,
    stiffness: float = 0.0,
    damping: float = 0.0,
    weight: bool = False,
) -> Robot:
    r"""The robot with a body that slides along the normal of a plane, held by a spring and a damper.

    Contacts name it by `relative_to`, with the surface `Plane((0, 0, 0), normal)`: its frame is at the plane's point
    and has the axes of the base. Its coordinate x is its deformation along the normal, counted from where it rests:
    $m \ddot x + d \dot x + k x = F$ under the force F of the contact. The spring is preloaded by its weight in the
    robot's gravity.

    Args:
        robot: the robot.
        name: of the new link and its joint.
        surface: where the body's face is at rest, in base axes.
        mass: [kg].
        stiffness: of the spring behind it [N/m]; 0: none, a free object.
        damping: of the damper behind it [Ns/m].
        weight: whether its weight acts beside F: the spring is relaxed at x = 0, and the body sags, or falls without
            one.

    >>> from gearwright.parts import Link
    >>> rod = Robot("rod", [Link("rod", mass=1.0)])
    >>> with_wall(rod, "wall", Plane((0.6, 0, 0), (-1, 0, 0)), mass=2.0, stiffness=1e4).links[1].joint.kind
    'prismatic'
    """
    number(name, "mass", mass, above=0.0, unit="kg", example=2.0)
    number(name, "stiffness", stiffness, least=0.0, unit="N/m", example=1e4)
    number(name, "damping", damping, least=0.0, unit="Ns/m", example=50.0)
    pull = 0.0 if weight else mass * sum(g * n for g, n in zip(robot.gravity, surface.normal, strict=True))
    if abs(pull) > BALANCED * mass and not stiffness:
        raise InputError(
            f"{name}: nothing holds its {mass:g} kg, which gravity pulls along the plane's normal with {pull:.4g} N. "
            "Give the stiffness of the spring behind it, or weight=True to let it fall."
        )
    rest = -pull / stiffness if stiffness else 0.0
    spring = JointSpring(stiffness, damping, rest) if stiffness or damping else None  # Vukobratovic (20.92)-(20.94)
    joint = Joint(None, "prismatic", axis=surface.normal, position=surface.point, spring=spring)
    return replace(robot, links=(*robot.links, Link(name, "base", joint, mass)))


@check_arguments
def with_object(
    robot: Robot,
    name: str,
    mass: float,
    inertia: Sequence[Sequence[float]] | None = None,
    com: Sequence[float] = ORIGIN,
) -> Robot:
    """The robot beside an object that moves freely, to be thrown, struck or caught: a link with a free joint.

    Its coordinates come after those of the robot: place [m] and quaternion (w, x, y, z).

    Args:
        robot: the robot.
        name: of the new link and its joint.
        mass: [kg].
        inertia: (3, 3) about its centre of mass [kg m2]; a ball of 0.1 m in diameter unless given.
        com: its centre of mass, in its own axes [m].

    >>> from gearwright.parts import Link
    >>> with_object(Robot("rod", [Link("rod", mass=1.0)]), "ball", 0.4).links[1].joint.kind
    'free'
    """
    number(name, "mass", mass, above=0.0, unit="kg", example=0.4)
    ball = 0.4 * mass * BALL**2
    three = numbers(name, "com", com)
    if three.shape != (3,):
        raise InputError(f"{name}: com has shape {three.shape}; give x, y, z in metres.")
    tensor = (
        numbers(name, "inertia", inertia).tolist()
        if inertia is not None
        else [[ball * (i == k) for k in range(3)] for i in range(3)]
    )
    return replace(
        robot, links=(*robot.links, Link(name, "base", Joint(None, "free"), mass, tuple(three.tolist()), tensor))
    )
