"""All that is asked of a machine along its motion, gathered by names from its smooth pieces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.mechanism.units import force_unit, speed_unit
from gearwright.motion import Motion
from gearwright.parts import Robot
from gearwright.system.asked_actuators import Asked
from gearwright.system.demand_blocks import Block
from gearwright.system.motion_demands import MotionDemands, excess, jumps
from gearwright.system.signals import TAU
from gearwright.system.state import State
from gearwright.system.system import System
from gearwright.text import did_you_mean, listed

SHORT = 1e-6
"""Share of the largest force up to which a force that no actuator gives is rounding."""

SOLVED = 1e-3
"""The same at joints whose motors' motion was found so that it is zero: what is left is an error between samples."""

TOLD = 1e-4
"""Share of the largest force from which on such an error is told."""


class Case(NamedTuple):
    """Who is to move, by what, under which laws."""

    robot: Robot | Mechanism
    mech: Mechanism
    asked: list[Asked]
    system: System


def gathered_demands(
    case: Case,
    blocks: Sequence[Block],
    bounds: Mapping[str, float],
    remarks: tuple[str, ...],
    solved: frozenset[int],
) -> MotionDemands:
    """What all pieces of a motion ask for, one after the other.

    Args:
        case: who moves.
        blocks: the pieces.
        bounds: largest magnitudes by name.
        remarks: what was left out.
        solved: speeds at which no force is missing but for errors between samples.
    """
    mech, system = case.mech, case.system
    motion = Motion(*(np.concatenate([getattr(block, x) for block in blocks]) for x in "tqva"))
    tau, missing = (np.concatenate([getattr(block, x) for block in blocks]) for x in ("tau", "missing"))
    short = short_speeds(tau, missing, solved)
    remarks = (*remarks, *_inexact(mech, tau, np.where(short, 0.0, missing)))
    tau = tau + np.where(short, missing, 0.0)
    series = {TAU + name: tau[:, k] for k, name in enumerate(mech.speeds)}
    series |= {name: np.concatenate([block.series[name] for block in blocks]) for name in blocks[0].series}
    inputs = tuple(x.name for one in case.asked for x in one.actuator.inputs)
    remembered = [*(x.name for one in case.asked for x in one.actuator.states), *system.states]
    moved = [name for name in blocks[0].series if name[:2] in ("q.", "v.") and name[2:] in mech.shafts]
    own = frozenset(blocks[0].series) - {*system.states, *moved, *blocks[0].tied}
    refused = own if short.any() else frozenset()
    return MotionDemands(
        motion,
        tau,
        series,
        inputs,
        mech.speeds,
        own,
        tuple(name for name, is_short in zip(mech.speeds, short, strict=True) if is_short),
        tuple(_excesses(case, series, motion.t, bounds, refused)),
        tuple(jumps([*remembered, *moved], [{"t": block.t, **block.series} for block in blocks])),
        State(motion.q[0], motion.v[0], {name: float(series[name][0]) for name in remembered}),
        remarks,
        _units(case, blocks[0].tied),
    )


def short_speeds(tau: Array, missing: Array, solved: frozenset[int]) -> Array:
    """Per speed whether it lacks a force that no actuator gives, of tau and missing (T, n)."""
    rounding = np.array([SOLVED if k in solved else SHORT for k in range(tau.shape[1])])
    return np.abs(missing).max(axis=0) > rounding * (1 + max(np.abs(tau).max(), np.abs(missing).max()))


def _inexact(mech: Mechanism, tau: Array, missing: Array) -> Iterator[str]:
    """A remark on joints behind springs whose balance is met less well than usual, of tau and missing (T, n)."""
    largest = 1 + np.abs(tau).max(initial=0.0)
    left = np.abs(missing).max(axis=0, initial=0.0) / largest
    names = [name for name, share in zip(mech.speeds, left, strict=True) if share > TOLD]
    if names:
        yield (
            f"the motion of the motors of {listed(names)} meets the forces there to {left.max():.1e} of the largest "
            "only: more samples, or a smoother motion, tell it better."
        )


OF_A_MOTOR = {"torque": "Nm", "speed": "rad/s", "power": "W", "heat": "W"}
"""What an inverse adds to the inputs and states of a motor."""


def _units(case: Case, tied: frozenset[str]) -> dict[str, str]:
    """Units of the series."""
    mech = case.mech
    places = {f"q.{name}": speed_unit(mech, name) for name in mech.shafts}
    speeds = {f"v.{name}": f"{speed_unit(mech, name)}/s" for name in mech.shafts}
    forces = {TAU + name: force_unit(mech, name) for name in mech.speeds}
    states = {state.name: state.unit for state in case.system.states.values()}
    asked = [x for one in case.asked for x in (*one.actuator.inputs, *one.actuator.states)]
    signals = [x for law in case.system.laws for x in law.signals]
    motors = {f"{one.actuator.port}.{word}": unit for one in case.asked for word, unit in OF_A_MOTOR.items()}
    closing = {name: "Nm" if ".torque." in name else "N" for name in tied}
    named = {x.name: x.unit for x in (*asked, *signals)}
    return {**places, **speeds, **forces, **states, **motors, **closing, **named}


def _excesses(
    case: Case, series: Mapping[str, Array], t: Array, bounds: Mapping[str, float], refused: frozenset[str]
) -> list[Any]:
    """What goes beyond the limits of actuators and those given."""
    own = {
        x.name: limit
        for one in case.asked
        for x, limit in zip(one.actuator.inputs, one.actuator.limits, strict=True)
        if limit is not None
    }
    unknown = [name for name in bounds if name not in series]
    if unknown:
        raise InputError(f"demands: limit of {unknown[0]!r}: {did_you_mean(unknown[0], series)}")
    named = {name: limit for name, limit in {**own, **bounds}.items() if name not in refused}
    return [e for name, limit in named.items() if (e := excess(name, limit, t, series[name]))]
