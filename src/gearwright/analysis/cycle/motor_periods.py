"""Number of samples of a cycle that resolves cogging, ripple and kinematic errors of its drives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.forces.robot_lines import motor_line, robot_motors
from gearwright.functions.elastic.shaft_equations import unloaded_shafts
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.parts import Robot, elastic_elements
from gearwright.text import listed_names

SAMPLES_PER_PERIOD = 12
"""Samples in the shortest period: energies and rms values are accurate to 1e-4, peaks to about 5e-3."""
MAX_CYCLE_SAMPLES = 100_000
"""Largest number of samples of a cycle; a remark reports drives that need more."""
MOTOR_SPEED_SAMPLES = 2001
"""Number of times at which the largest speed of each motor is searched."""


def period_samples(robot: Robot, mech: Mechanism, motion: Trajectory) -> dict[str, int]:
    """Per drive with periodic disturbances the number of samples that resolves them at the drive's largest speed.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> from gearwright.parts import Cogging, Drive, Gear, Link, Motor
    >>> motor = Motor(1e-5, torque_constant=0.05, resistance=0.5, cogging=Cogging(0.01, 12))
    >>> arm = Robot("arm", [Link("rod", mass=1.0, com=(0.1, 0, 0))], [Drive("rod", motor, Gear(50))])
    >>> period_samples(arm, gw.assemble(arm), polynomial([0.0], [1.0], duration=1.0, order=5))    # 1.875 rad/s at most
    {'rod': 2150}
    """
    periodic = {title: waves for title, *waves in _shortest_periods(robot) if max(waves) > 0}
    if not periodic or motion.count not in (first_shaft(mech), mech.n):  # another number of joints is rejected later
        return {}
    t = np.linspace(0.0, motion.duration, MOTOR_SPEED_SAMPLES)
    v = _machine_speeds(mech, np.asarray(motion.at(t, 1), dtype=float))
    samples = {}
    for title, (per_motor, per_joint) in periodic.items():
        motor_speed = sum(float(primal_value(factor)) * v[:, index] for index, factor in motor_line(mech, title).terms)
        joint = next((drive.joint for drive in robot.drives if drive.title == title), None)
        joint_speed = v[:, mech.speeds.index(joint)] if joint in mech.speeds else 0.0
        fastest = max(per_motor * np.abs(motor_speed).max(), per_joint * np.abs(joint_speed).max())
        samples[title] = int(np.ceil(SAMPLES_PER_PERIOD * motion.duration * float(fastest) / (2 * np.pi))) + 1
    return samples


def unresolved_remark(needed: dict[str, int], samples: int) -> Iterator[str]:
    """A remark on drives whose periods are too short for the samples of a cycle."""
    short = {title: count for title, count in needed.items() if count > samples}
    if short:
        yield (
            f"{listed_names(short)}: cogging, ripple or kinematic errors need {max(short.values())} samples per cycle, "
            f"but only {samples} are used. Currents, energies and temperatures depend on this number. Give samples=, "
            "or remove these data."
        )


def _shortest_periods(robot: Robot) -> Iterator[tuple[str, float, float]]:
    """Per motor its most periods per radian of the motor, and per radian or metre of its joint."""
    gears = {drive.title: drive.gear for drive in robot.drives}
    for title, motor in robot_motors(robot):
        electric = motor.torque_constant is not None  # otherwise cogging and ripple have no effect
        waves = [part.periods for part in (motor.cogging, motor.ripple) if part is not None and electric]
        elements = elastic_elements(gears[title]) if title in gears else ()
        errors = [e.periods for element in elements for e in element.torsion.errors]  # counted at the joint side
        yield title, _largest_period_count(waves), _largest_period_count(errors)


def _largest_period_count(periods: list[Scalar]) -> float:
    return max((abs(float(primal_value(x))) for x in periods), default=0.0)


def _machine_speeds(mech: Mechanism, v: Array) -> Array:
    """Speeds of the whole machine (T, n) for those of its joints; shafts turn with their joints."""
    if not mech.shafts or v.shape[-1] == mech.n:
        return v
    return np.hstack([v, v[:, : first_shaft(mech)] @ unloaded_shafts(mech)[0].T])
