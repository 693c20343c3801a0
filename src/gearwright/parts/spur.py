"""Pairs and trains of gears on fixed axes: spur, internal, idlers, bevel, worm, and gears in series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from gearwright.algebra import Scalar
from gearwright.errors import TrainError
from gearwright.parts.gear import AnyGear, Wheel
from gearwright.parts.member import NOTHING, Elasticity, Member, require_choice, require_teeth


@dataclass(frozen=True, kw_only=True)
class Spur(Elasticity):
    r"""A pair of spur gears, with any number of idlers between them: ratio $= \pm Z_{driven} / Z_{driver}$.

    Every external mesh turns the direction round, an internal one (the driven gear is a ring) does not.

    Args:
        driver: teeth of the gear on the motor's shaft.
        driven: teeth of the gear on the joint.
        idlers: teeth of the idlers from driver to driven, each on its own axis fixed in the mount.
        internal: whether the driven gear is a ring with teeth inside.
        driver_member: mass and inertia of the driver.
        driven_member: mass and inertia of the driven gear, unless the driven link's numbers contain it.
        idler_members: mass and inertia of each idler.

    >>> Spur(driver=20, driven=60).ratio, Spur(driver=20, driven=60, idlers=(30,)).ratio
    (-3.0, 3.0)
    >>> Spur(driver=20, driven=60, internal=True).ratio
    3.0
    """

    driver: int
    driven: int
    idlers: Sequence[int] = ()
    internal: bool = False
    driver_member: Member = NOTHING
    driven_member: Member = NOTHING
    idler_members: Sequence[Member] = ()
    kind: str = "spur"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_teeth(self.kind, driver=self.driver, driven=self.driven)
        require_teeth(self.kind, **{f"idler {k + 1}": z for k, z in enumerate(self.idlers)})
        object.__setattr__(self, "idlers", tuple(self.idlers))
        object.__setattr__(self, "idler_members", tuple(self.idler_members))
        if self.internal and self.driven <= (self.idlers or (self.driver,))[-1]:
            raise TrainError(
                f"{self.kind}: the ring has {self.driven} teeth, not more than the gear inside it. "
                "A ring must be larger: swap the two, or make the pair external."
            )
        if len(self.idler_members) > len(self.idlers):
            raise TrainError(
                f"{self.kind}: {len(self.idler_members)} idler members for {len(self.idlers)} idlers. Give one each."
            )

    @property
    def rates(self) -> tuple[float, ...]:
        """Speeds of driver, idlers and driven gear per unit speed of the driven gear."""
        teeth = (self.driver, *self.idlers, self.driven)
        found = [1.0]
        for place, (z, after) in enumerate(reversed(list(pairwise(teeth)))):
            sign = 1.0 if self.internal and place == 0 else -1.0
            found.append(sign * found[-1] * after / z)
        return tuple(reversed(found))

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return self.rates[0]

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels per unit speed of the driven gear; a fixed axis is the same whatever the output turns."""
        first, *between, _ = self.rates
        found = self.input_wheel(first) + self.driver_member.wheel("driver", first)
        for k, (rate, member) in enumerate(zip(between, self.idler_members, strict=False)):
            found += member.wheel(f"idler{k + 1}", rate)
        return found + self.driven_member.wheel("driven", 1.0, about="joint")

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)


@dataclass(frozen=True, kw_only=True)
class Bevel(Elasticity):
    r"""A pair of bevel gears, ratio $= \mp Z_{driven} / Z_{driver}$.

    When the motor's axis and the joint's axis both point away from the common apex (or both towards it) they turn in
    opposite senses and the ratio is negative: `away=True`. When one points towards the apex it is positive.

    >>> Bevel(driver=20, driven=40).ratio
    -2.0
    """

    driver: int
    driven: int
    away: bool = True
    driver_member: Member = NOTHING
    driven_member: Member = NOTHING
    kind: str = "bevel"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_teeth(self.kind, driver=self.driver, driven=self.driven)

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return (-1.0 if self.away else 1.0) * self.driven / self.driver

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels per unit speed of the driven gear."""
        found = self.input_wheel(self.ratio) + self.driver_member.wheel("driver", self.ratio)
        return found + self.driven_member.wheel("driven", 1.0, about="joint")

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)


@dataclass(frozen=True, kw_only=True)
class Worm(Elasticity):
    r"""A worm and its wheel, ratio $= \pm Z_{wheel} / starts$, positive for a right-handed worm.

    >>> Worm(starts=2, wheel=60).ratio
    30.0
    """

    starts: int = 1
    wheel: int
    hand: str = "right"
    worm_member: Member = NOTHING
    wheel_member: Member = NOTHING
    kind: str = "worm"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_teeth(self.kind, starts=self.starts, wheel=self.wheel)
        require_choice(self.kind, "hand", self.hand, ("right", "left"))

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return (1.0 if self.hand == "right" else -1.0) * self.wheel / self.starts

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels per unit speed of the worm wheel."""
        found = self.input_wheel(self.ratio) + self.worm_member.wheel("worm", self.ratio)
        return found + self.wheel_member.wheel("wheel", 1.0, about="joint")

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)


class Stage(AnyGear, Protocol):
    """A gear that may stand in a series: it knows whether its output is a link or only the next stage's input."""

    @property
    def averaging_error(self) -> Scalar:
        """Error by taking members for bodies of revolution [kg m2]."""

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels per unit speed of its output; what rides on the output member depends on what that is."""


@dataclass(frozen=True, kw_only=True)
class Series(Elasticity):
    r"""Gears one after the other from motor to joint, ratio $= \prod_k ratio_k$.

    >>> Series(stages=[Spur(driver=20, driven=60), Spur(driver=18, driven=90)]).ratio
    15.0
    """

    stages: Sequence[Stage]
    kind: str = "series"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "stages", tuple(self.stages))
        if not self.stages:
            raise TrainError("series: it has no stages. Give the gears from motor to joint.")
        for k, stage in enumerate(self.stages):
            if not hasattr(stage, "members"):
                raise TrainError(
                    f"series: stage {k + 1} is a {type(stage).__name__}, which cannot stand in a series. "
                    "Use spur, bevel, worm, belt, planetary, wolfrom, harmonic or cycloidal stages."
                )
            if stage.stiffness is not None:
                raise TrainError(
                    f"series: stage {k + 1} has its own stiffness {stage.stiffness}. State one stiffness at the joint "
                    "side on the series (1/k = sum of 1/k_stage with each referred to the joint)."
                )

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        total: Scalar = 1.0
        for stage in self.stages:
            total = total * stage.ratio
        return total

    @property
    def averaging_error(self) -> Scalar:
        """Error by taking members for bodies of revolution, of all stages together [kg m2]."""
        return sum((stage.averaging_error for stage in self.stages), 0.0)

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels of all stages, each at its speed per unit speed of the last output."""
        found: tuple[Wheel, ...] = ()
        after: Scalar = 1.0
        for place in reversed(range(len(self.stages))):
            last = place == len(self.stages) - 1
            own = self.stages[place].members(output_is_link and last)
            # Only the last output turns about the joint's axis; the others are somewhere in the housing.
            found = (*(_renamed(w, place, after, last) for w in own), *found)
            after = after * self.stages[place].ratio
        return self.input_wheel(self.ratio) + found

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)


def _renamed(wheel: Wheel, place: int, after: Scalar, last: bool) -> Wheel:
    about = wheel.about if last else "motor"
    return replace(wheel, name=f"stage{place + 1}.{wheel.name}", ratio=wheel.ratio * after, about=about)
