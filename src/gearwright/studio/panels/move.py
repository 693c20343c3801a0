"""Where people move the robot: sliders, a handle at its tool, a time line."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.arrays import Array
from gearwright.functions.dynamics import placement
from gearwright.motion.joint_names_and_units import joint_of
from gearwright.parts import Robot
from gearwright.planning.kinematics.inverse_kinematics import inverse_kinematics
from gearwright.studio.view import matrix, quaternion
from gearwright.studio.worker import Ticker
from gearwright.text import markdown, visible

if TYPE_CHECKING:
    from gearwright.studio.page import Page

FRAME = 1 / 30
"""Time between two pictures while a motion is played [s]."""
WITHOUT_LIMITS = {"rad": 3.142, "m": 0.5}
"""How far a slider goes for a joint without limits [rad, m]."""
NO_HANDLE = "none"
AS_STATED = "as stated"


class MovePanel:
    """Sliders of the joints, the handle, and playing the motion."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.q: Array = page.session.first_configuration()
        self._ticker: Ticker | None = None
        self._now = self._at = 0.0
        self._handle: Any = None
        self.sliders: dict[int, Any] = {}
        gui = page.gui
        with gui.add_folder("Motion"):
            self.title = gui.add_markdown("")
            self.play = gui.add_button("Play")
            self.time = gui.add_slider("time [s]", 0.0, 1.0, 0.001, 0.0)
            self.pace = gui.add_slider("pace", 0.01, 2.0, 0.01, 1.0, hint="1: as fast as the robot")
        with gui.add_folder("Payload"):
            self.mass = gui.add_number("mass [kg]", _payload_mass(page.session.robot), step=0.1)
            self.place = gui.add_dropdown("at", tuple(self._places()), initial_value=AS_STATED)
            self.sits = gui.add_markdown("")
        with gui.add_folder("Tool handle"):
            self.frame = gui.add_dropdown("frame", tuple(self._frames()), initial_value=NO_HANDLE)
            self.told = gui.add_markdown("")
        self.joints = gui.add_folder("Joints")
        self.rebuild()
        page.on(self.play.on_click, "play", self.toggle)
        page.on(self.time.on_update, "time", self._scrubbed)
        page.on(self.mass.on_update, "mass", self._carry)
        page.on(self.place.on_update, "place", self._choose_place)
        page.on(self.frame.on_update, "frame", self._choose_handle)

    @property
    def playing(self) -> bool:
        """Whether the motion is being played."""
        return self._ticker is not None

    def rebuild(self) -> None:
        """Sliders for the joints of the robot as it is now."""
        session = self.page.session
        mech = session.mech
        if len(self.q) != mech.nq:
            self.q = session.first_configuration()
        limits = {link.joint_name: link.joint.limits.position for link in session.robot.links}
        with self.joints:
            for slider in self.sliders.values():
                slider.remove()
            self.sliders = {}
            for index, (name, unit) in enumerate(zip(mech.coordinates, mech.layout.units, strict=True)):
                if unit and name not in mech.shafts:
                    self._slider(index, name, unit, limits.get(name))
        self._rebuild_handle()
        self.mass.value = _payload_mass(session.robot)
        self._rebuild_places()
        self.title.content = f"{markdown(session.motion.name)}, {session.motion.duration:.3g} s"
        self.time.max = session.motion.duration

    def _slider(self, index: int, name: str, unit: str, limits: Any) -> None:
        low, high = limits or (-WITHOUT_LIMITS[unit], WITHOUT_LIMITS[unit])
        start = float(np.clip(self.q[index], low, high))
        slider = self.page.gui.add_slider(f"{visible(name)} [{unit}]", float(low), float(high), 0.001, start)
        self.page.on(slider.on_update, f"slide {index}", lambda: self._slid(index, slider))
        self.sliders[index] = slider

    def _slid(self, index: int, slider: Any) -> None:
        if self.playing or slider not in self.sliders.values():  # that one is gone: another robot came
            return
        if float(slider.value) == self.q[index]:  # it was put there
            return
        wanted = self.q.copy()
        wanted[index] = float(slider.value)
        found = self.page.session.closed(wanted, index)
        self.told.content = "" if found is not None else "There the closed loops of the robot, or its limits, end."
        self.q = self.q if found is None else found
        self._with_shafts()
        self.page.view.move(self.q)
        if self.page.session.robot.loops:
            self.follow()
        self._place_handle()

    def _with_shafts(self) -> None:
        """Shafts of elastic drives go with their joints."""
        mech = self.page.session.mech
        for name in mech.shafts:
            joint = joint_of(name)
            if joint in mech.coordinates:
                self.q[mech.coordinates.index(name)] = self.q[mech.coordinates.index(joint)]

    def follow(self) -> None:
        """Put the sliders where the robot is, without moving it again."""
        for index, slider in self.sliders.items():
            slider.value = float(np.clip(self.q[index], slider.min, slider.max))

    def toggle(self) -> None:
        """Play the motion, or stop it."""
        if self.playing:
            self.stop()
            self.follow()
            self._place_handle()
            return
        self.play.label = "Pause"
        self._now, self._at = time.monotonic(), float(self.time.value)
        self._ticker = Ticker(FRAME, lambda: self.page.events.submit("tick", self._tick), "gearwright studio, playing")

    def stop(self) -> None:
        """Stop playing; a tick that still waits finds that nothing is played."""
        ticker, self._ticker = self._ticker, None
        if ticker is None:
            return
        ticker.stop()
        if not self.page.closed:
            self.play.label = "Play"

    def _tick(self) -> None:
        if not self.playing:
            return
        before, self._now = self._now, time.monotonic()
        self._at += (self._now - before) * float(self.pace.value)  # the slider rounds
        self._at %= self.page.session.motion.duration
        self.show_time(self._at)

    def show_time(self, at: float) -> None:
        """Show the robot at a time of the motion, and the time on its line."""
        self.q = self.page.session.motion.at(at)
        self.page.view.move(self.q)
        self.time.value = round(at, 3)

    def _scrubbed(self) -> None:
        if self.playing:
            return
        self.q = self.page.session.motion.at(float(self.time.value))
        self.page.view.move(self.q)
        self.follow()
        self._place_handle()

    def _frames(self) -> dict[str, str]:
        """What the handle can hold: as it is shown -> the name of a frame or link."""
        robot = self.page.session.robot
        names = [*(frame.name for frame in robot.frames), *(link.name for link in robot.links)]
        return {NO_HANDLE: "", **{visible(name): name for name in names}}

    def _places(self) -> dict[str, str]:
        """Where a payload can sit: as it is shown -> the name of a frame or link."""
        return {AS_STATED: "", **{shown: name for shown, name in self._frames().items() if name}}

    def _carry(self, frame: str | None = None) -> None:
        """Let the robot carry the mass that is entered: at a frame, or where its payload sits."""
        self.page.change(lambda: self.page.session.carry(float(self.mass.value), frame))
        self._rebuild_places()

    def _choose_place(self) -> None:
        frame = self._places().get(self.place.value)
        if frame:
            self._carry(frame)

    def _rebuild_places(self) -> None:
        """What the robot still has, and where its payload sits."""
        shown = tuple(self._places())
        if tuple(self.place.options) != shown:
            kept = self.place.value if self.place.value in shown else AS_STATED
            self.place.options = shown
            self.place.value = kept
        place = self.page.session.robot.payload_place
        self.sits.content = "" if place is None else markdown(place)

    @property
    def _held(self) -> str:
        """The frame or link that the handle holds; empty for none."""
        return self._frames().get(self.frame.value, "")

    def _rebuild_handle(self) -> None:
        """A handle for what the robot still has."""
        shown = tuple(self._frames())
        if tuple(self.frame.options) != shown:
            kept = self.frame.value if self.frame.value in shown else NO_HANDLE
            self.frame.options = shown
            self.frame.value = kept
        self._choose_handle()

    def _choose_handle(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
        self.told.content = ""
        if not self._held:
            return
        size = 0.25 * self.page.view.scene.reach
        turns = self._whole_pose
        self._handle = self.page.api.scene.add_transform_controls(
            "/handle", scale=size, disable_rotations=not turns, depth_test=False
        )
        self._place_handle()
        self.page.on(self._handle.on_update, "handle", self._reach)

    @property
    def _whole_pose(self) -> bool:
        """Whether the arm has enough joints to hold an orientation too."""
        return self.page.session.mech.n - len(self.page.session.mech.shafts) >= 6

    def _place_handle(self) -> None:
        if self._handle is None:
            return
        pose = placement(self.page.session.mech, self.q, self._held)
        self._handle.wxyz, self._handle.position = quaternion(np.asarray(pose.rotation)), np.asarray(pose.position)

    def _reach(self) -> None:
        """Bring the tool to where the handle is, or as near as can be."""
        handle = self._handle
        if handle is None:
            return
        rotation = matrix(np.asarray(handle.wxyz)) if self._whole_pose else None
        wanted = (rotation, np.asarray(handle.position))
        found = inverse_kinematics(self.page.session.robot, self._held, wanted, start=self.q, tolerance=1e-6)
        self.q = np.asarray(found.q, dtype=float)
        self.page.view.move(self.q)
        self.follow()
        self.told.content = "" if found.reached else f"Out of reach: {float(found.error):.3g} m or rad are left."


def _payload_mass(robot: Robot) -> float:
    return float(robot.payload.mass) if robot.payload is not None else 0.0
