"""Synthesis of gear trains: all trains of a kind with a wanted ratio, ranked by inertia, loss, stiffness and size.

The stages are enumerated once, sorted by ratio; the last stage of a series is found by bisection, so that no train is
missed and few are built. The inertia is that of the assembled machine.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number, whole_number
from gearwright.errors import InputError, TrainError
from gearwright.functions import mass_matrix
from gearwright.mechanism import assemble_tree
from gearwright.parts import Drive, Link, Member, Motor, Planetary, Robot, Series, Spur
from gearwright.parts.gears.gear import GearType
from gearwright.parts.gears.losses import gear_losses

RANKED_BY = ("inertia", "loss", "stiffness", "size")
MAX_TRAINS = 20_000
"""Most trains that are built."""
MOST_STAGES, MOST_PLANETS, MOST_TEETH = 10, 100, 2_000
"""Largest numbers of stages, of planets and of teeth of a wheel."""

LEAST_LENGTH = 1e-9
"""Least module and width of teeth [m]."""


@check_arguments
@dataclass(frozen=True)
class TrainSpace:
    """The search space of gear trains; wheels are discs of their pitch radius.

    Args:
        kind: "planetary" (ring held, sun driven by the motor) or "spur" (external pairs).
        stages: numbers of stages in series.
        teeth: least and largest number of teeth of a wheel; rings are larger by two planets.
        planets: numbers of planets of a planetary stage.
        module: of all teeth [m].
        width: face width of all wheels [m].
        density: of the wheels [kg/m3].
        mesh_efficiency: of one mesh.
        mesh_stiffness: of one mesh per face width [N/m2]; ISO 6336 gives about 14 to 20 N/(mm um).
    """

    kind: Literal["planetary", "spur"] = "planetary"
    stages: Sequence[int] = (1, 2)
    teeth: tuple[int, int] = (17, 60)
    planets: Sequence[int] = (3,)
    module: float = 1e-3
    width: float = 10e-3
    density: float = 7850.0
    mesh_efficiency: float = 0.99
    mesh_stiffness: float = 14e9

    def __post_init__(self) -> None:
        for name, most in (("stages", MOST_STAGES), ("planets", MOST_PLANETS)):
            if not getattr(self, name):
                raise InputError(f"TrainSpace: {name} is empty. Give one or more numbers.")
            for count in getattr(self, name):
                whole_number("TrainSpace", name, count, least=1, most=most)
        for name in ("module", "width"):
            real_number("TrainSpace", name, getattr(self, name), least=LEAST_LENGTH, unit="metres", example=0.001)
        for name in ("density", "mesh_stiffness"):
            real_number("TrainSpace", name, getattr(self, name), above=0.0, example=None, hint="Check its unit.")
        real_number("TrainSpace", "mesh_efficiency", self.mesh_efficiency, above=0.0, most=1.0)
        low, high = self.teeth
        if not 1 <= low <= high <= MOST_TEETH:
            raise InputError(
                f"TrainSpace: teeth={self.teeth} is not a range between 1 and {MOST_TEETH}. Give (least, largest), "
                "such as (17, 60)."
            )

    def disc(self, teeth: int) -> Member:
        """The disc of a wheel."""
        radius = self.module * teeth / 2
        mass = math.pi * radius**2 * self.width * self.density
        transverse = mass * (radius**2 / 4 + self.width**2 / 12)
        return Member(mass * radius**2 / 2, mass, transverse)

    def stage_choices(self) -> list[StageChoice]:
        """All stages that can be built, by increasing ratio."""
        low, high = self.teeth
        if self.kind == "spur":
            pairs = [(a, b) for a in range(low, high + 1) for b in range(a + 1, high + 1)]
            return sorted((StageChoice(b / a, (a, b)) for a, b in pairs), key=lambda choice: choice.ratio)
        choices = []
        for sun in range(low, high + 1):
            for planet in range(low, high + 1):
                ring = sun + 2 * planet
                for count in self.planets:
                    spaced = (sun + ring) % count == 0
                    if spaced and (count == 1 or (sun + planet) * math.sin(math.pi / count) > planet + 2):
                        choices.append(StageChoice(1 + ring / sun, (sun, planet, ring), count))
        return sorted(choices, key=lambda choice: choice.ratio)

    def stage_gear(self, choice: StageChoice) -> Planetary | Spur:
        """The stage as a part."""
        if self.kind == "spur":
            driver, driven = choice.teeth
            return Spur(
                driver=driver,
                driven=driven,
                driver_member=self.disc(driver),
                driven_member=self.disc(driven),
                module=self.module,
                mesh_efficiency=self.mesh_efficiency,
            )
        sun, planet, ring = choice.teeth
        return Planetary(
            sun=sun,
            planet=planet,
            ring=ring,
            planets=choice.planets,
            modules=self.module,
            sun_member=self.disc(sun),
            planet_member=self.disc(planet),
            mesh_efficiency=self.mesh_efficiency,
            towards=(1.0, 0.0, 0.0) if choice.planets < 3 else None,
        )

    def stage_stiffness(self, choice: StageChoice) -> float:
        """Torsional stiffness of a stage at its output [Nm/rad], by its teeth: c b r^2, or 2 N c b r_carrier^2."""
        line = self.mesh_stiffness * self.width
        if self.kind == "spur":
            return line * (self.module * choice.teeth[1] / 2) ** 2
        sun, planet, _ = choice.teeth
        return 2 * choice.planets * line * (self.module * (sun + planet) / 2) ** 2


class StageChoice(NamedTuple):
    """One stage: the magnitude of its ratio, its teeth (sun, planet, ring; or driver, driven), number of planets."""

    ratio: float
    teeth: tuple[int, ...]
    planets: int = 1


@dataclass(frozen=True)
class SynthesisedTrain:
    """A gear train with a required ratio.

    Args:
        gear: the gear, for a `Drive`.
        stages: teeth of the stages from motor to joint.
        planets: numbers of planets of the stages.
        ratio: motor speed / joint speed, signed.
        inertia: of all wheels at the motor's shaft [kg m2].
        loss: 1 - efficiency while the motor drives.
        stiffness: of all meshes, at the joint [Nm/rad].
        diameter: largest pitch diameter [m].
        size: sum of the cylinders around the stages [m3].
    """

    gear: GearType
    stages: tuple[tuple[int, ...], ...]
    planets: tuple[int, ...]
    ratio: float
    inertia: float
    loss: float
    stiffness: float
    diameter: float
    size: float


@check_arguments
def synthesise_trains(
    ratio: float,
    space: TrainSpace,
    tolerance: float = 0.005,
    rank: Literal["inertia", "loss", "stiffness", "size"] = "inertia",
) -> tuple[SynthesisedTrain, ...]:
    """Return all trains of a space whose ratio is within a relative tolerance of the required one, the best first.

    Args:
        ratio: magnitude of motor speed / joint speed: the element of the structure matrix.
        space: the kind of train, and the ranges of its parameters.
        tolerance: largest relative error of the ratio.
        rank: "inertia" at the motor, "loss" or "size" (smallest first), or "stiffness" at the joint (largest first).

    >>> best = synthesise_trains(5.0, TrainSpace(stages=(1,), teeth=(15, 40)))[0]
    >>> best.stages, best.ratio, round(best.loss, 4)
    (((18, 27, 72),), 5.0, 0.0159)
    """
    real_number("synthesise_trains", "ratio", ratio, above=1.0, example=50.0)
    real_number("synthesise_trains", "tolerance", tolerance, least=0.0, below=1.0, example=0.005)
    choices = space.stage_choices()
    trains = []
    for count in sorted(set(space.stages)):
        for stages in _stage_series(choices, count, ratio * (1 - tolerance), ratio * (1 + tolerance)):
            trains.append(stages)
            if len(trains) > MAX_TRAINS:
                raise InputError(
                    f"synthesise_trains: more than {MAX_TRAINS} trains have a ratio of {ratio:g} within {tolerance:g}. "
                    "Give a smaller tolerance, fewer teeth or fewer stages."
                )
    built = [_built_train(space, stages) for stages in trains]
    sense = -1.0 if rank == "stiffness" else 1.0
    return tuple(sorted(built, key=lambda train: (sense * getattr(train, rank), train.size, train.stages)))


def _stage_series(
    choices: Sequence[StageChoice], count: int, low: float, high: float
) -> Iterator[tuple[StageChoice, ...]]:
    """Yield all series of stages whose ratios multiply to a value from low to high (with rounding)."""
    if not choices:
        return
    slack = 1e-12
    if count == 1:
        first = bisect_left(choices, low * (1 - slack), key=lambda choice: choice.ratio)
        last = bisect_right(choices, high * (1 + slack), key=lambda choice: choice.ratio)
        for choice in choices[first:last]:
            yield (choice,)
        return
    least, largest = choices[0].ratio ** (count - 1), choices[-1].ratio ** (count - 1)
    for choice in choices:
        if low / choice.ratio <= largest * (1 + slack) and high / choice.ratio >= least * (1 - slack):
            for rest in _stage_series(choices, count - 1, low / choice.ratio, high / choice.ratio):
                yield (choice, *rest)


def _built_train(space: TrainSpace, stages: Sequence[StageChoice]) -> SynthesisedTrain:
    """Return a train with its characteristics."""
    gears = [space.stage_gear(stage) for stage in stages]
    gear: GearType = gears[0] if len(gears) == 1 else Series(stages=gears)
    total = float(gear.ratio)
    if not total:
        raise TrainError("synthesise_trains: a train has the ratio 0. Change the range of teeth.")
    compliance, behind = 0.0, 1.0
    for stage in reversed(stages):
        compliance += 1 / (space.stage_stiffness(stage) * behind**2)
        behind *= stage.ratio
    outer = [space.module * max(stage.teeth) for stage in stages]
    lengths = [
        x if space.kind == "planetary" else space.module * sum(s.teeth) for x, s in zip(outer, stages, strict=True)
    ]
    return SynthesisedTrain(
        gear,
        tuple(stage.teeth for stage in stages),
        tuple(stage.planets for stage in stages),
        total,
        _inertia_at_motor(gear),
        1.0 - float(gear_losses(gear)[0].efficiency),
        1 / compliance,
        max(outer),
        sum(math.pi / 4 * d**2 * space.width for d in lengths),
    )


def _inertia_at_motor(gear: GearType) -> float:
    """Return the inertia of all wheels at the motor's shaft: that of a machine with this gear, without the link's."""
    link = Link("output", inertia=np.diag([1.0, 1.0, 1.0]))
    mech = assemble_tree(Robot("train", [link], [Drive("output", Motor(), gear)]))
    return float(mass_matrix(mech, [0.0])[0, 0] - 1.0) / float(gear.ratio) ** 2
