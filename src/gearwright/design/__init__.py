"""Design of drives: motors and gearboxes that do a task within every limit."""

from gearwright.analysis.task import Task
from gearwright.design.candidates import Choice
from gearwright.design.search import Found
from gearwright.design.sizing import Sizing, size_drives, with_choices

__all__ = ["Choice", "Found", "Sizing", "Task", "size_drives", "with_choices"]
