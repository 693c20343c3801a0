"""The popular approximations, as machines of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gearwright.errors import InputError
from gearwright.mechanism import reduction
from gearwright.mechanism.coercion import RobotOrMech, machine_of
from gearwright.mechanism.elements import Spin
from gearwright.mechanism.mechanism import Mechanism


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
    "spong": reduction.spong,
    "spong_bare": reduction.spong_bare,
    "rigid": reduction.rigid,
    "undamped": reduction.undamped,
}
