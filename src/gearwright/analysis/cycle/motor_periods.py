"""How finely a cycle is sampled so that cogging, ripple and kinematic errors of its drives are resolved."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import value_of
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.forces.robot_lines import motor_line, motors_of
from gearwright.functions.elastic.shaft_equations import unloaded_shafts
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.parts import Robot, elements_of
from gearwright.text import listed

PER_PERIOD = 12
"""Samples in the shortest period: energies and root mean squares come out to 1e-4, peaks to about 5e-3."""
MOST = 100_000
"""Samples of a cycle at most; beyond it a remark says what is not resolved."""
LOOKS = 2001
"""At how many times the largest speed of each motor is looked for."""


def period_samples(robot: Robot, mech: Mechanism, motion: Trajectory) -> dict[str, int]:
    """Per drive with periodic parts the samples that resolve them at the drive's largest speed; none for all others.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> from gearwright.parts import Cogging, Drive, Gear, Link, Motor
    >>> motor = Motor(1e-5, torque_constant=0.05, resistance=0.5, cogging=Cogging(0.01, 12))
    >>> arm = Robot("arm", [Link("rod", mass=1.0, com=(0.1, 0, 0))], [Drive("rod", motor, Gear(50))])
    >>> period_samples(arm, gw.assemble(arm), polynomial([0.0], [1.0], duration=1.0, order=5))    # 1.875 rad/s at most
    {'rod': 2150}
    """
    periodic = {title: waves for title, *waves in _periodic(robot) if max(waves) > 0}
    if not periodic or motion.count not in (first_shaft(mech), mech.n):  # another number of joints is refused later
        return {}
    t = np.linspace(0.0, motion.duration, LOOKS)
    v = _speeds(mech, np.asarray(motion.at(t, 1), dtype=float))
    found = {}
    for title, (per_motor, per_joint) in periodic.items():
        turning = sum(float(value_of(factor)) * v[:, index] for index, factor in motor_line(mech, title).terms)
        joint = next((drive.joint for drive in robot.drives if drive.title == title), None)
        moved = v[:, mech.speeds.index(joint)] if joint in mech.speeds else 0.0
        fastest = max(per_motor * np.abs(turning).max(), per_joint * np.abs(moved).max())
        found[title] = int(np.ceil(PER_PERIOD * motion.duration * float(fastest) / (2 * np.pi))) + 1
    return found


def unresolved_remark(needed: dict[str, int], samples: int) -> Iterator[str]:
    """Drives whose periods are too short for the samples of a cycle."""
    short = {title: count for title, count in needed.items() if count > samples}
    if short:
        yield (
            f"cogging, ripple or kinematic errors of {listed(short)} would take {max(short.values())} samples of the "
            f"cycle, of which {samples} are taken: currents, energies and temperatures depend on that number. Give "
            "samples=, or leave these data out."
        )


def _periodic(robot: Robot) -> Iterator[tuple[str, float, float]]:
    """Per motor the waves of its shortest period per radian of the motor, and per radian or metre of its joint."""
    gears = {drive.title: drive.gear for drive in robot.drives}
    for title, motor in motors_of(robot):
        electric = motor.torque_constant is not None  # otherwise neither cogging nor ripple is felt
        waves = [part.periods for part in (motor.cogging, motor.ripple) if part is not None and electric]
        elements = elements_of(gears[title]) if title in gears else ()
        errors = [e.periods for element in elements for e in element.torsion.errors]  # counted at the joint side
        yield title, _most(waves), _most(errors)


def _most(periods: list[Scalar]) -> float:
    return max((abs(float(value_of(x))) for x in periods), default=0.0)


def _speeds(mech: Mechanism, v: Array) -> Array:
    """Speeds of the whole machine (T, n) for those of its joints, shafts turning with their joints."""
    if not mech.shafts or v.shape[-1] == mech.n:
        return v
    return np.hstack([v, v[:, : first_shaft(mech)] @ unloaded_shafts(mech)[0].T])
