"""Controls that move the robot: sliders, a handle at its tool, a time line."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.arrays import Array
from gearwright.functions import placement
from gearwright.motion.joint_names_and_units import joint_of
from gearwright.parts import Robot
from gearwright.planning.kinematics.inverse_kinematics import inverse_kinematics
from gearwright.studio.view import fitting_camera, quaternion_from_rotation, rotation_from_quaternion
from gearwright.studio.worker import Ticker
from gearwright.text import markdown_text, visible_text

if TYPE_CHECKING:
    from gearwright.studio.page import Page

PLAYBACK_FRAME_SECONDS = 1 / 30
"""Time between two frames while a motion is played [s]."""
DEFAULT_SLIDER_RANGE = {"rad": 3.142, "m": 0.5}
"""Slider range of a joint without limits [rad, m]."""
NO_HANDLE = "none"
STATED_PAYLOAD_CHOICE = "as stated"


class MovePanel:
    """Sliders of the joints, the tool handle, and playback of the motion."""

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
            self.limits_now = gui.add_markdown("")
            self.playback_speed = gui.add_slider("playback speed", 0.01, 2.0, 0.01, 1.0, hint="1: real time")
            self.task = gui.add_upload_button("Load task (YAML)", mime_type=".yaml,.yml")
            self.fit = gui.add_button("Fit view")
        with gui.add_folder("Payload"):
            self.mass = gui.add_number("mass [kg]", _payload_mass(page.session.robot), step=0.1)
            self.place = gui.add_dropdown("at", tuple(self._payload_choices()), initial_value=STATED_PAYLOAD_CHOICE)
            self.payload_location = gui.add_markdown("")
        with gui.add_folder("Tool handle"):
            self.frame = gui.add_dropdown("frame", tuple(self._frame_choices()), initial_value=NO_HANDLE)
            self.handle_message = gui.add_markdown("")
        self.joints = gui.add_folder("Joints")
        self.rebuild()
        page.on_event(self.play.on_click, "play", self.toggle)
        page.on_event(self.time.on_update, "time", self._show_chosen_time)
        page.on_event(self.fit.on_click, "fit", self.fit_view)
        page.on_event(self.task.on_upload, "task", self._use_task)
        page.on_event(self.mass.on_update, "mass", self._set_payload)
        page.on_event(self.place.on_update, "place", self._choose_payload_frame)
        page.on_event(self.frame.on_update, "frame", self._choose_handle)

    @property
    def is_playing(self) -> bool:
        """Whether the motion is played."""
        return self._ticker is not None

    def rebuild(self) -> None:
        """Rebuild the sliders for the joints of the present robot."""
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
                    self._add_slider(index, name, unit, limits.get(name))
        self._rebuild_handle()
        self.mass.value = _payload_mass(session.robot)
        self._rebuild_payload_choices()
        self.title.content = f"{markdown_text(session.motion.name)}, {session.motion.duration:.3g} s"
        self.time.max = session.motion.duration
        self.limits_now.content = ""

    def show_payload(self) -> None:
        """Show the payload of the robot after a change elsewhere."""
        self.mass.value = _payload_mass(self.page.session.robot)
        self._rebuild_payload_choices()

    def show_robot(self) -> None:
        """Move the robot, and a reference design beside it, to the coordinates."""
        self.page.view.move_robot(self.q)
        self.page.reference.move_ghost(self.q)

    def _use_task(self) -> None:
        self.page.use_task(self.task.value.content.decode("utf-8", "replace"))

    def fit_view(self) -> None:
        """Place the camera such that the whole robot is seen in its present configuration."""
        camera = self.page.api.camera
        camera.look_at, camera.position = fitting_camera(self.page.view.scene, self.q)

    def _add_slider(self, index: int, name: str, unit: str, limits: Any) -> None:
        low, high = limits or (-DEFAULT_SLIDER_RANGE[unit], DEFAULT_SLIDER_RANGE[unit])
        start = float(np.clip(self.q[index], low, high))
        slider = self.page.gui.add_slider(f"{visible_text(name)} [{unit}]", float(low), float(high), 0.001, start)
        self.page.on_event(slider.on_update, f"slide {index}", lambda: self._move_joint(index, slider))
        self.sliders[index] = slider

    def _move_joint(self, index: int, slider: Any) -> None:
        if self.is_playing or slider not in self.sliders.values():  # a slider of a replaced robot
            return
        if float(slider.value) == self.q[index]:  # set by the page, not by the user
            return
        goal = self.q.copy()
        goal[index] = float(slider.value)
        closed = self.page.session.closed_configuration(goal, index)
        self.handle_message.content = (
            ""
            if closed is not None
            else "The closed loops or the joint limits of the robot do not allow this position."
        )
        self.q = self.q if closed is None else closed
        self._align_shafts()
        self.show_robot()
        if self.page.session.robot.loops:
            self.update_sliders()
        self._place_handle()

    def _align_shafts(self) -> None:
        """Move the shafts of elastic drives with their joints."""
        mech = self.page.session.mech
        for name in mech.shafts:
            joint = joint_of(name)
            if joint in mech.coordinates:
                self.q[mech.coordinates.index(name)] = self.q[mech.coordinates.index(joint)]

    def update_sliders(self) -> None:
        """Set the sliders to the coordinates of the robot, without moving it."""
        for index, slider in self.sliders.items():
            slider.value = float(np.clip(self.q[index], slider.min, slider.max))

    def toggle(self) -> None:
        """Play the motion, or stop it."""
        if self.is_playing:
            self.stop()
            self.update_sliders()
            self._place_handle()
            return
        self.play.label = "Pause"
        self._now, self._at = time.monotonic(), float(self.time.value)
        self._ticker = Ticker(
            PLAYBACK_FRAME_SECONDS,
            lambda: self.page.events.submit("tick", self._advance_time),
            "gearwright studio, playing",
        )

    def stop(self) -> None:
        """Stop playback; waiting ticks then do nothing."""
        ticker, self._ticker = self._ticker, None
        if ticker is None:
            return
        ticker.stop()
        if not self.page.closed:
            self.play.label = "Play"

    def _advance_time(self) -> None:
        if not self.is_playing:
            return
        before, self._now = self._now, time.monotonic()
        self._at += (self._now - before) * float(self.playback_speed.value)  # the slider rounds
        self._at %= self.page.session.motion.duration
        self.show_time(self._at)

    def show_time(self, at: float) -> None:
        """Show the robot at a time of the motion, and set the time line."""
        self.q = self.page.session.motion.coordinates_at(at)
        self.show_robot()
        self.time.value = round(at, 3)
        self.page.results.show_time(at)

    def _show_chosen_time(self) -> None:
        if self.is_playing:
            return
        self.q = self.page.session.motion.coordinates_at(float(self.time.value))
        self.show_robot()
        self.page.results.show_time(float(self.time.value))
        self.update_sliders()
        self._place_handle()

    def _frame_choices(self) -> dict[str, str]:
        """Return the frames and links for the handle: label -> name."""
        robot = self.page.session.robot
        names = [*(frame.name for frame in robot.frames), *(link.name for link in robot.links)]
        return {NO_HANDLE: "", **{visible_text(name): name for name in names}}

    def _payload_choices(self) -> dict[str, str]:
        """Return the frames and links for the payload: label -> name."""
        return {STATED_PAYLOAD_CHOICE: "", **{shown: name for shown, name in self._frame_choices().items() if name}}

    def _set_payload(self, frame: str | None = None) -> None:
        """Set the payload to the entered mass, at a frame or at its present place."""
        self.page.try_change(lambda: self.page.session.set_payload(float(self.mass.value), frame))
        self._rebuild_payload_choices()

    def _choose_payload_frame(self) -> None:
        frame = self._payload_choices().get(self.place.value)
        if frame:
            self._set_payload(frame)

    def _rebuild_payload_choices(self) -> None:
        """Update the choices of places to the present robot and its payload."""
        shown = tuple(self._payload_choices())
        if tuple(self.place.options) != shown:
            choice = self.place.value if self.place.value in shown else STATED_PAYLOAD_CHOICE
            self.place.options = shown
            self.place.value = choice
        place = self.page.session.robot.payload_place
        self.payload_location.content = "" if place is None else markdown_text(place)

    @property
    def _handle_frame(self) -> str:
        """Return the frame or link of the handle; empty for none."""
        return self._frame_choices().get(self.frame.value, "")

    def _rebuild_handle(self) -> None:
        """Update the choices of the handle to the present robot."""
        shown = tuple(self._frame_choices())
        if tuple(self.frame.options) != shown:
            choice = self.frame.value if self.frame.value in shown else NO_HANDLE
            self.frame.options = shown
            self.frame.value = choice
        self._choose_handle()

    def _choose_handle(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
        self.handle_message.content = ""
        if not self._handle_frame:
            return
        size = 0.25 * self.page.view.scene.reach
        turns = self._holds_orientation
        self._handle = self.page.api.scene.add_transform_controls(
            "/handle", scale=size, disable_rotations=not turns, depth_test=False
        )
        self._place_handle()
        self.page.on_event(self._handle.on_update, "handle", self._follow_handle)

    @property
    def _holds_orientation(self) -> bool:
        """Whether the arm has enough joints to attain an orientation too."""
        return self.page.session.mech.n - len(self.page.session.mech.shafts) >= 6

    def _place_handle(self) -> None:
        if self._handle is None:
            return
        pose = placement(self.page.session.mech, self.q, self._handle_frame)
        self._handle.wxyz, self._handle.position = (
            quaternion_from_rotation(np.asarray(pose.rotation)),
            np.asarray(pose.position),
        )

    def _follow_handle(self) -> None:
        """Solve the inverse kinematics for the pose of the handle."""
        handle = self._handle
        if handle is None:
            return
        rotation = rotation_from_quaternion(np.asarray(handle.wxyz)) if self._holds_orientation else None
        goal = (rotation, np.asarray(handle.position))
        solution = inverse_kinematics(self.page.session.robot, self._handle_frame, goal, start=self.q, tolerance=1e-6)
        self.q = np.asarray(solution.q, dtype=float)
        self.show_robot()
        self.update_sliders()
        self.handle_message.content = (
            "" if solution.reached else f"Pose not attained: error {float(solution.error):.3g} m or rad."
        )


def _payload_mass(robot: Robot) -> float:
    return float(robot.payload.mass) if robot.payload is not None else 0.0
