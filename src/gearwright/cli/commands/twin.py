"""`gearwright twin`: fit parameters of a robot and its laws to logs of runs."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import (
    IncludeOption,
    JsonOption,
    RobotArgument,
    XacroOption,
    output_file_option,
    parse_range,
    parse_seconds,
)
from gearwright.cli.output import number_text, plain_table, print_remark, progress_bar, result_screen, write_json
from gearwright.errors import InputError
from gearwright.file_access import create_folder
from gearwright.text import listed_names, visible_text

if TYPE_CHECKING:
    from gearwright.identification import RunFit, RunLog, SignalScore, Unknown
    from gearwright.parts import Robot


def fit_twin(
    robot: RobotArgument,
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG.csv...",
            help="Columns t; inputs tau.<speed>, <drive>.voltage, .current_reference or .torque; all others are "
            "measured: q.<coordinate>, v.<speed>, states and signals of laws.",
        ),
    ],
    unknown: Annotated[
        list[str],
        typer.Option(
            "--unknown",
            "-u",
            metavar="PATH[=LOW..HIGH]",
            help="A parameter of the robot or its laws, offset.<signal>, delay or delay.<signal>, with its range; may "
            "be repeated.",
        ),
    ],
    hold_out: Annotated[
        list[Path] | None,
        typer.Option(
            "--hold-out",
            metavar="LOG.csv",
            help="A log for validation, which is predicted but not fitted; may be repeated.",
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column that is not used, such as 'energy.*'; may be repeated."),
    ] = None,
    starts: Annotated[
        int, typer.Option(min=1, help="Largest number of starts; all but the first are random within the ranges.")
    ] = 1,
    step: Annotated[
        float | None,
        typer.Option(
            metavar="S", parser=parse_seconds, help="Step of the simulation. Default: from the sampling period."
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write a page with measured and predicted curves.")
    ] = None,
    output: Annotated[
        Path | None,
        output_file_option("--output", "-o", text="Write the fitted robot file.", endings=(".yaml", ".yml", ".urdf")),
    ] = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Fit parameters of a robot and its laws to logs of runs.

    Simulated outputs are fitted to the measured ones (output-error method). The result gives the standard deviation of
    every parameter, reports parameters that the logs do not determine, and predicts logs that were held out.

    Example: gearwright twin arm.yaml log.csv -u j1.motor_friction.coulomb=0..2 -u j1.motor.inertia -o fitted.yaml
    """
    from gearwright.export.urdf.urdf import save
    from gearwright.identification import RunFitOptions, fit_run

    loaded = load(robot, xacro=xacro, include=include or ())
    unknowns = [_parse_unknown(text) for text in unknown]
    fitted_logs, unseen = (
        [_read_log(path, loaded, ignore or ()) for path in paths] for paths in (logs, hold_out or ())
    )
    if report is not None:
        create_folder(report)  # an unusable folder is an error before the fit
    with progress_bar("fit") as show:
        options = RunFitOptions(step=step, starts=starts, progress=lambda share: show(round(100 * share), 100))
        fit = fit_run(loaded, fitted_logs, unknowns, options=options)
    held = fit.validate(unseen) if unseen else ()
    for remark in (*fit.information.remarks, *fit.remarks):
        print_remark(visible_text(remark))
    if json:
        write_json(_result_data(loaded, fit, held))
    else:
        _print_result(fit, held)
    if report is not None:
        page = fit.report(report, unseen, title=f"Twin of {loaded.name}")
        print_remark(f"Report written to {page}.")
    if output is not None:
        save(fit.robot, output)
        print_remark(f"Fitted robot written to {output}.")
        measurement = [name for name in fit.values if name == "delay" or name.startswith(("delay.", "offset."))]
        if measurement:
            print_remark(f"{listed_names(measurement)}: parameters of the measurement, not part of the robot file.")


def _parse_unknown(text: str) -> Unknown:
    """An unknown from PATH or PATH=LOW..HIGH."""
    from gearwright.identification import Unknown

    name, has_range, bounds = text.partition("=")
    if not has_range:
        return Unknown(name.strip())
    low, _, high = bounds.partition("..")
    try:
        lower, upper = parse_range(name.strip(), low, high)
    except ValueError as reason:
        raise InputError(
            f"--unknown {text!r}: {reason} Give a path and a range, such as j1.motor_friction.coulomb=0..2."
        ) from None
    return Unknown(name.strip(), lower=lower, upper=upper)


def _read_log(path: Path, robot: Robot, ignored: Sequence[str]) -> RunLog:
    """A log whose columns have the names of inputs and outputs of the robot."""
    from gearwright.forces.laws_of_robot import laws
    from gearwright.identification import read_run_log
    from gearwright.mechanism import assemble_tree
    from gearwright.motion.csv_columns import read_columns

    header = read_columns(path, letters=None).header
    columns = [name for name in header if name != "t" and not any(fnmatchcase(name, text) for text in ignored)]
    mech = assemble_tree(robot)
    drives = [motor.name for motor in mech.actuators]
    inputs = {f"tau.{speed}" for speed in mech.speeds}
    inputs |= {f"{drive}.{word}" for drive in drives for word in ("voltage", "current_reference", "torque")}
    input_columns = inputs.intersection(columns)
    inputs |= {quantity.name for law in laws(robot, mech, input_columns) for quantity in law.inputs}
    measured = {name: name for name in columns if name not in inputs}
    return read_run_log(path, {name: name for name in columns if name in inputs}, measured)


def _print_result(fit: RunFit, held: Sequence[SignalScore]) -> None:
    rows = [
        (
            visible_text(name),
            number_text(value, 5),
            number_text(fit.deviations[name], 2),
            " to ".join(number_text(bound) for bound in fit.intervals[name]),
            "no" if name in fit.information.poorly_determined else "yes",
        )
        for name, value in fit.values.items()
    ]
    result_screen().print(plain_table(["unknown", "value", "deviation", "95 % interval", "determined"], rows))
    errors = [
        (
            visible_text(score.log),
            visible_text(score.signal),
            number_text(score.mean_absolute),
            f"{score.r_squared:.4f}",
            word,
        )
        for word, group in (("fit", fit.scores), ("held out", held))
        for score in group
    ]
    result_screen().print(plain_table(["log", "signal", "mean absolute error", "R2", ""], errors, text=2))


def _result_data(robot: Robot, fit: RunFit, held: Sequence[SignalScore]) -> dict[str, object]:
    return {
        "robot": robot.name,
        "unknowns": [
            {
                "name": name,
                "value": value,
                "standard_deviation": fit.deviations[name],
                "interval": list(fit.intervals[name]),
                "determined": name not in fit.information.poorly_determined,
            }
            for name, value in fit.values.items()
        ],
        "correlations": fit.information.correlations.tolist(),
        "errors": [score._asdict() for score in fit.scores],
        "hold_out_errors": [score._asdict() for score in held],
        "information_criterion": fit.information_criterion,
        "not_known": list(fit.information.remarks),
        "remarks": list(fit.remarks),
    }
