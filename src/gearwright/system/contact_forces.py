"""Forces of contacts and constraints that are given, where a motion is prescribed: they become loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gearwright.errors import InputError
from gearwright.forces.constraint import Constraint
from gearwright.forces.contact import Contact
from gearwright.forces.law import Law
from gearwright.forces.line import Line
from gearwright.forces.load import Load
from gearwright.forces.soft_contact import SoftContact
from gearwright.mechanism import Mechanism
from gearwright.text import did_you_mean, listed


def with_contact_forces(mech: Mechanism, laws: Sequence[Law], contact: Any, inputs: Any) -> tuple[tuple[Law, ...], Any]:
    """The laws with loads in the place of contacts and constraints, and the inputs with their forces over time.

    Raises:
        InputError: a name is not a force of theirs, or a constraint has a force that nobody gives.
    """
    forces = {} if contact is None else contact
    if not isinstance(forces, Mapping):
        raise InputError(f"demands: contact={contact!r} must be a mapping from names of constraints to forces.")
    lines = {name: line for law in laws for name, line in _lines(law, mech.speeds).items()}
    given = {_full(name, lines): force for name, force in forces.items()}
    held = [name for law in laws if isinstance(law, Constraint) for name in _lines(law, mech.speeds)]
    missing = [name for name in held if name not in given]
    if missing:
        raise InputError(
            f"demands: {listed(missing)} hold the machine, and their forces do not follow from its motion. Give each "
            "by contact={name: force over time}, zero included."
        )
    if not given:
        return tuple(law for law in laws if not _lines(law, mech.speeds)), inputs
    if inputs is not None and not isinstance(inputs, Mapping):
        raise InputError("demands: with contact, give inputs as a mapping from names.")
    kept = [law for law in laws if not _lines(law, mech.speeds)]
    return (*kept, *(Load(name, lines[name], "N") for name in given)), {**(inputs or {}), **given}


def _lines(law: Law, speeds: tuple[str, ...]) -> dict[str, Line]:
    """The lines of a contact or constraint by the names of its forces; none for other laws."""
    if isinstance(law, Constraint):
        return dict(zip(law.forces, law.lines(speeds), strict=True))
    if isinstance(law, Contact | SoftContact):
        return dict(law.lines(speeds))
    return {}


def _full(name: str, lines: Mapping[str, Line]) -> str:
    """The force that is meant: by its own name, or by that of a law that has only one."""
    if name in lines:
        return name
    mine = [one for one in lines if one.startswith(f"{name}.")]
    if len(mine) != 1:
        hint = f"It has {listed(mine)}: name each." if mine else did_you_mean(name, list(lines))
        raise InputError(f"demands: contact names {name!r}, which is not one force of a contact or constraint. {hint}")
    return mine[0]
