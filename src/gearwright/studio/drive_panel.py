"""A folder per drive: what can be changed of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gearwright.parts import Drive
from gearwright.studio.entries import AS_STATED, Entry, entries, motor_choices
from gearwright.text import markdown, visible

if TYPE_CHECKING:
    from gearwright.studio.page import Page

RANGE = 5.0
"""How many times more or less than it was a slider lets a number be."""
OPEN = 2
"""So many folders are open at first."""


class DrivePanel:
    """The drives of the robot, each with its numbers, its motor, and its ratio as it follows."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._folders: list[Any] = []
        self._ratios: dict[str, Any] = {}
        self._fields: dict[str, dict[str, Any]] = {}
        self._choices = motor_choices(page.session.catalogue)
        self._silent = False
        self.rebuild()

    def rebuild(self) -> None:
        """Folders for the drives that the robot has now."""
        for folder in self._folders:
            folder.remove()
        self._folders, self._ratios, self._fields = [], {}, {}
        for place, drive in enumerate(self.page.session.robot.drives):
            self._folder(drive, place < OPEN)
        if not self.page.session.robot.drives:
            note = self.page.gui.add_markdown("This robot has no drives of single joints. Its trains are in the graph.")
            self._folders.append(note)

    def _folder(self, drive: Drive, opened: bool) -> None:
        gui, title = self.page.gui, drive.title
        folder = gui.add_folder(visible(title), expand_by_default=opened)
        self._folders.append(folder)
        with folder:
            self._ratios[title] = gui.add_markdown(_told(drive))
            self._fields[title] = {entry.key: self._field(title, entry) for entry in entries(drive)}
            motor = gui.add_dropdown("motor", tuple(self._choices), initial_value=AS_STATED)
            motor.on_update(lambda _, motor=motor: self._motor_chosen(title, motor.value))

    def _field(self, title: str, entry: Entry) -> Any:
        """A slider for a number that can be a little more or less; a box for teeth, and for what may be nothing."""
        gui, step = self.page.gui, _step(entry.value)
        if entry.kind == "count":
            field: Any = gui.add_number(entry.label, int(entry.value), step=1)
        elif entry.kind == "number" and entry.value:
            low, high = sorted((entry.value / RANGE, entry.value * RANGE))
            field = gui.add_slider(entry.label, low, high, step, entry.value)
        else:
            field = gui.add_number(entry.label, entry.value, step=step)
        field.on_update(lambda _: self._entered(title))
        return field

    def _entered(self, title: str) -> None:
        if self._silent:
            return
        wanted = {key: field.value for key, field in self._fields[title].items()}
        now = {entry.key: entry.value for entry in entries(self.page.session.robot.drive(title))}
        fresh = {key: value for key, value in wanted.items() if value != now.get(key)}
        if fresh:
            self.page.change(lambda: self.page.session.enter(title, fresh))

    def _motor_chosen(self, title: str, name: str) -> None:
        self.page.change(lambda: self.page.session.choose_motor(title, self._choices[name]))

    def follow(self) -> None:
        """Show the numbers that the robot has after a change."""
        self._silent = True
        try:
            for title, fields in self._fields.items():
                drive = self.page.session.robot.drive(title)
                self._ratios[title].content = _told(drive)
                for entry in entries(drive):
                    field = fields.get(entry.key)
                    if field is not None and field.value != entry.value:
                        _make_room(field, entry.value)
                        field.value = int(entry.value) if entry.kind == "count" else entry.value
        finally:
            self._silent = False


def _told(drive: Drive) -> str:
    return f"{markdown(drive.gear.kind)}, ratio **{float(drive.gear.ratio):.6g}**"


def _make_room(field: Any, value: float) -> None:
    """Let a slider reach a value that came another way, such as with another motor."""
    if getattr(field, "min", None) is not None and getattr(field, "max", None) is not None:
        field.min, field.max = min(field.min, value), max(field.max, value)


def _step(value: float) -> float:
    """A hundredth of the number's own size: what one press of an arrow changes."""
    return float(f"{abs(value) / 100 or 1.0:.1g}")
