"""Bodies that a robot touches: a wall, an object on an elastic support, a free object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number
from gearwright.errors import InputError
from gearwright.parts.environment.surfaces import Plane
from gearwright.parts.gears.elasticity import JointSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.robot import Robot

ZERO_COM = (0.0, 0.0, 0.0)

GRAVITY_ROUNDING = 1e-9
"""Gravity along a normal below this is rounding [m/s2]."""
DEFAULT_OBJECT_RADIUS = 0.05
"""Radius of the ball that stands for an object without a stated inertia [m]."""


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
    r"""Return the robot with a body that slides along the normal of a plane, supported by a spring and a damper.

    Contacts name it by `relative_to`, with the surface `Plane((0, 0, 0), normal)`: its frame is at the plane's point
    and has the axes of the base. Its coordinate x is its displacement along the normal from the rest position:
    $m \ddot x + d \dot x + k x = F$ under the force F of the contact. The spring is preloaded by its weight in the
    robot's gravity.

    Args:
        robot: the robot.
        name: of the new link and its joint.
        surface: the body's face at rest, in base axes.
        mass: [kg].
        stiffness: of the spring behind it [N/m]; 0: no spring, a free object.
        damping: of the damper behind it [Ns/m].
        weight: whether its weight acts in addition to F. The spring is then relaxed at x = 0, and the body sags
            (without a spring it falls).

    >>> from gearwright.parts import Link
    >>> rod = Robot("rod", [Link("rod", mass=1.0)])
    >>> with_wall(rod, "wall", Plane((0.6, 0, 0), (-1, 0, 0)), mass=2.0, stiffness=1e4).links[1].joint.kind
    'prismatic'
    """
    real_number(name, "mass", mass, above=0.0, unit="kg", example=2.0)
    real_number(name, "stiffness", stiffness, least=0.0, unit="N/m", example=1e4)
    real_number(name, "damping", damping, least=0.0, unit="Ns/m", example=50.0)
    pull = 0.0 if weight else mass * sum(g * n for g, n in zip(robot.gravity, surface.normal, strict=True))
    if abs(pull) > GRAVITY_ROUNDING * mass and not stiffness:
        raise InputError(
            f"{name}: its mass of {mass:g} kg has no support, and gravity acts along the plane's normal with "
            f"{pull:.4g} N. Give the stiffness of the spring behind it, or weight=True to let it fall."
        )
    rest_position = -pull / stiffness if stiffness else 0.0
    spring = (
        JointSpring(stiffness, damping, rest_position) if stiffness or damping else None
    )  # Vukobratovic (20.92)-(20.94)
    joint = Joint(None, "prismatic", axis=surface.normal, position=surface.point, spring=spring)
    return replace(robot, links=(*robot.links, Link(name, "base", joint, mass)))


@check_arguments
def with_object(
    robot: Robot,
    name: str,
    mass: float,
    inertia: Sequence[Sequence[float]] | None = None,
    com: Sequence[float] = ZERO_COM,
) -> Robot:
    """Return the robot with a freely moving object (to be thrown, hit or caught): a link with a free joint.

    Its coordinates follow those of the robot: position [m] and quaternion (w, x, y, z).

    Args:
        robot: the robot.
        name: of the new link and its joint.
        mass: [kg].
        inertia: (3, 3) about its centre of mass [kg m2]; by default that of a solid ball of 0.1 m diameter.
        com: its centre of mass, in its own axes [m].

    >>> from gearwright.parts import Link
    >>> with_object(Robot("rod", [Link("rod", mass=1.0)]), "ball", 0.4).links[1].joint.kind
    'free'
    """
    real_number(name, "mass", mass, above=0.0, unit="kg", example=0.4)
    sphere_inertia = 0.4 * mass * DEFAULT_OBJECT_RADIUS**2
    com_array = number_array(name, "com", com)
    if com_array.shape != (3,):
        raise InputError(f"{name}: com has the shape {com_array.shape} instead of (3,). Give x, y, z in metres.")
    tensor = (
        number_array(name, "inertia", inertia).tolist()
        if inertia is not None
        else [[sphere_inertia * (i == k) for k in range(3)] for i in range(3)]
    )
    return replace(
        robot, links=(*robot.links, Link(name, "base", Joint(None, "free"), mass, tuple(com_array.tolist()), tensor))
    )
