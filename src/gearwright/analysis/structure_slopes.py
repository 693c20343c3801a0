"""Stress, deflection and tip of a robot with their exact slopes by parameters: the same equations, over jets.

The largest value over time and along a link keeps its place for a small step of a parameter, so that its slope is that
of the value there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gearwright.algebra import Scalar, Vec
from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.beam import SHARES, STATIONS, LinkBeam, bending_of, nominal, stress_of
from gearwright.analysis.jets import OF_NUMBERS, length_of, picked, value_of
from gearwright.analysis.placed_masses import placed_masses
from gearwright.analysis.section_forces import Moving, SectionForces, section_forces
from gearwright.analysis.structure import acting_on, named_peaks
from gearwright.analysis.tip import bent_parts, tip_of
from gearwright.arrays import Array
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion
from gearwright.parts import Robot


def structure_slopes(
    robot: Robot, mech: Mechanism, motion: Motion, beams: Mapping[str, LinkBeam], task: Any
) -> dict[str, Scalar]:
    """The characteristics of links and tip as `Structure.numbers` names them, over jets.

    Args:
        robot: without springs in its drives, its numbers jets where they are parameters.
        mech: the same, assembled.
        motion: of all its speeds: it does not depend on the parameters.
        beams: per link its beam, over jets too.
        task: whose forces, contacts and tip are meant.
    """
    moving = Moving.of(mech, motion, acting_on(robot, mech, motion, task.forces, task.contact))
    stresses, bent = {}, {}
    for name, beam in beams.items():
        found = section_forces(moving, mech.index(name), beam, placed_masses(robot, name))
        stresses[name] = _peak_stress(found, beam, moving.times)
        bent[name] = (beam, bending_of(beam, found.moment, moving.times))
    deflections = {name: _peak_length(bending.shift, moving.times) for name, (_, bending) in bent.items()}
    tip = tip_of(robot, mech, task.tip, beams)
    parts = {} if tip is None else bent_parts(moving.pose, tip, bent)
    total = sum(list(parts.values())[1:], next(iter(parts.values()))) if parts else None
    return named_peaks(stresses, deflections, None if total is None else _peak_length(total, moving.times))


def _peak_stress(found: SectionForces, beam: LinkBeam, times: int) -> Scalar:
    """The largest stress over time and along a beam [Pa]."""
    shape = (times, STATIONS)
    sizes = np.empty(shape)
    for k, share in enumerate(SHARES):
        force, moment = (Vec(*_station(part, k, shape)) for part in (found.force, found.moment))
        sizes[:, k] = stress_of(nominal(beam.at(share)), force, moment, ARRAYS)
    at: tuple[int, int] = divmod(int(sizes.argmax()), STATIONS)
    force, moment = (Vec(*(picked(x, at, shape) for x in part)) for part in (found.force, found.moment))
    return stress_of(beam.at(float(SHARES[at[1]])), force, moment, OF_NUMBERS)


def _station(part: Vec, k: int, shape: tuple[int, int]) -> Iterator[Array]:
    return (np.broadcast_to(np.asarray(value_of(x), dtype=float), shape)[:, k] for x in part)


def _peak_length(vector: Vec, times: int) -> Scalar:
    """The largest size of a vector over time."""
    shape = (times, 1)
    series = np.hstack([np.broadcast_to(np.asarray(value_of(x), dtype=float), shape) for x in vector])
    at = (int(np.linalg.norm(series, axis=1).argmax()), 0)
    return length_of(*(picked(x, at, shape) for x in vector))
