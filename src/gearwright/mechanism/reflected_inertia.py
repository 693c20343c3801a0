"""What the wheels weigh at the joints."""

from __future__ import annotations

from gearwright.algebra import Scalar
from gearwright.mechanism.mechanism import Mechanism


def reflected_inertia(mech: Mechanism) -> tuple[Scalar, ...]:
    r"""Inertia of all wheels felt at each speed, $\sum_j J_j b_{jr}^2$ [kg m2, or kg for a sliding joint].

    This is what "armature" means elsewhere: the diagonal of the wheels' own energy, without their push on the carrier.

    >>> from gearwright.mechanism import Body, Spin
    >>> rotor = Spin("rotor", "base", (0, 0, 1), 2e-5, [100])
    >>> reflected_inertia(Mechanism([Body("upper", mass=2, com=(0.2, 0, 0))], [rotor]))
    (0.2,)
    """
    felt: list[Scalar] = [0.0] * mech.n
    for spin in mech.spins:
        for speed, ratio in spin.terms:
            felt[speed] = felt[speed] + spin.inertia * ratio * ratio
    return tuple(felt)
