"""Stress, deflection and tip of a robot with their exact slopes by parameters: the same equations, over what varies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gearwright.algebra import ZERO, Scalar, Vec
from gearwright.algebra.differentiation.dual_numbers import value_of
from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.links.beam import LinkBeam, bending_of, stress_of
from gearwright.analysis.links.link_loads import placed_masses
from gearwright.analysis.links.section_forces import Moving, SectionForces, section_forces
from gearwright.analysis.links.structural_deflection import acting_on, named_peaks
from gearwright.analysis.links.tip_deflection import tip_of, tip_parts
from gearwright.analysis.parametric_series import OF_NUMBERS, columns, largest_length, picked
from gearwright.arrays import Array
from gearwright.mechanism import Mechanism
from gearwright.motion_demands.sensitivity import AnyMotion
from gearwright.parts import Robot
from gearwright.parts.map_numbers import with_varied


def structure_slopes(
    robot: Robot, mech: Mechanism, motion: AnyMotion, beams: Mapping[str, LinkBeam], task: Any
) -> dict[str, Scalar]:
    """The characteristics of links and tip as `Structure.numbers` names them.

    Args:
        robot: its numbers varied where they are parameters.
        mech: the same, assembled.
        motion: of all its speeds, with t, q, v and a, which may vary.
        beams: per link its beam, which may vary.
        task: whose forces, contacts and tip are meant.
    """
    moving = Moving.of(mech, motion, acting_on(robot, mech, motion, task.forces, task.contact))
    stresses, bent = {}, {}
    for name, beam in beams.items():
        found = section_forces(moving, mech.index(name), beam, placed_masses(robot, name))
        stresses[name] = _peak_stress(found, beam, moving.times)
        bent[name] = (beam, bending_of(beam, found.moment, moving.times))
    deflections = {name: largest_length(tuple(x.shift), moving.times) for name, (_, x) in bent.items()}
    tip = tip_of(robot, mech, task.tip, beams)
    parts = {} if tip is None else tip_parts(moving.pose, columns(motion.q), tip, bent)
    total = sum(parts.values(), start=ZERO)
    return named_peaks(stresses, deflections, largest_length(tuple(total), moving.times) if parts else None)


def _peak_stress(found: SectionForces, beam: LinkBeam, times: int) -> Scalar:
    """The largest stress over time and along a beam [Pa]."""
    sections = [beam.sections[k][1] for k in beam.held]
    shape = (times, len(sections))
    sizes = np.empty(shape)
    for k, section in enumerate(sections):
        force, moment = (Vec(*_station(part, k, shape)) for part in (found.force, found.moment))
        sizes[:, k] = stress_of(with_varied(section, value_of), force, moment, ARRAYS)
    at: tuple[int, int] = divmod(int(sizes.argmax()), len(sections))
    force, moment = (Vec(*(picked(x, at, shape) for x in part)) for part in (found.force, found.moment))
    return stress_of(sections[at[1]], force, moment, OF_NUMBERS)


def _station(part: Vec, k: int, shape: tuple[int, int]) -> Iterator[Array]:
    return (np.broadcast_to(np.asarray(value_of(x), dtype=float), shape)[:, k] for x in part)
