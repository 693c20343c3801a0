"""The figure of a controlled run: references, errors, and forces with their limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.motion import Trajectory
from gearwright.motion_demands.stated_limits import stated_limits
from gearwright.plots import panel_figure, panels_by_unit, save_if_path
from gearwright.simulation.run import Run

FORCE_SERIES_PREFIX = "tau."


@check_arguments
def tracking_plot(run: Run, motion: Trajectory, robot: RobotOrMech, path: str | Path | None = None) -> Any:
    """Return a figure of the tracking of a motion; with `path` (.png, .svg, .pdf) it is saved too.

    Positions with dotted references, position errors, speed errors, and forces with dotted limits in the colour of
    their joint; one panel per unit. Contact phases are drawn behind the curves.

    Args:
        run: the run.
        motion: the reference motion of the joints.
        robot: the robot, whose limits are drawn.
        path: the file to write.
    """
    mech = tree_of("control.tracking_plot", robot)
    joints = list(mech.speeds[: motion.count])
    q, v = motion.at(run.t), motion.at(run.t, 1)
    references = {f"{x} reference": x for x in joints}
    positions = {x: run[f"q.{x}"] for x in joints} | dict(zip(references, q.T, strict=True))
    errors = {x: run[f"q.{x}"] - q[:, k] for k, x in enumerate(joints)}
    speed_errors = {x: run[f"v.{x}"] - v[:, k] for k, x in enumerate(joints)}
    forces, limits, limit_joints = _forces_and_limits(run, robot)
    panels = [
        *panels_by_unit("position", positions, _block_units(run, "q"), "dotted: reference", references),
        *panels_by_unit("position error", errors, _block_units(run, "q")),
        *panels_by_unit("speed error", speed_errors, _block_units(run, "v")),
        *panels_by_unit(
            "force", {**forces, **limits}, _block_units(run, "tau"), "dotted: limit" if limits else "", limit_joints
        ),
    ]
    return save_if_path(panel_figure(run.t, "time [s]", panels, columns=2, title=run.name, spans=run.phases), path)


def _block_units(run: Run, block: str) -> dict[str, str]:
    """Return the units of the series of a block, by joint."""
    return {name.removeprefix(f"{block}."): unit for name, unit in run.units.items() if name.startswith(f"{block}.")}


def _forces_and_limits(run: Run, robot: RobotOrMech) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """Return forces by joint, their stated limits of both signs, and the joint of each limit."""
    stated = stated_limits(robot, tree_of("control.tracking_plot", robot))
    forces = {
        x.removeprefix(FORCE_SERIES_PREFIX): run[x]
        for x in run.series
        if x.startswith(FORCE_SERIES_PREFIX) and run[x].any()
    }
    limit_joints = {f"{x} limit {sign}": x for x in forces if FORCE_SERIES_PREFIX + x in stated for sign in ("+", "-")}
    limits = {
        name: np.full(len(run.t), float(f"{name[-1]}{stated[FORCE_SERIES_PREFIX + x]}"))
        for name, x in limit_joints.items()
    }
    return forces, limits, limit_joints
