"""Closed loops of a robot in the forms of URDF: <loop> of URDF+, or a list of pairs of links beside the URDF."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple, get_args

from gearwright.errors import InputError
from gearwright.export.mujoco.loops import idle_coordinates
from gearwright.files.urdf.loop_list import loop_list_text
from gearwright.forces.coordinates.relative_pose import POSE_COORDINATE_NAMES, TRANSLATION_NAMES
from gearwright.mechanism import Mechanism
from gearwright.parts import Frame, Joint, Link, Loop, Robot
from gearwright.text import did_you_mean, listed_names

LoopForm = Literal["urdf_plus", "list"]


class LoopsForUrdf(NamedTuple):
    """A robot with loops for URDF.

    Args:
        robot: the robot, whose loops are of points or whole frames; without loops if a list states them.
        added_links: names of links without mass at the ends of listed loops.
        loop_list: the text of the list; None if the URDF states the loops.
        not_representable: the loops that URDF cannot represent.
    """

    robot: Robot
    added_links: tuple[str, ...]
    loop_list: str | None
    not_representable: tuple[str, ...]


def loops_for_urdf(robot: Robot, mech: Mechanism, form: LoopForm) -> LoopsForUrdf:
    """Return the robot with its loops in a form of URDF; planar loops get the constraint that always holds."""
    if form not in get_args(LoopForm):
        raise InputError(f"write_urdf: loops={form!r} is unknown. {did_you_mean(str(form), get_args(LoopForm))}")
    loops, omitted = [], []
    for loop in robot.loops:
        complete = _complete_loop(mech, loop)
        if complete is None:
            omitted.append(
                f"loop {loop.name!r}, in the URDF itself: it cannot constrain {listed_names(loop.held)} only"
            )
        else:
            loops.append(complete)
    complete_robot = replace(robot, loops=loops)
    if form != "list" or not loops:
        return LoopsForUrdf(complete_robot, (), None, tuple(omitted))
    with_links = _with_links_at_loops(complete_robot)
    added = tuple(link.name for link in with_links.links[len(robot.links) :])
    return LoopsForUrdf(replace(with_links, loops=()), added, loop_list_text(complete_robot), tuple(omitted))


def _complete_loop(mech: Mechanism, loop: Loop) -> Loop | None:
    idle = idle_coordinates(mech, loop)
    for names in (TRANSLATION_NAMES, POSE_COORDINATE_NAMES):
        if set(loop.held) <= set(names) <= {*loop.held, *idle}:
            return replace(loop, held=tuple(names))
    return None


def _with_links_at_loops(robot: Robot) -> Robot:
    """Return the robot with a link without mass, of the same name, for every frame at the end of a loop."""
    frames = {frame.name: frame for frame in robot.frames}
    ends = dict.fromkeys(name for loop in robot.loops for name in loop.frames if name in frames)
    links = [*robot.links, *(_link_at(frames[name]) for name in ends)]
    return replace(robot, links=links, frames=[frame for frame in robot.frames if frame.name not in ends])


def _link_at(frame: Frame) -> Link:
    joint = Joint(f"{frame.name}.joint", "fixed", rotation=frame.rotation, position=frame.position)
    return Link(frame.name, frame.link, joint, 0.0)
