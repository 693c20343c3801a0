"""Given forces of contacts and constraints along a prescribed motion, applied as loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import FLOATS
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces import Constraint, Contact, ForceSensor, Law, Line, Load, SoftContact
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism, dense_row
from gearwright.motion_demands.actuator_forces import ForceLine
from gearwright.motion_demands.motion_segments.smooth_segments import SmoothSegment, line_motion
from gearwright.text import did_you_mean, listed_names

CLOSURE_ERROR_LIMIT = 1e-6
"""Largest constraint violation [m, rad] of a prescribed motion."""


class LawsWithLoads(NamedTuple):
    """Laws with contacts replaced by loads, their inputs, and the unknown forces of constraints.

    `closing_lines` has the lines of the constraint forces that are not given, by the names of the forces.
    """

    laws: tuple[Law, ...]
    inputs: Any
    closing_lines: dict[str, Line]


def with_contact_forces(mech: Mechanism, laws: Sequence[Law], contact: Any, inputs: Any) -> LawsWithLoads:
    """Return the laws with contacts and constraints replaced by loads, and the inputs with these forces over time.

    Raises:
        InputError: a name is not a force of a contact or constraint.
    """
    forces = {} if contact is None else contact
    if not isinstance(forces, Mapping):
        raise InputError(
            f"demands: contact={contact!r} must be a mapping from names of contacts or constraints to forces."
        )
    lines = {name: line for law in laws for name, line in _lines_of_law(law, mech.speeds).items()}
    given_forces = {_full_force_name(name, lines): force for name, force in forces.items()}
    held_names = [
        name for law in laws if isinstance(_without_sensor(law), Constraint) for name in _lines_of_law(law, mech.speeds)
    ]
    closing_lines = {name: lines[name] for name in held_names if name not in given_forces}
    if not given_forces:
        return LawsWithLoads(tuple(law for law in laws if not _lines_of_law(law, mech.speeds)), inputs, closing_lines)
    if inputs is not None and not isinstance(inputs, Mapping):
        raise InputError("demands: with contact, give inputs as a mapping from names.")
    other_laws = [law for law in laws if not _lines_of_law(law, mech.speeds)]
    loads = (Load(name, lines[name], "N") for name in given_forces)
    return LawsWithLoads((*other_laws, *loads), {**(inputs or {}), **given_forces}, closing_lines)


def require_determined_forces(
    mech: Mechanism, pushes: Sequence[ForceLine], closing_lines: Mapping[str, Line], q: Array
) -> None:
    """Raise an error if the motion does not determine the constraint forces.

    With the actuators' rows A and the constraints' rows W, it does where the row spaces of A and W intersect in zero
    only.
    """
    kinematics = SharedKinematics(mech, q.tolist(), [0.0] * mech.n, FLOATS)

    def row_rank(lines: Sequence[Line]) -> int:
        rows = np.array([dense_row(line.placed_in(kinematics).terms, mech.n) for line in lines], dtype=float).reshape(
            -1, mech.n
        )
        sizes = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
        return int(np.linalg.matrix_rank(rows / np.where(sizes > 0, sizes, 1.0), tol=1e-8))

    driven, tied = [force_line.line for force_line in pushes], list(closing_lines.values())
    if row_rank([*driven, *tied]) < row_rank(driven) + row_rank(tied):
        raise InputError(
            f"demands: the motion does not determine the constraint forces {listed_names(closing_lines)}: the "
            "actuators could replace them. Give each by contact={name: force over time}, zero included."
        )


def require_closed_motion(samples: SmoothSegment, closing_lines: Mapping[str, Line]) -> None:
    """Raise an error if a motion violates the constraints."""
    for line in closing_lines.values():
        gap = line_motion(line, samples)[0]
        worst = int(np.argmax(np.abs(gap)))
        if abs(gap[worst]) > CLOSURE_ERROR_LIMIT:
            raise InputError(
                f"demands: at t = {samples.t[worst]:g} s the motion violates the constraint {line.name} by "
                f"{gap[worst]:.3g} (m or rad). Close it: gw.contact.closed_motion(robot, motion, start)."
            )


def _lines_of_law(law: Law, speeds: tuple[str, ...]) -> dict[str, Line]:
    """Return the lines of a contact or constraint by the names of its forces; empty for other laws."""
    law = _without_sensor(law)
    if isinstance(law, Constraint):
        law.require_no_friction("demands")
        return dict(zip(law.force_names, law.force_lines(speeds), strict=True))
    if isinstance(law, Contact | SoftContact):
        return dict(law.force_lines(speeds))
    return {}


def _without_sensor(law: Law) -> Law:
    """Return a law without its sensors."""
    return law.law if isinstance(law, ForceSensor) else law


def _full_force_name(name: str, lines: Mapping[str, Line]) -> str:
    """Return the full name of a force, given by its own name or by that of a law with one force."""
    if name in lines:
        return name
    matches = [force for force in lines if force.startswith(f"{name}.")]
    if len(matches) != 1:
        hint = f"The law has {listed_names(matches)}: name each." if matches else did_you_mean(name, list(lines))
        raise InputError(f"demands: contact {name!r} is not the name of one force of a contact or constraint. {hint}")
    return matches[0]
