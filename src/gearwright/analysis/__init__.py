"""The analysis of machines: demands of a task and margins to limits, comparison of models, vibration, sensitivities."""

from gearwright.analysis.cycle.closed_loop import PerturbedAnalysis
from gearwright.analysis.drives.advice_value import Advice
from gearwright.analysis.drives.drive_analysis import DriveAnalysis, EnergySplit, PowerFlow, ShaftLoad
from gearwright.analysis.drives.limit_checks import LimitCheck, sorted_by_margin
from gearwright.analysis.drives.limit_kinds import LimitKey, LimitKind, LimitSources
from gearwright.analysis.drives.steady_temperatures import Temperatures, WarmUp, steady_temperatures
from gearwright.analysis.drives.unchecked_limits import UncheckedLimit
from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.analysis.links.link_loads import LinkLoads, link_loads
from gearwright.analysis.links.tip_deflection import TipDeflection
from gearwright.analysis.model_audit.audit import ModelFileOptions, audit
from gearwright.analysis.model_audit.findings import Audit, AuditFinding, UncheckedRule
from gearwright.analysis.model_comparison.comparison import ApproximationError, Comparison, compare, uncoupled_spins
from gearwright.analysis.model_comparison.energy_balance import EnergyBalance, energy_balance
from gearwright.analysis.model_comparison.impact_comparison import ImpactComparison, ImpactFigures, compare_impacts
from gearwright.analysis.model_comparison.parameter_comparison import ParameterComparison, parameter_comparison
from gearwright.analysis.model_comparison.reduced_models import ReductionComparison, ReductionError, compare_reductions
from gearwright.analysis.model_comparison.rotor_layout import RotorLayout, RotorMounting, least_coupling_layout
from gearwright.analysis.sensitivity.sensitivities import Sensitivities, sensitivities
from gearwright.analysis.task.payload_phases import PayloadPhase
from gearwright.analysis.task.perturbation import Perturbation
from gearwright.analysis.task.process_forces import ProcessForce
from gearwright.analysis.task.task import Task
from gearwright.analysis.task_analysis import Analysis, Verdict, analyse
from gearwright.analysis.vibration.frequency_map import FrequencyMap, frequency_map
from gearwright.analysis.vibration.frequency_response import FrequencyResponse, frequency_response
from gearwright.analysis.vibration.vibration_modes import VibrationModes, natural_frequencies, vibration_modes
from gearwright.functions.constrained.constrained_dynamics import ConstrainedResult, ImpactResult
from gearwright.functions.linearise import LinearModel
from gearwright.programs.placement import Placement
from gearwright.simulation import IntegratorOptions
from gearwright.simulation.fixed_step.rollout import Rollout, RolloutOptions
from gearwright.simulation.fixed_step.step_stability import FastestMode, fastest_mode

__all__ = [
    "Advice",
    "Analysis",
    "ApproximationError",
    "Audit",
    "AuditFinding",
    "Comparison",
    "ConstrainedResult",
    "DriveAnalysis",
    "EnergyBalance",
    "EnergySplit",
    "FastestMode",
    "FrequencyMap",
    "FrequencyResponse",
    "ImpactComparison",
    "ImpactFigures",
    "ImpactResult",
    "IntegratorOptions",
    "LimitCheck",
    "LimitKey",
    "LimitKind",
    "LimitSources",
    "LinearModel",
    "LinkAnalysis",
    "LinkLoads",
    "ModelFileOptions",
    "ParameterComparison",
    "PayloadPhase",
    "Perturbation",
    "PerturbedAnalysis",
    "Placement",
    "PowerFlow",
    "ProcessForce",
    "ReductionComparison",
    "ReductionError",
    "Rollout",
    "RolloutOptions",
    "RotorLayout",
    "RotorMounting",
    "Sensitivities",
    "ShaftLoad",
    "Task",
    "Temperatures",
    "TipDeflection",
    "UncheckedLimit",
    "UncheckedRule",
    "Verdict",
    "VibrationModes",
    "WarmUp",
    "analyse",
    "audit",
    "compare",
    "compare_impacts",
    "compare_reductions",
    "energy_balance",
    "fastest_mode",
    "frequency_map",
    "frequency_response",
    "least_coupling_layout",
    "link_loads",
    "natural_frequencies",
    "parameter_comparison",
    "sensitivities",
    "sorted_by_margin",
    "steady_temperatures",
    "uncoupled_spins",
    "vibration_modes",
]
