"""Arms in the plane of x and y, whose kinematics anybody can compute by hand."""

from __future__ import annotations

import numpy as np

from gearwright.parts import Joint, Limits, Link, Robot

BAR = np.diag([0.0, 0.01, 0.01])


def bar(k: int, length: float, joint: Joint) -> Link:
    """A bar of 1 kg on the bar before it."""
    return Link(f"l{k}", f"l{k - 1}" if k else "base", joint, mass=1, com=(length / 2, 0, 0), inertia=BAR)


def planar_arm(lengths=(0.4, 0.3), position=None, effort=None, speed=None, gravity=(0, 0, -9.81)) -> Robot:
    """Bars on revolute joints j0, j1, ... with equal limits, and the frame `tip` at the end of the last."""
    ends = np.concatenate([[0.0], lengths])
    limits = Limits(position=position, speed=speed, effort=effort)
    joints = [Joint(f"j{k}", position=(ends[k], 0, 0), limits=limits) for k in range(len(lengths))]
    bars = [bar(k, length, joint) for k, (length, joint) in enumerate(zip(lengths, joints, strict=True))]
    tip = Link("tip", f"l{len(lengths) - 1}", Joint("flange", "fixed", position=(lengths[-1], 0, 0)))
    return Robot("planar", [*bars, tip], gravity=gravity)


def following_arm(multiplier: float, offset: float, position=None) -> Robot:
    """Two bars, the second of which follows the first."""
    first, _, tip = planar_arm().links
    joint = Joint("j1", position=(0.4, 0, 0), follows=("j0", multiplier, offset), limits=Limits(position=position))
    return Robot("following", [first, bar(1, 0.3, joint), tip])


def macro_and_micro(rail_acceleration=None) -> Robot:
    """Two heavy rails along x and y that carry a small fast arm of two bars, and the frame `tip` at its end."""
    rails = [
        Link(
            name,
            parent,
            Joint(name, "prismatic", axis=axis, limits=Limits(position=(-0.6, 0.6), acceleration=rail_acceleration)),
            mass=40,
            com=(0, 0, 0),
            inertia=np.eye(3),
        )
        for name, parent, axis in (("x", "base", (1, 0, 0)), ("y", "x", (0, 1, 0)))
    ]
    first = Link("upper", "y", Joint("j0"), mass=0.4, com=(0.075, 0, 0), inertia=0.01 * BAR)
    second = Link("fore", "upper", Joint("j1", position=(0.15, 0, 0)), mass=0.3, com=(0.075, 0, 0), inertia=0.01 * BAR)
    tip = Link("tip", "fore", Joint("flange", "fixed", position=(0.15, 0, 0)))
    return Robot("macro_and_micro", [*rails, first, second, tip])
