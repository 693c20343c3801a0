"""`gearwright modes`: how an elastic robot vibrates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Joints, Json, Plot, RobotName, Xacro
from gearwright.cli.output import heading, mention_figure, number, results, table, write_json
from gearwright.cli.start_pose import joints_at
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, machine_of
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.parts import Robot
from gearwright.text import visible

if TYPE_CHECKING:
    from gearwright.analysis import VibrationModes

SHARE = 0.25
"""Of a mode's kinetic energy, from which on a joint or motor is named."""


def modes(
    robot: RobotName,
    q: Joints = None,
    held: Annotated[bool, typer.Option("--held", help="Hold the motors, as brakes do.")] = False,
    free: Annotated[bool, typer.Option("--free", help="Show rigid motions too, which nothing holds then.")] = False,
    plot: Plot = None,
    map_of: Annotated[
        str | None,
        typer.Option("--map", metavar="J1,J2", help="Let --plot draw the first frequency over two joints."),
    ] = None,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Show the frequencies, damping and shapes of an elastic robot's vibrations.

    The robot is held in its place against gravity: rigid motions, in which no spring deflects, are not among the modes
    unless --free shows them (0 Hz, or as gravity moves them). The figure shows what each motor feels over frequency,
    or a map (--map).

    Example: gearwright modes elastic_elbow --q 0,0.5,-1 --plot modes.png
    """
    from gearwright.analysis import vibration_modes

    loaded = load(robot, xacro=xacro, include=include or ())
    mech = machine_of("vibration_modes", loaded)
    place = joints_at(loaded, mech, q)
    found = vibration_modes(mech, place, "held" if held else "free", rigid_motions=free)
    facts = _facts(loaded, mech, place, found)
    if map_of is not None and plot is None:
        raise InputError(f"--map {map_of}: nothing says where to draw it. Add --plot FILE.")
    if plot is not None:
        _draw(loaded, mech, place, map_of, plot)
    if json:
        write_json(facts)
    else:
        _show(facts)
    mention_figure(plot)


def _facts(robot: Robot, mech: Mechanism, place: list[float], found: VibrationModes) -> dict[str, Any]:
    from gearwright.analysis.vibration.vibration_modes import configuration
    from gearwright.functions.dynamics import mass_matrix

    M = mass_matrix(mech, configuration(mech, place, "vibration_modes"))
    rows = []
    for k, shape in enumerate(found.shapes.T):
        energy = np.abs((np.conj(shape) * (M @ shape)).real)
        share = energy / energy.sum()
        rows.append(
            {
                "frequency": float(found.frequencies[k]),
                "damping": float(found.damping[k]),
                "growth": float(found.growth[k]),
                "eigenvalues": [[float(x.real), float(x.imag)] for x in found.eigenvalues[k]],
                "shape": {
                    name: [float(np.real(x)), float(np.imag(x))] for name, x in zip(mech.speeds, shape, strict=True)
                },
                "energy": {name: float(x) for name, x in zip(mech.speeds, share, strict=True)},
            }
        )
    joints = mech.coordinates[: len(place)]
    return {"robot": robot.name, "q": dict(zip(joints, place, strict=True)), "modes": rows}


def _draw(robot: Robot, mech: Mechanism, place: list[float], map_of: str | None, path: Path) -> None:
    from gearwright.analysis import frequency_map

    if map_of is None:
        _draw_responses(robot, mech, place, path)
        return
    names = map_of.split(",")
    frequency_map(mech, names, [_range(robot, name) for name in names], place).plot(path)


def _draw_responses(robot: Robot, mech: Mechanism, place: list[float], path: Path) -> None:
    """What every motor feels, over the frequencies of all of them."""
    from gearwright.analysis import frequency_response

    if not mech.actuators:
        raise InputError(f"robot {robot.name!r} has no motors: there is nothing to shake it with.")
    ranges = [frequency_response(mech, place, a.name).frequencies for a in mech.actuators]
    common = np.geomspace(min(f[0] for f in ranges), max(f[-1] for f in ranges), 3000)
    responses = {a.name: frequency_response(mech, place, a.name, common) for a in mech.actuators}
    worst = max(responses.values(), key=lambda r: len(r.sides))
    others = {name: r for name, r in responses.items() if r is not worst and len(r.sides) == len(worst.sides)}
    worst.plot(path, others=others)


def _range(robot: Robot, joint: str) -> tuple[float, float]:
    """The limits of a joint; half a turn to each side, or 0.1 m, where it has none."""
    limits = {link.joint_name: link.joint.limits.position for link in robot.links}.get(joint)
    if limits is not None:
        return float(limits[0]), float(limits[1])
    slides = any(link.joint_name == joint and joint_kind(link.joint.kind).slides for link in robot.links)
    return (-0.1, 0.1) if slides else (-np.pi, np.pi)


def _show(facts: dict[str, Any]) -> None:
    screen = results()
    place = ", ".join(f"{visible(name)} {number(x)}" for name, x in facts["q"].items())
    screen.print(heading(facts["robot"], f" at {place}:"))
    rows = []
    for k, mode in enumerate(facts["modes"]):
        moving = sorted(mode["energy"].items(), key=lambda item: -item[1])
        named = [f"{name} {share:.0%}" for name, share in moving if share >= SHARE]
        damping = (
            f"unstable, grows by {number(mode['growth'], 3)} 1/s"
            if mode["growth"]
            else number(100 * mode["damping"], 3)
        )
        rows.append((str(k + 1), ", ".join(named), number(mode["frequency"]), damping))
    screen.print(table(["mode", "who moves (share of the kinetic energy)", "frequency [Hz]", "damping [%]"], rows, 2))
