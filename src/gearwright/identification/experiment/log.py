"""Logs of measured motions with torques or motor currents, and warnings about numbers that look like other units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_floats, is_single, number, numbers
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.actuation import structure_matrix
from gearwright.identification.experiment.filter_cutoff import default_cutoff
from gearwright.identification.experiment.filtering import derivatives, sampling_rate
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion import Motion
from gearwright.motion.csv_columns import read_columns
from gearwright.parts import Robot
from gearwright.plots import Panel, figure, saved
from gearwright.plots.notebook import Shown
from gearwright.text import did_you_mean, listed

# Logs

CURRENT = "i"
"""Columns `i.<drive>` hold motor currents [A]."""

EDGE = 1.0
"""Periods of the cutoff frequency by which a moving end of a filtered log is left out."""

AT_REST = 0.03
"""Slower than this share of its usual speed, the machine counts as at rest."""


@dataclass(frozen=True)
class Log(Shown):
    """What was measured, in SI units at the joint side.

    Args:
        t: times [s], (T,), strictly increasing.
        q: coordinates (T, nq).
        tau: generalized forces [Nm, N], (T, n): torques at the gear output.
        v: measured speeds (T, n), or None: derived from q.
        a: measured accelerations (T, n), or None: derived from v.

    Attributes:
        origin: of a log with derived speeds and accelerations: what they were derived from, and the cut-off [Hz].

    >>> Log([0.0, 0.1], [[0.0], [0.1]], [[1.0], [1.1]]).duration
    0.1
    """

    t: ArrayLike
    q: ArrayLike
    tau: ArrayLike
    v: ArrayLike | None = None
    a: ArrayLike | None = None
    origin: Origin | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("t", "q", "tau", "v", "a"):
            value = getattr(self, name)
            if value is not None or name in ("t", "q", "tau"):
                object.__setattr__(self, name, _table(name, value))
        _increasing(self.times)
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
        """From the first sample to the last [s]."""
        return float(self.times[-1] - self.times[0])

    def plot(self, path: str | Path | None = None) -> Any:
        """A figure of positions, torques, and speeds if known; with `path` (.png, .svg, .pdf) it is saved too."""
        blocks = {"position [rad, m]": self.q, "speed [rad/s, m/s]": self.v, "torque [Nm, N]": self.tau}
        known = {label: np.asarray(values) for label, values in blocks.items() if values is not None}
        panels = [Panel(label, {str(k + 1): x for k, x in enumerate(values.T)}) for label, values in known.items()]
        return saved(figure(self.times, "time [s]", panels), path)

    def between(self, start: float, end: float) -> Log:
        """The part in which start <= t < end."""
        for name, x in (("start", start), ("end", end)):
            number("log", name, x, infinite=True, unit="seconds")
        rows = (self.times >= start) & (self.times < end)
        if not rows.any():
            raise InputError(
                f"log: there is no sample between {start:g} s and {end:g} s. It runs from {self.times[0]:g} to "
                f"{self.times[-1]:g} s."
            )
        v, a = (None if x is None else np.asarray(x)[rows] for x in (self.v, self.a))
        return Log(self.times[rows], np.asarray(self.q)[rows], self.torques[rows], v, a)._from(self.origin)

    def split(self, share: float = 0.7) -> tuple[Log, Log]:
        """The first `share` of the time to fit on, and the rest to validate on."""
        number("log", "share", share, above=0.0, below=1.0, example=0.7)
        middle = self.times[0] + share * self.duration
        return self.between(self.times[0], middle), self.between(middle, np.inf)

    def derived(self, mech: Mechanism, cutoff: float | None = None) -> Log:
        """The log with speeds and accelerations, derived from what was measured where they are missing.

        Positions (or speeds) are filtered without delay and differentiated; torques stay as they were measured. An end
        at which the machine is not at rest, which the filter cannot see from both sides, is left out.

        Args:
            mech: the machine that moved.
            cutoff: of the filter [Hz]; None: chosen from the signal and its noise; infinity: no filter. A log derived
                with another one is derived again from what was measured.
        """
        check_columns(self, mech)
        if cutoff is not None:
            number("log", "cutoff", cutoff, above=0.0, infinite=True, unit="Hz", example=20.0)
        if self.origin is not None and cutoff not in (None, self.origin.cutoff):
            again = self.origin.log.derived(mech, cutoff)
            return again.between(self.times[0], np.nextafter(self.times[-1], np.inf))
        if self.v is not None and self.a is not None:
            return self
        v = None if self.v is None else np.asarray(self.v)
        if not mech.straight and v is None:
            raise InputError(
                "log: the speeds of a free, spherical or planar joint are not the rates of coordinates. Give v."
            )
        return self._filtered(mech, default_cutoff(self.times, np.asarray(self.q), v) if cutoff is None else cutoff)

    def _filtered(self, mech: Mechanism, cutoff: float) -> Log:
        t, q = self.times, np.asarray(self.q)
        v, a = (None if x is None else np.asarray(x) for x in (self.v, self.a))
        smooth, v, a = derivatives(t, q, v, a, cutoff)
        edge = min(int(np.ceil(EDGE / cutoff * sampling_rate(t))) + 3, len(t) // 10)
        resting = np.abs(v).max(axis=1) < AT_REST * np.sqrt(np.mean(v**2, axis=0)).max()
        rows = slice(0 if resting[0] else edge, len(t) if resting[-1] else len(t) - edge)
        kept = q if not mech.straight else smooth
        return Log(t[rows], kept[rows], self.torques[rows], v[rows], a[rows])._from(Origin(self, cutoff))

    def refiltered(self, mech: Mechanism, cutoff: float) -> Motion:
        """The motion of the same samples, derived with another cut-off [Hz] from what was measured."""
        if self.origin is None:
            raise InputError("log: its speeds and accelerations were measured, not derived with a cut-off.")
        log = self.origin.log
        v, a = (None if x is None else np.asarray(x) for x in (log.v, log.a))
        smooth, v, a = derivatives(log.times, np.asarray(log.q), v, a, cutoff)
        rows = np.searchsorted(log.times, self.times)
        return Motion(self.times, (np.asarray(log.q) if not mech.straight else smooth)[rows], v[rows], a[rows])

    def _from(self, origin: Origin | None) -> Log:
        """This log with its origin; `replace` forgets it, since other numbers were not derived from it."""
        object.__setattr__(self, "origin", origin)
        return self

    def motion(self) -> Motion:
        """The motion of a log that has speeds and accelerations."""
        if self.v is None or self.a is None:
            raise InputError("log: it has no speeds and accelerations yet. Use log.derived(mech).")
        return Motion(self.times, np.asarray(self.q), np.asarray(self.v), np.asarray(self.a))


class Origin(NamedTuple):
    """What was measured before it was filtered, and the cut-off of the filter [Hz]."""

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
    """A log whose torques come from motor currents: tau = A (gain * current), A the structure matrix.

    Args:
        robot_or_mech: the robot (its motors' torque constants are the gains unless given) or machine.
        t: times [s].
        q: coordinates (T, nq).
        currents: motor currents [A], (T, actuators), in the order of the actuators.
        gains: drive gains [Nm/A] at the motor shaft, per actuator or by name.
        v: measured speeds.
        a: measured accelerations.
    """
    mech = machine_of("log_of_currents", robot_or_mech)
    A = structure_matrix(mech)
    table = _table("currents", currents)
    names = [actuator.name for actuator in mech.actuators]
    if table.ndim != 2 or table.shape[1] != len(names):
        raise InputError(
            f"log: currents have shape {table.shape}; they must be (T, {len(names)}), a column per actuator "
            f"({listed(names)})."
        )
    return Log(t, q, (table * _gains(robot_or_mech, names, gains)) @ A.T, v, a)


@check_arguments
def read_log(
    path: str | Path, robot_or_mech: Robot | Mechanism, gains: Mapping[str, float] | Sequence[float] | None = None
) -> Log:
    """A log from a CSV file with columns t, q.<coordinate>, tau.<speed> (or i.<drive>), and v.<speed>, a.<speed>.

    Args:
        path: the file; columns in any order, others are ignored.
        robot_or_mech: what was moved.
        gains: drive gains [Nm/A] for motor currents; the motors' torque constants unless given.
    """
    mech = machine_of("read_log", robot_or_mech)
    table = read_columns(Path(path), ("q", "v", "a", "tau", CURRENT))
    t, q = table.times(), table.block("q", mech.coordinates)
    v, a = (table.block(letter, mech.speeds) if table.has(letter) else None for letter in "va")
    if table.has(CURRENT) and not table.has("tau"):
        currents = table.block(CURRENT, [actuator.name for actuator in mech.actuators])
        return log_of_currents(robot_or_mech, t, q, currents, gains, v, a)
    return Log(t, q, table.block("tau", mech.speeds), v, a)


def check_columns(log: Log, mech: Mechanism) -> None:
    """The log has the machine's columns."""
    wanted = {"q": mech.coordinates, "tau": mech.speeds, "v": mech.speeds, "a": mech.speeds}
    for name, names in wanted.items():
        value = getattr(log, name)
        if value is not None and value.shape[1] != len(names):
            raise InputError(
                f"log: {name} has {value.shape[1]} columns, the machine has {len(names)} ({listed(names)})."
            )


def _table(name: str, value: ArrayLike) -> Array:
    table = as_floats("log", name, value).copy()
    if not np.isfinite(table).all():
        table = np.atleast_1d(table)
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(table))[0])
        column = f", column {where[1]}" if len(where) > 1 else ""
        raise InputError(
            f"log: {name} is {table[where]} in row {where[0]}{column}. Remove or repair the samples that are missing."
        )
    table.flags.writeable = False
    return table


def _increasing(t: Array) -> None:
    if t.ndim != 1 or len(t) < 2:
        raise InputError(f"log: t has shape {t.shape}; give at least two times.")
    back = np.flatnonzero(np.diff(t) <= 0)
    if back.size:
        row = int(back[0]) + 1
        word = "repeats" if t[row] == t[row - 1] else "comes before"
        raise InputError(
            f"log: time {t[row]:g} in row {row} {word} {t[row - 1]:g} of the row above. Sort the rows by time and keep "
            "one of each time."
        )


def _gains(
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
                raise InputError(f"log: there is no gain for actuator {name!r}. {did_you_mean(name, gains)}")
        gains = [gains[name] for name in names]
    if is_single(gains):
        raise InputError(f"log: gains={gains!r} must be a mapping or a list of numbers [Nm/A], one per actuator.")
    if len(gains) != len(names):
        raise InputError(f"log: {len(gains)} gains for {len(names)} actuators ({listed(names)}).")
    return numbers("log", "gains", gains, axes=1)


# Doubtful units

ODD_JOINT, ODD_ROBOT = float(np.log10(20)), float(np.log10(5))
"""Torques of one joint, or of all together, that differ by more powers of ten than these look like a wrong unit."""


def odd_units(log: Log, mech: Mechanism, expected: Array) -> tuple[str, ...]:
    """Sentences on angles that look like degrees, and torques off by powers of ten from the expected ones (T, n)."""
    turning = [k for k, unit in enumerate(mech.layout.units[: mech.nq - len(mech.shafts)]) if unit == "rad"]
    widest = float(np.ptp(np.asarray(log.q)[:, turning], axis=0).max()) if turning else 0.0
    remarks = []
    if widest > 30:
        remarks.append(f"A joint turns through {widest:.3g} rad: are the angles in degrees?")
    remarks += [
        f"The torque of {name!r} is 10^{power} times what the robot's own numbers give: wrong unit?"
        for name, power in _odd_sizes(mech.speeds, log.torques, expected)
    ]
    return tuple(remarks)


def _odd_sizes(speeds: Sequence[str], torques: Array, expected: Array) -> list[tuple[str, int]]:
    """Speeds whose torques are of another size than expected, and the power of ten between them.

    Friction may rule a single joint, hardly the whole robot: when all torques together are odd, less is needed of each.
    A joint from which hardly any torque is expected tells nothing.
    """
    own, size = (np.sqrt(np.mean(x**2, axis=0)) for x in (torques, expected))
    telling = (size > 1e-3 * size.max(initial=0.0)) & (own > 0)
    if not telling.any():
        return []
    power = np.log10(np.where(telling, own, 1.0) / np.where(telling, size, 1.0))
    together = float(np.log10(np.linalg.norm(own[telling]) / np.linalg.norm(size[telling])))
    most = ODD_ROBOT if abs(together) > ODD_ROBOT else ODD_JOINT
    return [(speed, round(float(x))) for speed, x in zip(speeds, power, strict=True) if abs(x) > most]
