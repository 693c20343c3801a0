"""gearwright excite and identify: a motion to measure, and parameters from what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, RobotName, Xacro
from gearwright.cli.output import number, progress, results, say, table, write_json
from gearwright.errors import InputError, MissingExtraError
from gearwright.mechanism import assemble
from gearwright.text import visible

if TYPE_CHECKING:
    from gearwright.identification import Identification, PayloadFit, Validation


def identify_robot(
    robot: RobotName,
    log: Annotated[
        Path,
        typer.Argument(
            metavar="LOG.csv",
            help="Columns t, q.<coordinate>, tau.<speed> (or currents i.<drive>), and v.<speed>, a.<speed> if known.",
        ),
    ],
    validate: Annotated[
        Path | None,
        typer.Option(metavar="OTHER.csv", help="Another log to validate on; else the last 30 % of LOG.csv."),
    ] = None,
    payload: Annotated[
        Path | None,
        typer.Option(metavar="LOADED.csv", help="A log with a payload on the last link; LOG.csv is without it."),
    ] = None,
    report: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write a report with figures there.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the identified robot file.")
    ] = None,
    method: Annotated[str, typer.Option(help="ols, wls (each joint by its variance) or irls (robust).")] = "wls",
    cutoff: Annotated[float | None, typer.Option(metavar="HZ", help="Of the filter; else from the signal.")] = None,
    gains: Annotated[
        str | None,
        typer.Option(metavar="NAME=NM/A,...", help="Torque per ampere of each drive; else the motors' own constants."),
    ] = None,
    side: Annotated[str, typer.Option(help="motor or link: where the torque was measured.")] = "motor",
    transition_speed: Annotated[
        float, typer.Option(metavar="RAD/S", help="Speed over which friction changes sign.")
    ] = 0.0,
    trust: Annotated[float, typer.Option(help="Relative uncertainty of the robot file's own numbers.")] = 1.0,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Find a robot's parameters from measurements.

    Takes measured motion and torques, states the confidence of every parameter, and checks them on other data. With -o
    the parameters are made physically consistent, close to those of the robot file, and written into a new one.

    Example: gearwright identify elbow log.csv --report report -o identified.yaml
    """
    from gearwright.identification import identify, identify_payload, read_log

    if method not in ("ols", "wls", "irls"):
        raise InputError(f"--method {method!r} is not known. Use ols, wls or irls.")
    loaded, constants = load(robot, xacro=xacro, include=include or ()), _gains(gains)
    whole = read_log(log, loaded, constants).derived(assemble(loaded), cutoff)
    train, rest = (whole, read_log(validate, loaded, constants)) if validate is not None else whole.split(0.7)
    found = identify(loaded, train, method=method, cutoff=cutoff, side=side, transition_speed=transition_speed)  # type: ignore[arg-type]
    check = found.validate(rest)
    carried = None if payload is None else identify_payload(found, read_log(payload, loaded, constants))
    for remark in found.remarks:
        say(remark)
    if json:
        write_json(_as_data(found, check, carried))
    else:
        _print(found, check, carried)
    _write(found, check, report, output, trust)


def _write(found: Identification, check: Validation, report: Path | None, output: Path | None, trust: float) -> None:
    """The identified robot and the report; a report needs no solver, it only says less without one."""
    from gearwright.export.urdf.urdf import save
    from gearwright.identification import fit_consistent, identified_robot, write_report

    if output is None and report is None:
        return
    try:
        fit = fit_consistent(found, trust)
    except MissingExtraError as error:
        if output is not None:
            raise
        say(str(error))
        fit = None
    if output is not None and fit is not None:
        robot, remarks = identified_robot(fit)
        save(robot, output)
        for remark in remarks:
            say(remark)
        say(f"Identified robot written to {output}.")
    if report is not None:
        name = found.robot.name if found.robot is not None else "a machine"
        say(f"Report written to {write_report(found, report, check, fit, title=f'Identification of {name}')}.")


def _gains(text: str | None) -> dict[str, float] | None:
    """Torque constants [Nm/A] by drive, from j1=0.1,j2=0.2."""
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
    robot: RobotName,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.csv", help="Where to write the motion.")],
    period: Annotated[float, typer.Option(metavar="S", help="Length of the motion.")] = 10.0,
    harmonics: Annotated[int, typer.Option(help="Frequencies in it.")] = 5,
    rate: Annotated[float, typer.Option(metavar="HZ", help="Samples per second in the file.")] = 100.0,
    criterion: Annotated[str, typer.Option(help="condition or d-optimal.")] = "condition",
    starts: Annotated[int, typer.Option(help="Random starts.")] = 4,
    steps: Annotated[int, typer.Option(help="Changes tried per start.")] = 150,
    seed: Annotated[int, typer.Option(help="Of the random numbers.")] = 0,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Find a motion that shows all base parameters.

    It stays within the joint limits of the robot file and is written as CSV for a controller.

    Example: gearwright excite elbow -o motion.csv --period 12
    """
    from gearwright.identification import excite

    loaded = load(robot, xacro=xacro, include=include or ())
    with progress("exciting motion") as show:
        found = excite(
            loaded,
            period=period,
            harmonics=harmonics,
            criterion=criterion,  # type: ignore[arg-type]
            starts=starts,
            steps=steps,
            seed=seed,
            progress=lambda done, total, _: show(done, total),
        )
    found.motion.save(output, assemble(loaded), rate)
    if json:
        write_json({"robot": loaded.name, "rank": found.rank, "condition": float(found.condition), "file": str(output)})
    say(f"{found.rank} base parameters, condition number {number(found.condition)}; motion written to {output}.")


def _print(found: Identification, check: Validation, carried: PayloadFit | None) -> None:
    rows = [
        (name, number(value), number(deviation, 2), unit)
        for name, value, deviation, unit in zip(
            found.names, found.values, found.standard_deviations, found.units, strict=True
        )
    ]
    if found.cutoff is not None:
        results().print(f"cut-off of the filter: {number(found.cutoff)} Hz")
    results().print(table(["base parameter", "value", "deviation", "unit"], rows))
    errors = [
        (name, f"{100 * found.fit.relative_errors[name]:.2f} %", f"{100 * error:.2f} %")
        for name, error in check.relative_errors.items()
    ]
    results().print(table(["torque error", "fit", "validation"], errors))
    if carried is not None:
        part, place = carried.payload, ", ".join(number(x) for x in carried.payload.position)
        results().print(f"payload on {visible(carried.body)}: {number(part.mass)} kg at ({place}) m")


def _as_data(found: Identification, check: Validation, carried: PayloadFit | None) -> dict[str, object]:
    more = {} if carried is None else {"payload": _payload_data(carried)}
    return {
        "base_parameters": [
            {"name": name, "value": value, "standard_deviation": deviation, "unit": unit, "terms": dict(terms)}
            for name, value, deviation, unit, terms in zip(
                found.names,
                found.values.tolist(),
                found.standard_deviations.tolist(),
                found.units,
                found.base.combinations,
                strict=True,
            )
        ],
        "fit_error": found.fit.relative_errors,
        "validation_error": check.relative_errors,
        "not_found": list(found.not_found),
        "cutoff_hz": found.cutoff,
        "remarks": list(found.remarks),
        "doubts": list(found.doubts),
        **more,
    }


def _payload_data(carried: PayloadFit) -> dict[str, object]:
    part = carried.payload
    return {"body": carried.body, "mass": part.mass, "position": list(part.position), "inertia": part.inertia}
