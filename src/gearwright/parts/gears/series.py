"""Gears in series, and the shafts between them: several elastic elements in a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from gearwright.algebra import Scalar
from gearwright.errors import TrainError
from gearwright.parts.gears.belt import Belt
from gearwright.parts.gears.elasticity import Element, elements_of, own_element
from gearwright.parts.gears.forces.tooth_forces import ToothForce, tooth_forces_of, unknown_teeth_of
from gearwright.parts.gears.gear import AnyGear, Wheel
from gearwright.parts.gears.losses import Losses, in_series, losses_of
from gearwright.parts.gears.member import NO_MEMBER, Elasticity, Member
from gearwright.parts.gears.rack_and_screw import Rack, Screw

SLIDING = (Rack, Screw)
"""Gears that turn rotation into translation."""


@dataclass(frozen=True, kw_only=True)
class Shaft(Elasticity):
    """A shaft or coupling, ratio 1: an elastic element of its own, alone or between two stages of a series.

    Args:
        input_member: mass and inertia of its end at the motor.
        output_member: mass and inertia of its end at the joint, which turns with the far side of its spring.

    >>> Shaft(stiffness=400.0).elements()[0].stiffness
    400.0
    """

    input_member: Member = NO_MEMBER
    output_member: Member = NO_MEMBER
    kind: str = "shaft"

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return 1.0

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels per unit speed of its far end."""
        near = self.input_wheel(1.0) + self.input_member.wheel("input_end", 1.0)
        return near + self.output_member.wheel("output_end", 1.0, side="joint")

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)

    @property
    def unknown_teeth(self) -> str | None:
        """Nothing: it has no teeth."""
        return None


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

    A stage with a stiffness of its own is an elastic element at that stage's output; `stiffness` of the series is one
    behind the last stage. With m elements the transmission has m shafts: the motor's and m - 1 between, each of which
    needs a member with inertia. Everything is counted at the joint side: $k \, (\prod_{behind} ratio)^2$.

    The last stage may be a screw or a rack, which slides a prismatic joint: the ratio is then in rad/m.

    Args:
        stages: the gears from motor to joint.

    >>> from gearwright.parts import Spur
    >>> Series(stages=[Spur(driver=20, driven=60), Spur(driver=18, driven=90)]).ratio
    15.0
    >>> from gearwright.parts import Rack
    >>> Series(stages=[Spur(driver=20, driven=60), Rack(radius=0.02)]).ratio
    -150.0
    """

    stages: Sequence[Stage]
    kind: str = "series"

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", tuple(self.stages))
        if not self.stages:
            raise TrainError("series: it has no stages. Give the gears from motor to joint.")
        for k, stage in enumerate(self.stages):
            if isinstance(stage, SLIDING) and k < len(self.stages) - 1:
                raise TrainError(
                    f"series: stage {k + 1} is a {stage.kind}, which slides what it drives, and gears follow. Make it "
                    "the last stage."
                )
            if not isinstance(stage, SLIDING) and not hasattr(stage, "members"):
                raise TrainError(
                    f"series: stage {k + 1} is a {type(stage).__name__}, which cannot stand in a series. Use spur, "
                    "bevel, worm, belt, shaft, planetary, wolfrom, harmonic or cycloidal stages, and a screw or rack "
                    "as the last one."
                )
        super().__post_init__()
        if own_element(self) and elements_of(self.stages[-1]):
            raise TrainError(
                f"series: its last stage has a stiffness of its own, and the series has {self.stiffness} too: between "
                "them would be a shaft without inertia. Keep one of them, or put a shaft stage with members between."
            )

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        total: Scalar = 1.0
        for stage in self.stages:
            total = total * stage.ratio
        return total

    @property
    def slides(self) -> bool:
        """Whether its last stage turns rotation into translation."""
        return isinstance(self.stages[-1], SLIDING)

    @property
    def parallel_axes(self) -> bool:
        """Whether those of all its stages are parallel."""
        return all(getattr(stage, "parallel_axes", False) for stage in self.stages)

    @property
    def averaging_error(self) -> Scalar:
        """Error by taking members for bodies of revolution, of all stages together [kg m2]."""
        return sum((stage.averaging_error for stage in self.stages), 0.0)

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels of all stages, each at its speed per unit speed of the last output."""
        found: tuple[Wheel, ...] = ()
        springs = 0
        for place, stage in enumerate(self.stages):
            last, count = place == len(self.stages) - 1, len(elements_of(stage))
            own = stage.wheels() if isinstance(stage, SLIDING) else stage.members(output_is_link and last)
            # Only the last output turns about the joint's axis; the others are somewhere in the housing.
            for wheel in own:
                ratio, behind = wheel.ratio * self.ratio_behind(place), springs + wheel.springs_before(count)
                fresh = replace(wheel, name=f"stage{place + 1}.{wheel.name}", ratio=ratio, behind=behind)
                found += (fresh if last else replace(fresh, about="motor"),)
            springs += count
        return tuple(replace(wheel, behind=0) for wheel in self.input_wheel(self.ratio)) + found

    def tooth_forces(self, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
        """Those of all stages that are drawn by their teeth; each carries what the stages behind it take or leave.

        What a stage loses (by its meshes, or as a whole, at rest where it goes by speed) adds to the torque before it.
        """
        found: list[ToothForce] = []
        for name, stage, load in self.loads(torque, driving):
            found = [one._replace(name=f"{name} {one.name}") for one in tooth_forces_of(stage, load, driving)] + found
        return tuple(found)

    def loads(self, torque: Any, driving: bool = True) -> Iterator[tuple[str, Stage, Any]]:
        """Every stage and the torque at its output, from the last one to the first."""
        for place in range(len(self.stages), 0, -1):
            stage = self.stages[place - 1]
            yield f"stage{place}", stage, torque
            row = (*losses_of(stage), Losses())[0]
            torque = torque / float(stage.ratio) * (1 / row.efficiency if driving else max(row.back, 0.0))

    @property
    def unknown_teeth(self) -> str | None:
        """What its stages lack."""
        lacking = [(k, unknown_teeth_of(stage)) for k, stage in enumerate(self.stages)]
        return "; ".join(f"stage {k + 1}: {what}" for k, what in lacking if what) or None

    def ratio_behind(self, place: int) -> Scalar:
        """The ratio of all stages behind one of them."""
        total: Scalar = 1.0
        for stage in self.stages[place + 1 :]:
            total = total * stage.ratio
        return total

    def elements(self) -> tuple[Element, ...]:
        """Its elastic elements from motor to joint, counted at the joint side."""
        found: tuple[Element, ...] = ()
        for place, stage in enumerate(self.stages):
            found += tuple(element.seen_through(self.ratio_behind(place)) for element in elements_of(stage))
        return found + own_element(self)

    @property
    def rigid(self) -> bool:
        """Whether no spring lies behind the last stage, so that its output member is the driven link."""
        return not own_element(self) and not elements_of(self.stages[-1])

    @property
    def source_of_losses(self) -> str | None:
        """The stages, if any of them loses something."""
        return "losses of its stages" if not all(row.none for row in self.derived_losses()) else None

    def derived_losses(self) -> tuple[Losses, ...]:
        """The losses of all stages together."""
        return in_series(self.stages)

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)


class Tension(NamedTuple):
    """Of a belt: its name in the gear, the pretension that it needs at a torque, and the stated one [N]."""

    name: str
    needed: float
    stated: float


def tensions_of(gear: object, torque: float) -> tuple[Tension, ...]:
    """The belts of any gear whose pretension is stated.

    >>> tensions_of(Belt(driver=0.02, driven=0.06, distance=0.3, pretension=20), 3.0)
    (Tension(name='belt', needed=25.0, stated=20.0),)
    """
    loads = gear.loads(torque) if isinstance(gear, Series) else [("", gear, torque)]
    return tuple(
        Tension(f"{name} {one.kind}".strip(), one.needed_pretension(load), float(one.pretension))
        for name, one, load in loads
        if isinstance(one, Belt) and one.pretension is not None and one.distance is not None
    )
