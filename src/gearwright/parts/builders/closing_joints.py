"""Joints that close a loop: they have a coordinate, limits, friction, springs and motors, as any joint.

A tree of links has one joint per link. A link with a second joint is divided: one part, on the second joint, gets a
share of its mass and inertia, and a loop welds both parts together. The motion is that of the undivided link, exactly.
"""

from __future__ import annotations

from dataclasses import replace

from gearwright.algebra import IDENTITY, ZERO, MatrixLike, Tensor, VectorLike, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.errors import StructureError
from gearwright.parts.environment.loops_and_contacts import HOLDABLE_COORDINATES, Loop
from gearwright.parts.link import Joint, Link
from gearwright.parts.payload_and_frames import Frame
from gearwright.parts.robot import Robot
from gearwright.parts.structure.frame_changes import FramePlacement, frame_placement

SECOND_PART_SHARE = 0.5
"""Share of the mass and inertia of a divided link in the part on its second joint."""


@check_arguments
def with_closing_joint(
    robot: Robot, joint: Joint, parent: str, child: str, position: VectorLike = ZERO, rotation: MatrixLike = IDENTITY
) -> Robot:
    """Return the robot with a further joint between two of its links, which closes a loop.

    The joint has its own speed, limits, friction and spring, and a drive may name it, as any other joint.

    Args:
        robot: the robot.
        joint: the joint, with a name; its position and rotation are in the parent's frame.
        parent: name of one link, or "base".
        child: name of the other link, which must have mass.
        position: origin of the joint frame in the child's frame [m], with the joint's coordinate at zero.
        rotation: rotation of the joint frame in the child's frame, (3, 3).

    Raises:
        StructureError: a link does not exist, the child has no mass, or the joint has no name or a used one.

    >>> bar = dict(mass=1.0, com=(0.5, 0, 0))
    >>> links = [Link("left", **bar), Link("top", "left", Joint(position=(1, 0, 0)), **bar),
    ...          Link("right", joint=Joint(position=(2, 0, 0)), **bar)]
    >>> robot = with_closing_joint(Robot("bars", links), Joint("pin", position=(2, 0, 0)), "top", "right", (1, 0, 0))
    >>> robot.link_of_joint("pin").mass, robot.link("right").mass, robot.loops[0].frames
    (0.5, 0.5, ('right.pin', 'pin.weld'))
    """
    if joint.name is None or joint.name in {link.joint_name for link in robot.links}:
        raise StructureError(f"with_closing_joint: the joint's name is {joint.name!r}. Give a name of its own.")
    if parent != "base":
        robot.link(parent)
    second = Link(f"{child}.{joint.name}", parent, joint)
    after = 1 + next((k for k, link in enumerate(robot.links) if link.name == parent), -1)
    links = (*robot.links[:after], second, *robot.links[after:])
    return weld_second_part(replace(robot, links=links), second.name, child, position, rotation)


def weld_second_part(
    robot: Robot, second: str, child: str, position: VectorLike = ZERO, rotation: MatrixLike = IDENTITY
) -> Robot:
    """Return the robot whose link `second` is a part of the link `child`, at this place of its frame."""
    whole, place = robot.link(child), frame_placement(position, rotation)
    if is_number(whole.mass) and not whole.mass > 0:
        raise StructureError(
            f"link {child!r} has the mass {whole.mass} kg and a second joint {robot.link(second).joint_name!r}. Give "
            "it mass, or let the joint close the loop on another link."
        )
    if second == child:
        raise StructureError(f"link {child!r} cannot be a part of itself. Name the other link.")
    inverse = place.rotation.T
    inner = FramePlacement(inverse, inverse @ (place.position * -1.0))
    parts = {
        second: replace(
            robot.link(second),
            mass=whole.mass * SECOND_PART_SHARE,
            com=inner.point_in_outer(whole.com),
            inertia=_scaled_tensor(inner.tensor_in_outer(whole.inertia), SECOND_PART_SHARE),
            effective=whole.effective,
        ),
        child: replace(
            whole,
            mass=whole.mass * (1 - SECOND_PART_SHARE),
            inertia=_scaled_tensor(Tensor.from_rows(whole.inertia), 1 - SECOND_PART_SHARE),
        ),
    }
    joint = robot.link(second).joint_name
    weld = Frame(f"{joint}.weld", child, tuple(place.position), place.rotation.rows())
    return replace(
        robot,
        links=[parts.get(link.name, link) for link in robot.links],
        frames=(*robot.frames, weld),
        loops=(*robot.loops, Loop(joint, (second, weld.name), HOLDABLE_COORDINATES)),
    )


def _scaled_tensor(tensor: Tensor, factor: float) -> MatrixLike:
    return tuple(tuple(x * factor for x in row) for row in tensor.rows())
