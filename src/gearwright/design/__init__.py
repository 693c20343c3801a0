"""Design of drives: analyse a task, and choose motors and gearboxes that do it within every limit."""

from gearwright.analysis.analyse import Analysis, analyse
from gearwright.analysis.task import Task
from gearwright.design.candidates import Choice
from gearwright.design.search import Found
from gearwright.design.sizing import Sizing, size_drives, with_choices

__all__ = ["Analysis", "Choice", "Found", "Sizing", "Task", "analyse", "size_drives", "with_choices"]
