"""Design of drives: analyse a task, and choose motors and gearboxes that do it within every limit."""

from gearwright.analysis.analyse import Analysis, analyse
from gearwright.analysis.task import Task
from gearwright.design.candidates import Choice
from gearwright.design.choosing import with_choices
from gearwright.design.gains import JointGains, controller_gains
from gearwright.design.measures import Analysed, Forces
from gearwright.design.objectives import Found
from gearwright.design.points import Normal, Uniform
from gearwright.design.sized_drives import Sizing
from gearwright.design.sizing import size_drives
from gearwright.design.sweep import Sweep, sweep
from gearwright.design.variables import Mount, Range

__all__ = [
    "Analysed",
    "Analysis",
    "Choice",
    "Forces",
    "Found",
    "JointGains",
    "Mount",
    "Normal",
    "Range",
    "Sizing",
    "Sweep",
    "Task",
    "Uniform",
    "analyse",
    "controller_gains",
    "size_drives",
    "sweep",
    "with_choices",
]
