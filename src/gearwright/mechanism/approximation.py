"""Approximate and reduced models of a machine as machines of their own: reflected, diagonal, none, Spong, rigid, ...

Elastic machines are reduced by rigid springs, by rotors that do not push on their carriers, or by links without the
tensors of the rotors they carry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gearwright.algebra import Scalar, Tensor, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InertiaError, InputError
from gearwright.mechanism.assembly.machine_of import RobotOrMech, machine_of
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


@check_arguments
def approximate(mech: RobotOrMech, kind: str) -> Mechanism:
    """The machine as a simpler tool would see it.

    - "exact": as it is.
    - "reflected": every wheel's energy, no push on its carrier (coupling 0); M gets J b b'.
    - "diagonal": only the diagonal of J b b', what "armature" means.
    - "none": no wheels; their mass and inertia at rest stay in the links. A wheel that turns with a shaft keeps its
      inertia there, or the shaft would have none, but nothing of what joints add to its speed: the joints' block of M
      is that of the links alone, as a tool without wheels (a URDF, say) computes it, and does not feel the shafts.

    Of elastic drives (Melhem and Loria, section 3; on a machine without any they change nothing):

    - "nicosia_tomei": the whole inertia matrix, H2 included. For wheels that are bodies of revolution it is the exact
      machine; the velocity terms are those of that matrix.
    - "spong": H2 dropped; rotors are carried by the links but do not push on them by turning.
    - "spong_bare": the same without the tensors of the carried rotors in the links, as it is often written; their
      mass stays.
    - "rigid": no springs and no shafts, inertia E' H E. Springs between joints alone stay.
    - "undamped": the springs' dampers left out.

    >>> from gearwright.mechanism import Body, Spin
    >>> arm = Mechanism([Body("upper", mass=2, com=(0.2, 0, 0))], [Spin("rotor", "base", (0, 0, 1), 1e-4, [100])])
    >>> approximate(arm, "none").spins
    ()
    """
    if kind not in APPROXIMATIONS:
        raise InputError(f"there is no approximation {kind!r}. Use one of {', '.join(APPROXIMATIONS)}.")
    return APPROXIMATIONS[kind](machine_of("approximate", mech))


def _each(change: Callable[[Mechanism, Spin], tuple[Spin, ...]]) -> Callable[[Mechanism], Mechanism]:
    """The machine with every wheel changed."""
    return lambda mech: replace(mech, spins=tuple(fresh for spin in mech.spins for fresh in change(mech, spin)))


def _balanced(_: Mechanism, spin: Spin) -> tuple[Spin, ...]:
    return (replace(spin, coupling=0.0),)


def _split(mech: Mechanism, spin: Spin) -> tuple[Spin, ...]:
    """One balanced spin per entry of the ratio row, so that no two speeds share one."""
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


def _only_on_shafts(mech: Mechanism, spin: Spin) -> tuple[Spin, ...]:
    """The wheel balanced, and its row without the joints."""
    first_shaft = mech.n - len(mech.shafts)
    shafts = {mech.speeds[index]: ratio for index, ratio in spin.terms if index >= first_shaft}
    return (replace(spin, coupling=0.0, ratio=shafts),) if shafts else ()


APPROXIMATIONS: dict[str, Callable[[Mechanism], Mechanism]] = {
    "exact": lambda mech: mech,
    "reflected": _each(_balanced),  # Vukobratovic (20.70)-(20.73)
    "diagonal": _each(_split),
    "none": _each(_only_on_shafts),
    "nicosia_tomei": lambda mech: mech,
    "spong": spong,
    "spong_bare": spong_bare,
    "rigid": rigid,
    "undamped": undamped,
}
