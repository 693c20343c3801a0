"""All dynamic characteristics of a robot over one cycle, of a prescribed motion or of a closed loop."""

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
    """Demands of one cycle on a robot.

    Args:
        robot: the actual robot, with the task's payload.
        demands: forces, torques, currents, voltages over one cycle.
        drives: per joint (motors of trains: per motor) the analysis of its drive.
        links: per link with a section its forces, stress and deflection.
        reactions: per body and time the wrench from its parent, (T, bodies, 6), as `gw.reactions` gives it.
        tip: deflection of the arm's tip, if links have sections or drives are elastic.
        limits: every stated limit, with its margin.
        trains: per train the forces in its meshes and on the bearings of its wheels over the cycle, if its geometry
            is known.
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
    def is_feasible(self) -> bool:
        """Whether every limit is satisfied and every joint that needs a force has a motor."""
        return all(check.is_satisfied for check in self.limits) and not self.demands.unactuated

    @property
    def tooth_loads(self) -> dict[str, tuple[ToothForce, ...]]:
        """Per drive and train ("train <name>") with known geometry the forces in its meshes and on its bearings [N]."""
        drives = {name: drive.tooth_loads for name, drive in self.drives.items() if drive.tooth_loads}
        return drives | {f"train {name}": forces for name, forces in self.trains.items() if forces}

    @property
    def energy(self) -> float | None:
        """Electrical energy per cycle of all drives with electrical data [J], with regeneration; None without any."""
        energies = [drive.energy for drive in self.drives.values() if drive.energy is not None]
        return sum(energies) if energies else None
