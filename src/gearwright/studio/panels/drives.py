"""A folder per drive, and per motor, mesh and wheel of a train: what can be changed of it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from gearwright.studio.drive_edits import AS_STATED, Entry, motor_choices
from gearwright.studio.editable_parts import Place, place_of, places
from gearwright.text import visible

if TYPE_CHECKING:
    from gearwright.studio.page import Page

RANGE = 5.0
"""How many times more or less than it was a slider lets a number be."""
OPEN = 2
"""So many folders are open at first."""


class DrivePanel:
    """The drives and trains of the robot, each part with its numbers, its motor, and what follows from them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._folders: list[Any] = []
        self._told: dict[Place, Any] = {}
        self._fields: dict[Place, dict[str, Any]] = {}
        self._motors: dict[Place, Any] = {}
        self._choices = motor_choices(page.session.catalogue)
        self.rebuild()

    def field(self, place: Place | str, key: str) -> Any:
        """The field of an entry of a drive, by its title, or of a part of a train."""
        return self._fields[place_of(place)][key]

    def motor(self, place: Place | str) -> Any:
        """Where the motor of a drive or of a train is chosen."""
        return self._motors[place_of(place)]

    def rebuild(self) -> None:
        """Folders for the drives and trains that the robot has now."""
        for folder in self._folders:
            folder.remove()
        self._folders, self._told, self._fields, self._motors = [], {}, {}, {}
        found, trains = places(self.page.session.robot), dict[str, Any]()
        for rank, place in enumerate(found):
            if place.train and place.train not in trains:
                trains[place.train] = self._top(f"train {place.train}", opened=True)
            if place.train:
                with trains[place.train]:
                    self._fill(place, self._inner(place, rank < OPEN))
            else:
                self._fill(place, self._top(place.title, rank < OPEN))
        if not found:
            self._folders.append(self.page.gui.add_markdown("This robot has neither drives nor trains."))

    def _top(self, title: str, opened: bool) -> Any:
        folder = self.page.gui.add_folder(visible(title), expand_by_default=opened)
        self._folders.append(folder)
        return folder

    def _inner(self, place: Place, opened: bool) -> Any:
        return self.page.gui.add_folder(visible(place.title), expand_by_default=opened)

    def _fill(self, place: Place, folder: AbstractContextManager[Any]) -> None:
        gui, session = self.page.gui, self.page.session
        with folder:
            self._told[place] = gui.add_markdown(place.told(session.robot, session.mech))
            self._fields[place] = {entry.key: self._field(place, entry) for entry in place.entries(session.robot)}
            if place.motor(session.robot) is None:
                return
            motor = gui.add_dropdown("motor", tuple(self._choices), initial_value=AS_STATED)
            self._motors[place] = motor
            self.page.on(motor.on_update, f"motor of {place}", lambda: self._motor_chosen(place))

    def _field(self, place: Place, entry: Entry) -> Any:
        """A slider for a number that can be a little more or less; a box for teeth, and for what may be nothing."""
        gui, step, label = self.page.gui, _step(entry.shown), visible(entry.label)
        if entry.kind == "count":
            field: Any = gui.add_number(label, int(entry.value), step=1)
        elif entry.kind in ("number", "radius") and entry.value:
            low, high = sorted((entry.shown / RANGE, entry.shown * RANGE))
            field = gui.add_slider(label, low, high, step, entry.shown)
        else:
            field = gui.add_number(label, entry.shown, step=step)
        self.page.on(field.on_update, f"enter {place}", lambda: self._entered(place))
        return field

    def _entered(self, place: Place) -> None:
        fields = self._fields.get(place)
        if fields is None:  # of a robot that was exchanged meanwhile
            return
        session = self.page.session
        known = {entry.key: entry for entry in place.entries(session.robot)}
        wanted = {key: known[key].read(field.value) for key, field in fields.items() if key in known}
        fresh = {key: value for key, value in wanted.items() if value != known[key].value}
        if fresh:
            self.page.change(lambda: session.enter(place, fresh))

    def _motor_chosen(self, place: Place) -> None:
        motor = self._motors.get(place)
        if motor is not None:
            self.page.change(lambda: self.page.session.choose_motor(place, self._choices[motor.value]))

    def follow(self) -> None:
        """Show the numbers that the robot has after a change."""
        session = self.page.session
        for place, fields in self._fields.items():
            self._told[place].content = place.told(session.robot, session.mech)
            for entry in place.entries(session.robot):
                field = fields.get(entry.key)
                if field is not None and field.value != entry.shown:
                    _make_room(field, entry.shown)
                    field.value = int(entry.value) if entry.kind == "count" else entry.shown


def _make_room(field: Any, value: float) -> None:
    """Let a slider reach a value that came another way, such as with another motor."""
    if getattr(field, "min", None) is not None and getattr(field, "max", None) is not None:
        field.min, field.max = min(field.min, value), max(field.max, value)


def _step(value: float) -> float:
    """A hundredth of the number's own size: what one press of an arrow changes."""
    return float(f"{abs(value) / 100 or 1.0:.1g}")
