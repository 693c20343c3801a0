"""Layout of rotors: mounting links, axes and senses of rotation for which their couplings to the links cancel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.algebra import Vec
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import axial_rates, integrate, neutral
from gearwright.mechanism import Mechanism, tree_of
from gearwright.parts import Robot
from gearwright.plots import bar_figure, save_if_path
from gearwright.text import did_you_mean

MAX_ENUMERATED_LAYOUTS = 20_000
"""Number of layouts up to which all are evaluated; above it, one drive after another is improved from many starts."""

DESCENT_STARTS = 30
"""Random starts of the improvement by single drives."""


@check_arguments
@dataclass(frozen=True)
class RotorMounting:
    """The mounting of a rotor: its link, and its axis there; reversing the axis reverses the sense of rotation."""

    link: str
    axis: tuple[float, float, float]


@dataclass(frozen=True)
class RotorLayout:
    """The layout with the least coupling.

    Args:
        robot: the robot with this layout.
        mountings: per drive its mounting.
        coupling: rms norm of the coupling part of the mass matrix, sum of Jc (b h' + h b'), over the states [kg m2].
        initial_coupling: the same for the robot as given.
        exhaustive: whether all layouts were evaluated.
    """

    robot: Robot
    mountings: dict[str, RotorMounting]
    coupling: float
    initial_coupling: float
    exhaustive: bool

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the coupling before and after, and save it if a path is given."""
        values = {"rms coupling": [self.initial_coupling, self.coupling]}
        return save_if_path(bar_figure(["as given", "best layout"], values, "coupling [kg m2]", self.robot.name), path)


@check_arguments
def least_coupling_layout(
    robot: Robot,
    choices: Mapping[str, Sequence[RotorMounting]] | None = None,
    *,
    samples: int = 30,
    seed: int = 0,
) -> RotorLayout:
    r"""Return the mounting of every rotor for which the coupling of rotors and links is smallest.

    A wheel with row b whose carrier turns about its axis at the rate $h v$ adds $J_c (b h' + h b')$ to the mass matrix,
    and its derivatives to the velocity forces: the gyroscopic forces. Where the sum over all wheels vanishes in every
    configuration, a diagonal of reflected inertias is exact. The sum is additive in the drives, so that a layout is
    evaluated from the contributions of its mountings. As in files, a ratio given as a number is kept.

    Args:
        robot: a robot with drives.
        choices: per drive its possible mountings; drives without an entry stay. Default: every drive on its link,
            along the positive and negative axes of that link's frame.
        samples: number of random configurations.
        seed: their seed.

    >>> import gearwright as gw
    >>> best = least_coupling_layout(gw.load("elbow"))
    >>> best.coupling < best.initial_coupling
    True
    """
    whole_number("least_coupling_layout", "samples", samples, least=1)
    mech = tree_of("least_coupling_layout", robot)
    options = _checked_choices(robot, choices)
    q = integrate(mech, neutral(mech), np.random.default_rng(seed).uniform(-np.pi, np.pi, (samples, mech.n)))
    couplings = coupling_matrices(mech, q)
    changes = [
        [
            coupling_matrices(tree_of("least_coupling_layout", _with_mounting(robot, name, x)), q) - couplings
            for x in listed
        ]
        for name, listed in options.items()
    ]
    chosen, exhaustive = _best_choice(couplings, changes, seed)
    mountings = {name: listed[k] for (name, listed), k in zip(options.items(), chosen, strict=True)}
    total = couplings + sum((changes[d][k] for d, k in enumerate(chosen)), np.zeros_like(couplings))
    best = robot
    for name, mounting in mountings.items():
        best = _with_mounting(best, name, mounting)
    return RotorLayout(best, mountings, _rms_norm(total), _rms_norm(couplings), exhaustive)


def coupling_matrices(mech: Mechanism, q: Array) -> Array:
    """Return the coupling part of the mass matrix, the sum of Jc (b h' + h b') over all wheels, (..., n, n)."""
    h = axial_rates(mech, q)
    rows = np.array([spin.ratio for spin in mech.spins], dtype=float).reshape(len(mech.spins), mech.n)
    weights = np.array([spin.coupling_inertia for spin in mech.spins], dtype=float)
    half = np.einsum("s,si,...sj->...ij", weights, rows, h)
    return half + np.swapaxes(half, -1, -2)


def _rms_norm(matrices: Array) -> float:
    return float(np.sqrt((matrices**2).sum(axis=(-2, -1)).mean()))


def _checked_choices(
    robot: Robot, choices: Mapping[str, Sequence[RotorMounting]] | None
) -> dict[str, Sequence[RotorMounting]]:
    names = {drive.name or drive.joint: drive for drive in robot.drives}
    if not names:
        raise InputError(f"least_coupling_layout: robot {robot.name!r} has no drives. Give it drives with rotors.")
    if choices is None:
        directions = [tuple(float(x) for x in sign * row) for row in np.eye(3) for sign in (1, -1)]
        parents = {link.joint_name: link.parent for link in robot.links}
        return {
            name: [RotorMounting(drive.mounted_on or parents[drive.joint], x) for x in directions]  # type: ignore[arg-type]
            for name, drive in names.items()
        }
    links = ["base", *(link.name for link in robot.links)]
    for name, listed in choices.items():
        if name not in names:
            raise InputError(f"least_coupling_layout: there is no drive {name!r}. {did_you_mean(name, names)}")
        if not listed:
            raise InputError(f"least_coupling_layout: drive {name!r} has no mountings. Give at least one.")
        for mounting in listed:
            if mounting.link not in links:
                raise InputError(
                    f"least_coupling_layout: drive {name!r}: there is no link {mounting.link!r}. "
                    f"{did_you_mean(mounting.link, links)}"
                )
    return dict(choices)


def _with_mounting(robot: Robot, name: str, mounting: RotorMounting) -> Robot:
    drives = [
        replace(drive, mounted_on=mounting.link, axis=Vec(*mounting.axis))
        if (drive.name or drive.joint) == name
        else drive
        for drive in robot.drives
    ]
    return replace(robot, drives=tuple(drives))


def _best_choice(couplings: Array, changes: Sequence[Sequence[Array]], seed: int) -> tuple[tuple[int, ...], bool]:
    """Return the option per drive with the least norm of the sum, and whether all combinations were evaluated."""
    sizes = [len(listed) for listed in changes]

    def norm(choice: Sequence[int]) -> float:
        return _rms_norm(couplings + sum((changes[d][k] for d, k in enumerate(choice)), np.zeros_like(couplings)))

    if prod(sizes) <= MAX_ENUMERATED_LAYOUTS:
        return min(product(*(range(size) for size in sizes)), key=norm), True
    rng = np.random.default_rng(seed)
    return min(
        (_improved([int(rng.integers(x)) for x in sizes], sizes, norm) for _ in range(DESCENT_STARTS)), key=norm
    ), False


def _improved(choice: list[int], sizes: Sequence[int], norm: Any) -> tuple[int, ...]:
    """Improve one drive after another until no single change reduces the norm."""
    best = norm(choice)
    while True:
        before = best
        for d, size in enumerate(sizes):
            trials = [[*choice[:d], k, *choice[d + 1 :]] for k in range(size)]
            norms = [norm(trial) for trial in trials]
            if min(norms) < best:
                best, choice = min(norms), trials[int(np.argmin(norms))]
        if best >= before:
            return tuple(choice)
