"""The motion of a studio: all coordinates, and the trajectory of the joints if there is one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gearwright.analysis import Task
from gearwright.arrays import Array
from gearwright.errors import GearwrightError, InputError
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion, Trajectory, recorded
from gearwright.motion.csv_files import read_recording
from gearwright.motion.default_motion import default_motion, default_trajectory, trajectory_over_machine
from gearwright.parts import Robot
from gearwright.planning.paths.motions_of_closed_robots import ClosedLoopRobot
from gearwright.simulation import Run

PLAYED_SAMPLES = 401
AnyMotion = Trajectory | Motion | Run | Task | str | Path | None


@dataclass(frozen=True)
class StudioMotion:
    """A motion to play.

    Args:
        motion: of all coordinates and speeds of the machine.
        trajectory: of the joints, for an analysis; None if the motion is not a trajectory.
        reason: why there is no trajectory.
        name: its name on the page.
        task: the task whose motion it is, with its payloads, pauses and requirements.
    """

    motion: Motion
    trajectory: Trajectory | None
    reason: str = ""
    name: str = "motion"
    task: Task | None = None

    @property
    def duration(self) -> float:
        """Its duration [s]."""
        return float(self.motion.t[-1] - self.motion.t[0])

    def coordinates_at(self, time: float) -> Array:
        """Return the coordinates (nq,) at a time from the start, by the nearest samples."""
        t, q = self.motion.t - self.motion.t[0], self.motion.q
        after = int(np.clip(np.searchsorted(t, time), 1, len(t) - 1))
        share = float(np.clip((time - t[after - 1]) / max(t[after] - t[after - 1], 1e-12), 0.0, 1.0))
        return np.asarray((1 - share) * q[after - 1] + share * q[after])


def studio_motion(robot: Robot, mech: Mechanism, source: AnyMotion = None) -> StudioMotion:
    """Return the motion for a task, trajectory, motion, run or file; by default a motion of all joints.

    Shafts of elastic drives move with their joints if a trajectory does not include them.
    """
    columns = [k for k in range(mech.n - len(mech.shafts)) if mech.layout.coordinate_of[k] >= 0]
    if source is None:
        closed = ClosedLoopRobot.from_robot(robot, mech)
        if closed is None:
            return StudioMotion(
                default_motion(robot, mech, PLAYED_SAMPLES),
                default_trajectory(robot, mech, columns),
                name="default motion",
            )
        trajectory = closed.default_motion()
        return StudioMotion(
            trajectory_over_machine(mech, trajectory, PLAYED_SAMPLES),
            trajectory,
            name="default motion of the independent joints",
        )
    if isinstance(source, str | Path) and Path(source).suffix.lower() in (".yaml", ".yml"):
        source = Task.read(source, robot)
    if isinstance(source, Task):
        motion = trajectory_over_machine(mech, source.cycle, PLAYED_SAMPLES)
        return StudioMotion(motion, source.cycle, name=f"task {source.name}", task=source)
    if isinstance(source, Trajectory):
        return StudioMotion(trajectory_over_machine(mech, source, PLAYED_SAMPLES), source, name="trajectory")
    if isinstance(source, Run):
        return _sampled_motion(robot, mech, _motion_of_run(source, mech), source.name)
    if isinstance(source, Motion):
        return _sampled_motion(robot, mech, source, "motion")
    if isinstance(source, str | Path):
        return _sampled_motion(robot, mech, read_recording(source, mech).motion, Path(source).name)
    raise InputError(f"studio: motion={source!r} is not a task, a trajectory, a motion, a run or the name of a file.")


def _motion_of_run(run: Run, mech: Mechanism) -> Motion:
    blocks = (("q", mech.coordinates), ("v", mech.speeds), ("a", mech.speeds))
    q, v, a = (np.column_stack([run[f"{word}.{name}"] for name in names]) for word, names in blocks)
    return Motion(run.t, q, v, a)


def _sampled_motion(robot: Robot, mech: Mechanism, motion: Motion, name: str) -> StudioMotion:
    if motion.q.shape[-1] != mech.nq or motion.v.shape[-1] != mech.n:
        raise InputError(
            f"studio: the motion has {motion.q.shape[-1]} coordinates and {motion.v.shape[-1]} speeds, the machine "
            f"{mech.nq} and {mech.n}. Give a motion of this machine."
        )
    joints = mech.n - len(mech.shafts)
    try:
        trajectory = recorded((motion.t, motion.q[:, :joints], motion.v[:, :joints], motion.a[:, :joints]), robot=robot)
    except GearwrightError as error:
        return StudioMotion(motion, None, str(error), name)
    return StudioMotion(motion, trajectory, name=name)
