"""`gearwright impact`: what a blow against a wall does to a robot, with exact, diagonal and no rotors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, Plot, RobotName, Xacro, number_list
from gearwright.cli.output import heading, mention_figure, number, results, table, write_json
from gearwright.mechanism import machine_of
from gearwright.text import visible

if TYPE_CHECKING:
    from gearwright.analysis.model_comparison.impact_comparison import ImpactComparison


def impact(
    robot: RobotName,
    frame: Annotated[str, typer.Option("--frame", metavar="FRAME", help="The frame or link that strikes.")],
    normal: Annotated[str, typer.Option("--normal", metavar="X,Y,Z", help="Normal of the wall, to the free side.")],
    initial: Annotated[str, typer.Option("--initial", metavar="q1,q2,...", help="Configuration [rad, m].")],
    speeds: Annotated[str, typer.Option("--speeds", metavar="v1,v2,...", help="Speeds before [rad/s, m/s].")],
    restitution: Annotated[float, typer.Option(metavar="E", help="0 (plastic) to 1.")] = 0.0,
    plot: Plot = None,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Tell the impulse, the energy lost and the reflected mass at a tip that strikes a rigid wall.

    Three models are compared: exact rotors, their inertia on the diagonal alone, and none.

    Example: gearwright impact elbow --frame tool --normal 0,0,1 --initial 0.2,-0.5,1 --speeds 0,-1,-0.5
    """
    from gearwright.analysis import compare_impacts

    loaded = load(robot, xacro=xacro, include=include or ())
    mech = machine_of("compare_impacts", loaded)
    q = number_list("--initial", initial, mech.coordinates)
    v = number_list("--speeds", speeds, mech.speeds)
    found = compare_impacts(mech, q, v, frame, number_list("--normal", normal, ("x", "y", "z")), restitution)
    if plot is not None:
        found.plot(plot)
    if json:
        models = {name: figures._asdict() for name, figures in found.items()}
        write_json({"robot": loaded.name, "frame": frame, "models": models})
    else:
        _show(loaded.name, frame, found)
    mention_figure(plot)


def _show(robot: str, frame: str, found: ImpactComparison) -> None:
    screen = results()
    screen.print(heading(robot, f", {visible(frame)} strikes:"))
    rows = [
        (name, *(number(x) for x in (figures.reflected_mass, figures.impulse, figures.energy_lost)))
        for name, figures in found.items()
    ]
    screen.print(table(["rotors", "mass at the tip [kg]", "impulse [Ns]", "energy lost [J]"], rows))
