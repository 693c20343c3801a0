"""`gearwright train`: transmission ratios and inertia shares of motors and wheels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JsonOption, PlotOption, RobotArgument, XacroOption, parse_numbers
from gearwright.cli.output import (
    count_text,
    heading_text,
    mention_figure,
    number_text,
    plain_table,
    print_remark,
    result_screen,
    write_json,
)
from gearwright.errors import InputError
from gearwright.functions import neutral
from gearwright.mechanism import assemble_tree, gear_graph
from gearwright.parts import Drive, Robot
from gearwright.programs import machine_of
from gearwright.text import visible_text


def show_train(
    robot: RobotArgument,
    joints: Annotated[
        str | None,
        typer.Option(metavar="J1,J2,...", help="Show the ratios of the motors to these joints, through any linkage."),
    ] = None,
    posture: Annotated[
        str | None,
        typer.Option(
            metavar="q1,q2,...",
            help="Positions of these joints [rad, m]. Default: zero; with closed loops the first state of the file.",
        ),
    ] = None,
    plot: PlotOption = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Show ratios and inertia shares of motors and wheels at the joints.

    The structure matrix holds the ratio of every motor to every joint. A wheel's share is its contribution to the
    diagonal of the mass matrix with all joints at zero, with closed loops at the independent joints. The figure shows
    the graph as drawn and in canonical form, the equivalent open-loop chain, and the primary link of every wheel. Solid
    lines are turning pairs (with the axis); dashed lines are gear pairs, also those inside planetary, spur and other
    gears, or the total ratio of a drive's wheel.

    With --joints: the motor space, that is ratios, reflected inertia and damping at these joints in one posture. The
    figure then shows the feasible torques and speeds of two joints.

    Example: gearwright train grm3 --plot grm3.png, or gearwright train ankle.yaml --joints pitch,roll --posture 0.2,0.1
    """
    loaded = load(robot, xacro=xacro, include=include or ())
    if joints is not None:
        _show_motor_space(loaded, joints.split(","), posture, plot, json)
        return
    if posture is not None:
        raise InputError("--posture gives positions, but their joints are not named. Add --joints.")
    facts = _train_data(loaded)
    if plot is not None:
        from gearwright.plots import save_figure
        from gearwright.scene import gear_graph_figure

        save_figure(gear_graph_figure(loaded, assemble_tree(loaded)), plot)
    if json:
        write_json(facts)
    else:
        _show_train_data(facts)
    mention_figure(plot)


def _show_motor_space(robot: Robot, joints: list[str], posture: str | None, plot: Path | None, json: bool) -> None:
    """Print the motor space of these joints at a posture, and draw its polygons."""
    from gearwright.actuation import motor_space
    from gearwright.functions.constrained.closing import ClosedMechanism, assemble

    mech = assemble(robot, independent=joints) if robot.loops else assemble(robot)
    first = mech.reference if isinstance(mech, ClosedMechanism) else neutral(mech)
    configuration = dict(zip(mech.coordinates, first, strict=True))
    if posture is not None:
        configuration |= dict(zip(joints, parse_numbers("--posture", posture, joints), strict=True))
    start = np.array([configuration[name] for name in mech.independent_coordinates])
    by_name = {name: configuration[name] for name in joints if name in configuration}
    space = motor_space(robot, mech.closed(start) if isinstance(mech, ClosedMechanism) else start, joints)
    if plot is not None:
        from gearwright.plots import save_figure

        save_figure(space.plot(), plot)
    matrices = {
        "ratios (turns of the motor per turn of the joint)": (space.motors, space.ratios),
        "inertia at the joints [kg m2]": (space.joints, space.inertia),
        "share of the rotors [kg m2]": (space.joints, space.reflected_inertia),
        "damping of the motors [Nms/rad]": (space.joints, space.reflected_damping),
    }
    if json:
        fields = ("motors", "joints", "remarks")
        arrays = ("q", "ratios", "inertia", "reflected_inertia", "reflected_damping")
        facts: dict[str, Any] = {"robot": robot.name, **{name: list(getattr(space, name)) for name in fields}}
        write_json(facts | {name: getattr(space, name).tolist() for name in arrays})
    else:
        screen = result_screen()
        at = ", ".join(f"{visible_text(name)} {number_text(x)}" for name, x in by_name.items())
        screen.print(heading_text(robot.name, f": motor space at {at}"))
        for title, (names, matrix) in matrices.items():
            screen.print(f"\n{title[0].upper()}{title[1:]}:")
            rows = [[name, *(number_text(x) for x in row)] for name, row in zip(names, matrix.tolist(), strict=True)]
            screen.print(plain_table(["", *space.joints], rows))
        for remark in space.remarks:
            print_remark(remark)
    mention_figure(plot)


def _train_data(robot: Robot) -> dict[str, Any]:
    from gearwright.functions.actuation import structure_matrix
    from gearwright.functions.dynamics import mass_matrix, neutral
    from gearwright.functions.explain import explain
    from gearwright.scene import primary_link

    graph, links = gear_graph(robot), [link.name for link in robot.links]
    mech = machine_of("train", robot)
    q, rest_state = neutral(mech), np.zeros(mech.n)
    shares = explain(mech, q, rest_state, rest_state).mass_matrices / np.diag(mass_matrix(mech, q))
    return {
        "robot": robot.name,
        "speeds": list(mech.tree.speeds),
        "motors": [actuator.name for actuator in mech.actuators],
        "structure_matrix": structure_matrix(mech.tree).tolist() if mech.actuators else [],
        "wheels": [
            {
                "name": spin.name,
                "on": mech.carrier_name(spin.carrier),
                "primary_link": primary_link(graph, links, spin.name) or mech.carrier_name(spin.carrier),
                "ratio": {mech.tree.speeds[k]: float(ratio) for k, ratio in spin.terms},
                "share": dict(zip(mech.speeds, np.diag(share).tolist(), strict=True)),
            }
            for spin, share in zip(mech.spins, shares, strict=True)
        ],
        "averaging_errors": {drive.title: error for drive in robot.drives if (error := _averaging_error(drive))},
    }


def _averaging_error(drive: Drive) -> float:
    """Return the inertia error [kg m2] of a gear's members that are not bodies of revolution."""
    return float(getattr(drive.gear, "averaging_error", 0.0))


def _show_train_data(facts: dict[str, Any]) -> None:
    screen = result_screen()
    counts = f"{count_text(facts['motors'], 'motor')}, {count_text(facts['wheels'], 'wheel')}"
    screen.print(heading_text(facts["robot"], f": {counts}"))
    if facts["motors"]:
        screen.print("\nStructure matrix (turns of the motor per turn of the joint):")
        matrix = zip(facts["speeds"], facts["structure_matrix"], strict=True)
        screen.print(
            plain_table(["joint", *facts["motors"]], [[name, *(number_text(x) for x in row)] for name, row in matrix])
        )
    screen.print(
        "\nWheels (belongs to: its primary link in the canonical graph; ratio: turns relative to its carrier per "
        "turn of the "
        "joint; share: part of the inertia at the joint):"
    )
    rows = [
        (w["name"], w["on"], w["primary_link"], _ratio_text(w["ratio"]), _share_text(w["share"]))
        for w in facts["wheels"]
    ]
    screen.print(plain_table(["wheel", "on", "belongs to", "ratio", "share"], rows, text=5))
    for drive, error in facts["averaging_errors"].items():
        screen.print(
            f"\n{visible_text(drive)}: members that are not bodies of revolution are averaged; the inertia transverse "
            "to "
            "their "
            f"axis has an error of at most {number_text(error)} kg m2."
        )


def _ratio_text(ratio: dict[str, float]) -> str:
    return ", ".join(f"{number_text(x)} {speed}" for speed, x in ratio.items())


def _share_text(share: dict[str, float]) -> str:
    return ", ".join(f"{x:.1%} {speed}" for speed, x in share.items() if abs(x) >= 0.0005)
