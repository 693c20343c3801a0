"""The picture of a controlled run: references, errors, and forces against their limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.motion.trajectory import Trajectory
from gearwright.motion_demands.stated_limits import stated_limits
from gearwright.plots import figure, panels_by_unit, saved
from gearwright.simulation.run import Run

TAU = "tau."


@check_arguments
def tracking_plot(run: Run, motion: Trajectory, robot: RobotOrMech, path: str | Path | None = None) -> Any:
    """A figure of a run that was to follow a motion; with `path` (.png, .svg, .pdf) it is saved too.

    Positions with their references dotted, errors of position, errors of speed, and forces with the limits that the
    robot states dotted in the colour of their joint; one panel per unit. Phases of contacts stand behind the curves.

    Args:
        run: the run.
        motion: the motion of the joints that it was to follow.
        robot: the robot, whose limits are drawn.
        path: where to write.
    """
    mech = machine_of("control.tracking_plot", robot)
    joints = list(mech.speeds[: motion.count])
    q, v = motion.at(run.t), motion.at(run.t, 1)
    wanted = {f"{x} reference": x for x in joints}
    places = {x: run[f"q.{x}"] for x in joints} | dict(zip(wanted, q.T, strict=True))
    errors = {x: run[f"q.{x}"] - q[:, k] for k, x in enumerate(joints)}
    paces = {x: run[f"v.{x}"] - v[:, k] for k, x in enumerate(joints)}
    forces, limits, of = _forces(run, robot)
    panels = [
        *panels_by_unit("position", places, _units(run, "q"), "dotted: reference", wanted),
        *panels_by_unit("error of position", errors, _units(run, "q")),
        *panels_by_unit("error of speed", paces, _units(run, "v")),
        *panels_by_unit("force", {**forces, **limits}, _units(run, "tau"), "dotted: limit" if limits else "", of),
    ]
    return saved(figure(run.t, "time [s]", panels, columns=2, title=run.name, spans=run.phases), path)


def _units(run: Run, block: str) -> dict[str, str]:
    """Units of the series of a block, by joint."""
    return {name.removeprefix(f"{block}."): unit for name, unit in run.units.items() if name.startswith(f"{block}.")}


def _forces(run: Run, robot: RobotOrMech) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """Forces that act, by joint, the limits that are stated for them, both signs, and whose limit each is."""
    stated = stated_limits(robot, machine_of("control.tracking_plot", robot))
    forces = {x.removeprefix(TAU): run[x] for x in run.series if x.startswith(TAU) and run[x].any()}
    of = {f"{x} limit {sign}": x for x in forces if TAU + x in stated for sign in ("+", "-")}
    limits = {name: np.full(len(run.t), float(f"{name[-1]}{stated[TAU + x]}")) for name, x in of.items()}
    return forces, limits, of
