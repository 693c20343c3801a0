"""Reflected inertia of the wheels at the joints."""

from __future__ import annotations

from gearwright.algebra import Scalar
from gearwright.mechanism.mechanism import Mechanism


def reflected_inertia(mech: Mechanism) -> tuple[Scalar, ...]:
    r"""Return the reflected inertia of all wheels at each speed, $\sum_j J_j b_{jr}^2$ [kg m2; kg for a sliding joint].

    This is the "armature" of other tools: the diagonal of the wheels' own energy, without coupling to the carrier.

    >>> from gearwright.mechanism import Body, Spin
    >>> rotor = Spin("rotor", "base", (0, 0, 1), 2e-5, [100])
    >>> reflected_inertia(Mechanism([Body("upper", mass=2, com=(0.2, 0, 0))], [rotor]))
    (0.2,)
    """
    inertias: list[Scalar] = [0.0] * mech.n
    for spin in mech.spins:
        for speed, ratio in spin.terms:
            inertias[speed] = inertias[speed] + spin.inertia * ratio * ratio
    return tuple(inertias)
