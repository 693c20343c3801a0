"""Numbers that a function cannot take: every numeric argument refuses other kinds and ranges."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import compare_reductions, frequency_map, uncoupled_spins
from gearwright.arguments import increasing_array, number_array, real_number, whole_number
from gearwright.control import sampled_controller
from gearwright.errors import DriveError, FileError, InputError
from gearwright.forces import Clutch, DcMotorData, IdealDrive, Line, LuGre, SmoothFriction, Stops
from gearwright.forces.actuators.dc_motor import dc_motor
from gearwright.identification import FourierMotion, Log, MotionLimits, TorqueModel, log_of_currents
from gearwright.motion import (
    EndRates,
    from_accelerations,
    moving_average,
    pause,
    polynomial,
    recorded,
    s_curve,
    spline,
    trapezoid,
)
from gearwright.parts import Drive, Friction, Gear, Link, Motor, Robot
from gearwright.simulation import Controller, State, steps

NAN, INF = float("nan"), float("inf")
ELBOW = gw.assemble(gw.load("elbow"))
TABLE = Robot(
    "turntable",
    [Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]))],
    [Drive("table", Motor(inertia=1e-4), Gear(ratio=100, stiffness=5000))],
)
ELASTIC = gw.assemble(TABLE)
LINE = Line.for_machine(ELBOW, "j1")
MOTION = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.5)


class Case(NamedTuple):
    """A call that works, and one of its arguments with values out of its range."""

    call: Callable[..., Any]
    argument: str
    wrong: tuple[Any, ...]
    optional: bool = False


@cache
def log() -> Log:
    t = np.linspace(0.0, 2.0, 201)
    q = MOTION.at(np.linspace(0.0, 1.5, 201))
    return Log(t, q, np.ones((201, 3)) + q)


@cache
def identified() -> Any:
    motion = gw.identification.excite(
        ELBOW, LIMITS, search=gw.identification.ExcitationOptions(starts=1, steps=0)
    ).motion.sample(300)
    tau = gw.inverse_dynamics(ELBOW, motion.q, motion.v, motion.a)
    return gw.identify(ELBOW, Log(motion.t, motion.q, tau, motion.v, motion.a), friction=())


LIMITS = MotionLimits([-1.0] * 3, [1.0] * 3, [2.0] * 3, [8.0] * 3)


def simulate(**given):
    options = {name: given.pop(name) for name in ("rtol", "atol", "step") if name in given}
    integrator = gw.analysis.IntegratorOptions(**options)
    return gw.simulate(ELBOW, [0.0, 0.1, 0.2], integrator=integrator, **{"until": 0.01, "samples": 2, **given})


PATH_LIMITS = ("speed", "acceleration", "jerk", "turn_speed", "turn_acceleration", "turn_jerk")


def path_limits(**given):
    return gw.planning.PathLimits(**{"speed": 1.0, **given})


def simulate_fixed(**given):
    return simulate(method="rk4", **given)


def rollout(**given):
    if "every" in given:
        given = {"options": gw.analysis.RolloutOptions(**given)}
    return gw.rollout(ELBOW, np.zeros(3), np.zeros(3), **{"steps": 2, "step": 1e-3, **given})


BRISTLES = LuGre("b", Line.for_machine(ELBOW, "j1"), Friction(coulomb=1.0, stiffness=1e3))


def inputs(**given):
    motors = [dc_motor(ELBOW, name, DcMotorData(torque_constant=0.05, resistance=0.5)) for name in ("j1", "j2", "j3")]
    return gw.demands(ELBOW, MOTION, actuators=motors, **given)


def limited(**given):
    options = {name: given.pop(name) for name in ("starts", "steps", "samples", "seed") if name in given}
    search = gw.identification.ExcitationOptions(**{"starts": 1, "steps": 0, **options})
    return gw.identification.excite(ELBOW, LIMITS, search=search, **given)


def bounded(**given):
    stated = {"lower": [-1.0] * 3, "upper": [1.0] * 3, "speed": [2.0] * 3, "acceleration": [8.0] * 3, **given}
    return gw.identification.excite(
        ELBOW, MotionLimits(**stated), search=gw.identification.ExcitationOptions(starts=1, steps=0)
    )


def currents(**given):
    return log_of_currents(ELBOW, **{"t": [0, 1], "q": np.zeros((2, 3)), "currents": np.zeros((2, 3)), **given})


def fourier(**given):
    return FourierMotion(**{"period": 1.0, "centre": [0.0], "sines": [[1.0]], "cosines": [[0.0]], **given})


def ends(given):
    rates = {name: given.pop(name) for name in list(given) if name.startswith(("start_", "end_"))}
    return {"end_rates": EndRates(**rates), **given}


def moved(**given):
    return polynomial(**{"start": [0.0, 0.0], "end": [1.0, 2.0], "duration": 1.0, **ends(given)})


def straight(**given):
    return trapezoid(**{"start": [0.0, 0.0], "end": [1.0, 2.0], "speed": 1.0, "acceleration": 1.0, **given})


def curved(**given):
    limits = {"speed": 1.0, "acceleration": 2.0, "jerk": 10.0, "synchronisation": "time"}
    return s_curve(**{"start": [0.0, 0.0], "end": [1.0, 2.0], **limits, **ends(given)})


def through(**given):
    return spline(**{"points": [[0.0, 0.0], [1.0, 2.0]], "times": [0.0, 1.0], **ends(given)})


def fitted(**given):
    return spline(**{"points": [[0.0, 0.0], [1.0, 2.0]], "speed": 1.0, "acceleration": 2.0, **given})


def pushed(**given):
    stated = {"times": [0.0, 1.0], "accelerations": np.zeros((2, 2)), "start": 0.0}
    return from_accelerations(**{**stated, **given})


def struck(**given):
    if "restitution" not in given:
        given = {"against": gw.contact.StruckBody(**given)}
    return gw.impact(ELBOW, np.zeros(3), np.ones(3), np.eye(3)[:1], **given)


def mapped(**given):
    return frequency_map(ELBOW, ("j2", "j3"), **given)


def stopped(**given):
    return Stops("s", LINE, **{"lower": -1.0, "upper": 1.0, **given})


def clutched(**given):
    return Clutch("c", LINE, **given)


def motor(**given):
    return dc_motor(ELBOW, "j1", DcMotorData(**{"torque_constant": 0.05, "resistance": 0.5, **given}))


def state(x=0.0):
    law = Controller(lambda t, s: ([0.0] * 3, {"x": 0.0}), states={"x": 0.0})
    return gw.simulate(ELBOW, State([0.0] * 3, states={"x": x}), 0.01, samples=2, controller=law)


COUNT = (-1, 0, 1.5, NAN, INF)
POSITIVE = (-1, 0, NAN, INF, -INF, 10**400)
CASES = [
    Case(simulate, "until", POSITIVE),
    Case(simulate, "samples", (*COUNT, 1, ["a"], [0.0], [0.01, 0.0], [0.0, NAN], [0.0, 1.0], [-1.0, 0.0], [[0, 1]])),
    Case(simulate, "rtol", (*POSITIVE, 1.0, 1e-20)),
    Case(simulate, "atol", POSITIVE),
    *(Case(path_limits, name, (-1, 0, NAN, -INF)) for name in PATH_LIMITS),
    Case(simulate_fixed, "step", POSITIVE, optional=True),
    Case(lambda tau: simulate(inputs={"tau.j1": tau}), "tau", (NAN, INF)),
    Case(state, "x", (NAN, INF)),
    Case(lambda period: sampled_controller(lambda t, s: [0.0] * 3, period), "period", POSITIVE, optional=True),
    Case(lambda breaks: Controller(lambda t, s: [0.0] * 3, breaks=breaks), "breaks", ([NAN],)),
    Case(lambda times: steps(times, [1.0, 2.0]), "times", ([0.0, 0.0], [1.0, 0.0], [0.0], [NAN, 1.0])),
    Case(lambda values: steps([0.0, 1.0], values), "values", ([0.0], [NAN, 1.0])),
    Case(rollout, "steps", COUNT),
    Case(rollout, "step", POSITIVE),
    Case(rollout, "every", (*COUNT, 3)),
    Case(rollout, "inputs", ([NAN, 0, 0], [0.0]), optional=True),
    Case(
        lambda f: gw.analysis.frequency_response(ELASTIC, [0.0], "table", f),
        "f",
        (0, -1, NAN, INF, [1, -1]),
        optional=True,
    ),
    Case(mapped, "count", (*COUNT, 1)),
    Case(mapped, "ranges", ([(0, NAN), (0, 1)], [(0, 1)], (0, 1))),
    Case(inputs, "samples", (*COUNT, 1), optional=True),
    Case(lambda limit: inputs(limits={"j1.voltage": limit}), "limit", (-1, 0, NAN)),
    Case(lambda deflection: inputs(laws=[BRISTLES], states={"b.deflection": deflection}), "deflection", (NAN, "x")),
    Case(lambda cutoff: gw.identify(ELBOW, log(), cutoff=cutoff), "cutoff", (-1, 0, NAN, 1e6), optional=True),
    Case(
        lambda transition_speed: TorqueModel(ELBOW, transition_speed=transition_speed),
        "transition_speed",
        (-1, NAN, INF),
    ),
    Case(lambda share: log().split(share), "share", (-1, 0, 1, NAN)),
    Case(lambda start: log().between_times(start, 1.0), "start", (NAN, 5.0)),
    Case(lambda end: log().between_times(0.0, end), "end", (NAN, -5.0)),
    Case(
        lambda nominal_deviation: gw.identification.fit_consistent(identified(), nominal_deviation),
        "nominal_deviation",
        POSITIVE,
    ),
    Case(lambda confidence: identified().intervals(confidence), "confidence", (-1, 0, 1, NAN)),
    Case(currents, "t", ([0, NAN], [0, 0], [0], 0)),
    Case(currents, "q", ([[NAN] * 3] * 2, [0.0])),
    Case(currents, "currents", ([[NAN] * 3] * 2, [[0.0] * 2] * 2)),
    Case(lambda gains: currents(gains=gains), "gains", ([1.0], [NAN] * 3, {"j1": 1.0}, ["a"] * 3)),
    Case(limited, "period", POSITIVE),
    Case(limited, "harmonics", (*COUNT, 1)),
    Case(limited, "starts", COUNT),
    Case(limited, "steps", (-1, 1.5, NAN)),
    Case(limited, "samples", COUNT),
    Case(limited, "seed", (-1, 1.5, NAN)),
    *(Case(bounded, name, ([NAN] * 3, [1.0], 1.0)) for name in ("lower", "upper")),
    *(Case(bounded, name, ([NAN] * 3, [0.0] * 3, [1.0], 1.0)) for name in ("speed", "acceleration")),
    Case(bounded, "torque", ([NAN] * 3, [0.0] * 3, [1.0]), optional=True),
    Case(fourier, "period", POSITIVE),
    *(Case(fourier, name, ([[NAN]], NAN)) for name in ("centre", "sines", "cosines")),
    Case(lambda t: fourier().at(t), "t", (NAN,)),
    Case(lambda derivative: fourier().at(0.0, derivative), "derivative", (-1, 0.5, NAN)),
    Case(lambda count: fourier().sample(count), "count", COUNT),
    Case(lambda rate: fourier().csv(ELASTIC, rate), "rate", POSITIVE),
    Case(lambda periods: fourier().csv(ELASTIC, periods=periods), "periods", COUNT),
    *(Case(moved, name, ([NAN, 0.0], [1.0] * 3, [[0.0]])) for name in ("start", "end", "start_speed", "end_speed")),
    *(Case(moved, name, ([INF, 0.0], [1.0] * 3)) for name in ("start_acceleration", "end_acceleration")),
    Case(moved, "duration", POSITIVE),
    Case(moved, "order", (*COUNT, 4, 3.0)),
    *(Case(straight, name, ([NAN, 0.0], [1.0] * 3)) for name in ("start", "end")),
    *(Case(straight, name, (*POSITIVE[:-1], [1.0, 0.0], [1.0] * 3)) for name in ("speed", "acceleration")),
    Case(straight, "minimum_duration", (-1.0, NAN, INF)),
    *(Case(curved, name, ([NAN, 0.0], [1.0] * 3, [[0.0]])) for name in ("start", "end", "start_speed", "end_speed")),
    *(Case(curved, name, (INF, 3.0, [0.0] * 3)) for name in ("start_acceleration", "end_acceleration")),
    *(Case(curved, name, (*POSITIVE[:-1], [1.0] * 3), True) for name in ("speed", "acceleration", "jerk")),
    Case(through, "points", ([[NAN, 0.0], [1.0, 1.0]], [0.0, 1.0], [[1.0, 1.0]])),
    Case(through, "times", ([0.0, 0.0], [0.0, NAN], [1.0, 0.0], [0.0, 1.0, 2.0], 1.0), True),
    *(Case(through, name, ([NAN, 0.0], [1.0] * 3)) for name in ("start_speed", "end_speed")),
    *(Case(fitted, name, (*POSITIVE[:-1], [1.0] * 3), True) for name in ("speed", "acceleration", "jerk")),
    Case(through, "order", (*COUNT, 4, 3.0)),
    Case(pushed, "times", ([0.0, 0.0], [0.0, NAN], [1.0, 0.0], [0.0, 1.0, 2.0])),
    Case(pushed, "accelerations", ([[NAN, 0.0], [0.0, 0.0]], [0.0, 0.0], [[0.0, 0.0]])),
    *(Case(pushed, name, (NAN, [0.0] * 3)) for name in ("start", "start_speed")),
    Case(lambda position: pause(position, 1.0), "position", (NAN, [[0.0]])),
    Case(lambda duration: pause([0.0], duration), "duration", POSITIVE),
    Case(lambda width: moving_average(MOTION, width), "width", POSITIVE),
    Case(lambda smoothness: recorded(MOTION.sample(20), smoothness=smoothness), "smoothness", (0, 1, 3, NAN), True),
    Case(lambda rate: MOTION.csv(rate=rate), "rate", POSITIVE),
    Case(lambda periods: fourier().to_trajectory(periods), "periods", COUNT),
    Case(lambda t: moved().at(t), "t", (NAN, [INF])),
    Case(lambda derivative: moved().at(0.0, derivative), "derivative", (-1, 0.5, NAN)),
    Case(lambda count: moved().sample(count), "count", (*COUNT, 1)),
    Case(struck, "restitution", (-1, 2, NAN)),
    Case(struck, "mass", (-1, 0, NAN)),
    Case(struck, "speed", (NAN, INF)),
    Case(lambda samples: uncoupled_spins(ELBOW, samples), "samples", COUNT),
    *(Case(stopped, name, (NAN,)) for name in ("lower", "upper")),
    Case(stopped, "restitution", (-1, 2, NAN)),
    Case(stopped, "capture", (-1, NAN)),
    *(Case(clutched, name, POSITIVE) for name in ("normal_force", "geometry", "peak")),
    Case(clutched, "coefficients", ([(0.0, -1.0)], [(1.0, 0.5), (0.0, 0.5)])),
    Case(lambda width: SmoothFriction("f", LINE, Friction(coulomb=1.0), width), "width", POSITIVE),
    Case(lambda rate: IdealDrive.from_motion("p", LINE, lambda t: (t, 1.0, 0.0), rate), "rate", (-1, NAN, INF)),
    *(Case(motor, name, POSITIVE) for name in ("torque_constant", "resistance")),
    *(Case(motor, name, (-1, NAN)) for name in ("inductance", "damping")),
    *(Case(motor, name, (-1, NAN), optional=True) for name in ("back_emf_constant", "inertia", "max_voltage")),
    Case(lambda seed: gw.base_parameters(ELBOW, seed=seed), "seed", (-1, 1.5, NAN)),
    Case(lambda count: compare_reductions(ELASTIC, polynomial([0.0], [1.0], 1.0, 7), count=count), "count", COUNT),
]
KINDS = {
    "text": "a",
    "digits": "1",
    "bytes": b"1",
    "nothing": None,
    "an object": object(),
    "complex": 1j,
    "mapping": {"a": 1},
    "texts": ["a"],
    "ragged": [[1.0], [1.0, 2.0]],
    "objects": np.array([None]),
    "truth value": True,
}


def title(case: Case) -> str:
    name = getattr(case.call, "__name__", "")
    return f"{name.strip('<>')}-{case.argument}"


def shown(value: Any) -> str:
    return "huge" if isinstance(value, int) and abs(value) > 1e300 else str(value).replace(" ", "")


WRONG = [(case, value) for case in CASES for value in case.wrong]


@pytest.mark.parametrize(("case", "value"), WRONG, ids=[f"{title(c)}-{shown(x)}" for c, x in WRONG])
def test_out_of_range(case, value):
    with pytest.raises((InputError, DriveError)):
        case.call(**{case.argument: value})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=map(title, CASES))
def test_of_another_kind(case, kind):
    """No kind that is not a number raises somebody else's error, or passes."""
    if kind == "nothing" and case.optional:
        pytest.skip("None is the default")
    with pytest.raises((InputError, DriveError)) as caught:
        case.call(**{case.argument: KINDS[kind]})
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("name", ["rtol", "atol", "until", "step", "samples"])
@pytest.mark.parametrize("value", [NAN, -1.0, "tight", 1j])
def test_the_error_names_function_argument_and_value(name, value):
    with pytest.raises(InputError) as caught:
        simulate(**{name: value})
    caller = "simulate" if name in ("until", "samples") else "IntegratorOptions"
    assert f"{caller}: {name}={value!r}" in str(caught.value)


def test_every_numeric_argument_of_the_great_functions_is_tried():
    """A new argument with a number in its annotation must join the cases."""
    tried = {case.argument for case in CASES}
    named = {"frequencies": "f", "limits": "limit", "states": "deflection", "q0": "q", "v0": "q"}
    elsewhere = {
        "q",
        "sweeps",
        "friction",
        "state",
        "motor",
        "events",
        "inputs",
        "parameters",
        "source",
    }  # arrays of test_bad_arrays, mappings, recordings of motion/test_curves
    for function in (
        gw.simulate, gw.analysis.IntegratorOptions, gw.rollout, gw.analysis.RolloutOptions, gw.planning.PathLimits,
        EndRates, gw.contact.StruckBody,
        gw.analysis.frequency_response, gw.demands, gw.identify,
        gw.identification.read_log, gw.identification.excite, gw.identification.ExcitationOptions,
        polynomial, trapezoid, s_curve, spline, pause,
        moving_average,
        recorded, from_accelerations, gw.motion.fourier, gw.impact, gw.base_parameters, frequency_map,
    ):  # fmt: skip
        for parameter in inspect.signature(function).parameters.values():
            kind = str(parameter.annotation)
            if any(word in kind for word in ("float", "int", "ArrayLike")) and "Callable" not in kind:
                name = named.get(parameter.name, parameter.name)
                known = name in tried or name in elsewhere or name in ("v", "J", "body")
                assert known, f"{function.__name__}: {parameter.name} is in no case"


def test_numbers_of_any_honest_kind_pass():
    from fractions import Fraction

    for value in (2, 2.0, np.float32(2), np.int8(2), np.array(2.0), Fraction(2)):
        assert real_number("f", "x", value, above=0) == 2.0
    for count in (2, np.int64(2), np.array(2)):
        assert whole_number("f", "x", count) == 2
    assert real_number("f", "x", INF, infinite=True) == INF
    assert number_array("f", "x", 3, axes=1).tolist() == [3.0]
    assert increasing_array("f", "x", range(3)).tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("columns", "fact"),
    [
        ({"t": [0.0, 1.0], "q.j1": ["a", "b"]}, r"column 'q\.j1'"),
        ({"t": ["0", "1"], "q.j1": [0.0, 1.0]}, r"column 't'"),
        ({"t": [0.0, 1.0], "q.j1": [True, False]}, r"column 'q\.j1'"),
        ({"t": [0.0, 1.0], "q.j1": [[1.0], [2.0]]}, r"column 'q\.j1'"),
        ({"t": [0.0, None], "q.j1": [0.0, 1.0]}, r"column 't'\[1\]=nan"),
        ({"t": [1.0, 0.0], "q.j1": [0.0, 1.0]}, r"column 't'.*increasing"),
        ({"q.j1": [0.0, 1.0]}, r"column t\b"),
    ],
)
def test_parquet_files_with_other_things_than_numbers(tmp_path, columns, fact):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run.parquet"
    parquet.write_table(arrow.table(columns), path)
    with pytest.raises(FileError, match=fact):
        gw.Run.read(path)


@pytest.mark.parametrize("count", [10**10, 10**18, 10**400])
def test_counts_that_do_not_fit_into_memory(count):
    """No foreign MemoryError: the error names function, argument and bound."""
    arm = gw.load("elbow")
    motion = gw.motion.polynomial([0.0] * 3, [0.1] * 3, 1.0)
    with pytest.raises(InputError, match=r"^simulate: samples=.*1e\+09"):
        gw.simulate(arm, None, 1.0, samples=count)
    with pytest.raises(InputError, match=r"^demands: samples=.*1e\+09"):
        gw.demands(arm, motion, samples=count)
    with pytest.raises(InputError, match=r"count=.*1e\+09"):
        motion.sample(count)


@pytest.mark.parametrize("duration", [1e-300, 1e-99, 5e-324])
def test_a_polynomial_shorter_than_its_derivatives_can_be_stated(duration):
    with pytest.raises(InputError, match=r"^polynomial: duration="):
        gw.motion.polynomial([0.0], [1.0], duration)


@pytest.mark.parametrize("minimum", [1e5, 1e99])
def test_a_minimum_duration_beyond_any_profile_is_named(minimum):
    for call in (
        lambda: gw.motion.s_curve([0.0], [1.0], speed=1, acceleration=1, jerk=1, minimum_duration=minimum),
        lambda: gw.motion.trapezoid([0.0], [1.0], speed=1, acceleration=1, minimum_duration=minimum),
    ):
        with pytest.raises(InputError, match=f"minimum_duration={re.escape(f'{minimum:g}')} s") as caught:
            call()
        assert "Result" not in str(caught.value)
