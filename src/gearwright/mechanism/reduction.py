"""Elastic machines reduced: springs made rigid, rotors that do not push, links without the rotors they carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gearwright.algebra import Scalar, Tensor, is_zero
from gearwright.errors import InertiaError, InputError
from gearwright.mechanism.elements import BASE, Body, Spin, Spring
from gearwright.mechanism.mechanism import Mechanism
from gearwright.mechanism.rows import NamedRow
from gearwright.text import listed


def rigid(mech: Mechanism) -> Mechanism:
    """Shafts turn as their springs' other ends do: inertia E' H E. Springs between joints alone stay.

    A shaft that no spring holds stays a shaft.
    """
    known: dict[str, dict[str, Scalar]] = {}
    for spring in mech.springs:
        row = _without(named(mech, spring.row), known)
        shaft = next((name for name in reversed(row) if name in mech.shafts), None)
        if shaft is None:
            continue
        joined = {name: -x / row[shaft] for name, x in row.items() if name != shaft}
        known = {other: _without(rest, {shaft: joined}) for other, rest in known.items()} | {shaft: joined}

    def joined_row(element: Any, field: str) -> Any:
        return replace(element, **{field: _without(named(mech, getattr(element, field)), known)})

    return replace(
        mech,
        spins=[joined_row(spin, "ratio") for spin in mech.spins],
        shafts=[name for name in mech.shafts if name not in known],
        springs=[joined_row(spring, "row") for spring in mech.springs if _stays(mech, spring, known)],
        actuators=[joined_row(actuator, "row") for actuator in mech.actuators],
    )


def named(mech: Mechanism, row: Any) -> dict[str, Scalar]:
    """A row as a mapping from the speeds that it contains."""
    return {name: x for name, x in zip(mech.speeds, row, strict=True) if not is_zero(x)}


def _without(row: Mapping[str, Scalar], known: Mapping[str, NamedRow]) -> dict[str, Scalar]:
    """The row with known shafts written in terms of the other speeds."""
    found: dict[str, Scalar] = {}
    for name, x in row.items():
        for other, share in known.get(name, {name: 1.0}).items():
            found[other] = found.get(other, 0.0) + x * share
    return {name: x for name, x in found.items() if not is_zero(x)}


def _stays(mech: Mechanism, spring: Spring, known: Mapping[str, NamedRow]) -> bool:
    """Whether a spring is none of those made rigid."""
    row = named(mech, spring.row)
    if not any(name in known for name in row):
        return True
    left = _without(row, known)
    if left:
        tied = listed(left)
        raise InputError(
            f"spring {spring.name!r}: made rigid together with the others it would tie the joints {tied} to each other."
            " Remove one of the springs of that loop first."
        )
    return False


def undamped(mech: Mechanism) -> Mechanism:
    """Springs without their dampers."""
    return replace(mech, springs=[replace(spring, damping=0.0) for spring in mech.springs])


def spong(mech: Mechanism) -> Mechanism:
    """H2 dropped: the wheels of shafts have their own energy and do not push on what carries them."""
    return replace(mech, spins=[fresh for spin in mech.spins for fresh in _apart(mech, spin)])


def _apart(mech: Mechanism, spin: Spin) -> list[Spin]:
    """A wheel driven by shafts is balanced; one driven by joints too is divided into the two."""
    row = named(mech, spin.ratio)
    shafts = {name: x for name, x in row.items() if name in mech.shafts}
    joints = {name: x for name, x in row.items() if name not in mech.shafts}
    if not shafts:
        return [spin]
    alone = replace(spin, coupling=0.0, ratio=shafts)
    return [replace(alone, name=f"{spin.name}@shaft"), replace(spin, ratio=joints)] if joints else [alone]


def spong_bare(mech: Mechanism) -> Mechanism:
    """Spong's model as it is often written: the links do not feel the tensors of the rotors they carry either.

    Balanced wheels (coupling 0), such as reflected values of a data sheet, were never in the links.
    """
    bodies = list(mech.bodies)
    for spin in mech.spins:
        turns_with_shaft = any(name in mech.shafts for name in named(mech, spin.ratio))
        if spin.carrier != BASE and turns_with_shaft and not is_zero(spin.coupled):
            bodies[int(spin.carrier)] = _unloaded(bodies[int(spin.carrier)], spin)
    return replace(spong(mech), bodies=bodies)


def _unloaded(body: Body, spin: Spin) -> Body:
    """The body without the rotor's tensor about its own centre; its mass stays."""
    if spin.rest is None:
        raise InputError(
            f"approximation 'spong_bare': spin {spin.name!r} does not say what of it lies in its carrier "
            f"{body.name!r}. Give it `rest`, or assemble the machine from parts."
        )
    carried = Tensor.of_revolution(spin.axis, spin.inertia, spin.rest.transverse_inertia)
    try:
        return replace(body, inertia=body.inertia - carried)
    except InertiaError as error:
        raise InputError(
            f"approximation 'spong_bare': without the rotor {spin.name!r} nothing physical is left of {body.name!r} "
            f"({error}) Use 'spong'."
        ) from None
