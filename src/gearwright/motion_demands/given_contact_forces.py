"""Forces of contacts and constraints that are given, where a motion is prescribed: they become loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.contact.constraint import Constraint
from gearwright.forces.contact.contact import Contact
from gearwright.forces.contact.force_sensor import Measured
from gearwright.forces.contact.soft_contact import SoftContact
from gearwright.forces.law import Law
from gearwright.forces.line import Line
from gearwright.forces.loads import Load
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import spread
from gearwright.motion_demands.actuator_forces import Push
from gearwright.motion_demands.motion_segments.smooth_segments import Piece, motion_along
from gearwright.text import did_you_mean, listed

OPEN = 1e-6
"""How far [m, rad] from what constraints hold a prescribed motion may be."""


class Touching(NamedTuple):
    """What acts along a motion: laws with loads in the place of contacts, inputs, and forces that close loops.

    `closing` has the lines of constraints whose forces nobody gives, by the names of the forces.
    """

    laws: tuple[Law, ...]
    inputs: Any
    closing: dict[str, Line]


def with_contact_forces(mech: Mechanism, laws: Sequence[Law], contact: Any, inputs: Any) -> Touching:
    """The laws with loads in the place of contacts and constraints, and the inputs with their forces over time.

    Raises:
        InputError: a name is not a force of theirs.
    """
    forces = {} if contact is None else contact
    if not isinstance(forces, Mapping):
        raise InputError(f"demands: contact={contact!r} must be a mapping from names of constraints to forces.")
    lines = {name: line for law in laws for name, line in _lines(law, mech.speeds).items()}
    given = {_full(name, lines): force for name, force in forces.items()}
    held = [name for law in laws if isinstance(_bare(law), Constraint) for name in _lines(law, mech.speeds)]
    closing = {name: lines[name] for name in held if name not in given}
    if not given:
        return Touching(tuple(law for law in laws if not _lines(law, mech.speeds)), inputs, closing)
    if inputs is not None and not isinstance(inputs, Mapping):
        raise InputError("demands: with contact, give inputs as a mapping from names.")
    kept = [law for law in laws if not _lines(law, mech.speeds)]
    loads = (Load(name, lines[name], "N") for name in given)
    return Touching((*kept, *loads), {**(inputs or {}), **given}, closing)


def require_determined(mech: Mechanism, pushes: Sequence[Push], closing: Mapping[str, Line], q: Array) -> None:
    """Refuse forces of constraints that do not follow from a motion, since actuators could do without them.

    With the actuators' lines A and the constraints' rows W, they follow where no force along W is one along A.
    """
    scene = Scene(mech, q.tolist(), [0.0] * mech.n, FLOATS)

    def rank(lines: Sequence[Line]) -> int:
        rows = np.array([spread(line.placed(scene).terms, mech.n) for line in lines], dtype=float).reshape(-1, mech.n)
        sizes = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
        return int(np.linalg.matrix_rank(rows / np.where(sizes > 0, sizes, 1.0), tol=1e-8))

    driven, tied = [one.line for one in pushes], list(closing.values())
    if rank([*driven, *tied]) < rank(driven) + rank(tied):
        raise InputError(
            f"demands: {listed(closing)} hold the machine, and their forces do not follow from its motion: its "
            "actuators could do without them. Give each by contact={name: force over time}, zero included."
        )


def require_kept(pieces: Sequence[Piece], closing: Mapping[str, Line]) -> None:
    """Refuse a motion that opens what constraints hold."""
    for piece in pieces:
        for line in closing.values():
            gap = motion_along(line, piece)[0]
            worst = int(np.argmax(np.abs(gap)))
            if abs(gap[worst]) > OPEN:
                raise InputError(
                    f"demands: at t = {piece.t[worst]:g} s the motion is {gap[worst]:.3g} (m or rad) from what "
                    f"{line.name} holds. Plan it closed: gw.contact.closed_motion(robot, motion, start)."
                )


def _lines(law: Law, speeds: tuple[str, ...]) -> dict[str, Line]:
    """The lines of a contact or constraint by the names of its forces; none for other laws."""
    law = _bare(law)
    if isinstance(law, Constraint):
        return dict(zip(law.forces, law.lines(speeds), strict=True))
    if isinstance(law, Contact | SoftContact):
        return dict(law.lines(speeds))
    return {}


def _bare(law: Law) -> Law:
    """A law without its sensors."""
    return law.law if isinstance(law, Measured) else law


def _full(name: str, lines: Mapping[str, Line]) -> str:
    """The force that is meant: by its own name, or by that of a law that has only one."""
    if name in lines:
        return name
    mine = [one for one in lines if one.startswith(f"{name}.")]
    if len(mine) != 1:
        hint = f"It has {listed(mine)}: name each." if mine else did_you_mean(name, list(lines))
        raise InputError(f"demands: contact names {name!r}, which is not one force of a contact or constraint. {hint}")
    return mine[0]
