"""Gears in series, and the shafts between them: several elastic elements in series."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, cast

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.errors import TrainError
from gearwright.parts.gears.belt import Belt
from gearwright.parts.gears.elasticity import Element, elastic_elements, own_elastic_element
from gearwright.parts.gears.forces.tooth_forces import ToothForce, missing_tooth_data, tooth_forces_or_none
from gearwright.parts.gears.gear import GearType, Wheel
from gearwright.parts.gears.losses import Losses, gear_losses, series_losses
from gearwright.parts.gears.member import MASSLESS_MEMBER, GearWithMembers, Member
from gearwright.parts.gears.rack_and_screw import Rack, Screw

TRANSLATING_GEARS = (Rack, Screw)
"""Gears that convert rotation into translation."""


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Shaft(GearWithMembers):
    """A shaft or coupling of ratio 1: a separate elastic element, alone or between two stages of a series.

    Args:
        input_member: mass and inertia of its end at the motor.
        output_member: mass and inertia of its end at the joint, on the far side of its spring.

    >>> Shaft(stiffness=400.0).elements()[0].stiffness
    400.0
    """

    input_member: Member = MASSLESS_MEMBER
    output_member: Member = MASSLESS_MEMBER
    kind: str = "shaft"

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return 1.0

    def output_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels, with speeds per unit speed of its far end."""
        near = self.input_wheel(1.0) + self.input_member.as_wheels("input_end", 1.0)
        return near + self.output_member.as_wheels("output_end", 1.0, side="joint")

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.output_wheels(self.is_output_rigid)

    @property
    def unknown_teeth(self) -> str | None:
        """None: a shaft has no teeth."""
        return None


class SeriesStage(GearType, Protocol):
    """The interface of a gear in a series: its output is either a link or the next stage's input."""

    @property
    def averaging_error(self) -> Scalar:
        """Error by treating members as bodies of revolution [kg m2]."""

    def output_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels, with speeds per unit speed of its output; planets may be carried by an output link."""


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Series(GearWithMembers):
    r"""Gears in series from motor to joint, ratio $= \prod_k ratio_k$.

    A stage with a stiffness of its own is an elastic element at that stage's output; `stiffness` of the series is an
    element behind the last stage. With m elements the transmission has m shafts: that of the motor and m - 1
    intermediate shafts, each of which needs a member with inertia. All values refer to the joint side:
    $k \, (\prod_{behind} ratio)^2$.

    The last stage may be a screw or a rack, which drives a prismatic joint: the ratio is then in rad/m.

    Args:
        stages: the gears from motor to joint.

    >>> from gearwright.parts import Spur
    >>> Series(stages=[Spur(driver=20, driven=60), Spur(driver=18, driven=90)]).ratio
    15.0
    >>> from gearwright.parts import Rack
    >>> Series(stages=[Spur(driver=20, driven=60), Rack(radius=0.02)]).ratio
    -150.0
    """

    stages: Sequence[GearType]
    kind: str = "series"

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", tuple(self.stages))
        if not self.stages:
            raise TrainError("series: it has no stages. Give the gears from motor to joint.")
        for k, stage in enumerate(self.stages):
            if isinstance(stage, TRANSLATING_GEARS) and k < len(self.stages) - 1:
                raise TrainError(
                    f"series: stage {k + 1} is a {stage.kind}, whose output translates, but further stages follow. "
                    "Make it the last stage."
                )
            if not isinstance(stage, TRANSLATING_GEARS) and not hasattr(stage, "output_wheels"):
                raise TrainError(
                    f"series: stage {k + 1} is a {type(stage).__name__}, which is not allowed in a series. Use spur, "
                    "bevel, worm, belt, shaft, planetary, wolfrom, harmonic or cycloidal stages, and a screw or rack "
                    "as the last one."
                )
        super().__post_init__()
        if own_elastic_element(self) and elastic_elements(self.stages[-1]):
            raise TrainError(
                f"series: both its last stage and the series (stiffness {self.stiffness} Nm/rad) are elastic, with a "
                "shaft without inertia between them. Keep one stiffness, or insert a shaft stage with members."
            )

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        total: Scalar = 1.0
        for stage in self.stages:
            total = total * stage.ratio
        return total

    @property
    def is_translating(self) -> bool:
        """Whether its last stage converts rotation into translation."""
        return isinstance(self.stages[-1], TRANSLATING_GEARS)

    @property
    def parallel_axes(self) -> bool:
        """Whether the shafts of all its stages are parallel."""
        return all(getattr(stage, "parallel_axes", False) for stage in self.stages)

    @property
    def averaging_error(self) -> Scalar:
        """Error by treating members as bodies of revolution, summed over all stages [kg m2]."""
        return sum((cast(SeriesStage, stage).averaging_error for stage in self.stages), 0.0)

    def output_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels of all stages, with speeds per unit speed of the last output."""
        wheels: tuple[Wheel, ...] = ()
        springs = 0
        for place, stage in enumerate(self.stages):
            last, count = place == len(self.stages) - 1, len(elastic_elements(stage))
            stage_wheels = (
                stage.wheels()
                if isinstance(stage, TRANSLATING_GEARS)
                else cast(SeriesStage, stage).output_wheels(output_is_link and last)
            )
            # Only the last output is known to turn about the joint's axis.
            for wheel in stage_wheels:
                ratio, behind = wheel.ratio * self.ratio_behind(place), springs + wheel.springs_before(count)
                fresh = replace(wheel, name=f"stage{place + 1}.{wheel.name}", ratio=ratio, behind=behind)
                wheels += (fresh if last else replace(fresh, about="motor"),)
            springs += count
        return tuple(replace(wheel, behind=0) for wheel in self.input_wheel(self.ratio)) + wheels

    def tooth_forces(self, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
        """The tooth forces of all stages with known teeth, at the load of each stage.

        The losses of a stage (by its meshes or as a whole; those at rest for a table over speed) increase the torque of
        the stages before it.
        """
        forces: list[ToothForce] = []
        for name, stage, load in self.stage_loads(torque, driving):
            forces = [
                force._replace(name=f"{name} {force.name}") for force in tooth_forces_or_none(stage, load, driving)
            ] + forces
        return tuple(forces)

    def stage_loads(self, torque: Any, driving: bool = True) -> Iterator[tuple[str, GearType, Any]]:
        """Every stage and the torque at its output, from the last one to the first."""
        for place in range(len(self.stages), 0, -1):
            stage = self.stages[place - 1]
            yield f"stage{place}", stage, torque
            row = (*gear_losses(stage), Losses())[0]
            torque = torque / stage.ratio * (1 / row.efficiency if driving else max(row.back_driving_efficiency, 0.0))

    @property
    def unknown_teeth(self) -> str | None:
        """The missing data of its stages."""
        lacking = [(k, missing_tooth_data(stage)) for k, stage in enumerate(self.stages)]
        return "; ".join(f"stage {k + 1}: {text}" for k, text in lacking if text) or None

    def ratio_behind(self, place: int) -> Scalar:
        """The ratio of all stages behind a stage."""
        total: Scalar = 1.0
        for stage in self.stages[place + 1 :]:
            total = total * stage.ratio
        return total

    def elements(self) -> tuple[Element, ...]:
        """Its elastic elements from motor to joint, counted at the joint side."""
        elements: tuple[Element, ...] = ()
        for place, stage in enumerate(self.stages):
            elements += tuple(
                element.reflected_through(self.ratio_behind(place)) for element in elastic_elements(stage)
            )
        return elements + own_elastic_element(self)

    @property
    def is_output_rigid(self) -> bool:
        """Whether there is no spring behind the last stage, so that its output member is the driven link."""
        return not own_elastic_element(self) and not elastic_elements(self.stages[-1])

    @property
    def source_of_losses(self) -> str | None:
        """Its stages as the source of losses, if any stage has losses."""
        return "losses of its stages" if not all(row.is_lossless for row in self.derived_losses()) else None

    def derived_losses(self) -> tuple[Losses, ...]:
        """The combined losses of all stages."""
        return series_losses(self.stages)

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.output_wheels(self.is_output_rigid)


class BeltTension(NamedTuple):
    """The name of a belt in the gear, its required pretension at a torque, and the stated pretension [N]."""

    name: str
    needed: float
    stated: float


def belt_tensions(gear: object, torque: float) -> tuple[BeltTension, ...]:
    """Return the belts of any gear with a stated pretension.

    >>> belt_tensions(Belt(driver=0.02, driven=0.06, distance=0.3, pretension=20), 3.0)
    (BeltTension(name='belt', needed=25.0, stated=20.0),)
    """
    loads = gear.stage_loads(torque) if isinstance(gear, Series) else [("", gear, torque)]
    return tuple(
        BeltTension(f"{name} {stage.kind}".strip(), stage.needed_pretension(load), float(stage.pretension))
        for name, stage, load in loads
        if isinstance(stage, Belt) and stage.pretension is not None and stage.distance is not None
    )
