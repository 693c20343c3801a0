"""Losses of a gear from a test bench: friction of its teeth or thread and of its bearings from steady points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array
from gearwright.arrays import Array
from gearwright.errors import DriveError, InputError, TrainError
from gearwright.forces.transmission.steady_gear import SteadyGear
from gearwright.identification.run_fit.identifiability import Information, information
from gearwright.text import did_you_mean, listed_names

GEAR_WORDS = ("friction_coefficient", "mesh_efficiency", "efficiency")
"""Numbers of a gear that determine its losses, of which it has at most one."""

SHARE_WORDS = ("motor", "joint", "motor_stribeck", "joint_stribeck")
"""Numbers of load-dependent friction that are fractions of a torque."""

LARGEST_SHARE, LEAST_EFFICIENCY = 0.99, 0.01
"""Bounds of fractions of a torque, and of efficiencies."""

LARGEST_STRIBECK_RATIO = 10.0
"""Largest Stribeck speed, relative to the largest measured speed; the least is the lowest measured speed, below which
no point shows it."""

BOUND_SHARE = 1e-3
"""Distance to a lower bound, relative to the scale of an unknown, below which it counts as at the bound."""

INPUT_SCALE = "input_scale"
"""The unknown factor of the stated torques of the motor, such as that of a torque constant which is not known."""

INPUT_SCALE_RANGE = (0.1, 10.0)
"""Bounds of that factor."""

INPUT_SATURATION = "input_saturation"
"""The unknown s [1/Nm] of stated torques that a motor whose torque constant falls with its current does not reach."""

INPUT_UNKNOWNS = (INPUT_SCALE, INPUT_SATURATION)

REVERSED_ERROR_RATIO = 0.5
"""Error with reversed output torques, relative to that of the fit, below which their sign is probably wrong."""

IMPOSSIBLE_ERROR = 1e3
"""Error of every point of a gear that transmits no power, relative to the largest measured torque."""


@dataclass(frozen=True)
class GearLossFit:
    """The fitted losses of a gear.

    Args:
        gear: gear and friction with the fitted numbers; `gear.efficiency(torque, speed)` is the efficiency map.
        values: of the unknowns, `gear.<number>`, `friction.<number>`, `input_scale` and `input_saturation`; a static
            friction below the Coulomb friction has no effect.
        information: what the points tell of them.
        rms: root mean square error of the fitted side [Nm], of screws and racks at the output [N].
        information_criterion: Bayesian information criterion; of several structures, the least is preferred.
        remarks: on unknowns at a bound and those that the points do not determine.
    """

    gear: SteadyGear
    values: Mapping[str, float]
    information: Information
    rms: float
    information_criterion: float
    remarks: tuple[str, ...]

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviations by name; infinite where nothing bounds an unknown."""
        sizes = np.sqrt(np.maximum(np.diag(self.information.covariance), 0.0)).tolist()
        known = dict(zip(self.information.names, sizes, strict=True))
        return {name: np.inf if name in self.information.unbounded else size for name, size in known.items()}

    @check_arguments
    def motor_torque(self, input_torque: ArrayLike) -> Array:
        """The torques of the motor [Nm] for stated ones, with the fitted factor and saturation."""
        return _motor_torque(number_array("motor_torque", "input_torque", input_torque), self.values)


def _motor_torque(stated: Array, values: Mapping[str, float]) -> Array:
    """The torque of the motor, a T / (1 + s |T|), for the stated torque T, with factor a and saturation s."""
    limit = 1.0 + values.get(INPUT_SATURATION, 0.0) * np.abs(stated)
    return np.asarray(values.get(INPUT_SCALE, 1.0) * stated / limit)


def _stated_torque(motor: Array, values: Mapping[str, float]) -> Array:
    """The stated torque for that of the motor; very large where saturation prevents it."""
    left = values.get(INPUT_SCALE, 1.0) - values.get(INPUT_SATURATION, 0.0) * np.abs(motor)
    return np.asarray(motor / np.maximum(left, 1 / IMPOSSIBLE_ERROR))


@check_arguments
def fit_gear_losses(
    start: SteadyGear,
    output_torque: ArrayLike,
    input_torque: ArrayLike,
    speed: ArrayLike,
    error_of: Literal["input", "output"] = "input",
    unknowns: Sequence[str] | None = None,
) -> GearLossFit:
    """Fit the friction of a gear to steady points of a test bench.

    Args:
        start: gear and friction with start values.
        output_torque: torque or force that the gear exerts at its output [Nm or N], (N,), positive in the direction of
            positive output speed.
        input_torque: of the motor [Nm], (N,).
        speed: of the motor [rad/s], (N,), not 0.
        error_of: side whose squared error is minimised: the one that is measured with noise.
        unknowns: `gear.friction_coefficient`, `.mesh_efficiency` or `.efficiency`; `friction.<number>`; `input_scale` a
            and `input_saturation` s of a motor with the torque $a T / (1 + s |T|)$ for the stated `input_torque` T,
            whose torque constant is not known or falls with its current. None: the number that determines the losses
            of the gear, and all numbers of the friction that are not zero.

    >>> from gearwright.actuation import SteadyGear
    >>> from gearwright.parts import Friction, Screw
    >>> def bench(friction, coulomb):
    ...     screw = Screw(lead=0.002, diameter=0.011, friction_coefficient=friction)
    ...     return SteadyGear(screw, Friction(coulomb=coulomb, viscous=3e-5))
    >>> force, speed = np.array([5.0, 20.0, 40.0, 5.0, 20.0, 40.0]), np.array([10.0, 5.0, 20.0, -10.0, -20.0, -5.0])
    >>> torque = bench(0.2, 1e-3).input_torque(force, speed)
    >>> fit = fit_gear_losses(bench(0.1, 1e-4), force, torque, speed)
    >>> round(fit.values["gear.friction_coefficient"], 6), round(fit.values["friction.coulomb"], 9)
    (0.2, 0.001)
    """
    output, entering, speeds = (
        number_array("fit_gear_losses", name, x)
        for name, x in (("output_torque", output_torque), ("input_torque", input_torque), ("speed", speed))
    )
    known_names = _unknown_names(start)
    for name in unknowns or ():
        if name not in (*known_names, *INPUT_UNKNOWNS):
            raise InputError(
                f"fit_gear_losses: gear and friction have no number {name!r} that could be fitted. "
                f"{did_you_mean(name, (*known_names, *INPUT_UNKNOWNS))} Start values must not be zero."
            )
    names = known_names if unknowns is None else tuple(dict.fromkeys(unknowns))
    if not names:
        raise InputError(
            "fit_gear_losses: neither gear nor friction has a number to be fitted. Give start values that are not "
            "zero, such as Friction(coulomb=1e-3) or Worm(..., friction_coefficient=0.1)."
        )
    shapes = {x.shape for x in (output, entering, speeds)}
    if len(shapes) > 1 or output.ndim != 1 or len(output) <= len(names):
        raise InputError(
            f"fit_gear_losses: output_torque {output.shape}, input_torque {entering.shape} and speed {speeds.shape} "
            f"must have one length above the number of unknowns, {len(names)} ({listed_names(names)})."
        )
    points = BenchPoints(output, entering, speeds, error_of)
    x, residuals, J, ranges = _least_squares(start, names, points)
    scales, lower, _ = ranges
    sizes = np.maximum(np.abs(x), BOUND_SHARE * scales)
    known = information(names, x, J, residuals, (), 0 * x, sizes)
    remarks = [
        f"{name} is at its lower bound, {low:g}: the points contain no such loss, or other friction explains it."
        for name, value, low, scale in zip(names, x, lower, scales, strict=True)
        if value - low < BOUND_SHARE * scale
    ]
    mean_square = float(np.mean(residuals**2))
    reversed_error = np.mean(_least_squares(start, names, points.with_reversed_output())[1] ** 2)
    if reversed_error < REVERSED_ERROR_RATIO**2 * mean_square:
        remarks.append(
            f"output_torque is probably of the opposite sign: the error would be {reversed_error**0.5:.3g} instead of "
            f"{mean_square**0.5:.3g}. It is positive in the direction of positive output speed, which is that of the "
            f"motor divided by the ratio, {float(start.gear.ratio):.4g}."
        )
    criterion = len(residuals) * float(np.log(max(mean_square, 1e-300))) + len(names) * float(np.log(len(residuals)))
    values = dict(zip(names, x.tolist(), strict=True))
    return GearLossFit(
        _with_values(start, values), values, known, mean_square**0.5, criterion, (*known.remarks, *remarks)
    )


class BenchPoints(NamedTuple):
    """Steady points of a bench: torques of both sides, speeds, and the side whose error is minimised; each (N,)."""

    output: Array
    entering: Array
    speeds: Array
    error_of: str

    def with_reversed_output(self) -> BenchPoints:
        """The points with the other sign of the output torque."""
        return self._replace(output=-self.output)

    def errors(self, gear: SteadyGear, values: Mapping[str, float]) -> Array:
        """Predicted minus measured torques, (N,), with the factor and the saturation of the motor."""
        if self.error_of == "input":
            return _stated_torque(gear.input_torque(self.output, self.speeds), values) - self.entering
        predicted = gear.output_torque(_motor_torque(self.entering, values), self.speeds)
        return np.asarray(np.where(np.isfinite(predicted), predicted, 0.0) - self.output)


Ranges = tuple[Array, Array, Array]


def _least_squares(start: SteadyGear, names: Sequence[str], points: BenchPoints) -> tuple[Array, Array, Array, Ranges]:
    """Values, residuals and their derivatives at the minimum; scales and bounds of the unknowns."""
    from scipy.optimize import least_squares

    scales, lower, upper = ranges = _ranges(names, points)
    measured = points.entering if points.error_of == "input" else points.output

    def errors(x: Array) -> Array:
        values = dict(zip(names, x.tolist(), strict=True))
        try:
            gear = _with_values(start, values)
        except (TrainError, DriveError):
            return np.full(len(measured), IMPOSSIBLE_ERROR * float(np.abs(measured).max()))
        return points.errors(gear, values)

    known = {INPUT_SCALE: 1.0, INPUT_SATURATION: 0.0}
    begin = np.array([known[name] if name in known else _value(start, name) for name in names])
    begin = np.clip(begin, lower + BOUND_SHARE * scales, upper - BOUND_SHARE * scales)
    end = least_squares(errors, begin, bounds=(lower, upper), x_scale=scales)
    return np.asarray(end.x), np.asarray(end.fun), np.asarray(end.jac), ranges


def _unknown_names(start: SteadyGear) -> tuple[str, ...]:
    gear, friction = start.gear, start.friction
    is_derived = hasattr(gear, "derived_losses")
    of_gear = [word for word in GEAR_WORDS if getattr(gear, word, None) is not None]
    of_gear = [word for word in of_gear if is_derived or word == "efficiency"][:1]
    words = [word for word in ("coulomb", "viscous") if not is_zero(getattr(friction, word))]
    words += ["static"] if friction.has_stiction else []
    has_stribeck = friction.stribeck_speed is not None and (friction.has_stiction or friction.load is not None)
    words += ["stribeck_speed"] if has_stribeck else []
    load = friction.load
    words += [] if load is None else [f"load.{word}" for word in SHARE_WORDS if not is_zero(getattr(load, word))]
    return (*(f"gear.{word}" for word in of_gear), *(f"friction.{word}" for word in words))


def _value(start: SteadyGear, name: str) -> float:
    """The start value of an unknown."""
    owner, _, word = name.partition(".")
    friction = start.friction
    if word.startswith("load."):
        return float(getattr(friction.load, word.removeprefix("load.")))
    return float(getattr(start.gear if owner == "gear" else friction, word))


def _with_values(start: SteadyGear, values: Mapping[str, float]) -> SteadyGear:
    """Gear and friction with values of the unknowns; static friction below Coulomb friction counts as equal to it."""
    parts: dict[str, dict[str, Any]] = {"gear": {}, "friction": {}, "load": {}}
    for name, value in values.items():
        if name not in INPUT_UNKNOWNS:
            owner, word = name.rsplit(".", 1)
            parts[owner.rsplit(".", 1)[-1]][word] = value
    words, load = parts["friction"], start.friction.load
    if "static" in words:
        words["static"] = max(words["static"], words.get("coulomb", float(start.friction.coulomb)))
    friction = replace(start.friction, **words, load=load if load is None else replace(load, **parts["load"]))
    return SteadyGear(replace(start.gear, **parts["gear"]), friction)


def _ranges(names: Sequence[str], points: BenchPoints) -> Ranges:
    """Scales and bounds of the unknowns."""
    size, fastest = (float(np.abs(x).max()) or 1.0 for x in (points.entering, points.speeds))
    slowest = float(np.abs(points.speeds).min())
    rows = {
        INPUT_SCALE: (0.1, *INPUT_SCALE_RANGE),
        INPUT_SATURATION: (0.1 / size, 0.0, 10.0 / size),
        "gear.friction_coefficient": (0.1, 0.0, 1.0),
        "gear.mesh_efficiency": (0.1, LEAST_EFFICIENCY, 1.0),
        "gear.efficiency": (0.1, LEAST_EFFICIENCY, 1.0),
        "friction.coulomb": (0.1 * size, 0.0, np.inf),
        "friction.static": (0.1 * size, 0.0, np.inf),
        "friction.viscous": (0.1 * size / fastest, 0.0, np.inf),
        "friction.stribeck_speed": (fastest, slowest, LARGEST_STRIBECK_RATIO * fastest),
        **{f"friction.load.{word}": (0.1, 0.0, LARGEST_SHARE) for word in SHARE_WORDS},
    }
    scales, lower, upper = np.array([rows[name] for name in names]).T
    return scales, lower, upper
