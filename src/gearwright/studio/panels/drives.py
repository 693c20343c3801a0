"""A folder with editable numbers per drive, and per motor, mesh and wheel of a train."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from gearwright.studio.drive_edits import STATED_MOTOR_CHOICE, EditableNumber, motor_choices
from gearwright.studio.editable_parts import EditablePart, editable_part, editable_parts
from gearwright.text import visible_text

if TYPE_CHECKING:
    from gearwright.studio.page import Page

SLIDER_RANGE_RATIO = 5.0
"""Range of a slider: the initial value divided and multiplied by this factor."""
INITIALLY_OPEN_FOLDERS = 2
"""Number of folders that are open initially."""


class DrivePanel:
    """The drives and trains of the robot, each part with its numbers, its motor, and derived numbers."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._folders: list[Any] = []
        self._descriptions: dict[EditablePart, Any] = {}
        self._fields: dict[EditablePart, dict[str, Any]] = {}
        self._motors: dict[EditablePart, Any] = {}
        self._choices = motor_choices(page.session.catalogue)
        self.rebuild()

    def field(self, place: EditablePart | str, key: str) -> Any:
        """Return the field of an entry of a drive, by its title, or of a part of a train."""
        return self._fields[editable_part(place)][key]

    def motor(self, place: EditablePart | str) -> Any:
        """Return the selection field for the motor of a drive or of a train."""
        return self._motors[editable_part(place)]

    def rebuild(self) -> None:
        """Rebuild the folders for the drives and trains of the present robot."""
        for folder in self._folders:
            folder.remove()
        self._folders, self._descriptions, self._fields, self._motors = [], {}, {}, {}
        parts, trains = editable_parts(self.page.session.robot), dict[str, Any]()
        for rank, place in enumerate(parts):
            if place.train and place.train not in trains:
                trains[place.train] = self._add_top_folder(f"train {place.train}", opened=True)
            if place.train:
                with trains[place.train]:
                    self._fill_folder(place, self._add_inner_folder(place, rank < INITIALLY_OPEN_FOLDERS))
            else:
                self._fill_folder(place, self._add_top_folder(place.title, rank < INITIALLY_OPEN_FOLDERS))
        if not parts:
            self._folders.append(self.page.gui.add_markdown("This robot has neither drives nor trains."))

    def _add_top_folder(self, title: str, opened: bool) -> Any:
        folder = self.page.gui.add_folder(visible_text(title), expand_by_default=opened)
        self._folders.append(folder)
        return folder

    def _add_inner_folder(self, place: EditablePart, opened: bool) -> Any:
        return self.page.gui.add_folder(visible_text(place.title), expand_by_default=opened)

    def _fill_folder(self, place: EditablePart, folder: AbstractContextManager[Any]) -> None:
        gui, session = self.page.gui, self.page.session
        with folder:
            self._descriptions[place] = gui.add_markdown(place.description(session.robot, session.mech))
            self._fields[place] = {
                entry.key: self._add_field(place, entry) for entry in place.editable_numbers(session.robot)
            }
            if place.current_motor(session.robot) is None:
                return
            motor = gui.add_dropdown("motor", tuple(self._choices), initial_value=STATED_MOTOR_CHOICE)
            self._motors[place] = motor
            self.page.on_event(motor.on_update, f"motor of {place}", lambda: self._apply_motor(place))

    def _add_field(self, place: EditablePart, entry: EditableNumber) -> Any:
        """Return a slider for a continuous number; a number box for teeth and for values that may be 0."""
        gui, step, label = self.page.gui, _slider_step(entry.displayed_value), visible_text(entry.label)
        if entry.kind == "count":
            field: Any = gui.add_number(label, int(entry.value), step=1)
        elif entry.kind in ("number", "radius") and entry.value:
            low, high = sorted((entry.displayed_value / SLIDER_RANGE_RATIO, entry.displayed_value * SLIDER_RANGE_RATIO))
            field = gui.add_slider(label, low, high, step, entry.displayed_value)
        else:
            field = gui.add_number(label, entry.displayed_value, step=step)
        self.page.on_event(field.on_update, f"enter {place}", lambda: self._apply_entries(place))
        return field

    def _apply_entries(self, place: EditablePart) -> None:
        fields = self._fields.get(place)
        if fields is None:  # of a robot that has been replaced
            return
        session = self.page.session
        numbers = {entry.key: entry for entry in place.editable_numbers(session.robot)}
        entered = {key: numbers[key].si_value(field.value) for key, field in fields.items() if key in numbers}
        fresh = {key: value for key, value in entered.items() if value != numbers[key].value}
        if fresh:
            self.page.try_change(lambda: session.enter_values(place, fresh))

    def _apply_motor(self, place: EditablePart) -> None:
        motor = self._motors.get(place)
        if motor is not None:
            self.page.try_change(lambda: self.page.session.choose_motor(place, self._choices[motor.value]))

    def update_fields(self) -> None:
        """Show the numbers of the robot after a change."""
        session = self.page.session
        for place, fields in self._fields.items():
            self._descriptions[place].content = place.description(session.robot, session.mech)
            for entry in place.editable_numbers(session.robot):
                field = fields.get(entry.key)
                if field is not None and field.value != entry.displayed_value:
                    _widen_slider(field, entry.displayed_value)
                    field.value = int(entry.value) if entry.kind == "count" else entry.displayed_value


def _widen_slider(field: Any, value: float) -> None:
    """Extend the range of a slider to a value set elsewhere, such as by another motor."""
    if getattr(field, "min", None) is not None and getattr(field, "max", None) is not None:
        field.min, field.max = min(field.min, value), max(field.max, value)


def _slider_step(value: float) -> float:
    """Return the step of a field: one per cent of the number's magnitude."""
    return float(f"{abs(value) / 100 or 1.0:.1g}")
