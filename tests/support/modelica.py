"""Reference trajectories of the Modelica Standard Library: reading them, and how long a signal agrees with ours."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gearwright as gw
from gearwright.simulation import Controller, Run, State, simulate

Series = NDArray[np.float64]
GRAVITY = 9.80665
"""Modelica's standard acceleration of gravity, along -y of the world."""
STEEL = 7700.0
"""Modelica's density of bodies that state none [kg/m3]."""

CHAOS = (
    "the motion is chaotic, and the example states no tolerance. The reference was computed with Modelica's default "
    "tolerance of 1e-6 at best; a simulation at 1e-6 deviates from the one at 1e-11 by as much and about as early as "
    "the "
    "reference does"
)
NOT_UNIQUE = (
    "the modes are not unique: at rest either gear or bearing sticks, and the other may stick or slide at zero speed"
)
INEXACT = (
    "the reference is inexact: it deviates by 1 % of the speed after 25 undamped oscillations, whose closed form the "
    "simulation agrees with"
)


@dataclass(frozen=True)
class Motion:
    """One run as arrays: times, coordinates, speeds and everything that laws report, per name."""

    mech: gw.Mechanism
    t: Series
    q: Series
    v: Series
    others: Mapping[str, Series]

    def angle(self, coordinate: str) -> Series:
        return self.q[:, self.mech.coordinates.index(coordinate)]

    def rate(self, speed: str) -> Series:
        return self.v[:, self.mech.speeds.index(speed)]

    def other(self, name: str) -> Series:
        return self.others[name]


Signal = Callable[[Motion], Series]


def angle(coordinate: str, factor: float = 1.0) -> Signal:
    return lambda motion: factor * motion.angle(coordinate)


def rate(speed: str, factor: float = 1.0) -> Signal:
    return lambda motion: factor * motion.rate(speed)


def reported(name: str) -> Signal:
    """What a law reports."""
    return lambda motion: motion.other(name)


def turning(
    coordinate: str, title: str, factor: float = 1.0, words: tuple[str, str] = ("phi", "w")
) -> dict[str, Signal]:
    """Angle and speed of one joint under Modelica's titles."""
    return {f"{title}.{words[0]}": angle(coordinate, factor), f"{title}.{words[1]}": rate(coordinate, factor)}


@dataclass(frozen=True)
class Model:
    """One example of the Modelica Standard Library as our machine.

    Args:
        file: name of the reference file without `.csv`.
        mech: the machine.
        signals: per column of the file how it follows from our run.
        laws: what pushes it beside `torque`.
        torque: generalized forces from t, q, v.
        inputs: inputs of laws.
        start: initial values of coordinates and speeds that are not zero (quaternions: upright), by name.
        states: initial values of states of laws, `<law>.<state>`.
        breaks: times at which inputs jump or bend.
        control: the controller of the run; `torque` unless given.
        excused: per pattern of signal names why they need not agree most of the time.
    """

    file: str
    mech: gw.Mechanism
    signals: Mapping[str, Signal]
    laws: Sequence[Any] = ()
    torque: Callable[[float, Series, Series], Any] | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    start: Mapping[str, float] = field(default_factory=dict)
    states: Mapping[str, float] = field(default_factory=dict)
    breaks: Sequence[float] = ()
    control: Any = None
    excused: Mapping[str, str] = field(default_factory=dict)

    def excuse(self, signal: str) -> str | None:
        """Why a signal need not agree most of the time, if there is a reason."""
        return next((reason for pattern, reason in self.excused.items() if re.fullmatch(pattern, signal)), None)

    def initial(self) -> tuple[Series, Series]:
        q, v = np.array(gw.neutral(self.mech), dtype=float), np.zeros(self.mech.n)
        for name, value in self.start.items():
            kind, _, of = name.partition(".")
            if kind == "q":
                q[self.mech.coordinates.index(of)] = value
            else:
                v[self.mech.speeds.index(of)] = value
        return q, v


def simulated(model: Model, times: Series, tolerance: float) -> Motion:
    """A run at one tolerance, sampled at the times of the reference."""
    q, v = model.initial()
    torque, control = model.torque, model.control
    if torque is not None:
        control = Controller(lambda t, state: torque(t, state.q, state.v), breaks=tuple(model.breaks))
    run = simulate(
        model.mech,
        State(q, v, model.states),
        float(times[-1]),
        inputs=model.inputs,
        controller=control,
        laws=model.laws,
        samples=times,
        integrator=gw.analysis.IntegratorOptions(rtol=tolerance, atol=0.01 * tolerance, progress=False),
    )
    modes = {f"{law.name}.mode": mode_numbers(run, law.name) for law in model.laws if len(law.modes) > 1}
    return Motion(model.mech, run.t, run.q, run.v, {**run.series, **modes})


MODES = {"backward": -1.0, "stick": 0.0, "stuck": 0.0, "forward": 1.0, "free": 2.0}
"""Modelica's numbers for what sticks and slides."""


def mode_numbers(run: Run, law: str) -> Series:
    """The mode of a law at every sample in Modelica's numbers; nothing where a change is too near to tell."""
    near = [h.t for h in run.events if h.name == law]
    margin = 1e-3 * float(run.t[-1])
    numbers = [MODES.get(mode.split()[0], np.nan) for mode in run.modes[law]]
    return np.array(
        [np.nan if any(abs(t - e) <= margin for e in near) else x for t, x in zip(run.t, numbers, strict=True)]
    )


def read(folder: Path, file: str) -> dict[str, Series]:
    """The columns of a reference file; times that stand twice (before and after an event) keep the later row."""
    with (folder / "modelica" / f"{file}.csv").open() as stream:
        rows = [row for row in csv.reader(stream) if not row[0].startswith("#")]
    table = np.array(rows[1:], dtype=float)
    later = np.append(np.diff(table[:, 0]) > 0, True)
    return {title: table[later, k] for k, title in enumerate(rows[0])}


def span(times: Series, ours: Series, theirs: Series, within: float, scale: float) -> float:
    """The time until which two series differ by at most `within` times `scale`, as part of the whole time."""
    off = np.flatnonzero(np.abs(ours - theirs) > within * scale)
    if not off.size:
        return 1.0
    first = int(off[0])
    return float((times[max(first - 1, 0)] - times[0]) / (times[-1] - times[0])) if first else 0.0


def extent(series: Series) -> float:
    """The range of a signal; of one that never changes, its size."""
    width = float(np.ptp(series))
    return width if width > 1e-6 * float(np.abs(series).max(initial=0.0)) else float(np.abs(series).max(initial=0.0))


def cylinder(diameter: float, length: float) -> tuple[float, float, float]:
    """Mass, axial and transverse inertia of a steel cylinder."""
    r = diameter / 2
    mass = STEEL * np.pi * r**2 * length
    return mass, mass * r**2 / 2, mass * (3 * r**2 + length**2) / 12


def rotor(name: str, inertia: float) -> gw.Body:
    """An inertia on a shaft of its own, turning about z on the base."""
    return gw.Body(name, axis=(0, 0, 1), inertia=np.diag([0.0, 0.0, inertia]), effective=True)


def sine(amplitude: float, frequency: float) -> Callable[[float], float]:
    return lambda t: amplitude * np.sin(2 * np.pi * frequency * t)
