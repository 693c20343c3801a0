"""`gearwright excite` and `identify`: an excitation motion, and parameters from measurements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JsonOption, RobotArgument, XacroOption, parse_seconds
from gearwright.cli.output import number_text, plain_table, print_remark, progress_bar, result_screen, write_json
from gearwright.errors import InputError, MissingExtraError
from gearwright.mechanism import assemble_tree
from gearwright.text import visible_text

if TYPE_CHECKING:
    from gearwright.identification import Identification, PayloadFit, Validation


def identify_robot(
    robot: RobotArgument,
    log: Annotated[
        Path,
        typer.Argument(
            metavar="LOG.csv",
            help="Columns t, q.<coordinate>, tau.<speed> (or currents i.<drive>), and v.<speed>, a.<speed> if known.",
        ),
    ],
    validate: Annotated[
        Path | None,
        typer.Option(metavar="OTHER.csv", help="Another log for validation. Default: the last 30 % of LOG.csv."),
    ] = None,
    payload: Annotated[
        Path | None,
        typer.Option(
            metavar="LOADED.csv", help="A log with a payload on the last link; LOG.csv is the log without it."
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write a report with figures to this folder.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the identified robot file.")
    ] = None,
    method: Annotated[
        str, typer.Option(help="Least squares: ols, wls (joints weighted by variance) or irls (robust).")
    ] = "wls",
    cutoff: Annotated[
        float | None, typer.Option(metavar="HZ", help="Cut-off frequency of the filter. Default: from the signal.")
    ] = None,
    gains: Annotated[
        str | None,
        typer.Option(metavar="NAME=NM/A,...", help="Torque constant of each drive. Default: that of its motor."),
    ] = None,
    side: Annotated[str, typer.Option(help="Side on which the torque was measured: motor or link.")] = "motor",
    transition_speed: Annotated[
        float, typer.Option(metavar="RAD/S", help="Speed over which friction changes sign.")
    ] = 0.0,
    nominal_deviation: Annotated[
        float, typer.Option(help="Relative uncertainty of the values in the robot file.")
    ] = 1.0,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Identify a robot's parameters from measurements.

    The log holds measured motion and torques. The result has the standard deviation of every parameter and a validation
    on other data. With -o the parameters are made physically consistent, close to those of the robot file, and written
    to a new file.

    Example: gearwright identify elbow log.csv --report report -o identified.yaml
    """
    from gearwright.identification import FrictionTransition, identify, identify_payload, read_log

    if method not in ("ols", "wls", "irls"):
        raise InputError(f"--method {method!r} is unknown. Use ols, wls or irls.")
    loaded, constants = load(robot, xacro=xacro, include=include or ()), _parse_gains(gains)
    full_log = read_log(log, loaded, constants).with_derivatives(assemble_tree(loaded), cutoff)
    train, validation_log = (
        (full_log, read_log(validate, loaded, constants)) if validate is not None else full_log.split(0.7)
    )
    transition = FrictionTransition(transition_speed)
    identification = identify(loaded, train, method=method, cutoff=cutoff, side=side, transition=transition)  # type: ignore[arg-type]
    check = identification.validate(validation_log)
    payload_fit = None if payload is None else identify_payload(identification, read_log(payload, loaded, constants))
    for remark in identification.remarks:
        print_remark(remark)
    if json:
        write_json(_results_data(identification, check, payload_fit))
    else:
        _print_results(identification, check, payload_fit)
    _write_results(identification, check, report, output, nominal_deviation)


def _write_results(
    identification: Identification,
    check: Validation,
    report: Path | None,
    output: Path | None,
    nominal_deviation: float,
) -> None:
    """Write the identified robot and the report; without the solver the report is shorter."""
    from gearwright.export.urdf.urdf import save
    from gearwright.identification import fit_consistent, identified_robot, write_report

    if output is None and report is None:
        return
    try:
        fit = fit_consistent(identification, nominal_deviation)
    except MissingExtraError as error:
        if output is not None:
            raise
        print_remark(str(error))
        fit = None
    if output is not None and fit is not None:
        robot, remarks = identified_robot(fit)
        save(robot, output)
        for remark in remarks:
            print_remark(remark)
        print_remark(f"Identified robot written to {output}.")
    if report is not None:
        name = identification.robot.name if identification.robot is not None else "a machine"
        print_remark(
            f"Report written to {write_report(identification, report, check, fit, title=f'Identification of {name}')}."
        )


def _parse_gains(text: str | None) -> dict[str, float] | None:
    """Return torque constants [Nm/A] by drive, from j1=0.1,j2=0.2."""
    if text is None:
        return None
    gains = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            gains[name.strip()] = float(value)
        except ValueError:
            raise InputError(f"--gains {part!r}: give a name and a number in Nm/A, such as j1=0.1,j2=0.2.") from None
    return gains


def excite_robot(
    robot: RobotArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.csv", help="The file for the motion.")],
    period: Annotated[float, typer.Option(metavar="S", parser=parse_seconds, help="Duration of the motion.")] = 10.0,
    harmonics: Annotated[int, typer.Option(help="Number of harmonics.")] = 5,
    rate: Annotated[float, typer.Option(metavar="HZ", help="Samples per second in the file.")] = 100.0,
    criterion: Annotated[str, typer.Option(help="Optimality criterion: condition or d-optimal.")] = "condition",
    starts: Annotated[int, typer.Option(help="Number of random starts.")] = 4,
    steps: Annotated[int, typer.Option(help="Steps of the search per start.")] = 150,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Find a motion that excites all base parameters.

    It stays within the joint limits of the robot file and is written as CSV for a controller.

    Example: gearwright excite elbow -o motion.csv --period 12
    """
    from gearwright.identification import ExcitationOptions, excite

    loaded = load(robot, xacro=xacro, include=include or ())
    with progress_bar("excitation motion") as show:
        excitation = excite(
            loaded,
            period=period,
            harmonics=harmonics,
            criterion=criterion,  # type: ignore[arg-type]
            search=ExcitationOptions(starts=starts, steps=steps, seed=seed),
            progress=lambda done, total, _: show(done, total),
        )
    excitation.motion.save(output, assemble_tree(loaded), rate)
    if json:
        write_json(
            {
                "robot": loaded.name,
                "rank": excitation.rank,
                "condition": float(excitation.condition),
                "file": str(output),
            }
        )
    print_remark(
        f"{excitation.rank} base parameters, condition number {number_text(excitation.condition)}; motion written to "
        f"{output}."
    )


def _print_results(identification: Identification, check: Validation, payload_fit: PayloadFit | None) -> None:
    rows = [
        (name, number_text(value), number_text(deviation, 2), unit)
        for name, value, deviation, unit in zip(
            identification.names,
            identification.values,
            identification.standard_deviations,
            identification.units,
            strict=True,
        )
    ]
    if identification.cutoff is not None:
        result_screen().print(f"cut-off of the filter: {number_text(identification.cutoff)} Hz")
    result_screen().print(plain_table(["base parameter", "value", "deviation", "unit"], rows))
    errors = [
        (name, f"{100 * identification.fit.relative_errors[name]:.2f} %", f"{100 * error:.2f} %")
        for name, error in check.relative_errors.items()
    ]
    result_screen().print(plain_table(["torque error", "fit", "validation"], errors))
    if payload_fit is not None:
        part, place = payload_fit.payload, ", ".join(number_text(x) for x in payload_fit.payload.position)
        result_screen().print(
            f"payload on {visible_text(payload_fit.body)}: {number_text(part.mass)} kg at ({place}) m"
        )


def _results_data(
    identification: Identification, check: Validation, payload_fit: PayloadFit | None
) -> dict[str, object]:
    payload_entry = {} if payload_fit is None else {"payload": _payload_data(payload_fit)}
    return {
        "base_parameters": [
            {"name": name, "value": value, "standard_deviation": deviation, "unit": unit, "terms": dict(terms)}
            for name, value, deviation, unit, terms in zip(
                identification.names,
                identification.values.tolist(),
                identification.standard_deviations.tolist(),
                identification.units,
                identification.base.combinations,
                strict=True,
            )
        ],
        "fit_error": identification.fit.relative_errors,
        "validation_error": check.relative_errors,
        "unidentified": list(identification.unidentified),
        "cutoff_hz": identification.cutoff,
        "remarks": list(identification.remarks),
        "warnings": list(identification.warnings),
        **payload_entry,
    }


def _payload_data(payload_fit: PayloadFit) -> dict[str, object]:
    part = payload_fit.payload
    return {"body": payload_fit.body, "mass": part.mass, "position": list(part.position), "inertia": part.inertia}
