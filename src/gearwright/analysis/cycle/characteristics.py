"""Every dynamic characteristic of a robot along one cycle, prescribed or as a closed loop follows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LimitCheck
from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.analysis.links.tip_deflection import TipDeflection
from gearwright.arrays import Array
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import Robot, ToothForce


@dataclass(frozen=True)
class Characteristics:
    """What one cycle asks of a robot.

    Args:
        robot: as it really is, with the task's payload.
        demands: forces, torques, currents, voltages over one cycle.
        drives: per joint (motors of trains: per motor) what is asked of its drive.
        links: per link whose section is given its forces, stress and deflection.
        reactions: per body and time the wrench from its parent, (T, bodies, 6), as `gw.reactions` gives it.
        tip: how far the arm's tip gives, where links have sections or drives are elastic.
        limits: every limit that is stated, with its margin.
        trains: per train the forces in its meshes and on the bearings of its wheels over the cycle, as far as its
            geometry is known.
    """

    robot: Robot
    demands: MotionDemands
    drives: Mapping[str, DriveAnalysis]
    links: Mapping[str, LinkAnalysis]
    reactions: Array
    tip: TipDeflection | None
    limits: tuple[LimitCheck, ...]
    trains: Mapping[str, tuple[ToothForce, ...]]

    @property
    def t(self) -> Array:
        """Times of the cycle [s], (T,)."""
        return self.demands.t

    @property
    def possible(self) -> bool:
        """Whether every limit is kept and the motors can make the motion."""
        return all(check.kept for check in self.limits) and not self.demands.unactuated

    @property
    def teeth(self) -> dict[str, tuple[ToothForce, ...]]:
        """Per drive and train ("train <name>") whose geometry is known what its meshes and bearings carry [N]."""
        drives = {name: one.teeth for name, one in self.drives.items() if one.teeth}
        return drives | {f"train {name}": forces for name, forces in self.trains.items() if forces}

    @property
    def energy(self) -> float | None:
        """Electrical energy per cycle of all drives that tell it [J], with regeneration; None: none of them does."""
        told = [drive.energy for drive in self.drives.values() if drive.energy is not None]
        return sum(told) if told else None
