"""Design of drives: analyse a task, and choose motors and gearboxes that do it within every limit."""

from gearwright.analysis.analyse import Analysis, analyse
from gearwright.analysis.task import Task
from gearwright.design.candidates import Choice
from gearwright.design.measures import Analysed, Forces
from gearwright.design.points import Normal, Uniform
from gearwright.design.objectives import Found
from gearwright.design.sizing import Sizing, size_drives, with_choices
from gearwright.design.sweep import Sweep, sweep

__all__ = [
    "Analysed",
    "Analysis",
    "Choice",
    "Forces",
    "Found",
    "Normal",
    "Sizing",
    "Sweep",
    "Task",
    "Uniform",
    "analyse",
    "size_drives",
    "sweep",
    "with_choices",
]
