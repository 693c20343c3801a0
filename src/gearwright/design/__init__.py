"""Design of drives: choose motors, gearboxes and other variables that do a task within every limit."""

from gearwright.analysis.task.task import Task
from gearwright.analysis.task_analysis import Analysis, analyse
from gearwright.design.candidates.candidates import Choice
from gearwright.design.candidates.chosen_drives import with_choices
from gearwright.design.candidates.objectives import Found
from gearwright.design.parameter_sweep.measures import Analysed, Forces
from gearwright.design.parameter_sweep.points import Normal, Uniform
from gearwright.design.parameter_sweep.sweep import Sweep, sweep
from gearwright.design.sizing.controller_gains import JointGains, controller_gains
from gearwright.design.sizing.size_drives import size_drives
from gearwright.design.sizing.sizing_result import Sizing
from gearwright.design.variables.design_variables import Mount, Range

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
