"""What a robot's parts state about the limits of its motors and joints, and what `demands` leaves out of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.friction.dry_friction import DryFriction
from gearwright.forces.law import Law
from gearwright.forces.robot_lines import joint_line, motors_of
from gearwright.functions.dynamics import neutral
from gearwright.mechanism import Mechanism
from gearwright.parts import Friction, Link, Motor, Robot
from gearwright.system.inputs import TAU
from gearwright.text import listed

ROUNDING = 1e-9
"""Beyond an end of a range [rad, m] by less than this counts as at it."""

TURNING = 1e-6
"""Share of the largest speed below which a sample counts as at rest."""


def stated_limits(robot: Robot | Mechanism, mech: Mechanism, own: bool = True) -> dict[str, float]:
    """Largest forces of joints (`effort`), and with `own` motors their torques and temperatures, by names of series."""
    if not isinstance(robot, Robot):
        return {}
    found = {TAU + name: effort for name, effort in efforts(robot, mech).items()}
    for title, motor in motors_of(robot) if own else ():
        most = _most_torque(motor)
        if most is not None:
            found[f"{title}.torque"] = most
        if motor.heat is not None and motor.heat.max_temperature and motor.torque_constant and motor.resistance:
            found[f"{title}.winding_temperature"] = float(motor.heat.max_temperature)
    return found


def efforts(robot: Robot, mech: Mechanism) -> dict[str, float]:
    """Per speed the largest force that its joint states; behind a spring the force comes from a shaft, not listed."""
    stated = {link.joint_name: link.joint.limits.effort for link in robot.links}
    rigid = {name for name in mech.speeds if not _is_behind_spring(mech, name)}
    return {name: float(x) for name, x in stated.items() if name in rigid and x}


def _is_behind_spring(mech: Mechanism, name: str) -> bool:
    k = mech.speeds.index(name)
    shafts = {mech.speeds.index(shaft) for shaft in mech.shafts}
    rows = [{index for index, _ in spring.terms} for spring in mech.springs]
    return any(k in row and row & shafts for row in rows)


def _most_torque(motor: Motor) -> float | None:
    stated = motor.max_current, motor.torque_constant
    by_current = None if stated[0] is None or stated[1] is None else stated[0] * stated[1]
    return min((float(x) for x in (motor.max_torque, by_current) if x is not None), default=None)


class _Moved(Protocol):
    @property
    def q(self) -> Array: ...

    @property
    def v(self) -> Array: ...


def left_out(robot: Robot | Mechanism, mech: Mechanism, blocks: Sequence[_Moved], own: bool) -> tuple[str, ...]:
    """Remarks on what parts state and nobody computes, and on a motion beyond the joints' ranges."""
    if not isinstance(robot, Robot):
        return ()
    q = np.concatenate([block.q for block in blocks])
    return (*(_stiff_buses(robot) if own else ()), *beyond_ranges(robot, mech, q, "the motion"))


def breaks_away(laws: Sequence[Law], blocks: Sequence[_Moved]) -> Iterator[str]:
    """A remark on friction that is larger at rest than in any motion, where the motion leaves rest or turns round."""
    v = np.concatenate([block.v for block in blocks])
    dropping = [law for law in laws if isinstance(law, DryFriction) and _drops_at_once(law.friction)]
    steep = [law.name for law in dropping if _rests(np.asarray(law.line.speed(list(v.T))))]
    if steep:
        yield (
            f"{listed(steep)}: static friction drops to the sliding one at once, and these forces are those of "
            "sliding: fed with them from rest, the joint sticks until they exceed the static friction, and is late "
            "from then on. Give a stribeck_speed, push it off, or begin in motion."
        )


def _rests(speed: Array) -> bool:
    size = np.abs(speed)
    return bool(size.min() <= TURNING * size.max())


def _drops_at_once(friction: Friction) -> bool:
    return bool(friction.drops) and friction.stribeck_speed is None


def _stiff_buses(robot: Robot) -> Iterator[str]:
    supplies = [robot.supply, *(drive.supply for drive in robot.drives)]
    found = [f"sagging of {x.name!r}" for x in dict.fromkeys(supplies) if x is not None and x.resistance]
    if found:
        yield f"left out: {listed(found)}; voltages are those on the motors."


def ranges(robot: Robot, mech: Mechanism) -> Iterator[tuple[Link, int, float, float]]:
    """Links with limits, the index of their own coordinate, and its range; joints that follow others have none."""
    for link in robot.links:
        where = None if link.joint.limits.position is None else joint_line(mech, link)
        if where is not None and link.joint.follows is None and link.joint.limits.position is not None:
            lower, upper = (float(end) for end in link.joint.limits.position)
            yield link, where[0].places[0], lower, upper


def beyond_ranges(robot: Robot, mech: Mechanism, q: Array, what: str) -> Iterator[str]:
    """A remark for every joint whose coordinate (..., nq) leaves its range."""
    for link, k, lower, upper in ranges(robot, mech):
        low, high = float(q[..., k].min()), float(q[..., k].max())
        worst = low if lower - low >= high - upper else high
        if worst < lower - ROUNDING or worst > upper + ROUNDING:
            yield (
                f"{what} is beyond the limits of joint {link.joint_name!r}: {worst:.6g} is not within "
                f"[{lower:g}, {upper:g}]."
            )


def neutral_within_limits(robot: Robot, mech: Mechanism) -> tuple[Array, dict[str, float]]:
    """The neutral configuration (nq,), with joints that may not be there in the middle of their ranges, and which.

    >>> import gearwright as gw
    >>> robot = gw.load("panda_like")
    >>> sorted(neutral_within_limits(robot, gw.assemble(robot))[1])
    ['joint4']
    """
    q, moved = neutral(mech), {}
    for link, k, lower, upper in ranges(robot, mech):
        if not lower - ROUNDING <= q[k] <= upper + ROUNDING:
            q[k] = moved[link.joint_name] = 0.5 * (lower + upper) if np.isfinite(lower + upper) else _end(lower, upper)
    return q, moved


def _end(lower: float, upper: float) -> float:
    """The finite end of a range that has one."""
    return lower if np.isfinite(lower) else upper
