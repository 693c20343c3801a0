"""Approximate and reduced models of an open tree: reflected, diagonal, none, Spong, rigid, ...

Elastic machines are reduced by rigid springs, by neglecting the coupling of rotors and carriers, or by neglecting the
rotors' tensors in the links.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gearwright.algebra import Scalar, Tensor, is_zero
from gearwright.errors import InertiaError, InputError
from gearwright.mechanism.elements import BASE, Body, Spin, Spring
from gearwright.mechanism.mechanism import Mechanism
from gearwright.mechanism.rows import NamedRow
from gearwright.text import listed_names


def rigid_machine(mech: Mechanism) -> Mechanism:
    """Return the machine with rigid springs of shafts: inertia E' H E. Springs between joints remain.

    A shaft without a spring remains a shaft.
    """
    shaft_rows: dict[str, dict[str, Scalar]] = {}
    for spring in mech.springs:
        row = _row_without_shafts(named_row(mech, spring.row), shaft_rows)
        shaft = next((name for name in reversed(row) if name in mech.shafts), None)
        if shaft is None:
            continue
        spring_row = {name: -x / row[shaft] for name, x in row.items() if name != shaft}
        shaft_rows = {
            other_shaft: _row_without_shafts(shaft_row, {shaft: spring_row})
            for other_shaft, shaft_row in shaft_rows.items()
        } | {shaft: spring_row}

    def joined_row(element: Any, field: str) -> Any:
        return replace(element, **{field: _row_without_shafts(named_row(mech, getattr(element, field)), shaft_rows)})

    return replace(
        mech,
        spins=[joined_row(spin, "ratio") for spin in mech.spins],
        shafts=[name for name in mech.shafts if name not in shaft_rows],
        springs=[joined_row(spring, "row") for spring in mech.springs if _is_kept_spring(mech, spring, shaft_rows)],
        actuators=[joined_row(actuator, "row") for actuator in mech.actuators],
    )


def named_row(mech: Mechanism, row: Any) -> dict[str, Scalar]:
    """Return a row as a mapping from its speeds."""
    return {name: x for name, x in zip(mech.speeds, row, strict=True) if not is_zero(x)}


def _row_without_shafts(row: Mapping[str, Scalar], shaft_rows: Mapping[str, NamedRow]) -> dict[str, Scalar]:
    """Return the row with known shafts expressed by the other speeds."""
    entries: dict[str, Scalar] = {}
    for name, x in row.items():
        for speed, share in shaft_rows.get(name, {name: 1.0}).items():
            entries[speed] = entries.get(speed, 0.0) + x * share
    return {name: x for name, x in entries.items() if not is_zero(x)}


def _is_kept_spring(mech: Mechanism, spring: Spring, shaft_rows: Mapping[str, NamedRow]) -> bool:
    """Whether a spring is not made rigid."""
    row = named_row(mech, spring.row)
    if not any(name in shaft_rows for name in row):
        return True
    left = _row_without_shafts(row, shaft_rows)
    if left:
        tied = listed_names(left)
        raise InputError(
            f"spring {spring.name!r}: if it is rigid together with the others, it locks the joints {tied} to each "
            "other. Remove one of the springs of that loop first."
        )
    return False


def undamped_machine(mech: Mechanism) -> Mechanism:
    """Return the machine without dampers of springs."""
    return replace(mech, springs=[replace(spring, damping=0.0) for spring in mech.springs])


def spong_machine(mech: Mechanism) -> Mechanism:
    """Return the machine with H2 = 0: the wheels of shafts keep their own energy but not the coupling to carriers."""
    return replace(mech, spins=[fresh for spin in mech.spins for fresh in _spong_spins(mech, spin)])


def _spong_spins(mech: Mechanism, spin: Spin) -> list[Spin]:
    """Return a balanced spin for a wheel driven by shafts, or two spins if it is driven by joints too."""
    row = named_row(mech, spin.ratio)
    shafts = {name: x for name, x in row.items() if name in mech.shafts}
    joints = {name: x for name, x in row.items() if name not in mech.shafts}
    if not shafts:
        return [spin]
    alone = replace(spin, coupling=0.0, ratio=shafts)
    return [replace(alone, name=f"{spin.name}@shaft"), replace(spin, ratio=joints)] if joints else [alone]


def bare_spong_machine(mech: Mechanism) -> Mechanism:
    """Return Spong's model as often printed: the rotors' tensors are also missing in the links.

    Balanced wheels (coupling 0), such as reflected values of a data sheet, are not part of the links.
    """
    bodies = list(mech.bodies)
    for spin in mech.spins:
        turns_with_shaft = any(name in mech.shafts for name in named_row(mech, spin.ratio))
        if spin.carrier != BASE and turns_with_shaft and not is_zero(spin.coupling_inertia):
            bodies[int(spin.carrier)] = _without_rotor_tensor(bodies[int(spin.carrier)], spin)
    return replace(spong_machine(mech), bodies=bodies)


def _without_rotor_tensor(body: Body, spin: Spin) -> Body:
    """Return the body without the rotor's tensor about its own centre; the mass remains."""
    if spin.rest is None:
        raise InputError(
            f"approximation 'spong_bare': spin {spin.name!r} does not state its inertia at rest in its carrier "
            f"{body.name!r}. Give it `rest`, or assemble the machine from parts."
        )
    carried = Tensor.of_revolution(spin.axis, spin.inertia, spin.rest.transverse_inertia)
    try:
        return replace(body, inertia=body.inertia - carried)
    except InertiaError as error:
        raise InputError(
            f"approximation 'spong_bare': without the rotor {spin.name!r}, body {body.name!r} is not physical "
            f"({error}) Use 'spong'."
        ) from None


def _with_changed_spins(change: Callable[[Mechanism, Spin], tuple[Spin, ...]]) -> Callable[[Mechanism], Mechanism]:
    """Return a function that changes every wheel of a machine."""
    return lambda mech: replace(mech, spins=tuple(fresh for spin in mech.spins for fresh in change(mech, spin)))


def _balanced_spin(_: Mechanism, spin: Spin) -> tuple[Spin, ...]:
    return (replace(spin, coupling=0.0),)


def _diagonal_spins(mech: Mechanism, spin: Spin) -> tuple[Spin, ...]:
    """Return one balanced spin per entry of the ratio row, each on one speed."""
    single = len(spin.terms) == 1
    return tuple(
        replace(
            spin,
            name=spin.name if single else f"{spin.name}@{mech.speeds[index]}",
            coupling=0.0,
            ratio={mech.speeds[index]: ratio},
        )
        for index, ratio in spin.terms
    )


def _shaft_spin(mech: Mechanism, spin: Spin) -> tuple[Spin, ...]:
    """Return the balanced wheel with its row over the shafts only."""
    first_shaft = mech.n - len(mech.shafts)
    shafts = {mech.speeds[index]: ratio for index, ratio in spin.terms if index >= first_shaft}
    return (replace(spin, coupling=0.0, ratio=shafts),) if shafts else ()


APPROXIMATIONS: dict[str, Callable[[Mechanism], Mechanism]] = {
    "exact": lambda mech: mech,
    "reflected": _with_changed_spins(_balanced_spin),  # Vukobratovic (20.70)-(20.73)
    "diagonal": _with_changed_spins(_diagonal_spins),
    "none": _with_changed_spins(_shaft_spin),
    "nicosia_tomei": lambda mech: mech,
    "spong": spong_machine,
    "spong_bare": bare_spong_machine,
    "rigid": rigid_machine,
    "undamped": undamped_machine,
}
"""The simplified open tree by the names of `approximate`."""
