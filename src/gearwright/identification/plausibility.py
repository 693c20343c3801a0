"""Logs whose numbers look as if they were in other units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.arrays import Array
from gearwright.identification.log import Log
from gearwright.mechanism import Mechanism

ODD_JOINT, ODD_ROBOT = float(np.log10(20)), float(np.log10(5))
"""Torques of one joint, or of all together, that differ by more powers of ten than these look like a wrong unit."""


def odd_units(log: Log, mech: Mechanism, expected: Array) -> tuple[str, ...]:
    """Sentences on angles that look like degrees, and torques off by powers of ten from the expected ones (T, n)."""
    turning = [k for k, unit in enumerate(mech.layout.units[: mech.nq - len(mech.shafts)]) if unit == "rad"]
    widest = float(np.ptp(np.asarray(log.q)[:, turning], axis=0).max()) if turning else 0.0
    remarks = []
    if widest > 30:
        remarks.append(f"A joint turns through {widest:.3g} rad: are the angles in degrees?")
    remarks += [
        f"The torque of {name!r} is 10^{power} times what the robot's own numbers give: wrong unit?"
        for name, power in _odd_sizes(mech.speeds, log.torques, expected)
    ]
    return tuple(remarks)


def _odd_sizes(speeds: Sequence[str], torques: Array, expected: Array) -> list[tuple[str, int]]:
    """Speeds whose torques are of another size than expected, and the power of ten between them.

    Friction may rule a single joint, hardly the whole robot: when all torques together are odd, less is needed of each.
    A joint from which hardly any torque is expected tells nothing.
    """
    own, size = (np.sqrt(np.mean(x**2, axis=0)) for x in (torques, expected))
    telling = (size > 1e-3 * size.max(initial=0.0)) & (own > 0)
    if not telling.any():
        return []
    power = np.log10(np.where(telling, own, 1.0) / np.where(telling, size, 1.0))
    together = float(np.log10(np.linalg.norm(own[telling]) / np.linalg.norm(size[telling])))
    most = ODD_ROBOT if abs(together) > ODD_ROBOT else ODD_JOINT
    return [(speed, round(float(x))) for speed, x in zip(speeds, power, strict=True) if abs(x) > most]
