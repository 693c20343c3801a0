"""`gearwright audit`: contradictions in a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.catalogue import drives, load
from gearwright.cli.arguments import IncludeOption, JsonOption, XacroOption, parse_seconds
from gearwright.cli.commands.check import PROBLEMS_FOUND_EXIT
from gearwright.cli.output import count_text, heading_text, print_remark, result_screen, wrap_text, write_json
from gearwright.errors import InputError


def audit_model(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="MJCF (.xml), URDF (.xacro with --xacro), a robot in YAML, or an actuator configuration (YAML, JSON).",
        ),
    ],
    against: Annotated[
        str | None,
        typer.Option(metavar="ROBOT", help="A robot with motors and gears, from which the right numbers follow."),
    ] = None,
    catalogue: Annotated[
        bool, typer.Option("--catalogue", help="Compare effort x speed with the motors of the catalogue.")
    ] = False,
    actuators: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="An actuator configuration of the model, in YAML or JSON."),
    ] = None,
    srdf: Annotated[
        Path | None, typer.Option(metavar="FILE", help="An SRDF file whose rotor_params describe the rotors of a URDF.")
    ] = None,
    joint: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL=ROBOT", help="A joint that has another name in ROBOT; may be repeated."),
    ] = None,
    period: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", parser=parse_seconds, help="Period of the controller with the stated gains."),
    ] = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Find contradictions in a model: armature, coupling, limits, power, gains, friction, transmissions, inertias.

    Each finding has the stated number, the number that follows from the other data, the rule and the remedy. Without
    ROBOT the model is compared with itself: its motors, its actuator configuration. The exit code is 2 if there is a
    finding.

    Example: gearwright audit leg.urdf --actuators isaac.yaml --catalogue

    Example: gearwright audit isaac.json --against mini_cheetah_leg --joint FL_calf=knee
    """
    from gearwright.analysis import ModelFileOptions, audit

    result = audit(
        model,
        None if against is None else load(against, xacro=xacro, include=include or ()),
        drives() if catalogue else None,
        actuators=actuators,
        joints=dict(_joint_pair(text) for text in joint or ()),
        period=period,
        options=ModelFileOptions(srdf=srdf, xacro=xacro, include=include or ()),
    )
    if json:
        write_json(result.as_dict())
    else:
        screen = result_screen()
        for finding in result:
            screen.print(heading_text(f"{finding.kind}: {finding.part}"), soft_wrap=True)
            for text in (finding.message, f"Rule: {finding.rule}.", finding.remedy):
                screen.print(wrap_text(f"  {text}"), soft_wrap=True)
        screen.print(f"{count_text(result.findings, 'finding')}." if result.findings else "No findings.")
        for rule in result.unchecked:
            print_remark(f"Not checked: {rule}.")
    if result.findings:
        raise typer.Exit(PROBLEMS_FOUND_EXIT)


def _joint_pair(text: str) -> tuple[str, str]:
    name, equals, other = text.partition("=")
    if not (name and equals and other):
        raise InputError(f"--joint {text!r}: give the name in the model and that in the robot, such as FL_calf=knee.")
    return name, other
