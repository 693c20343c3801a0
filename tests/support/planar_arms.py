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
