"""Logs of measured motions with torques or motor currents, and warnings about wrong units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, is_single_value, number_array, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import structure_matrix
from gearwright.identification.experiment.filter_cutoff import default_cutoff
from gearwright.identification.experiment.filtering import filtered_derivatives, sampling_rate
from gearwright.mechanism import Mechanism, tree_of
from gearwright.motion import Motion
from gearwright.motion.csv_columns import read_columns
from gearwright.parts import Robot
from gearwright.plots import NotebookFigure, Panel, panel_figure, save_if_path
from gearwright.programs import machine_of
from gearwright.text import did_you_mean, listed_names

# Logs

CURRENT_COLUMN = "i"
"""Columns `i.<drive>` hold motor currents [A]."""

EDGE_PERIODS = 1.0
"""Time that is removed at a moving end of a filtered log, relative to the period of the cut-off frequency."""

REST_SPEED_SHARE = 0.03
"""Speed relative to the usual speed, below which the machine is at rest."""


@check_arguments
@dataclass(frozen=True)
class Log(NotebookFigure):
    """Measured data, in SI units at the joint side.

    Args:
        t: times [s], (T,), strictly increasing.
        q: coordinates (T, nq).
        tau: generalized forces [Nm, N], (T, n): torques at the gear output.
        v: measured speeds (T, n), or None: computed from q.
        a: measured accelerations (T, n), or None: computed from v.

    Attributes:
        origin: of a log with computed speeds and accelerations: the measured data and the cut-off [Hz].

    >>> Log([0.0, 0.1], [[0.0], [0.1]], [[1.0], [1.1]]).duration
    0.1
    """

    t: ArrayLike
    q: ArrayLike
    tau: ArrayLike
    v: ArrayLike | None = None
    a: ArrayLike | None = None
    origin: LogOrigin | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("t", "q", "tau", "v", "a"):
            value = getattr(self, name)
            if value is not None or name in ("t", "q", "tau"):
                object.__setattr__(self, name, _checked_array(name, value))
        _require_increasing(self.times)
        for name in ("q", "tau", "v", "a"):
            value = getattr(self, name)
            if value is not None and (value.ndim != 2 or len(value) != len(self.times)):
                raise InputError(
                    f"log: {name} has shape {value.shape}; it must be ({len(self.times)}, columns), a row per time."
                )

    @property
    def times(self) -> Array:
        """The times as an array."""
        return self.t  # type: ignore[return-value]

    @property
    def torques(self) -> Array:
        """The measured forces as an array."""
        return self.tau  # type: ignore[return-value]

    @property
    def duration(self) -> float:
        """Duration from the first sample to the last [s]."""
        return float(self.times[-1] - self.times[0])

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of positions, torques, and speeds if known; with `path` (.png, .svg, .pdf) it is also saved."""
        blocks = {"position [rad, m]": self.q, "speed [rad/s, m/s]": self.v, "torque [Nm, N]": self.tau}
        panels_data = {label: np.asarray(values) for label, values in blocks.items() if values is not None}
        panels = [
            Panel(label, {str(k + 1): x for k, x in enumerate(values.T)}) for label, values in panels_data.items()
        ]
        return save_if_path(panel_figure(self.times, "time [s]", panels), path)

    def between_times(self, start: float, end: float) -> Log:
        """The part with start <= t < end."""
        for name, x in (("start", start), ("end", end)):
            real_number("log", name, x, infinite=True, unit="seconds")
        rows = (self.times >= start) & (self.times < end)
        if not rows.any():
            raise InputError(
                f"log: no sample between {start:g} s and {end:g} s. The log runs from {self.times[0]:g} to "
                f"{self.times[-1]:g} s."
            )
        v, a = (None if x is None else np.asarray(x)[rows] for x in (self.v, self.a))
        return Log(self.times[rows], np.asarray(self.q)[rows], self.torques[rows], v, a)._with_origin(self.origin)

    def split(self, share: float = 0.7) -> tuple[Log, Log]:
        """The first `share` of the duration for the fit, and the rest for validation."""
        real_number("log", "share", share, above=0.0, below=1.0, example=0.7)
        middle = self.times[0] + share * self.duration
        return self.between_times(self.times[0], middle), self.between_times(middle, np.inf)

    @check_arguments
    def with_derivatives(self, mech: Mechanism, cutoff: float | None = None) -> Log:
        """The log with speeds and accelerations; missing ones are computed from the measured data.

        Positions (or speeds) are filtered with zero phase and differentiated; torques stay as measured. A part is
        removed at an end at which the machine is not at rest, because the filter has no data on both sides.

        Args:
            mech: the machine that moved.
            cutoff: of the filter [Hz]; None: chosen from the signal and its noise; infinity: no filter. A log that was
                computed with another cut-off is computed again from the measured data.
        """
        check_columns(self, mech)
        if cutoff is not None:
            real_number("log", "cutoff", cutoff, above=0.0, infinite=True, unit="Hz", example=20.0)
        if self.origin is not None and cutoff not in (None, self.origin.cutoff):
            rederived = self.origin.log.with_derivatives(mech, cutoff)
            return rederived.between_times(self.times[0], np.nextafter(self.times[-1], np.inf))
        if self.v is not None and self.a is not None:
            return self
        v = None if self.v is None else np.asarray(self.v)
        if not mech.tree.speeds_are_rates and v is None:
            raise InputError(
                "log: the speeds of free, spherical and planar joints are not derivatives of coordinates. Give v."
            )
        return self._with_filtered_motion(
            mech, default_cutoff(self.times, np.asarray(self.q), v) if cutoff is None else cutoff
        )

    def _with_filtered_motion(self, mech: Mechanism, cutoff: float) -> Log:
        t, q = self.times, np.asarray(self.q)
        v, a = (None if x is None else np.asarray(x) for x in (self.v, self.a))
        smooth, v, a = filtered_derivatives(t, q, v, a, cutoff)
        edge = min(int(np.ceil(EDGE_PERIODS / cutoff * sampling_rate(t))) + 3, len(t) // 10)
        resting = np.abs(v).max(axis=1) < REST_SPEED_SHARE * np.sqrt(np.mean(v**2, axis=0)).max()
        rows = slice(0 if resting[0] else edge, len(t) if resting[-1] else len(t) - edge)
        positions = q if not mech.tree.speeds_are_rates else smooth
        return Log(t[rows], positions[rows], self.torques[rows], v[rows], a[rows])._with_origin(LogOrigin(self, cutoff))

    def motion_at_cutoff(self, mech: Mechanism, cutoff: float) -> Motion:
        """The motion of the same samples, computed from the measured data with another cut-off [Hz]."""
        if self.origin is None:
            raise InputError("log: its speeds and accelerations were measured, not filtered. Omit the cut-off.")
        log = self.origin.log
        v, a = (None if x is None else np.asarray(x) for x in (log.v, log.a))
        smooth, v, a = filtered_derivatives(log.times, np.asarray(log.q), v, a, cutoff)
        rows = np.searchsorted(log.times, self.times)
        return Motion(
            self.times, (np.asarray(log.q) if not mech.tree.speeds_are_rates else smooth)[rows], v[rows], a[rows]
        )

    def _with_origin(self, origin: LogOrigin | None) -> Log:
        """This log with its origin, which `replace` does not copy."""
        object.__setattr__(self, "origin", origin)
        return self

    def motion(self) -> Motion:
        """The motion of a log that has speeds and accelerations."""
        if self.v is None or self.a is None:
            raise InputError("log: speeds and accelerations are missing. Use log.with_derivatives(mech).")
        return Motion(self.times, np.asarray(self.q), np.asarray(self.v), np.asarray(self.a))


class LogOrigin(NamedTuple):
    """The measured data before filtering, and the cut-off of the filter [Hz]."""

    log: Log
    cutoff: float


@check_arguments
def log_of_currents(
    robot_or_mech: Robot | Mechanism,
    t: ArrayLike,
    q: ArrayLike,
    currents: ArrayLike,
    gains: Mapping[str, float] | Sequence[float] | None = None,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
) -> Log:
    """Return a log with torques from motor currents: tau = A (gain * current), with the structure matrix A.

    Args:
        robot_or_mech: the robot (torque constants of its motors are the default gains) or machine.
        t: times [s].
        q: coordinates (T, nq).
        currents: motor currents [A], (T, actuators), in the order of the actuators.
        gains: drive gains [Nm/A] at the motor shaft, per actuator or by name.
        v: measured speeds.
        a: measured accelerations.
    """
    mech = tree_of("log_of_currents", robot_or_mech)
    A = structure_matrix(mech)
    table = _checked_array("currents", currents)
    names = [actuator.name for actuator in mech.actuators]
    if table.ndim != 2 or table.shape[1] != len(names):
        raise InputError(
            f"log: currents have shape {table.shape}; they must be (T, {len(names)}), a column per actuator "
            f"({listed_names(names)})."
        )
    return Log(t, q, (table * _drive_gains(robot_or_mech, names, gains)) @ A.T, v, a)


@check_arguments
def log_of_motors(
    robot_or_mech: Robot | Mechanism, t: ArrayLike, angles: ArrayLike, torques: ArrayLike, offsets: ArrayLike = 0.0
) -> Log:
    """Return a log from angles and torques of motors: the joints follow from the gear ratios, also of a coupled wrist.

    With the structure matrix A, motor angles are A' q and joint torques are A times motor torques: motor torques
    contain the acceleration of the rotors and the friction of the gears.

    Args:
        robot_or_mech: the robot or machine; it has as many motors as joints.
        t: times [s].
        angles: motor angles [rad], (T, actuators), in the order of the actuators.
        torques: motor torques [Nm], (T, actuators).
        offsets: joint coordinates at motor angles of zero.

    >>> import gearwright as gw
    >>> elbow = gw.load("elbow")
    >>> log = log_of_motors(elbow, [0.0, 0.1], np.ones((2, 3)), np.ones((2, 3)))
    >>> (np.asarray(log.q) * log.torques).round(9).tolist()[0]
    [1.0, 1.0, 1.0]
    """
    mech = tree_of("log_of_motors", robot_or_mech)
    A = structure_matrix(mech)
    names = [actuator.name for actuator in mech.actuators]
    if A.shape[0] != A.shape[1] or not np.linalg.matrix_rank(A) == len(A):
        raise InputError(
            f"log: {len(names)} motors ({listed_names(names)}) do not determine {mech.n} joints. Give joint angles: "
            "Log(t, q, tau)."
        )
    tables = {"angles": _checked_array("angles", angles), "torques": _checked_array("torques", torques)}
    for word, table in tables.items():
        if table.ndim != 2 or table.shape[1] != len(names):
            raise InputError(
                f"log: {word} have shape {table.shape}; they must be (T, {len(names)}), a column per motor "
                f"({listed_names(names)})."
            )
    zeros = _checked_array("offsets", offsets)
    if zeros.shape not in ((), (len(names),)) or not np.isfinite(zeros).all():
        raise InputError(f"log: offsets={offsets!r} are not {len(names)} finite numbers. Give one per joint.")
    return Log(t, tables["angles"] @ np.linalg.inv(A) + zeros, tables["torques"] @ A.T)


@check_arguments
def read_log(
    path: str | Path, robot_or_mech: Robot | Mechanism, gains: Mapping[str, float] | Sequence[float] | None = None
) -> Log:
    """Read a log from a CSV file with columns t, q.<coordinate>, tau.<speed> (or i.<drive>), and v.<speed>, a.<speed>.

    Args:
        path: the file; columns in any order, other columns are ignored.
        robot_or_mech: the measured robot or machine.
        gains: drive gains [Nm/A] for motor currents; by default the torque constants of the motors.
    """
    mech = machine_of("read_log", robot_or_mech)
    table = read_columns(Path(path), ("q", "v", "a", "tau", CURRENT_COLUMN))
    t, q = table.time_column(), table.column_block("q", mech.independent_coordinates)
    v, a = (table.column_block(letter, mech.speeds) if table.has_letter(letter) else None for letter in "va")
    if table.has_letter(CURRENT_COLUMN) and not table.has_letter("tau"):
        currents = table.column_block(CURRENT_COLUMN, [actuator.name for actuator in mech.actuators])
        return log_of_currents(robot_or_mech, t, q, currents, gains, v, a)
    return Log(t, q, table.column_block("tau", mech.speeds), v, a)


def check_columns(log: Log, mech: Mechanism) -> None:
    """Raise an error unless the log has the columns of the machine."""
    expected = {"q": mech.independent_coordinates, "tau": mech.speeds, "v": mech.speeds, "a": mech.speeds}
    for name, names in expected.items():
        value = getattr(log, name)
        if value is not None and value.shape[1] != len(names):
            raise InputError(
                f"log: {name} has {value.shape[1]} columns, the machine has {len(names)} ({listed_names(names)})."
            )


def _checked_array(name: str, value: ArrayLike) -> Array:
    table = as_float_array("log", name, value).copy()
    if not np.isfinite(table).all():
        table = np.atleast_1d(table)
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(table))[0])
        column = f", column {place[1]}" if len(place) > 1 else ""
        raise InputError(f"log: {name} is {table[place]} in row {place[0]}{column}. Remove or repair missing samples.")
    table.flags.writeable = False
    return table


def _require_increasing(t: Array) -> None:
    if t.ndim != 1 or len(t) < 2:
        raise InputError(f"log: t has shape {t.shape}; give at least two times.")
    back = np.flatnonzero(np.diff(t) <= 0)
    if back.size:
        row = int(back[0]) + 1
        relation = "equals" if t[row] == t[row - 1] else "is before"
        raise InputError(
            f"log: time {t[row]:g} in row {row} {relation} {t[row - 1]:g} of the row above. Sort the rows by time and "
            "remove duplicates."
        )


def _drive_gains(
    owner: Robot | Mechanism, names: Sequence[str], gains: Mapping[str, float] | Sequence[float] | None
) -> Array:
    """One gain per actuator [Nm/A]."""
    if gains is None:
        if not isinstance(owner, Robot):
            raise InputError("log: currents need drive gains [Nm/A]. Give gains, or a robot with torque constants.")
        gains = {}
        for name in names:
            constant = owner.drive(name).motor.torque_constant
            if constant is None:
                raise InputError(f"log: drive {name!r} has no torque constant. Give gains={{{name!r}: Nm/A, ...}}.")
            gains[name] = constant
    if isinstance(gains, Mapping):
        for name in names:
            if name not in gains:
                raise InputError(f"log: no gain for actuator {name!r}. {did_you_mean(name, gains)}")
        gains = [gains[name] for name in names]
    if is_single_value(gains):
        raise InputError(f"log: gains={gains!r} must be a mapping or a list of numbers [Nm/A], one per actuator.")
    if len(gains) != len(names):
        raise InputError(f"log: {len(gains)} gains for {len(names)} actuators ({listed_names(names)}). Give one each.")
    return number_array("log", "gains", gains, axes=1)


# Wrong units

JOINT_UNIT_DECADES, ROBOT_UNIT_DECADES = float(np.log10(20)), float(np.log10(5))
"""Powers of ten of the ratio to the expected torques, of one joint and of all, above which the unit may be wrong."""


def unit_warning(log: Log, mech: Mechanism, expected: Array) -> tuple[str, ...]:
    """Warnings about angles that look like degrees, and torques that differ by powers of ten from expected ones."""
    joints = [k for k in mech.independent_indices if k < mech.nq - len(mech.shafts)]
    revolute = [k for k, index in enumerate(joints) if mech.layout.units[index] == "rad"]
    widest = float(np.ptp(np.asarray(log.q)[:, revolute], axis=0).max()) if revolute else 0.0
    remarks = []
    if widest > 30:
        remarks.append(f"The range of a joint is {widest:.3g} rad: are the angles in degrees?")
    remarks += [
        f"The torque of {name!r} is 10^{power} times the torque of the nominal model: wrong unit?"
        for name, power in _suspicious_magnitudes(mech.speeds, log.torques, expected)
    ]
    return tuple(remarks)


def _suspicious_magnitudes(speeds: Sequence[str], torques: Array, expected: Array) -> list[tuple[str, int]]:
    """Speeds whose torques have another magnitude than expected, and the power of ten of the ratio.

    Friction may dominate a single joint, but hardly the whole robot: the threshold is lower if all torques differ.
    Joints with negligible expected torque are ignored.
    """
    measured, size = (np.sqrt(np.mean(x**2, axis=0)) for x in (torques, expected))
    significant = (size > 1e-3 * size.max(initial=0.0)) & (measured > 0)
    if not significant.any():
        return []
    power = np.log10(np.where(significant, measured, 1.0) / np.where(significant, size, 1.0))
    together = float(np.log10(np.linalg.norm(measured[significant]) / np.linalg.norm(size[significant])))
    threshold = ROBOT_UNIT_DECADES if abs(together) > ROBOT_UNIT_DECADES else JOINT_UNIT_DECADES
    return [(speed, round(float(x))) for speed, x in zip(speeds, power, strict=True) if abs(x) > threshold]
