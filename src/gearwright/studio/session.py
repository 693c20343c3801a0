"""One visitor's robot: what was changed, and the results that follow. Knows no page."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.analysis import (
    Analysis,
    Comparison,
    EnergyBalance,
    ParameterComparison,
    Task,
    analyse,
    compare,
    energy_balance,
    parameter_comparison,
)
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue, drives
from gearwright.errors import GearwrightError, InputError
from gearwright.functions.constrained.closure import OPEN
from gearwright.mechanism import assemble
from gearwright.motion_demands.stated_limits import neutral_within_limits, ranges
from gearwright.parts import Robot, parameter
from gearwright.planning.paths.motions_of_closed_robots import ClosedRobot
from gearwright.studio.drive_edits import chosen_motor
from gearwright.studio.editable_parts import Place, place_of, places
from gearwright.studio.played_motion import AnyMotion, studio_motion

SAMPLES = 201
"""At how many times an analysis looks at a cycle while somebody drags a slider."""


@dataclass(frozen=True)
class QuickResults:
    """What follows at once: forces of the motion, exact and approximate, and the energies."""

    comparison: Comparison
    energy: EnergyBalance


class Session:
    """The robot of one browser tab, its motion, and what was changed since the robot was read.

    Changes are tried on a copy: one that the library refuses raises its error and leaves everything as it was.

    >>> import gearwright as gw
    >>> session = Session(gw.load("elbow"))
    >>> session.enter("j2", {"gear.ratio": 50.0})
    >>> session.robot.drive("j2").gear.ratio, session.stated.drive("j2").gear.ratio
    (50.0, 100.0)
    """

    def __init__(self, robot: Robot, motion: AnyMotion = None, catalogue: Catalogue | None = None) -> None:
        self.catalogue = catalogue or drives()
        self.lock = threading.RLock()
        self._given = motion
        self.read(robot)

    def read(self, robot: Robot) -> None:
        """Begin anew with a robot, such as the one that a file states now."""
        mech = assemble(robot)
        motion = studio_motion(robot, mech, self._given)
        with self.lock:
            self.stated, self.robot, self.mech, self.motion = robot, robot, mech, motion
            self._kernels: ParameterComparison | None = None
            self._structure = object()

    def enter(self, place: Place | str, wanted: Mapping[str, Any]) -> None:
        """Take what somebody entered in a panel: of a part of a train, or of a drive, which goes by its title too."""
        part = place_of(place)
        with self.lock:
            self._take(part.changed(self.robot, wanted), {part.path(key) for key in wanted})

    def choose_motor(self, place: Place | str, key: str) -> None:
        """Give a drive, or a motor's place in a train, a motor of the catalogue."""
        part = place_of(place)
        with self.lock:
            stated = part.motor(self.stated)
            assert stated is not None, f"{part.title} is not a motor"
            self._take(part.with_motor(self.robot, chosen_motor(key, stated, self.catalogue)))

    def carry(self, mass: float, frame: str | None = None) -> None:
        """Let the robot carry a mass [kg] at a frame or link; where its payload sits, or by default, unless given."""
        if not mass >= 0:
            raise InputError(f"payload: mass {mass} kg is negative. Give 0 or more.")
        with self.lock:
            payload = self.robot.payload
            if payload is None and not mass:
                return
            if payload is not None and frame is None:
                self._take(replace(self.robot, payload=replace(payload, mass=mass)), {"payload.mass"})
                return
            self._take(self.robot.with_payload(mass, frame=frame))

    def _take(self, robot: Robot, paths: Set[str] = frozenset()) -> None:
        """Use a changed robot once it is seen to be one; kernels stay if only their parameters, at paths, changed."""
        mech = assemble(robot)
        motion = self.motion if mech.speeds == self.mech.speeds else studio_motion(robot, mech, self._given)
        before, after = parameter_paths(self.robot), parameter_paths(robot)
        if not paths or before != after or not paths <= set(before):
            self._kernels, self._structure = None, object()
        self.robot, self.mech, self.motion = robot, mech, motion

    def first_configuration(self) -> Array:
        """Where the robot stands at first (nq,): neutral, within limits, and with its loops closed."""
        loops = ClosedRobot.of(self.robot, self.mech)
        if loops is not None:
            return loops.start.copy()
        return np.asarray(neutral_within_limits(self.robot, self.mech)[0], dtype=float)

    def closed(self, q: Array, index: int) -> Array | None:
        """The configuration near q with one coordinate as it is there and the loops closed; None where they do not."""
        loops = ClosedRobot.of(self.robot, self.mech)
        if loops is None:
            return q
        still = next((k for k, place in enumerate(self.mech.layout.coordinate_of) if place == index), None)
        found, gap = loops.closure.nearest(q, [k for k in range(self.mech.n) if k != still])
        kept = all(lower <= found[k] <= upper for _, k, lower, upper in ranges(self.robot, self.mech))
        return found if gap < OPEN and kept else None

    def compile(self) -> None:
        """Compile the kernels whose inputs the panels' numbers are; changes of these then cost microseconds."""
        with self.lock:
            robot, structure = self.robot, self._structure
        if self._kernels is not None or robot.loops or not parameter_paths(robot):  # kernels cut loops open
            return
        made = parameter_comparison(robot, parameter_paths(robot))
        with self.lock:
            if self._structure is structure:
                self._kernels = made

    @property
    def compiled(self) -> bool:
        """Whether changes of numbers go through kernels now."""
        return self._kernels is not None

    def quick(self) -> QuickResults:
        """Forces and energies of the motion."""
        with self.lock:
            robot, mech, motion, kernels = self.robot, self.mech, self.motion.motion, self._kernels
        if kernels is None:
            return QuickResults(compare(robot, motion), energy_balance(mech, motion))
        forces = kernels.forces([parameter(robot, path) for path in kernels.parameters], motion)
        found = Comparison(mech, motion, forces.pop("exact"), forces, kernels.uncoupled)
        return QuickResults(found, energy_balance(mech, motion))

    def analysis(self, samples: int = SAMPLES) -> Analysis:
        """What the motion, repeated for ever, asks of the drives."""
        with self.lock:
            robot, motion = self.robot, self.motion
        if motion.trajectory is None:
            raise InputError(f"the motion cannot be analysed: {motion.reason}")
        return analyse(robot, Task(motion.trajectory, name=motion.name), catalogue=self.catalogue, samples=samples)


def parameter_paths(robot: Robot) -> list[str]:
    """Paths of the numbers in the panels that kernels can take as inputs."""
    wanted = [
        place.path(entry.key)
        for place in places(robot)
        for entry in place.entries(robot)
        if entry.kind in ("number", "stiffness")
    ]
    if robot.payload is not None:
        wanted.append("payload.mass")
    return [path for path in wanted if _is_number(robot, path)]


def _is_number(robot: Robot, path: str) -> bool:
    try:
        return float(parameter(robot, path)) != 0.0
    except GearwrightError:
        return False
