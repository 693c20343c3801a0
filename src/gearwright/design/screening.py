"""All choices of one joint at once: what the motion asks of each, and how much of its limits that takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.limit_checks import WINDING
from gearwright.arrays import Array
from gearwright.design.candidates import Candidates
from gearwright.design.drive_demand import OfArrays, compared, drive_demand
from gearwright.motion import Motion


@dataclass(frozen=True)
class Screening:
    """What a motion asks of every choice of one joint.

    Args:
        use: per limit the share of it that is taken, (C,).
        energy: electrical energy over the motion [J], with regeneration, (C,).
        temperature: of the winding in the mean of a cycle that goes on for ever [K], (C,); nan where a sheet does not
            print its thermal data, inf where the winding heats faster than it cools.
    """

    use: dict[str, Array]
    energy: Array
    temperature: Array

    @property
    def worst(self) -> Array:
        """The largest share of any limit, (C,)."""
        return np.max(list(self.use.values()), axis=0)


def screen(some: Candidates, motion: Motion, carried: Array) -> Screening:
    r"""What a motion asks of choices for one joint; the rotor itself takes $J (n Y^2 + Y^1)$.

    Args:
        some: the choices.
        motion: of all joints.
        carried: force at the joint of the machine with all other drives, without this one, (T,) or (C, T).
    """
    basis, at = some.basis, some.basis.at
    load = carried + some.mass[:, None] * basis.mass[:, at] + some.inertia[:, None] * basis.rest[:, at]
    own = some.inertia[:, None] * (some.ratio[:, None] * basis.second[:, at] + basis.first[:, at])
    over = OfArrays(motion.t)
    found = drive_demand(some.article, load, own, motion.v[:, at], ARRAYS)
    values = compared(found, some.article, over)
    return Screening(
        {name: values[name] / limit for name, limit in some.limits.items()},
        energy=over.span * over.mean(found.voltage * found.current),
        temperature=some.warmed(values[WINDING]),
    )
