"""`gearwright modes`: vibration modes of an elastic robot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JointsOption, JsonOption, PlotOption, RobotArgument, XacroOption
from gearwright.cli.output import heading_text, mention_figure, number_text, plain_table, result_screen, write_json
from gearwright.cli.start_pose import joint_positions
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, joint_kind
from gearwright.parts import Robot
from gearwright.programs import machine_of
from gearwright.text import visible_text

if TYPE_CHECKING:
    from gearwright.analysis import VibrationModes

MIN_NAMED_ENERGY_SHARE = 0.25
"""Least share of a mode's kinetic energy with which a joint or motor is listed."""


def show_modes(
    robot: RobotArgument,
    q: JointsOption = None,
    held: Annotated[bool, typer.Option("--held", help="Lock the motors, as brakes do.")] = False,
    free: Annotated[bool, typer.Option("--free", help="Include rigid-body modes.")] = False,
    plot: PlotOption = None,
    map_of: Annotated[
        str | None,
        typer.Option("--map", metavar="J1,J2", help="Plot the first natural frequency over two joints."),
    ] = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Show natural frequencies, damping ratios and mode shapes of an elastic robot.

    The modes are those about a static equilibrium under gravity. Rigid-body modes, in which no spring deflects, are
    left out unless --free is given (0 Hz, or a frequency due to gravity). The figure shows the frequency response at
    each motor, or a map (--map).

    Example: gearwright modes elastic_elbow --q 0,0.5,-1 --plot modes.png
    """
    from gearwright.analysis import vibration_modes

    loaded = load(robot, xacro=xacro, include=include or ())
    mech = machine_of("vibration_modes", loaded)
    place = joint_positions(loaded, mech.tree, q)
    vibration = vibration_modes(mech, place, "held" if held else "free", rigid_motions=free)
    facts = _mode_data(loaded, mech, place, vibration)
    if map_of is not None and plot is None:
        raise InputError(f"--map {map_of}: the file of the figure is missing. Add --plot FILE.")
    if plot is not None:
        _draw_modes(loaded, mech, place, map_of, plot)
    if json:
        write_json(facts)
    else:
        _show_table(facts)
    mention_figure(plot)


def _mode_data(robot: Robot, mech: Mechanism, place: list[float], vibration: VibrationModes) -> dict[str, Any]:
    from gearwright.analysis.vibration.vibration_modes import full_configuration
    from gearwright.functions.dynamics import mass_matrix

    M = mass_matrix(mech, full_configuration(mech, place, "vibration_modes"))
    rows = []
    for k, shape in enumerate(vibration.shapes.T):
        energy = np.abs((np.conj(shape) * (M @ shape)).real)
        share = energy / energy.sum()
        rows.append(
            {
                "frequency": float(vibration.frequencies[k]),
                "damping": float(vibration.damping[k]),
                "growth": float(vibration.growth_rates[k]),
                "eigenvalues": [[float(x.real), float(x.imag)] for x in vibration.eigenvalues[k]],
                "shape": {
                    name: [float(np.real(x)), float(np.imag(x))] for name, x in zip(mech.speeds, shape, strict=True)
                },
                "energy": {name: float(x) for name, x in zip(mech.speeds, share, strict=True)},
            }
        )
    joints = mech.coordinates[: len(place)]
    return {"robot": robot.name, "q": dict(zip(joints, place, strict=True)), "modes": rows}


def _draw_modes(robot: Robot, mech: Mechanism, place: list[float], map_of: str | None, path: Path) -> None:
    from gearwright.analysis import frequency_map

    if map_of is None:
        _draw_responses(robot, mech, place, path)
        return
    names = map_of.split(",")
    frequency_map(mech, names, [_joint_range(robot, name) for name in names], place).plot(path)


def _draw_responses(robot: Robot, mech: Mechanism, place: list[float], path: Path) -> None:
    """Draw the frequency responses at all motors over a common frequency range."""
    from gearwright.analysis import frequency_response

    if not mech.actuators:
        raise InputError(
            f"robot {robot.name!r} has no motors, so it has no frequency response. Add a motor, or omit --plot."
        )
    ranges = [frequency_response(mech, place, a.name).frequencies for a in mech.actuators]
    common = np.geomspace(min(f[0] for f in ranges), max(f[-1] for f in ranges), 3000)
    responses = {a.name: frequency_response(mech, place, a.name, common) for a in mech.actuators}
    worst = max(responses.values(), key=lambda r: len(r.sides))
    comparable = {name: r for name, r in responses.items() if r is not worst and len(r.sides) == len(worst.sides)}
    worst.plot(path, others=comparable)


def _joint_range(robot: Robot, joint: str) -> tuple[float, float]:
    """Return the limits of a joint; without any, half a turn to each side, or 0.1 m."""
    limits = {link.joint_name: link.joint.limits.position for link in robot.links}.get(joint)
    if limits is not None:
        return float(limits[0]), float(limits[1])
    slides = any(link.joint_name == joint and joint_kind(link.joint.kind).is_prismatic for link in robot.links)
    return (-0.1, 0.1) if slides else (-np.pi, np.pi)


def _show_table(facts: dict[str, Any]) -> None:
    screen = result_screen()
    place = ", ".join(f"{visible_text(name)} {number_text(x)}" for name, x in facts["q"].items())
    screen.print(heading_text(facts["robot"], f" at {place}:"))
    rows = []
    for k, mode in enumerate(facts["modes"]):
        moving = sorted(mode["energy"].items(), key=lambda item: -item[1])
        named = [f"{name} {share:.0%}" for name, share in moving if share >= MIN_NAMED_ENERGY_SHARE]
        damping = (
            f"unstable, growth rate {number_text(mode['growth'], 3)} 1/s"
            if mode["growth"]
            else number_text(100 * mode["damping"], 3)
        )
        rows.append((str(k + 1), ", ".join(named), number_text(mode["frequency"]), damping))
    screen.print(
        plain_table(
            ["mode", "joints and motors (share of the kinetic energy)", "frequency [Hz]", "damping [%]"], rows, 2
        )
    )
