"""`gearwright impact`: impact of a robot on a wall, with exact, diagonal and no rotors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JsonOption, PlotOption, RobotArgument, XacroOption, parse_numbers
from gearwright.cli.output import heading_text, mention_figure, number_text, plain_table, result_screen, write_json
from gearwright.mechanism import tree_of
from gearwright.text import visible_text

if TYPE_CHECKING:
    from gearwright.analysis.model_comparison.impact_comparison import ImpactComparison


def show_impact(
    robot: RobotArgument,
    frame: Annotated[str, typer.Option("--frame", metavar="FRAME", help="The frame or link that hits the wall.")],
    normal: Annotated[
        str, typer.Option("--normal", metavar="X,Y,Z", help="Normal of the wall, towards the free side.")
    ],
    initial: Annotated[str, typer.Option("--initial", metavar="q1,q2,...", help="Configuration [rad, m].")],
    speeds: Annotated[
        str, typer.Option("--speeds", metavar="v1,v2,...", help="Speeds before the impact [rad/s, m/s].")
    ],
    restitution: Annotated[
        float, typer.Option(metavar="E", help="Coefficient of restitution: 0 (plastic) to 1 (elastic).")
    ] = 0.0,
    plot: PlotOption = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Compute the impulse, energy loss and reflected mass of an impact on a rigid wall.

    Three models are compared: exact rotors, rotor inertia on the diagonal only, and no rotors.

    Example: gearwright impact elbow --frame tool --normal 0,0,1 --initial 0.2,-0.5,1 --speeds 0,-1,-0.5
    """
    from gearwright.analysis import compare_impacts

    loaded = load(robot, xacro=xacro, include=include or ())
    mech = tree_of("compare_impacts", loaded)
    q = parse_numbers("--initial", initial, mech.coordinates)
    v = parse_numbers("--speeds", speeds, mech.speeds)
    comparison = compare_impacts(mech, q, v, frame, parse_numbers("--normal", normal, ("x", "y", "z")), restitution)
    if plot is not None:
        comparison.plot(plot)
    if json:
        models = {name: figures._asdict() for name, figures in comparison.items()}
        write_json({"robot": loaded.name, "frame": frame, "models": models})
    else:
        _show_comparison(loaded.name, frame, comparison)
    mention_figure(plot)


def _show_comparison(robot: str, frame: str, comparison: ImpactComparison) -> None:
    screen = result_screen()
    screen.print(heading_text(robot, f", {visible_text(frame)} hits a wall:"))
    rows = [
        (name, *(number_text(x) for x in (figures.reflected_mass, figures.impulse, figures.energy_lost)))
        for name, figures in comparison.items()
    ]
    screen.print(plain_table(["rotors", "reflected mass [kg]", "impulse [Ns]", "energy loss [J]"], rows))
