"""Random chains in which every joint is driven through a spring by a rotor with an arbitrary axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import gearwright as gw
from support.designs import Design, Disc
from support.machines import random_design, unit


def elastic_chain(rng: np.random.Generator, kinds: Sequence[str], *, damping: bool = True) -> Design:
    """Rotor i sits on link i - 1, as Melhem and Loria have it."""
    design = random_design(rng, kinds, wheels=0, chain=True)
    discs, springs = [], []
    for i in range(len(kinds)):
        axial = rng.uniform(1e-4, 2e-3)
        inertial = (axial, axial * rng.uniform(0.55, 2), rng.uniform(0.1, 1), rng.uniform(-0.3, 0.3, 3))
        discs.append(
            Disc(i - 1, unit(rng), *inertial, {f"j{i}.motor": float(rng.choice([-1, 1]) * rng.uniform(5, 40))})
        )
        springs.append(({f"j{i}": 1.0, f"j{i}.motor": -1.0}, rng.uniform(100, 1000), 5.0 * damping * rng.random(), 0.0))
    shafts = tuple(f"j{i}.motor" for i in range(len(kinds)))
    return replace(design, discs=tuple(discs), springs=tuple(springs), shafts=shafts)


def elastic_machine(rng: np.random.Generator, kinds: Sequence[str], *, damping: bool = True) -> gw.Mechanism:
    return gw.assemble(elastic_chain(rng, kinds, damping=damping).robot())
