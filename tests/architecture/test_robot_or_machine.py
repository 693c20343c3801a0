"""Every public function that takes a machine takes a robot too, and gives the same."""

from __future__ import annotations

import dataclasses
import inspect
from types import ModuleType

import numpy as np
import pytest

import gearwright as gw
from gearwright import forces
from gearwright.actuation import AirValve, ServoValve
from gearwright.algebra.operations import FLOATS
from gearwright.bench.bench import BenchmarkRun
from gearwright.identification import Log, MotionLimits
from gearwright.mechanism.assembly import tree_of
from gearwright.motion import polynomial
from gearwright.programs.program import flatten_scalars

STIFF, SOFT = gw.load("elbow"), gw.load("elastic_elbow")
Q, V, A = np.array([[0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8]])
Q6, V6, A6 = (np.concatenate([x, 1.01 * x]) for x in (Q, V, A))
ROW = [[1.0, 0.2, 0.3]]
MOTION = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.5)
SAMPLES = MOTION.sample(20)
WIDE = MotionLimits([-1.0] * 3, [1.0] * 3, [2.0] * 3, [9.0] * 3)
LEVEL = gw.contact.Constraint.from_lines(
    "level", [forces.Coordinate.for_machine(STIFF, "level", lambda c: c.point("tool").z)]
)
PEN = gw.contact.Constraint("pen", "tool", held=("z",))
MAT = gw.contact.SoftContact("tool", gw.contact.Plane((0, 0, 1)), 1e4, name="mat")
SWING = polynomial([0.1, 0.0], [0.2, 0.1], duration=1.0)
DATA = {"torque_constant": 0.05, "resistance": 0.5, "inductance": 1e-3}


def log_of(mech, count=60):
    rng = np.random.default_rng(3)
    q, v, a = rng.uniform(-1, 1, (3, count, 3))
    return Log(np.arange(count) * 0.01, q, gw.inverse_dynamics(STIFF, q, v, a), v, a)


def decided(control):
    """What a controller of Gearwright decides at a state, over plain numbers."""
    law = control.law
    given = {"q": Q6[: law.mech.nq].tolist(), "v": V6[: law.mech.n].tolist()}
    given |= {name: x[0].tolist() for name, x in control.references(np.array([0.4])).items()}
    given["states"] = [x.initial for x in law.states]
    return np.array(flatten_scalars(control.program.run(law.mech, FLOATS, given, {})), dtype=float)


STIFF_CALLS = {
    "adaptive": lambda m: decided(gw.control.adaptive(m, MOTION, 5.0, 10.0, 1.0)),
    "controller_by_name": lambda m: decided(gw.control.controller_by_name("cascade", m, MOTION)),
    "cascade": lambda m: decided(gw.control.cascade(m, MOTION, 5.0, 50.0, 0.1)),
    "computed_torque": lambda m: decided(gw.control.computed_torque(m, MOTION, 10.0)),
    "feedforward": lambda m: decided(gw.control.feedforward(m, MOTION, 100.0, 10.0)),
    "admittance": lambda m: decided(
        gw.control.admittance(m, 2, MOTION, gw.control.TargetAdmittance(mass=3.0, damping=50.0))
    ),
    "hybrid_control": lambda m: decided(gw.control.hybrid_control(m, PEN, MOTION, 5.0)),
    "position_force": lambda m: decided(gw.control.position_force(m, MAT, MOTION, 5.0)),
    "in_larger_machine": lambda m: decided(gw.control.in_larger_machine(gw.control.pd(STIFF, MOTION, 50.0, 5.0), m)),
    "impedance": lambda m: decided(gw.control.impedance(m, 2, MOTION, 50.0, 5.0, orientation=False)),
    "joint_gains": lambda m: gw.control.joint_gains(m, Q, 10.0),
    "lqr": lambda m: gw.control.lqr(m, Q, [1.0] * 6, [1.0] * 3).K,
    "nominal_control": lambda m: gw.control.nominal_control(m, MOTION, 5, laws=()).tau,
    "operational_space": lambda m: decided(gw.control.operational_space(m, 2, MOTION, orientation=False)),
    "pd": lambda m: decided(gw.control.pd(m, MOTION, 100.0, 10.0)),
    "poles": lambda m: gw.control.poles(m, Q, [-1, -2, -3, -4, -5, -6]).K,
    "state_feedback": lambda m: decided(gw.control.state_feedback(m, MOTION, np.ones((3, 6)))),
    "actuator_redundancy": lambda m: gw.actuation.actuator_redundancy(m),
    "actuator_speeds": lambda m: gw.actuator_speeds(m, V),
    "actuator_torques": lambda m: gw.actuator_torques(m, V),
    "angle": lambda m: forces.angle(m, 2).speeds,
    "approximate": lambda m: gw.approximate(m, "reflected"),
    "axial_rates": lambda m: gw.equations.axial_rates(m, Q),
    "base_parameters": lambda m: gw.base_parameters(m),
    "bias": lambda m: gw.bias(m, Q, V),
    "casadi_function": lambda m: np.array(gw.casadi_function(gw.bias, m)(Q, V)),
    "casadi_rates": lambda m: np.array(gw.casadi_rates(m, laws=())(np.concatenate([Q, V]), A)),
    "centre_of_mass": lambda m: gw.centre_of_mass(m, Q),
    "closed_form": lambda m: str(gw.closed_form("gravity", m).entries),
    "compare": lambda m: gw.analysis.compare(m, SAMPLES),
    "compare_impacts": lambda m: gw.analysis.compare_impacts(m, Q, [0.0, -1.0, -0.5], "tool", (0, 0, 1))["exact"],
    "compile": lambda m: gw.compile(gw.gravity, m)(Q),
    "complete_model": lambda m: (
        gw.actuation.complete_model(m, [gw.actuation.dc_motor(m, "j1", gw.actuation.DcMotorData(**DATA))]).state_names
    ),
    "constrained_dynamics": lambda m: gw.constrained_dynamics(m, Q, V, A, ROW, [0.0]),
    "coriolis_matrix": lambda m: gw.coriolis_matrix(m, Q, V),
    "dc_motor": lambda m: gw.actuation.dc_motor(m, "j1", gw.actuation.DcMotorData(**DATA)),
    "difference": lambda m: gw.difference(m, Q, V),
    "displacement": lambda m: forces.displacement(m, 2).speeds,
    "distance": lambda m: forces.distance(m, "base", (2, (0.1, 0.2, 0.3))).speeds,
    "energies": lambda m: gw.equations.energies(m, Q, V).couplings,
    "energy_rows": lambda m: gw.equations.energy_rows(m, Q, V).kinetic,
    "energy_balance": lambda m: gw.analysis.energy_balance(m, SAMPLES),
    "fastest": lambda m: gw.planning.fastest(m, [V, Q], torque=50.0, intervals=20).pieces.c,
    "limit_use": lambda m: gw.planning.limit_use(m, MOTION, torque=50.0, samples=5).shares,
    "excite": lambda m: gw.identification.excite(
        m, WIDE, search=gw.identification.ExcitationOptions(starts=1, steps=1, samples=40)
    ),
    "explain": lambda m: gw.equations.explain(m, Q, V, A).forces,
    "forward_dynamics": lambda m: gw.forward_dynamics(m, Q, V, A),
    "gravity": lambda m: gw.gravity(m, Q),
    "identify": lambda m: gw.identify(m, log_of(m), cutoff=np.inf).values,
    "impact": lambda m: gw.impact(m, Q, V, ROW),
    "demands": lambda m: (
        gw.demands(
            m,
            MOTION,
            actuators=[gw.actuation.dc_motor(m, f"j{k}", gw.actuation.DcMotorData(**DATA)) for k in (1, 2, 3)],
            samples=9,
        ).series
    ),
    "external_adjoint": lambda m: gw.planning.external_adjoint(m, Q, V, 2),
    "external_coordinates": lambda m: gw.planning.external_coordinates(m, Q, 2),
    "external_jacobian": lambda m: gw.planning.external_jacobian(m, Q, 2),
    "external_rates": lambda m: gw.planning.external_rates(m, Q, V, 2),
    "integrate": lambda m: gw.integrate(m, Q, V),
    "inverse_kinematics": lambda m: gw.inverse_kinematics(m, 2, (None, gw.placement(m, Q, 2).position), start=Q).q,
    "joint_axes": lambda m: gw.equations.joint_axes(m, Q, 2),
    "joint_axis_derivatives": lambda m: gw.equations.joint_axis_derivatives(m, Q, 2),
    "joint_forces": lambda m: gw.equations.joint_forces(m, Q, V, A),
    "inverse_dynamics": lambda m: gw.inverse_dynamics(m, Q, V, A, {2: np.ones(6)}),
    "jacobian": lambda m: gw.jacobian(m, Q, 2),
    "jacobian_rate": lambda m: gw.jacobian_rate(m, Q, V, 2),
    "kinetic_energy": lambda m: gw.kinetic_energy(m, Q, V),
    "lagrange_form": lambda m: gw.equations.lagrange_form(m, Q, V),
    "linear_forms": lambda m: gw.equations.linear_forms(m, Q, V).Delta,
    "linearise": lambda m: gw.linearise(m, Q, V, A),
    "log_of_currents": lambda m: gw.identification.log_of_currents(m, [0, 1], [Q, V], [A, V], [0.1, 0.2, 0.3]).tau,
    "mass_matrix": lambda m: gw.mass_matrix(m, Q),
    "TorqueModel": lambda m: gw.identification.TorqueModel(m).nominal_values,
    "momentum": lambda m: gw.momentum(m, Q, V),
    "motor_ratios": lambda m: gw.actuation.motor_ratios(m, Q),
    "motor_inertias": lambda m: gw.actuation.motor_inertias(m, Q),
    "neutral": lambda m: gw.neutral(m),
    "parameter_groups": lambda m: gw.identification.parameter_groups(m),
    "parameter_names": lambda m: gw.parameter_names(m),
    "parameters": lambda m: gw.parameters(m),
    "placement": lambda m: gw.placement(m, Q, 2),
    "pneumatic_cylinder": lambda m: gw.actuation.pneumatic_cylinder(
        m,
        "j1",
        AirValve(2e-8),
        gw.actuation.PneumaticCylinder(areas=(8e-4, 8e-4), volumes=(1.2e-4, 1.2e-4), pressures=(4e5, 4e5), mass=0.5),
    ),
    "free_speeds": lambda m: gw.contact.free_speeds(m, [0.1, 0.0, 0.0], [LEVEL]).directions,
    "closed_motion": lambda m: gw.contact.closed_motion(m, SWING, [0.1, 0.0, 0.0], [LEVEL]).pieces.c,
    "project": lambda m: gw.contact.project(m, Q, [gw.contact.Constraint("c", 2, "base", ("z",))]).q,
    "potential_energy": lambda m: gw.potential_energy(m, Q),
    "reactions": lambda m: gw.reactions(m, Q, V, A),
    "recursive_form": lambda m: gw.equations.recursive_form(m, Q, V),
    "regressor": lambda m: gw.regressor(m, Q, V, A),
    "regressor_blocks": lambda m: gw.identification.regressor_blocks(m, gw.regressor(m, Q, V, A)),
    "rollout": lambda m: gw.rollout(m, Q, V, steps=3, step=1e-3).q,
    "servo_cylinder": lambda m: gw.actuation.servo_cylinder(
        m, "j1", ServoValve(rated_flow=6e-4), gw.actuation.HydraulicCylinder(area=1e-3, volume=4e-4, mass=5.0)
    ),
    "simulate": lambda m: gw.simulate(m, Q, until=0.02, laws=(), samples=3).q,
    "state_space": lambda m: gw.export.state_space(m, Q, laws=()),
    "stepping_motor": lambda m: gw.actuation.stepping_motor(
        m, "j1", gw.actuation.SteppingMotorData(teeth=50, current=1.0, **DATA)
    ),
    "structure_matrix": lambda m: gw.actuation.structure_matrix(m),
    "synchronous_motor": lambda m: gw.actuation.synchronous_motor(
        m, "j1", gw.actuation.SynchronousMotorData(pole_pairs=4, flux=0.01, resistance=0.2, inductances=(4e-4, 6e-4))
    ),
    "tendon": lambda m: forces.tendon(m, ["base", (2, (0.1, 0.2, 0.3))]).speeds,
    "uncoupled_spins": lambda m: gw.analysis.uncoupled_spins(m),
}
SOFT_CALLS = {
    "feedback_linearisation": lambda m: decided(gw.control.feedback_linearisation(m, MOTION)),
    "compare_reductions": lambda m: gw.analysis.compare_reductions(m, MOTION, count=5).reduced,
    "elastic_form": lambda m: gw.elastic.elastic_form(m, Q6, V6),
    "fastest_mode": lambda m: gw.analysis.fastest_mode(m, Q6),
    "frequency_map": lambda m: gw.analysis.frequency_map(m, ("j2", "j3"), count=2).values,
    "frequency_response": lambda m: gw.analysis.frequency_response(m, Q, "j2", [1.0, 2.0]).values,
    "vibration_modes": lambda m: gw.analysis.vibration_modes(m, Q),
    "motor_motion": lambda m: gw.motor_motion(m, Q, V, A, Q, V, (A, Q, V)),
    "natural_frequencies": lambda m: gw.analysis.natural_frequencies(m, Q),
    "required_derivative_orders": lambda m: gw.elastic.required_derivative_orders(m),
    "speed_observer_bound": lambda m: gw.control.speed_observer_bound(m, 5.0, configurations=3).gain,
    "RedundantModel": lambda m: gw.elastic.RedundantModel(m).inertia,
}
EXCUSED = {
    "read_log": "reads a file; log_of_currents takes the same argument",
    "mjcf": "writes files; its numbers are compared in tests/export",
    "fmu": "writes a file; its runs are compared in tests/export",
    "mujoco_check": "takes a robot or a machine in tests/export/test_mujoco_check.py, by a program of its own",
    **dict.fromkeys(
        (
            *("approach", "arc", "circle", "distributed_positioning", "line", "track_poses"),
            *("least_energy", "least_time", "least_torque", "mechanical_energy", "torque_ratio"),
        ),
        "plans a motion; inverse_kinematics takes the same argument",
    ),
    "audit": "compares the data of motors and gears, which a machine does not have",
    "passport": "fits the drives of a robot, which a machine does not have",
    "gym_environment": "needs an extra, and the motors and laws of a robot",
    "export": "writes files, as export.c does",
    "PayloadPhase": "an element of `Task.payload_phases`",
    "c": "writes files; its text is compared in tests/export",
    "jax_function": "needs a setting of JAX; compared in tests/tracing, with the recipe that casadi_function has",
    "torch_function": "needs an extra; compared in tests/export, with the recipe that casadi_function has",
    "bench": "takes minutes; its machines are compared below",
    "assemble": "makes a machine of a robot",
    "ClosedMechanism": "a machine with closed loops; compared in its tests",
    **dict.fromkeys(("least_coupling_layout", "RotorLayout"), "about a robot's drives, which a machine has not"),
    "studio": "opens a page on the parts of a robot, which a machine has not",
    "link_loads": "takes a motion of the whole machine; compared in tests/analysis",
    **dict.fromkeys(
        (
            *("analyse", "Analysis", "Perturbation", "PerturbedAnalysis"),
            *("size_drives", "Sizing", "sweep", "with_chosen_drives", "CoupledTrain", "synthesise_coupled_trains"),
        ),
        "about a robot's drives, which a machine has not",
    ),
    **dict.fromkeys(("save", "write_urdf"), "a machine has no file"),
    **dict.fromkeys(
        (
            "attach",
            "canonical_trains",
            "parameter",
            "parameter_comparison",
            "ParameterComparison",
            "with_beam",
            "with_closing_joint",
            "with_flexible_body",
            "with_elastic_base",
            "with_object",
            "with_parameters",
            "with_wall",
        ),
        "about a robot's parts",
    ),
    **dict.fromkeys(
        (
            "laws",
            "dc_motors",
            "elastic_laws",
            "friction_laws",
            "loss_laws",
            "motor_laws",
            "stop_laws",
            "train_loss_laws",
        ),
        "laws of a robot's parts; the machine beside it is the one it becomes",
    ),
    **dict.fromkeys(
        ("Comparison", "CompleteModel", "Energies", "Explanation", "Identification", "ReductionComparison"), "a result"
    ),
    "UpdatedRobot": "a result",
    "Measurement": "what a control law meets while it runs",
    "tracking_plot": "a figure, whose limits are those of a robot",
    **dict.fromkeys(("excite_run", "fit_run", "log_of_motors"), "tested with their logs: tests/identification"),
    **dict.fromkeys(("motor_space", "servos", "with_motor_outputs"), "about the motors of a robot's parts"),
    **dict.fromkeys(("Configuration", "Situation"), "what a coordinate or a law meets while it runs"),
    **dict.fromkeys(
        (
            "fourier",
            "from_accelerations",
            "pause",
            "polynomial",
            "recorded",
            "s_curve",
            "spline",
            "trapezoid",
        ),
        "a motion; the robot names its joints and limits",
    ),
}


def public_things():
    """Every public function and class by name, from `gearwright` and its namespaces."""
    spaces = [gw, *(getattr(gw, name) for name in gw.__all__ if isinstance(getattr(gw, name), ModuleType))]
    for space in spaces:
        for name in space.__all__:
            thing = getattr(space, name)
            if inspect.isfunction(thing) or inspect.isclass(thing):
                yield name, thing


def takes_machine(thing) -> bool:
    try:
        annotations = [str(p.annotation) for p in inspect.signature(thing).parameters.values()]
    except ValueError:  # some builtin bases have no signature
        return False
    return any("Mechanism" in text or "Robot" in text for text in annotations)


def test_every_function_is_called_or_excused():
    found = {name for name, thing in public_things() if takes_machine(thing)}
    assert found == {*STIFF_CALLS, *SOFT_CALLS, *EXCUSED}


def parts_of(x):
    """The numbers and words of a result, in order."""
    if isinstance(x, gw.Mechanism):
        return [repr([getattr(x, field.name) for field in dataclasses.fields(x)])]
    if dataclasses.is_dataclass(x):
        return [part for field in dataclasses.fields(x) for part in parts_of(getattr(x, field.name))]
    if isinstance(x, dict):
        return [part for name, value in x.items() for part in (name, *parts_of(value))]
    if isinstance(x, list | tuple):
        return [part for value in x for part in parts_of(value)]
    if isinstance(x, np.ndarray):
        return x.ravel().tolist()
    return (
        [x]
        if isinstance(x, str | float | int | complex | np.number)
        else [repr(x)]
        if x is None
        else [type(x).__name__]
    )


CASES = [pytest.param(STIFF, call, id=name) for name, call in STIFF_CALLS.items()]
CASES += [pytest.param(SOFT, call, id=name) for name, call in SOFT_CALLS.items()]


@pytest.mark.parametrize(("robot", "call"), CASES)
def test_a_robot_gives_what_its_machine_gives(robot, call):
    by_robot, by_machine = parts_of(call(robot)), parts_of(call(gw.assemble(robot)))
    assert len(by_robot) > 0
    assert by_robot == by_machine


def test_the_bench_takes_both():
    both = BenchmarkRun({"robot": STIFF, "machine": gw.assemble(STIFF)}, 1, 1, print).machines
    assert parts_of(both["robot"]) == parts_of(both["machine"])


def test_a_robot_is_assembled_once_and_forgotten_with_it():
    robot = STIFF.with_payload(1.0)
    machine = tree_of.tree_of("gravity", robot)
    assert tree_of.tree_of("bias", robot) is machine
    number = id(robot)
    assert number in tree_of._ASSEMBLED
    del robot
    assert number not in tree_of._ASSEMBLED


def test_a_kernel_serves_the_robot_too(monkeypatch):
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "on")
    robot = STIFF.with_payload(2.0)
    first = gw.gravity(robot, Q)
    assert id(robot) in gw.gravity.__globals__["dynamics_programs"].GRAVITY_FORCES.ready
    assert np.array_equal(gw.gravity(robot, Q), first)
