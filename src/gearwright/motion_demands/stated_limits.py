"""Limits of motors and joints stated by a robot's parts, and remarks on those that `demands` neglects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gearwright.arrays import Array
from gearwright.forces import DryFriction, Law
from gearwright.forces.robot_lines import joint_line, robot_motors
from gearwright.functions import neutral
from gearwright.mechanism import Mechanism
from gearwright.parts import Friction, Link, Robot
from gearwright.system.inputs import FORCE_INPUT_PREFIX
from gearwright.text import listed_names

RANGE_ROUNDING = 1e-9
"""Distance [rad, m] beyond an end of a range up to which a position is at the end."""

REST_SAMPLE_RATIO = 1e-6
"""Speed relative to the largest speed below which a sample is at rest."""


def stated_limits(robot: Robot | Mechanism, mech: Mechanism, own_motors: bool = True) -> dict[str, float]:
    """Return limits of joint forces (`effort`) and, with `own_motors`, of motor torque and temperature, by name."""
    if not isinstance(robot, Robot):
        return {}
    limits = {FORCE_INPUT_PREFIX + name: effort for name, effort in joint_efforts(robot, mech).items()}
    for title, motor in robot_motors(robot) if own_motors else ():
        if motor.torque_limit is not None:
            limits[f"{title}.torque"] = float(motor.torque_limit)
        if motor.heat is not None and motor.heat.max_temperature and motor.torque_constant and motor.resistance:
            limits[f"{title}.winding_temperature"] = float(motor.heat.max_temperature)
    return limits


def joint_efforts(robot: Robot, mech: Mechanism) -> dict[str, float]:
    """Return the largest force stated for each joint by speed, except for joints driven through a spring."""
    stated = {link.joint_name: link.joint.limits.effort for link in robot.links}
    rigid = {name for name in mech.speeds if not _is_behind_spring(mech, name)}
    return {name: float(x) for name, x in stated.items() if name in rigid and x}


def _is_behind_spring(mech: Mechanism, name: str) -> bool:
    k = mech.speeds.index(name)
    shafts = {mech.speeds.index(shaft) for shaft in mech.shafts}
    rows = [{index for index, _ in spring.terms} for spring in mech.springs]
    return any(k in row and row & shafts for row in rows)


def ignored_data_remarks(robot: Robot | Mechanism, mech: Mechanism, q: Array, own_motors: bool) -> tuple[str, ...]:
    """Return remarks on stated data that are neglected, and on a motion (T, nq) outside the joints' ranges."""
    if not isinstance(robot, Robot):
        return ()
    return (*(_ignored_supply_remarks(robot) if own_motors else ()), *range_remarks(robot, mech, q, "the motion"))


def stiction_remarks(laws: Sequence[Law], v: Array) -> Iterator[str]:
    """Yield a remark on stiction where a motion with speeds (T, n) starts from rest or reverses."""
    dropping = [law for law in laws if isinstance(law, DryFriction) and _drops_at_once(law.friction)]
    steep = [law.name for law in dropping if _has_rest(np.asarray(law.line.speed(list(v.T))))]
    if steep:
        yield (
            f"{listed_names(steep)}: static friction exceeds sliding friction without a transition, and the computed "
            "forces are those of sliding. Driven by these forces from rest, the joint sticks until they exceed the "
            "static friction, and then lags behind the motion. Give a stribeck_speed, add a breakaway force, or start "
            "in motion."
        )


def _has_rest(speed: Array) -> bool:
    size = np.abs(speed)
    return bool(size.min() <= REST_SAMPLE_RATIO * size.max())


def _drops_at_once(friction: Friction) -> bool:
    return bool(friction.has_stiction) and friction.stribeck_speed is None


def _ignored_supply_remarks(robot: Robot) -> Iterator[str]:
    supplies = [robot.supply, *(drive.supply for drive in robot.drives)]
    ignored = [f"voltage drop of supply {x.name!r}" for x in dict.fromkeys(supplies) if x is not None and x.resistance]
    if ignored:
        yield f"neglected: {listed_names(ignored)}; voltages are those at the motor terminals."


def joint_ranges(robot: Robot, mech: Mechanism) -> Iterator[tuple[Link, int, float, float]]:
    """Yield links with limits, the index of their coordinate, and its range; mimic joints are excluded."""
    for link in robot.links:
        line = None if link.joint.limits.position is None else joint_line(mech, link)
        if line is not None and link.joint.follows is None and link.joint.limits.position is not None:
            lower, upper = (float(end) for end in link.joint.limits.position)
            yield link, line[0].coordinate_indices[0], lower, upper


def range_remarks(robot: Robot, mech: Mechanism, q: Array, subject: str) -> Iterator[str]:
    """Yield a remark for every joint whose coordinate (..., nq) is outside its range."""
    for link, k, lower, upper in joint_ranges(robot, mech):
        low, high = float(q[..., k].min()), float(q[..., k].max())
        worst = low if lower - low >= high - upper else high
        if worst < lower - RANGE_ROUNDING or worst > upper + RANGE_ROUNDING:
            yield (
                f"{subject} exceeds the limits of joint {link.joint_name!r}: {worst:.6g} is not within "
                f"[{lower:g}, {upper:g}]."
            )


def neutral_within_limits(robot: Robot, mech: Mechanism) -> tuple[Array, dict[str, float]]:
    """Return the neutral configuration (nq,), with joints outside their limits moved to mid-range, and these joints.

    >>> import gearwright as gw
    >>> robot = gw.load("panda_like")
    >>> sorted(neutral_within_limits(robot, gw.assemble(robot))[1])
    ['joint4']
    """
    q, shifted = neutral(mech), {}
    for link, k, lower, upper in joint_ranges(robot, mech):
        if not lower - RANGE_ROUNDING <= q[k] <= upper + RANGE_ROUNDING:
            q[k] = shifted[link.joint_name] = (
                0.5 * (lower + upper) if np.isfinite(lower + upper) else _finite_end(lower, upper)
            )
    return q, shifted


def _finite_end(lower: float, upper: float) -> float:
    """Return the finite end of a range with one finite end."""
    return lower if np.isfinite(lower) else upper
