"""Design of drives: choose motors, gearboxes and other variables that satisfy every limit of a task."""

from gearwright.analysis import Analysis, Task, analyse
from gearwright.design.candidates.candidates import Choice
from gearwright.design.candidates.chosen_drives import with_chosen_drives
from gearwright.design.candidates.coupled_train_synthesis import CoupledTrain, synthesise_coupled_trains
from gearwright.design.candidates.gear_synthesis import SynthesisedTrain, TrainSpace, synthesise_trains
from gearwright.design.candidates.objectives import DesignPoint
from gearwright.design.parameter_sweep.measures import AnalysisMeasure, ForceMeasure
from gearwright.design.parameter_sweep.points import Normal, Uniform
from gearwright.design.parameter_sweep.sweep import Sweep, SweepOptions, sweep
from gearwright.design.sizing.controller_gains import JointGains, controller_gains
from gearwright.design.sizing.search_options import SearchOptions
from gearwright.design.sizing.size_drives import size_drives
from gearwright.design.sizing.sizing_result import Sizing
from gearwright.design.variables.design_variables import Mount, Range

__all__ = [
    "Analysis",
    "AnalysisMeasure",
    "Choice",
    "CoupledTrain",
    "DesignPoint",
    "ForceMeasure",
    "JointGains",
    "Mount",
    "Normal",
    "Range",
    "SearchOptions",
    "Sizing",
    "Sweep",
    "SweepOptions",
    "SynthesisedTrain",
    "Task",
    "TrainSpace",
    "Uniform",
    "analyse",
    "controller_gains",
    "size_drives",
    "sweep",
    "synthesise_coupled_trains",
    "synthesise_trains",
    "with_chosen_drives",
]
