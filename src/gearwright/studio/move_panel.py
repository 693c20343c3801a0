"""Where people move the robot: sliders, a handle at its tool, a time line."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.arrays import Array
from gearwright.functions.functions import placement
from gearwright.motion.joints import joint_of
from gearwright.planning.inverse_kinematics import inverse_kinematics
from gearwright.studio.rotations import matrix, quaternion
from gearwright.system.stated_limits import neutral_within_limits
from gearwright.text import markdown, visible

if TYPE_CHECKING:
    from gearwright.studio.page import Page

FRAME = 1 / 30
"""Time between two pictures while a motion is played [s]."""
WITHOUT_LIMITS = {"rad": np.pi, "m": 0.5}
"""How far a slider goes for a joint without limits [rad, m]."""
NO_HANDLE = "none"


class MovePanel:
    """Sliders of the joints, the handle, and playing the motion."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.q: Array = np.asarray(neutral_within_limits(page.session.robot, page.session.mech)[0], dtype=float)
        self._playing = threading.Event()
        self._player: threading.Thread | None = None
        self._sliding = threading.RLock()
        self._silent = False
        self._handle: Any = None
        self.sliders: dict[int, Any] = {}
        gui = page.gui
        with gui.add_folder("Motion"):
            self.title = gui.add_markdown("")
            self.play = gui.add_button("Play")
            self.time = gui.add_slider("time [s]", 0.0, 1.0, 0.001, 0.0)
            self.pace = gui.add_slider("pace", 0.01, 2.0, 0.01, 1.0, hint="1: as fast as the robot")
        with gui.add_folder("Payload"):
            load = page.session.robot.payload
            self.mass = gui.add_number("mass [kg]", float(load.mass) if load is not None else 0.0, step=0.1)
        with gui.add_folder("Tool handle"):
            self.frame = gui.add_dropdown("frame", (NO_HANDLE, *self._frames()), initial_value=NO_HANDLE)
            self.told = gui.add_markdown("")
        self.joints = gui.add_folder("Joints")
        self.rebuild()
        self.play.on_click(lambda _: self.toggle())
        self.time.on_update(lambda _: self._scrubbed())
        self.mass.on_update(lambda _: page.change(lambda: page.session.carry(float(self.mass.value))))
        self.frame.on_update(lambda _: self._choose_handle())

    def rebuild(self) -> None:
        """Sliders for the joints of the robot as it is now."""
        session = self.page.session
        mech = session.mech
        if len(self.q) != mech.nq:
            self.q = np.asarray(neutral_within_limits(session.robot, mech)[0], dtype=float)
        limits = {link.joint_name: link.joint.limits.position for link in session.robot.links}
        with self._sliding, self.joints:
            for slider in self.sliders.values():
                slider.remove()
            self.sliders = {}
            for index, (name, unit) in enumerate(zip(mech.coordinates, mech.layout.units, strict=True)):
                if unit and name not in mech.shafts:
                    self._slider(index, name, unit, limits.get(name))
        self.title.content = f"{markdown(session.motion.name)}, {session.motion.duration:.3g} s"
        self.time.max = session.motion.duration

    def _slider(self, index: int, name: str, unit: str, limits: Any) -> None:
        low, high = limits or (-WITHOUT_LIMITS[unit], WITHOUT_LIMITS[unit])
        start = float(np.clip(self.q[index], low, high))
        slider = self.page.gui.add_slider(f"{visible(name)} [{unit}]", float(low), float(high), 0.001, start)
        slider.on_update(lambda _, index=index, slider=slider: self._slid(index, float(slider.value)))
        self.sliders[index] = slider

    def _slid(self, index: int, value: float) -> None:
        if self._silent or self._playing.is_set():
            return
        self.q[index] = value
        self._with_shafts()
        self.moved()
        self._place_handle()

    def moved(self) -> None:
        """Show the robot where it is."""
        q = self.q.copy()
        self.page.worker.submit("move", lambda: self.page.view.move(q))

    def _with_shafts(self) -> None:
        """Shafts of elastic drives go with their joints."""
        mech = self.page.session.mech
        for name in mech.shafts:
            joint = joint_of(name)
            if joint in mech.coordinates:
                self.q[mech.coordinates.index(name)] = self.q[mech.coordinates.index(joint)]

    def follow(self) -> None:
        """Put the sliders where the robot is, without moving it again."""
        self._silent = True
        try:
            with self._sliding:  # nobody removes a slider meanwhile
                for index, slider in self.sliders.items():
                    slider.value = float(np.clip(self.q[index], slider.min, slider.max))
        finally:
            self._silent = False

    def toggle(self) -> None:
        """Play the motion, or stop it."""
        if self._playing.is_set():
            self.stop()
            self.follow()
            return
        self._playing.set()
        self.play.label = "Pause"
        self._player = threading.Thread(target=self._play, daemon=True, name="gearwright studio, playing")
        self._player.start()

    def stop(self) -> None:
        """Stop playing; when this returns, nothing moves the robot any more."""
        self._playing.clear()
        if self._player is not None:
            self._player.join()
        if not self.page.closed:
            self.play.label = "Play"

    def _play(self) -> None:
        last, at = time.monotonic(), float(self.time.value)
        while self._playing.is_set() and not self.page.closed:
            now = time.monotonic()
            at, last = at + (now - last) * float(self.pace.value), now
            at = at % self.page.session.motion.duration
            self.show_time(at)
            time.sleep(FRAME)

    def show_time(self, at: float) -> None:
        """Show the robot at a time of the motion, and the time on its line."""
        self.q = self.page.session.motion.at(at)
        self.page.view.move(self.q)
        self._silent = True
        self.time.value = round(at, 3)
        self._silent = False

    def _scrubbed(self) -> None:
        if self._silent or self._playing.is_set():
            return
        self.q = self.page.session.motion.at(float(self.time.value))
        self.moved()
        self.follow()
        self._place_handle()

    def _frames(self) -> list[str]:
        robot = self.page.session.robot
        return [*(frame.name for frame in robot.frames), *(link.name for link in robot.links)]

    def _choose_handle(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
        self.told.content = ""
        if self.frame.value == NO_HANDLE:
            return
        size = 0.25 * self.page.view.scene.reach
        turns = self._whole_pose
        self._handle = self.page.api.scene.add_transform_controls("/handle", scale=size, disable_rotations=not turns)
        self._place_handle()
        self._handle.on_update(lambda _: self.page.worker.submit("handle", self._reach))

    @property
    def _whole_pose(self) -> bool:
        """Whether the arm has enough joints to hold an orientation too."""
        return self.page.session.mech.n - len(self.page.session.mech.shafts) >= 6

    def _place_handle(self) -> None:
        if self._handle is None:
            return
        pose = placement(self.page.session.mech, self.q, self.frame.value)
        self._handle.wxyz, self._handle.position = quaternion(np.asarray(pose.rotation)), np.asarray(pose.position)

    def _reach(self) -> None:
        """Bring the tool to where the handle is, or as near as can be."""
        handle = self._handle
        if handle is None:
            return
        rotation = matrix(np.asarray(handle.wxyz)) if self._whole_pose else None
        wanted = (rotation, np.asarray(handle.position))
        found = inverse_kinematics(self.page.session.robot, self.frame.value, wanted, start=self.q, tolerance=1e-6)
        self.q = np.asarray(found.q, dtype=float)
        self.page.view.move(self.q)
        self.follow()
        self.told.content = "" if found.reached else f"Out of reach: {float(found.error):.3g} m or rad are left."
