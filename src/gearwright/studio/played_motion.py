"""What a studio plays: a motion of all coordinates, and where it can be had the trajectory of the joints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import GearwrightError, InputError
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion, Trajectory, recorded
from gearwright.motion.csv_files import read_recording
from gearwright.motion.default_motion import over_all, tour, ways
from gearwright.parts import Robot
from gearwright.planning.paths.motions_of_closed_robots import ClosedRobot
from gearwright.simulation import Run

SAMPLES = 401
AnyMotion = Trajectory | Motion | Run | str | Path | None


@dataclass(frozen=True)
class StudioMotion:
    """A motion to play.

    Args:
        motion: of all coordinates and speeds of the machine.
        trajectory: of the joints, for an analysis; None when the motion cannot be one.
        reason: why there is no trajectory.
        name: what it is called.
    """

    motion: Motion
    trajectory: Trajectory | None
    reason: str = ""
    name: str = "motion"

    @property
    def duration(self) -> float:
        """Its length [s]."""
        return float(self.motion.t[-1] - self.motion.t[0])

    def at(self, time: float) -> Array:
        """The coordinates at a time from its start, by the nearest samples (nq,)."""
        t, q = self.motion.t - self.motion.t[0], self.motion.q
        after = int(np.clip(np.searchsorted(t, time), 1, len(t) - 1))
        share = float(np.clip((time - t[after - 1]) / max(t[after] - t[after - 1], 1e-12), 0.0, 1.0))
        return np.asarray((1 - share) * q[after - 1] + share * q[after])


def studio_motion(robot: Robot, mech: Mechanism, given: AnyMotion = None) -> StudioMotion:
    """A trajectory of the joints, a motion or run of the whole machine, a CSV file; a tour of the joints unless given.

    Shafts of elastic drives move with their joints where a trajectory says nothing of them.
    """
    columns = [k for k in range(mech.n - len(mech.shafts)) if mech.layout.coordinate_of[k] >= 0]
    if given is None:
        closed = ClosedRobot.of(robot, mech)
        if closed is None:
            return StudioMotion(tour(robot, mech, SAMPLES), ways(robot, mech, columns), name="tour of the joints")
        way = closed.default_motion()
        return StudioMotion(over_all(mech, way, SAMPLES), way, name="tour of the free joints")
    if isinstance(given, Trajectory):
        return StudioMotion(over_all(mech, given, SAMPLES), given, name="trajectory")
    if isinstance(given, Run):
        return _sampled(robot, mech, _of_run(given, mech), given.name)
    if isinstance(given, Motion):
        return _sampled(robot, mech, given, "motion")
    if isinstance(given, str | Path):
        return _sampled(robot, mech, read_recording(given, mech).motion, Path(given).name)
    raise InputError(f"studio: motion={given!r} is not a trajectory, a motion, a run or the name of a CSV file.")


def _of_run(run: Run, mech: Mechanism) -> Motion:
    blocks = (("q", mech.coordinates), ("v", mech.speeds), ("a", mech.speeds))
    q, v, a = (np.column_stack([run[f"{word}.{name}"] for name in names]) for word, names in blocks)
    return Motion(run.t, q, v, a)


def _sampled(robot: Robot, mech: Mechanism, motion: Motion, name: str) -> StudioMotion:
    if motion.q.shape[-1] != mech.nq or motion.v.shape[-1] != mech.n:
        raise InputError(
            f"studio: the motion has {motion.q.shape[-1]} coordinates and {motion.v.shape[-1]} speeds, the machine "
            f"{mech.nq} and {mech.n}."
        )
    joints = mech.n - len(mech.shafts)
    try:
        way = recorded((motion.t, motion.q[:, :joints], motion.v[:, :joints], motion.a[:, :joints]), robot=robot)
    except GearwrightError as error:
        return StudioMotion(motion, None, str(error), name)
    return StudioMotion(motion, way, name=name)
