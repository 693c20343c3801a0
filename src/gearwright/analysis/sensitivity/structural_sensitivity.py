"""Stress, deflection and tip of a robot with exact derivatives by parameters: the same equations over dual numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gearwright.algebra import ARRAYS, ZERO, Scalar, Vec
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.analysis.links.beam import LinkBeam, beam_deflection, von_mises_stress
from gearwright.analysis.links.link_loads import point_masses
from gearwright.analysis.links.section_forces import MachineMotion, SectionForces, section_forces
from gearwright.analysis.links.structural_deflection import external_wrenches, named_peaks
from gearwright.analysis.links.tip_deflection import tip_contributions, tip_point
from gearwright.analysis.parametric_series import NUMBER_OPERATIONS, column_series, peak_norm, series_element
from gearwright.arrays import Array
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion
from gearwright.parts import Robot
from gearwright.parts.map_numbers import map_dual_numbers


def structural_partials(
    robot: Robot, mech: Mechanism, motion: Motion, beams: Mapping[str, LinkBeam], task: Any
) -> dict[str, Scalar]:
    """The characteristics of links and tip, with the names of `Structure.numbers`.

    Args:
        robot: with dual numbers for the parameters.
        mech: the same, assembled.
        motion: of all its speeds, with t, q, v and a, which may be dual numbers.
        beams: per link its beam, which may have dual numbers.
        task: with the forces, contacts and tip.
    """
    moving = MachineMotion.from_motion(mech, motion, external_wrenches(robot, mech, motion, task.forces, task.contact))
    stresses, deflected_beams = {}, {}
    for name, beam in beams.items():
        forces = section_forces(moving, mech.body_index(name), beam, point_masses(robot, name))
        stresses[name] = _peak_stress(forces, beam, moving.times)
        deflected_beams[name] = (beam, beam_deflection(beam, forces.moment, moving.times))
    deflections = {name: peak_norm(tuple(x.displacement), moving.times) for name, (_, x) in deflected_beams.items()}
    tip = tip_point(robot, mech, task.tip, beams)
    parts = {} if tip is None else tip_contributions(moving.pose, column_series(motion.q), tip, deflected_beams)
    total = sum(parts.values(), start=ZERO)
    return named_peaks(stresses, deflections, peak_norm(tuple(total), moving.times) if parts else None)


def _peak_stress(forces: SectionForces, beam: LinkBeam, times: int) -> Scalar:
    """The largest stress over time and along a beam [Pa]."""
    sections = [beam.sections[k][1] for k in beam.station_sections]
    shape = (times, len(sections))
    sizes = np.empty(shape)
    for k, section in enumerate(sections):
        force, moment = (Vec(*_values_at_station(part, k, shape)) for part in (forces.force, forces.moment))
        sizes[:, k] = von_mises_stress(map_dual_numbers(section, primal_value), force, moment, ARRAYS)
    index: tuple[int, int] = divmod(int(sizes.argmax()), len(sections))
    force, moment = (Vec(*(series_element(x, index, shape) for x in part)) for part in (forces.force, forces.moment))
    return von_mises_stress(sections[index[1]], force, moment, NUMBER_OPERATIONS)


def _values_at_station(part: Vec, k: int, shape: tuple[int, int]) -> Iterator[Array]:
    return (np.broadcast_to(np.asarray(primal_value(x), dtype=float), shape)[:, k] for x in part)
