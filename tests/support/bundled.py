"""The public functions of the dynamics on bundled robots: arguments at a random state, and what they return."""

from __future__ import annotations

from typing import Any

import numpy as np

import gearwright as gw
from gearwright.functions import dynamics
from gearwright.programs import dynamics_programs

CHEAP = ("inverse_dynamics", "mass_matrix", "bias", "placement", "momentum", "integrate")
"""Functions quick enough to be traced for every robot, a biped of 30 joints included."""


INNER = ("axial_drifts", "closed_step", "reaching_step")
"""Programs that only other functions use."""
PUBLIC = [name for name in dynamics_programs.PROGRAM_BY_NAME if name not in INNER]


def public(name: str) -> Any:
    """A public function by the name of its program."""
    return next(
        getattr(space, name) for space in (dynamics, gw.planning, gw.equations, gw.actuation) if hasattr(space, name)
    )


def fixed_for(name: str, mech: gw.Mechanism) -> dict[str, Any]:
    """What a function takes beside arrays: the last body."""
    return {"body": mech.bodies[-1].name} if "body" in dynamics_programs.PROGRAM_BY_NAME[name].options else {}


def arguments(name: str, mech: gw.Mechanism, seed: int = 0) -> list[np.ndarray]:
    """Arrays of one random state."""
    rng = np.random.default_rng(seed)
    program = dynamics_programs.PROGRAM_BY_NAME[name]
    return [
        gw.integrate(mech, gw.neutral(mech), rng.uniform(-1, 1, mech.n))
        if name in program.per_coordinate
        else rng.uniform(-1, 1, mech.n)
        for name in program.inputs
    ]


def flat(result: Any) -> np.ndarray:
    """One or several results side by side, whatever library holds them."""
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.asarray(part).ravel() for part in parts])
