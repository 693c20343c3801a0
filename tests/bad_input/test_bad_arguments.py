"""Arguments of the wrong kind: every public function answers them with an error of ours that names the argument."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.actuation import SteadyGear
from gearwright.argument_kinds import check_arguments, kind_of
from gearwright.control import ControlLaw, Decision, EnvironmentStep
from gearwright.errors import GearwrightError, InputError
from gearwright.forces import Line
from gearwright.identification import Log, MotionLimits
from gearwright.parts import (
    Beam,
    Drive,
    ElasticBase,
    Gear,
    GearboxSheet,
    Heat,
    Link,
    LinkSection,
    Losses,
    Motor,
    MotorSheet,
    Robot,
    Servo,
    Tube,
)

SPACES = [
    *("motion", "planning", "control", "contact", "analysis", "design", "identification", "equations", "elastic"),
    *("actuation", "export", "forces", "parts"),
]
PUBLIC = {
    f"{space}.{name}": getattr(module, name)
    for space, module in [("gw", gw), *((space, getattr(gw, space)) for space in SPACES)]
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}
FUNCTIONS = {function: name for name, function in reversed(PUBLIC.items())}
"""Every public function once, with the first name it has."""

ROBOT = gw.load("elbow")
MECH = gw.assemble(ROBOT)
STAY = [0.3, 0.5, -0.7]
MOTION = gw.motion.polynomial(STAY, [0.35, 0.55, -0.75], duration=1.0)
FEW = MOTION.sample(5)
TURNTABLE = Robot(
    "turntable",
    [Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]))],
    [
        Drive(
            "table",
            Motor(inertia=1e-4, torque_constant=0.1, resistance=1.0),
            Gear(ratio=100, stiffness=5000),
            servo=Servo(kp=100.0, kv=1.0),
        )
    ],
)
CART = gw.Mechanism([gw.Body("cart", joint="prismatic", axis=(1, 0, 0), mass=5.0)])
SEVEN = gw.load("panda_like")
BENT = [0.1, 0.4, 0.2, -1.5, 0.3, 1.2, 0.1]
TURN = gw.motion.polynomial(BENT, np.array(BENT) + 0.02, duration=1.0)
HOT = Motor(torque_constant=0.1, resistance=1.0, heat=Heat(1.0, 1.0, 10.0, 100.0))
ELASTIC = gw.load("elastic_elbow")
POINTS = gw.elastic.RedundantModel(ELASTIC, form="points")
PD = gw.control.pd(ROBOT, STAY, 100.0, 10.0)
AT = gw.placement(MECH, STAY, "tool")
NEAR = 0.01 * np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
SLOW = gw.planning.PathLimits(speed=1.0)
THERE = (AT.rotation, AT.position + 0.01)
DC_MOTOR = gw.actuation.DcMotorData(torque_constant=1.0, resistance=1.0)
PIN = gw.contact.Constraint("pin", "tool", relative_to=gw.contact.fixed_frame("hole", AT.position), held=("z",))
FREE = gw.motion.polynomial([STAY[0], STAY[2]], [STAY[0] + 0.02, STAY[2] + 0.01], duration=1.0)
PEN = gw.contact.Contact("tool", gw.contact.Plane(AT.position))
MAT = gw.contact.SoftContact("tool", gw.contact.Plane(AT.position), 2e4)
TIP = gw.parts.FlexibleBody([[1.0, 0, 0]], [0.5], [[[0, 1.0, 0, 0, 0, 1.5]]], [[120.0]])
SPRING = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.eye(6)) * 1e3
RUN_LOG = gw.identification.RunLog(np.linspace(0, 0.1, 50), {}, {"q.j1": np.zeros(50)})
LOG = Log(np.linspace(0, 1, 50), np.ones((50, 3)), np.ones((50, 3)))


class Lazy(ControlLaw):
    """Does nothing."""

    mech = MECH

    def decide(self, seen):
        return Decision([0.0, 0.0, 0.0])


@cache
def analysis() -> Any:
    return gw.analyse(ROBOT, gw.analysis.Task(MOTION), samples=21)


@cache
def identification() -> Any:
    limits = MotionLimits([-1.0] * 3, [1.0] * 3, [2.0] * 3, [8.0] * 3)
    motion = gw.identification.excite(
        MECH, limits, search=gw.identification.ExcitationOptions(starts=1, steps=0)
    ).motion.sample(300)
    tau = gw.inverse_dynamics(MECH, motion.q, motion.v, motion.a)
    return gw.identify(ROBOT, Log(motion.t, motion.q, tau, motion.v, motion.a), friction=())


@cache
def fit() -> Any:
    return gw.identification.fit_consistent(identification())


@cache
def run() -> Any:
    return gw.simulate(ROBOT, STAY, 0.01, samples=2)


USUAL: dict[str, Any] = {
    "mech": MECH, "robot": ROBOT, "robot_or_mech": ROBOT, "machine": ROBOT, "q": STAY, "v": np.zeros(3),
    "a": np.zeros(3), "tau": np.zeros(3), "jerk": np.zeros(3), "snap": np.zeros(3), "q0": STAY, "q1": STAY,
    "v0": np.zeros(3), "frame": "tool", "body": "link3", "motion": MOTION, "trajectory": MOTION, "reference": MOTION,
    "start": STAY, "end": [0.35, 0.55, -0.75], "duration": 1.0, "controller": PD, "function": "gravity",
    "J": np.eye(3)[:1], "gamma": np.zeros(1), "kp": 100.0, "kd": 10.0, "speed": 1.0, "to": THERE,
    "task": lambda: gw.analysis.Task(MOTION), "drive": "j1", "torque_constant": 0.05, "resistance": 0.5,
    "period": 0.01, "analysis": analysis, "name": "part", "joints": ["j1", "j2"], "stiffness": 100.0, "damping": 10.0,
}  # fmt: skip
"""Arguments that serve most functions by their name; a function without arguments makes one when it is asked for."""
OWN: dict[str, dict[str, Any]] = {
    "gw.identify": {"log": LOG}, "gw.inverse_kinematics": {"pose": AT}, "gw.load": {"name_or_path": "elbow"},
    "gw.rollout": {"steps": 2, "step": 1e-3}, "gw.simulate": {"state": STAY, "until": 0.01, "samples": 2},
    "gw.approximate": {"kind": "diagonal"}, "gw.analyse": {"samples": 5}, "gw.demands": {"samples": 5},
    "gw.sweep": {"over": {"j1.gear.ratio": [90.0]}, "measure": FEW, "workers": 1},
    "gw.motor_motion": {
        "mech": TURNTABLE, "q": [0.0], "v": [0.0], "a": [0.0], "jerk": [0.0], "snap": [0.0]
    },
    "elastic.elastic_form": {"mech": TURNTABLE, "q": [0.0, 0.0], "v": [0.0, 0.0]},
    "elastic.required_derivative_orders": {"mech": TURNTABLE},
    "elastic.controllability": {"model": POINTS, "q": [0.0] * 6},
    "elastic.observability": {"model": POINTS, "q": [0.0] * 6},
    "elastic.coriolis_constant": {"model": POINTS, "q": [0.0] * 6},
    "elastic.coriolis_constant_bound": {"model": POINTS, "q": [0.0] * 6},
    "control.speed_observer_bound": {"robot": ELASTIC, "kinetic_energy": 5.0, "configurations": 2},
    "control.speed_observer": {
        "controller": lambda: gw.control.pd(ELASTIC, STAY, 10.0, 1.0), "q": [0.0] * 6,
        "bound": lambda: gw.control.speed_observer_bound(ELASTIC, 5.0, configurations=2),
    },
    "motion.chain": {}, "motion.fourier": {"centre": [0.0], "sines": [[1.0]], "cosines": [[0.0]]},
    "motion.from_accelerations": {"times": [0.0, 1.0], "accelerations": np.zeros((2, 3))},
    "motion.pause": {"position": STAY}, "motion.recorded": {"source": FEW},
    "motion.s_curve": {"speed": 1.0, "acceleration": 2.0, "jerk": 10.0}, "motion.moving_average": {"width": 0.1},
    "motion.spline": {"points": [[0.0, 0.0], [1.0, 2.0]], "times": [0.0, 1.0]},
    "motion.trapezoid": {"speed": 1.0, "acceleration": 2.0},
    "planning.approach": {"limits": SLOW, "surface": gw.contact.Plane(AT.position - NEAR[2])},
    "planning.arc": {"limits": SLOW, "through": AT.position + NEAR[0], "to": (None, AT.position + NEAR[1])},
    "planning.circle": {"limits": SLOW, "path": gw.planning.CircularPath(
        centre=AT.position + NEAR[0], axis=[0.0, 0.0, 1.0], angle=0.1, oriented=False)},
    "planning.line": {"limits": SLOW, "to": (None, AT.position + NEAR[0])},
    "planning.track_poses": {"poses": (AT.rotation[None], AT.position[None])},
    "planning.distributed_positioning": {
        "robot": SEVEN, "motion": TURN, "frame": "flange", "slow": ["joint1"], "window": 0.1, "oriented": False,
    },
    "planning.fastest": {"path": MOTION},
    "planning.limit_use": {"samples": 5, "torque": 100.0},
    "planning.torque_ratio": {"limits": [100.0] * 3},
    "planning.rotation_from_euler": {"yaw": 0.1, "pitch": 0.2, "roll": 0.3},
    "planning.slerp": {"start": np.eye(3), "end": np.eye(3), "share": 0.5},
    "planning.sphere": {"centre": [0.0, 0.0, 1.0], "radius": 0.1},
    "control.adaptive": {"slope": 1.0, "kd": 1.0, "adaptation": 1.0, "adapted": ["link3.m"]},
    "control.admittance": {"reference": AT, "target": gw.control.TargetAdmittance(mass=1.0, damping=1.0)},
    "analysis.audit": {"model": ROBOT}, "control.controller_by_name": {"name": "pd"},
    "control.cascade": {"ks": 10.0, "Ts": 0.1}, "control.controller": {"law": Lazy()},
    "control.elastic_observer": {
        "controller": lambda: gw.control.pd(TURNTABLE, [0.0], 10.0, 1.0, gravity=False), "q": [0.0]
    },
    "control.feedback_linearisation": {"robot": TURNTABLE, "reference": [0.0]},
    "control.with_reference_filter": {"source": lambda t: STAY},
    "control.hybrid_control": {"contact": PEN, "reference": AT, "force": 20.0},
    "control.impedance": {"reference": AT, "orientation": False},
    "control.operational_space": {"reference": AT, "orientation": False},
    "control.joint_gains": {"frequency": 10.0}, "control.lqr": {"Q": [1.0] * 6, "R": [1.0] * 3},
    "control.nominal_control": {"samples": 5}, "control.poles": {"desired": [-1.0, -2.0, -3.0, -4.0, -5.0, -6.0]},
    "control.position_force": {"contact": MAT, "reference": AT, "force": 20.0},
    "control.sampled_controller": {"function": lambda t, state: [0.0] * 3},
    "control.servos": {"robot": TURNTABLE, "command": [0.0]},
    "control.state_feedback": {"K": np.ones((3, 6))},
    "control.with_motor_outputs": {"controller": lambda: gw.control.pd(TURNTABLE, [0.0], 1.0, 1.0, gravity=False),
                               "robot": TURNTABLE, "output": "current"},
    "control.tracking_plot": {"run": run}, "control.load_nominal": {"path": "nominal.npz"},
    "contact.fixed_frame": {"name": "mark"}, "contact.with_object": {"name": "ball", "mass": 1.0},
    "contact.with_wall": {"name": "wall", "surface": gw.contact.Plane(), "mass": 1.0, "stiffness": 1e4},
    "contact.closed_motion": {"start": STAY, "laws": [PIN], "motion": FREE}, "contact.project": {"laws": [PIN]},
    "actuation.dc_motors": {"robot": TURNTABLE, "mech": gw.assemble(TURNTABLE)},
    "analysis.sorted_by_margin": {"checks": []}, "analysis.compare": {"motion": FEW},
    "analysis.energy_balance": {"motion": FEW},
    "analysis.compare_impacts": {"normal": [0.0, 0.0, 1.0], "v": [-0.3, -0.5, 0.7]},
    "analysis.compare_reductions": {
        "mech": TURNTABLE, "trajectory": gw.motion.polynomial([0.0], [1.0], 1.0, order=7), "count": 5
    },
    "analysis.frequency_map": {"mech": gw.load("elastic_elbow"), "count": 2},
    "analysis.frequency_response": {"mech": TURNTABLE, "q": [0.0, 0.0], "motor": "table", "frequencies": [10.0]},
    "analysis.natural_frequencies": {"mech": TURNTABLE, "q": [0.0, 0.0]},
    "analysis.vibration_modes": {"mech": TURNTABLE, "q": [0.0, 0.0]},
    "analysis.link_loads": {"motion": FEW, "body": "link3", "section": LinkSection((0.3, 0.0, 0.0), Tube(0.05, 0.04))},
    "analysis.parameter_comparison": {"parameters": ["j1.gear.ratio"]},
    "analysis.sensitivities": {"parameters": ["j1.gear.ratio"]},
    "analysis.steady_temperatures": {"t": np.linspace(0, 1, 5), "current": np.ones(5), "motor": HOT},
    "analysis.uncoupled_spins": {"samples": 2}, "design.controller_gains": {"analysis": analysis},
    "design.with_chosen_drives": {"choices": {}},
    "design.synthesise_coupled_trains": {
        "robot": gw.load("wrist_puma"), "structure": [[-5, 0, 0], [-4, -6, 0], [-3, 3, 4.5]],
        "space": gw.design.TrainSpace(teeth=(14, 20)),
    },
    "design.synthesise_trains": {"ratio": 5.0, "space": gw.design.TrainSpace(stages=(1,), teeth=(17, 20))},
    "identification.excite": {"limits": MotionLimits([-1.0] * 3, [1.0] * 3, [2.0] * 3, [8.0] * 3),
                              "search": gw.identification.ExcitationOptions(starts=1, steps=0, samples=11)},
    "identification.fit_consistent": {"identification": identification},
    "identification.identified_mechanism": {"fit": fit}, "identification.identified_robot": {"fit": fit},
    "identification.identify_payload": {"empty": identification, "loaded": LOG},
    "identification.log_of_currents": {"t": [0.0, 1.0], "q": np.zeros((2, 3)), "currents": np.zeros((2, 3)),
                                       "gains": [1.0] * 3},
    "identification.read_log": {"path": "log.csv"},
    "identification.regressor_blocks": {"Y": lambda: gw.regressor(MECH, STAY, STAY, STAY)},
    "identification.save_identified": {"fit": fit, "path": "out.yaml"},
    "identification.write_report": {"identification": identification, "folder": "out"},
    "actuation.complete_model": {
        "actuators": lambda: [gw.actuation.dc_motor(MECH, j, DC_MOTOR)
                              for j in ("j1", "j2", "j3")]
    },
    "actuation.dc_motor": {"data": DC_MOTOR},
    "actuation.pneumatic_cylinder": {
        "line": "j1", "valve": gw.actuation.AirValve(2e-8), "cylinder": gw.actuation.PneumaticCylinder(
            areas=(8e-4, 8e-4), volumes=(1.2e-4, 1.2e-4), pressures=(4e5, 4e5), mass=0.5)
    },
    "actuation.servo_cylinder": {
        "line": "j1", "valve": gw.actuation.ServoValve(rated_flow=6e-4),
        "cylinder": gw.actuation.HydraulicCylinder(area=1e-3, volume=4e-4, mass=5.0)
    },
    "actuation.stepping_motor": {"data": gw.actuation.SteppingMotorData(
        torque_constant=0.4, teeth=50, current=1.0, resistance=1.0, inductance=1e-3)},
    "actuation.synchronous_motor": {"data": gw.actuation.SynchronousMotorData(
        pole_pairs=4, flux=0.01, resistance=0.5, inductances=(1e-3, 1e-3))},
    "export.c": {"directory": "out"}, "export.export": {"to": "c", "directory": "out"},
    "export.passport": {"target": "isaac_lab", "task": None}, "export.actuator_card": {"name": "xl330_m1"},
    "export.card_of_drive": {"drive": ROBOT.drives[0], "name": "card"}, "export.read_card": {"path": "card.json"},
    "export.card_text": {"card": gw.export.actuator_card("xl330_m1"), "target": "urdf"},
    "export.drive_of_card": {"card": gw.export.actuator_card("xl330_m1"), "joint": "j1"},
    "export.real_time_check": {"directory": "out"},
    "export.published_parameters": {"card": gw.export.actuator_card("xl330_m1")},
    "export.fmu": {"path": "out.fmu"}, "export.mjcf": {"path": "out.xml"}, "export.write_urdf": {"path": "out.urdf"},
    "gw.save": {"path": "out.yaml"}, "gw.report": {"result": analysis, "path": "out.html"},
    "forces.compliant_stops": {"line": Line.for_machine(MECH, "j1"), "lower": -1.0, "upper": 1.0},
    "forces.displacement": {"point": "tool"}, "forces.distance": {"first": "tool", "second": "base"},
    "forces.tendon": {"route": ["base", "tool"]},
    "parts.attach": {"other": TURNTABLE}, "parts.parameter": {"path": "j1.gear.ratio"},
    "parts.bevel_differential": {"arm": "l1", "output": "l2"},
    "parts.elastic_elements": {"gear": Gear(ratio=10)}, "parts.gear_losses": {"gear": Gear(ratio=10)},
    "parts.interpolated_losses": {"table": [Losses(0.0, 0.9)]},
    "parts.motor_constant": {"stated": "terminals"},
    "parts.nested_shafts": {"joints": ["j1", "j2"], "links": ["link1", "link2"], "ratios": [1.0], "inertias": [1e-3]},
    "parts.planetary_differential": {"sun": "sun", "ring": "ring", "arm": "arm", "teeth": (18, 27, 72)},
    "parts.mounting_conflict": {"motor": MotorSheet(key="m"), "gearbox": GearboxSheet(key="g")},
    "parts.is_mounting_known": {"motor": MotorSheet(key="m"), "gearbox": GearboxSheet(key="g")},
    "parts.assumed_modes": {"beam": Beam(0.3, 1.0, (10.0, 10.0), modes=1)},
    "parts.with_flexible_body": {"link": "link3", "body": TIP},
    "parts.load_flexible_body": {"path": "body.npz"},
    "parts.craig_bampton": {
        "positions": [[0.0, 0, 0], [1.0, 0, 0]], "mass": np.diag([1.0] * 12), "stiffness": SPRING, "root": 0,
        "interface": [1], "modes": 0,
    },
    "identification.signal_delay": {
        "t": np.arange(0.0, 1.0, 0.004), "reference": np.sin(np.arange(0.0, 1.0, 0.004)),
        "signal": np.sin(np.arange(0.0, 1.0, 0.004)),
    },
    "identification.lost_motion": {
        "motor": np.sin(np.arange(0.0, 1.0, 0.004)), "output": np.sin(np.arange(0.0, 1.0, 0.004)), "ratio": 1.0,
    },
    "identification.torsion_loop": {
        "angle": np.sin(np.arange(0.0, 7.0, 0.04)), "torque": np.sin(np.arange(0.0, 7.0, 0.04)),
    },
    "identification.fit_gear_losses": {
        "start": SteadyGear(Gear(ratio=10, efficiency=0.8)), "output_torque": [1.0, 2.0, 3.0],
        "input_torque": [0.13, 0.26, 0.4], "speed": [5.0, 6.0, 7.0],
    },
    "identification.read_run_log": {"path": "log.csv", "inputs": {}, "measured": {"q.j1": "q"}},
    "identification.log_of_motors": {
        "t": np.linspace(0, 1, 5), "angles": np.ones((5, 3)), "torques": np.ones((5, 3)),
    },
    "identification.excite_run": {
        "unknowns": ["j1.gear.ratio"], "inputs": {"tau.j1": (-1.0, 1.0)}, "measured": {"q.j1": 1e-3},
    },
    "control.tracking_reward": {"step": EnvironmentStep(*np.ones((6, 2, 3)))},
    "identification.fit_run": {"logs": [RUN_LOG], "unknowns": ["j1.gear.ratio"]},
    "parts.linkage": {
        "name": "bars", "links": [gw.parts.Link("bar", mass=1.0)],
        "connections": [gw.parts.Connection(gw.parts.Joint("pin"), "base", "bar")],
    },
    "parts.with_closing_joint": {"joint": gw.parts.Joint("pin"), "parent": "base", "child": "link3"},
    "parts.with_beam": {"link": "link3", "beam": Beam(0.3, 1.0, (10.0, 10.0))},
    "parts.with_elastic_base": {"support": ElasticBase([1e5, None, None, None, None, None])},
    "parts.with_parameters": {"values": {"j1.gear.ratio": 90.0}},
}  # fmt: skip
"""Arguments of single functions, which go before the usual ones."""
WRONG = {
    "nan": float("nan"),
    "None": None,
    "text": "no such thing",
    "3": 3,
    "empty list": [],
    "empty mapping": {},
    "object": object(),
    "class": dict,
    "objects": np.array([object(), None]),
    "masked": np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]),
}
ANYTHING = {"gw.sweep measure", "control.controller reference", "control.sampled_controller function"}
"""Arguments that are used later, if at all."""
ELSEWHERE = {
    "identification.read_log",
    "identification.read_run_log",
    "parts.load_flexible_body",
    "control.load_nominal",
    "motion.chain",
}
"""Functions that read a file which is not there, or take arguments by place alone."""
COSTLY = {
    "gw.studio", "gw.size_drives", "gw.jax_function", "gw.torch_function", "gw.casadi_function", "gw.casadi_rates",
    "gw.report", "gw.closed_form", "gw.compile", "gw.save", "gw.sweep", "planning.least_torque", "planning.fastest",
    "planning.least_energy", "planning.least_time",
    "planning.line", "planning.arc", "planning.circle", "control.nominal_control", "control.tracking_plot",
    "identification.write_report", "identification.fit_consistent", "identification.fit_run",
    "identification.identify_payload", "identification.excite_run", "control.gym_environment",
    "identification.save_identified", "analysis.parameter_comparison", *(n for n in PUBLIC if n.startswith("export.")),
}  # fmt: skip
"""Functions whose work is long, or that write files: only values that are not of the kind are tried."""


def valid(function: Callable[..., Any]) -> dict[str, Any]:
    """Arguments with which a function works, but for files that are not there."""
    own, found = OWN.get(FUNCTIONS[function], {}), {}
    for one in inspect.signature(function).parameters.values():
        if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY) and (
            one.name in own or one.default is inspect.Parameter.empty
        ):
            value = own.get(one.name, USUAL.get(one.name))
            made = callable(value) and not isinstance(value, gw.motion.Trajectory) and is_maker(value)
            found[one.name] = value() if made else value
    return found


def is_maker(value: Any) -> bool:
    return value in (analysis, identification, fit, run) or (
        inspect.isfunction(value) and not inspect.signature(value).parameters
    )


def tries(function: Callable[..., Any]) -> Iterator[tuple[str, Any, bool]]:
    """Argument, wrong value, and whether it is of the kind that the annotation states."""
    hints = typing.get_type_hints(function)
    for one in inspect.signature(function).parameters.values():
        if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            continue
        kind, optional = kind_of(hints[one.name]), typing.get_args(hints[one.name])
        for value in WRONG.values():
            fits = kind is not None and kind.accepts(value)
            if FUNCTIONS[function] not in COSTLY or (kind is not None and not fits):
                yield one.name, value, fits or value is one.default or (value is None and type(None) in optional)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", FUNCTIONS, ids=FUNCTIONS.values())
def test_arguments_of_the_wrong_kind_are_refused_by_name(function, tmp_path, monkeypatch):
    """No error of somebody else, and no silent result: an argument that is not of its kind is named."""
    monkeypatch.chdir(tmp_path)
    title, given = FUNCTIONS[function], valid(function)
    if title not in COSTLY | ELSEWHERE:
        function(**given)
    for name, value, fits in tries(function):
        what = f"{title} {name}={value!r}"
        try:
            function(**{**given, name: value})
        except GearwrightError as error:
            if not fits and name not in str(error):
                pytest.fail(f"{what}: {error}")
        except Exception as error:
            pytest.fail(f"{what}: {type(error).__name__}: {error}")
        else:
            harmless = value in (3, [], {}) if not isinstance(value, np.ndarray) else False
            assert fits or harmless or f"{title} {name}" in ANYTHING, f"{what} was taken"


def test_further_arguments_are_checked_too():
    with pytest.raises(InputError, match=r"chain: parts\[1\]=3"):
        gw.motion.chain(MOTION, 3)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: gw.motor_motion(MECH), r"motor_motion: .*q, v, a, jerk, snap.*Call motor_motion\(mech, q,"),
        (lambda: gw.analysis.audit("arm.xml", agianst=ROBOT), "audit: .*'agianst'. Did you mean 'against'"),
        (lambda: gw.demands(ROBOT, MOTION, MOTION), "demands: too many positional arguments"),
        (lambda: gw.parts.linkage(names=1), "linkage: .*'names'. Did you mean 'name'"),
        (lambda: Motor(inertai=1e-4), "Motor: .*'inertai'. Did you mean 'inertia'"),
        (lambda: Drive(motor=Motor(1e-4)), r"Drive: missing: joint. Call Drive\(joint"),
    ],
)
def test_missing_and_unknown_arguments_are_named(call, text):
    with pytest.raises(InputError, match=text):
        call()


def test_a_type_error_within_a_function_stays_what_it_is():
    def broken(t, q, v):
        raise TypeError("of the caller")

    with pytest.raises(TypeError, match="of the caller"):
        check_arguments(broken)(0, 1, 2)


def test_sequences_are_checked_entry_by_entry_and_iterators_are_left_whole():
    with pytest.raises(InputError, match="simulate: laws"):
        gw.simulate(ROBOT, STAY, 0.01, laws=[PEN, "friction"])
    assert gw.base_parameters(ROBOT, without=iter(())).rank == gw.base_parameters(ROBOT).rank


def test_masked_entries_are_refused_and_unmasked_arrays_are_taken():
    """A masked entry is a sample that was not measured: its number means nothing."""
    q = np.ma.masked_array(STAY, mask=[False, True, False])
    for call in (gw.gravity, gw.mass_matrix, gw.potential_energy):
        with pytest.raises(InputError, match=r"\bq\b.*masked"):
            call(MECH, q)
        with pytest.raises(InputError, match=r"\bq\b.*masked"):
            call(MECH, [q, q])
    assert (gw.gravity(MECH, np.ma.masked_array(STAY)) == gw.gravity(MECH, STAY)).all()
    with pytest.raises(InputError, match="masked"):
        gw.simulate(ROBOT, q, 0.01)
    with pytest.raises(InputError, match="masked"):
        gw.motion.polynomial(STAY, q, 1.0)


def test_a_kernel_refuses_masked_entries_too():
    kernel = gw.compile("gravity", MECH)
    with pytest.raises(InputError, match="masked"):
        kernel(np.ma.masked_array(STAY, mask=[False, True, False]))


@pytest.mark.parametrize(
    "make",
    [
        lambda x: gw.motion.polynomial([0.0], [x], 1.0),
        lambda x: gw.motion.polynomial([0.0], [1.0], x),
        lambda x: gw.motion.trapezoid([0.0], [x], 1.0, 1.0),
        lambda x: gw.motion.s_curve([x], [0.0], speed=1.0, acceleration=1.0, jerk=1.0),
        lambda x: gw.motion.spline([[0.0], [x]], [0.0, 1.0]),
        lambda x: gw.motion.moving_average(MOTION, x),
        lambda x: gw.motion.fourier(1.0, [0.0], [[x]], [[0.0]]),
        lambda x: gw.control.joint_gains(ROBOT, STAY, x),
        lambda x: gw.actuation.actuator_speeds(ROBOT, [x] * 3),
        lambda x: Motor(inertia=x),
    ],
)
def test_numbers_whose_squares_overflow_are_refused(make):
    """Not infinity in silence, nor an OverflowError."""
    with pytest.raises(InputError, match=r"1e\+100"):
        make(1e308)
