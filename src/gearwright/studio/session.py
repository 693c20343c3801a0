"""One visitor's robot, its changes and its results; independent of the page."""

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
from gearwright.functions.constrained.closure import MAX_LOOP_GAP
from gearwright.mechanism import assemble_tree
from gearwright.motion_demands.stated_limits import joint_ranges, neutral_within_limits
from gearwright.parts import Robot, parameter
from gearwright.planning.paths.motions_of_closed_robots import ClosedLoopRobot
from gearwright.studio.drive_edits import chosen_motor
from gearwright.studio.editable_parts import EditablePart, editable_part, editable_parts
from gearwright.studio.played_motion import AnyMotion, studio_motion

MAX_UNDO_STEPS = 100
HOME_STATE = "home"
"""Name of the state in which the robot of a page starts."""
STUDIO_ANALYSIS_SAMPLES = 201
"""Samples of a cycle in an analysis while a slider is dragged."""


@dataclass(frozen=True)
class QuickResults:
    """Results computed at once: forces of the motion, exact and approximate, and energies."""

    comparison: Comparison
    energy: EnergyBalance


class Session:
    """The robot of one browser tab, its motion, and the changes since the robot was read.

    Changes are tried on a copy: an invalid one raises the library's error and leaves the session unchanged.

    >>> import gearwright as gw
    >>> session = Session(gw.load("elbow"))
    >>> session.enter_values("j2", {"gear.ratio": 50.0})
    >>> session.robot.drive("j2").gear.ratio, session.stated.drive("j2").gear.ratio
    (50.0, 100.0)
    """

    def __init__(self, robot: Robot, motion: AnyMotion = None, catalogue: Catalogue | None = None) -> None:
        self.catalogue = catalogue or drives()
        self.lock = threading.RLock()
        self._given_motion = motion
        self.start_with(robot)

    def start_with(self, robot: Robot) -> None:
        """Restart with a robot, such as that of a changed file."""
        motion = studio_motion(robot, assemble_tree(robot), self._given_motion)
        carrier = _with_payload_of(motion.task, robot)
        mech = assemble_tree(carrier)
        with self.lock:
            self.stated, self.robot, self.mech, self.motion = robot, carrier, mech, motion
            self._kernels: ParameterComparison | None = None
            self._structure = object()
            self._earlier: list[Robot] = []

    def enter_values(self, place: EditablePart | str, values: Mapping[str, Any]) -> None:
        """Apply values entered in a panel to a part of a train, or to a drive, by its title if wanted."""
        part = editable_part(place)
        with self.lock:
            self._use_robot(part.with_values(self.robot, values), {part.parameter_path(key) for key in values})

    def choose_motor(self, place: EditablePart | str, key: str) -> None:
        """Assign a motor of the catalogue to a drive or to a motor of a train."""
        part = editable_part(place)
        with self.lock:
            stated = part.current_motor(self.stated)
            assert stated is not None, f"{part.title} is not a motor"
            self._use_robot(part.with_motor(self.robot, chosen_motor(key, stated, self.catalogue)))

    def set_payload(self, mass: float, frame: str | None = None) -> None:
        """Set the payload mass [kg] at a frame or link; by default at the present or the default place."""
        if not mass >= 0:
            raise InputError(f"payload: mass {mass} kg is negative. Give 0 or more.")
        with self.lock:
            payload = self.robot.payload
            if payload is None and not mass:
                return
            if payload is not None and frame is None:
                self._use_robot(replace(self.robot, payload=replace(payload, mass=mass)), {"payload.mass"})
                return
            self._use_robot(self.robot.with_payload(mass, frame=frame))

    def _use_robot(self, robot: Robot, paths: Set[str] = frozenset()) -> None:
        """Use a changed robot after checking it; kernels stay if only parameters at `paths` changed."""
        mech = assemble_tree(robot)
        self._earlier = [*self._earlier[1 - MAX_UNDO_STEPS :], self.robot]
        motion = self.motion if mech.speeds == self.mech.speeds else studio_motion(robot, mech, self._given_motion)
        before, after = parameter_paths(self.robot), parameter_paths(robot)
        if not paths or before != after or not paths <= set(before):
            self._kernels, self._structure = None, object()
        self.robot, self.mech, self.motion = robot, mech, motion

    def undo(self) -> bool:
        """Return to the robot before the last change; False if there is none."""
        with self.lock:
            if not self._earlier:
                return False
            *earlier, before = self._earlier
            self._use_robot(before)
            self._earlier = earlier
            return True

    def use_motion(self, source: AnyMotion) -> None:
        """Play and analyse another motion or task, and carry its payload; an invalid one changes nothing."""
        with self.lock:
            motion, robot = studio_motion(self.robot, self.mech, source), self.robot
            if _has_one_payload(self.motion.task):
                robot = replace(robot, payload=self.stated.payload)
            carrier = _with_payload_of(motion.task, robot)
            if carrier is not self.robot:
                self._use_robot(carrier)
            self.motion, self._given_motion = motion, source

    def first_configuration(self) -> Array:
        """Return the initial configuration (nq,): "home" if stated, else neutral within limits, with closed loops."""
        loops = ClosedLoopRobot.from_robot(self.robot, self.mech)
        if loops is not None:
            return loops.start_configuration.copy()
        home = next((state.q for state in self.robot.states if state.name == HOME_STATE), None)
        if home is not None:
            q = np.asarray(neutral_within_limits(self.robot, self.mech)[0], dtype=float)
            for name, value in home.items():
                q[self.mech.coordinates.index(name)] = float(value)
            return q
        return np.asarray(neutral_within_limits(self.robot, self.mech)[0], dtype=float)

    def closed_configuration(self, q: Array, index: int) -> Array | None:
        """Return the configuration near q with one coordinate fixed and the loops closed; None if they do not close.

        An independent joint moves the dependent ones only; for a dependent joint, all others move as little as
        possible.
        """
        loops = ClosedLoopRobot.from_robot(self.robot, self.mech)
        if loops is None:
            return q
        still = next((k for k, place in enumerate(self.mech.layout.coordinate_of) if place == index), None)
        free = loops.free_joints(loops.start_configuration)
        moving = [k for k in range(self.mech.n) if (k not in free if still in free else k != still)]
        nearest, gap = loops.closure.nearest_closed(q, moving)
        is_within_limits = all(
            lower <= nearest[k] <= upper for _, k, lower, upper in joint_ranges(self.robot, self.mech)
        )
        return nearest if gap < MAX_LOOP_GAP and is_within_limits else None

    def compile_kernels(self) -> None:
        """Compile kernels with the panels' numbers as inputs, so that changes take microseconds."""
        with self.lock:
            robot, structure = self.robot, self._structure
        if self._kernels is not None or robot.loops or not parameter_paths(robot):  # kernels are for open trees
            return
        kernels = parameter_comparison(robot, parameter_paths(robot))
        with self.lock:
            if self._structure is structure:
                self._kernels = kernels

    @property
    def is_compiled(self) -> bool:
        """Whether changes of numbers use the kernels."""
        return self._kernels is not None

    def quick_results(self) -> QuickResults:
        """Return forces and energies of the motion."""
        with self.lock:
            robot, mech, motion, kernels = self.robot, self.mech, self.motion.motion, self._kernels
        if kernels is None:
            return QuickResults(compare(robot, motion), energy_balance(mech, motion))
        forces = kernels.generalised_forces([parameter(robot, path) for path in kernels.parameters], motion)
        comparison = Comparison(mech, motion, forces.pop("exact"), forces, kernels.uncoupled)
        return QuickResults(comparison, energy_balance(mech, motion))

    def analysis(self, samples: int = STUDIO_ANALYSIS_SAMPLES) -> Analysis:
        """Return the analysis of the drives for the motion repeated continuously."""
        with self.lock:
            robot, motion = self.robot, self.motion
        if motion.trajectory is None:
            raise InputError(f"the motion cannot be analysed: {motion.reason}")
        task = motion.task or Task(motion.trajectory, name=motion.name)
        if not task.has_changing_payload:
            task = replace(task, payload=None, payloads=())  # the robot carries it, and it may have been changed since
        return analyse(robot, task, catalogue=self.catalogue, samples=samples)


def _with_payload_of(task: Task | None, robot: Robot) -> Robot:
    """Return the robot with the payload of a task, if the task states one for the whole cycle."""
    if task is None or not _has_one_payload(task):
        return robot
    return replace(robot, payload=task.loaded_robot(robot).payload)


def _has_one_payload(task: Task | None) -> bool:
    """Whether a task states a payload for its whole cycle."""
    return task is not None and not task.has_changing_payload and bool(task.payload or task.payloads)


def parameter_paths(robot: Robot) -> list[str]:
    """Return the paths of the numbers in the panels that can be inputs of kernels."""
    paths = [
        place.parameter_path(entry.key)
        for place in editable_parts(robot)
        for entry in place.editable_numbers(robot)
        if entry.kind in ("number", "stiffness")
    ]
    if robot.payload is not None:
        paths.append("payload.mass")
    return [path for path in paths if _is_nonzero_number(robot, path)]


def _is_nonzero_number(robot: Robot, path: str) -> bool:
    try:
        return float(parameter(robot, path)) != 0.0
    except GearwrightError:
        return False
