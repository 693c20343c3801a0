"""FMUs: whole runs in FMPy against `simulate`, their parameters, derivatives, states and sources."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.export.fmi import build
from gearwright.forces.contact.end_stops import Stops
from gearwright.forces.line import Line
from gearwright.parts import Friction, Limits
from gearwright.parts.parameter_paths import parameter, with_parameters
from support.fmus import PIECES, SAMPLES, Case, arm, instance, largest_difference
from support.random_robots import random_case

fmpy = pytest.importorskip("fmpy")
pytestmark = pytest.mark.skipif(build.find_compiler() is None, reason="there is no C compiler")

VERSIONS = ("2.0", "3.0")
MEMORY = {"calloc", "free", "malloc", "memcpy", "memset", "memcmp", "strcmp"}
MATHEMATICS = {"sin", "cos", "sqrt", "pow", "exp", "tanh", "atan2", "fmin", "fmax"}
"""What an FMU may need of the C library."""
KINDS = {"CoSimulation": 1e-8, "ModelExchange": 1e-6}
STRIBECK = Friction(coulomb=2.0, viscous=0.1, static=2.5, stribeck_speed=0.1)
TUNED = (
    "upper.mass",
    "upper.inertia.yy",
    "shoulder.motor.inertia",
    "shoulder.gear.ratio",
    "shoulder.motor.resistance",
    "shoulder.friction.coulomb",
    "elbow.friction.static",
    "payload.mass",
    "elbow.limits.position.1",
)
CASES = {
    "torque": Case(
        gw.load("elbow"),
        "torque",
        {"tau.j1": [20, -5, 3, 0, 10], "tau.j2": [30, 20, 25, 20, 30], "tau.j3": [5, 0, 2, 8, 3]},
    ),
    "voltage that lets friction stick": Case(
        arm(STRIBECK, limits=Limits(position=(-0.3, 0.25))),
        "voltage",
        {"shoulder.voltage": [-12, -2, -3.5, -3.5, 8], "elbow.voltage": [6, 6, -1, 0, 4]},
        parameters=TUNED,
    ),
    "motor torque through gears that lock": Case(
        arm(2.0, efficiency=0.45, limits=Limits(position=(-0.3, 0.5))),
        "motor_torque",
        {"motor_torque.shoulder": [-0.6, -0.3, -0.1, -0.7, 0.2], "motor_torque.elbow": [0.1, -0.3, -0.1, 0, 0.2]},
        parameters=("shoulder.gear.ratio",),
    ),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Callable[[str, str], str]:
    """(case, version) -> the path of its FMU, compiled once."""
    folder, made = tmp_path_factory.mktemp("fmus"), {}

    def path(name: str, version: str) -> str:
        if (name, version) not in made:
            made[name, version] = str(CASES[name].export(folder / f"{len(made)}.fmu", version).path)
        return made[name, version]

    return path


@pytest.fixture(scope="module")
def runs() -> dict[str, gw.simulation.Run]:
    return {name: case.reference() for name, case in CASES.items()}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", CASES)
def test_fmpy_finds_nothing_wrong(name, version, written):
    from fmpy.validation import validate_fmu

    assert validate_fmu(written(name, version)) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CASES)
def test_whole_runs_are_those_of_simulate(name, kind, written, runs):
    run, found = runs[name], CASES[name].run(written(name, "3.0"), kind)
    assert np.ptp([run[x] for x in run.series if x.startswith("q.")], axis=1).max() > 0.1
    assert largest_difference(found, run, ("q.", "v.")) < KINDS[kind]
    loads = [x for x in found.dtype.names if x.endswith((".current", ".motor_torque", ".force", "_torque"))]
    between = np.arange(SAMPLES + 1) % (SAMPLES // PIECES) != 0  # where inputs jump, both sides are right
    for x in loads:
        assert np.abs(found[x] - run[x])[between].max() <= 1e-6 * max(np.abs(run[x]).max(), 1), x
    moved = max(np.abs(run["energy.supplied"]).max(), 1.0)
    assert largest_difference(found, run, ("energy.",)) < 1e3 * KINDS[kind] * moved


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_co_simulation_of_random_robots_is_simulate(seed, tmp_path):
    """The same integration with the same events: friction, stops, lossy gears, hysteresis, at 1e-9."""
    robot, rng = random_case(seed).robot, np.random.default_rng(seed)
    mech = gw.assemble(robot)
    sizes = 1.0 + np.abs(gw.gravity(mech, gw.neutral(mech)))
    forces = {
        f"tau.{name}": (rng.normal(size=PIECES) * size).tolist() for name, size in zip(mech.speeds, sizes, strict=True)
    }
    case = Case(robot, "torque", forces, until=0.2)
    case.export(tmp_path / "random.fmu", "3.0")
    found = case.run(tmp_path / "random.fmu", "CoSimulation", tolerance=1e-12)
    assert largest_difference(found, case.reference(), ("q.", "v.")) < 1e-9


def test_fast_windings_are_integrated_implicitly(tmp_path):
    """L/R = 1 ns: explicit steps would be three million in each communication step, more than an FMU takes."""
    plain = arm(0.0, limits=Limits(position=(-0.3, 0.25)))
    drives = [replace(x, motor=replace(x.motor, inductance=8e-10)) for x in plain.drives]
    values = {"shoulder.voltage": [-12.0, -2.0, -3.5, -3.5, 8.0], "elbow.voltage": [6.0, 6.0, -1.0, 0.0, 4.0]}
    case = Case(replace(plain, drives=drives), "voltage", values)
    path = tmp_path / "fast.fmu"
    case.export(path, "2.0")
    run = case.reference()
    assert {"shoulder.stops", "elbow.stops"} & {event.name for event in run.events}
    assert largest_difference(case.run(path, "CoSimulation"), run, ("q.", "v.")) < 1e-8


def test_events_came_on_the_way(runs):
    """Friction that sticks and slides again, stops that are met: else the runs would prove little."""
    sticking, locking = runs["voltage that lets friction stick"], runs["motor torque through gears that lock"]
    assert {"stick", "forward", "backward"} <= {*sticking.modes["shoulder.friction"], *sticking.modes["elbow.friction"]}
    assert "upper" in sticking.modes["elbow.stops"]
    assert {"stuck", "backward driven"} & {*locking.modes["shoulder.gear"]}
    assert len(sticking.events) > 5
    assert len(locking.events) > 5


@pytest.mark.parametrize("kind", KINDS)
def test_both_versions_agree(kind, written):
    name = "voltage that lets friction stick"
    two, three = (CASES[name].run(written(name, version), kind) for version in VERSIONS)
    assert two.dtype.names == three.dtype.names
    assert max(np.abs(two[x] - three[x]).max() for x in two.dtype.names) < 1e-12


@pytest.mark.parametrize(("name", "path"), [(name, path) for name, case in CASES.items() for path in case.parameters])
def test_a_parameter_does_what_the_same_change_of_the_robot_does(name, path, written, runs):
    case, value = CASES[name], 1.2 * parameter(CASES[name].robot, path)
    want = case.reference(with_parameters(case.robot, {path: value}))
    found = case.run(written(name, "2.0"), "CoSimulation", start={path.replace(".1", "._1"): value})
    assert largest_difference(found, want, ("q.", "v.")) < 1e-8
    assert largest_difference(found, runs[name], ("q.", "v.")) > 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_what_bounces_is_thrown_back_through_its_gears(kind, tmp_path_factory):
    """Gears that lose power take their part of a blow, and change their flanks while it lasts."""
    robot = arm(1.0, efficiency=0.8)
    mech = gw.assemble(robot)
    stops = Stops("shoulder.stops", Line.for_machine(mech, "shoulder"), -0.1, 0.3, restitution=0.7)
    laws, state = (*gw.laws(robot), stops), gw.State([0.0, 0.2], [2.0, -1.0])
    run = gw.simulate(
        robot, state, 0.6, laws=laws, integrator=gw.analysis.IntegratorOptions(rtol=1e-12, atol=1e-12), samples=31
    )
    assert sum(event.name == "shoulder.stops" for event in run.events) > 1
    path = str(tmp_path_factory.getbasetemp() / "bouncing.fmu")
    gw.export.fmu(robot, path, laws=laws, state=state, overwrite=True)
    options = {"stop_time": 0.6, "output_interval": 0.02, "relative_tolerance": 1e-9, "record_events": False}
    names = ["q.shoulder", "q.elbow", "v.shoulder", "v.elbow", "energy.dissipated"]
    found = fmpy.simulate_fmu(path, fmi_type=kind, output=names, **options)
    assert largest_difference(found, run, ("q.", "v.", "energy.")) < KINDS[kind]


def test_directional_derivatives_are_those_of_linearise(written):
    one, places = instance(written("torque", "2.0"), exchange=True)
    q, v, tau = np.array([0.1, 0.2, 0.3]), np.array([0.4, -0.5, 0.6]), np.array([3.0, 20.0, 2.0])
    joints = ("j1", "j2", "j3")
    for word, values in (("q", q), ("v", v), ("tau", tau)):
        one.setReal([places[f"{word}.{x}"] for x in joints], values.tolist())
    one.exitInitializationMode()
    A, B = gw.linearise(gw.load("elbow"), q, v, tau)
    rates = [places[f"der({word}.{x})"] for word in "qv" for x in joints]
    knowns = [places[f"{word}.{x}"] for word in ("q", "v", "tau") for x in joints]
    found = np.array([one.getDirectionalDerivative(rates, [known], [1.0]) for known in knowns]).T
    np.testing.assert_allclose(found, np.hstack([A, B]), atol=1e-12 * np.abs(A).max())
    seed = np.linspace(-1, 1, len(knowns))
    np.testing.assert_allclose(one.getDirectionalDerivative(rates, knowns, seed.tolist()), found @ seed, rtol=1e-12)


@pytest.mark.parametrize("speeds", [(0.4, 0.0), (0.4, -0.5), (0.0, 0.0)])
@pytest.mark.parametrize("name", [name for name in CASES if name != "torque"])
def test_directional_derivatives_hold_in_every_mode(name, speeds, written):
    """Against differences, of everything that is calculated, while friction slides or sticks and gears turn or rest."""
    one, places = instance(written(name, "2.0"), exchange=True)
    start = {"q.shoulder": 0.1, "q.elbow": 0.2, "v.shoulder": speeds[0], "v.elbow": speeds[1]}
    start |= {x: CASES[name].values[x][0] / 2 for x in CASES[name].values}
    one.setReal([places[x] for x in start], list(start.values()))
    one.exitInitializationMode()
    one.newDiscreteStates()
    seen = [places[x] for x in places if x.startswith(("der(", "a.", "torque.", "energy.")) or x.endswith("torque")]
    for x in (*start, *CASES[name].parameters[:6]):
        if speeds[x == "v.elbow"] == 0 and x.startswith("v."):
            continue  # what sticks has another derivative on each side
        known = [places[x]]
        (middle,) = one.getReal(known)
        step, sides = 1e-6 * max(abs(middle), 1e-2), []
        for side in (-1, 1):
            one.setReal(known, [middle + side * step])
            sides.append(np.array(one.getReal(seen)))
        one.setReal(known, [middle])
        difference = (sides[1] - sides[0]) / (2 * step)
        found = one.getDirectionalDerivative(seen, known, [1.0])
        np.testing.assert_allclose(
            found, difference, rtol=1e-5, atol=1e-5 * max(np.abs(difference).max(), 1), err_msg=x
        )


def test_what_is_read_before_the_start_is_that_at_the_start(written):
    one, places = instance(written("voltage that lets friction stick", "2.0"))
    one.setReal([places["v.shoulder"], places["shoulder.voltage"]], [0.5, -3.1])
    seen = [places["a.shoulder"], places["shoulder.friction.force"], places["v.shoulder"]]
    before = one.getReal(seen)
    one.exitInitializationMode()
    assert one.getReal(seen) == before
    assert abs(before[0]) > 1e-3


def test_a_jump_without_an_event_is_told_after_the_step(written):
    """An importer that changes an input between two steps hears that modes no longer fit, and that they do again."""
    one, places = instance(written("voltage that lets friction stick", "2.0"), exchange=True)
    one.setReal([places["shoulder.voltage"]], [-3.1])
    one.exitInitializationMode()
    one.newDiscreteStates()
    one.enterContinuousTimeMode()
    assert one.completedIntegratorStep() == (0, 0)
    one.setReal([places["shoulder.current"]], [20.0])
    assert one.completedIntegratorStep() == (1, 0)
    one.enterEventMode()
    one.newDiscreteStates()
    assert one.completedIntegratorStep() == (0, 0)


def test_a_state_is_saved_restored_and_handed_to_another_instance(written):
    path = written("voltage that lets friction stick", "2.0")
    one, places = instance(path)
    other, _ = instance(path)
    one.setReal([places["shoulder.voltage"]], [-12.0])
    for each in (one, other):
        each.exitInitializationMode()
    one.doStep(0.0, 0.2)
    saved = one.getFMUstate()
    bytes_ = one.serializeFMUstate(saved)
    one.doStep(0.2, 0.1)
    seen = [places[x] for x in ("q.shoulder", "v.shoulder", "shoulder.current", "a.elbow", "energy.dissipated")]
    first = one.getReal(seen)
    one.setFMUstate(saved)
    one.doStep(0.2, 0.1)
    assert one.getReal(seen) == first
    other.setFMUstate(other.deSerializeFMUstate(bytes_))
    other.doStep(0.2, 0.1)
    assert other.getReal(seen) == first
    one.freeFMUstate(saved)


def test_inputs_may_change_within_a_communication_step(written):
    """FMI 2.0 hands over the slopes of inputs: a ramp is then exact, however long the step."""
    one, places = instance(written("torque", "2.0"))
    tau = [places["tau.j1"]]
    one.exitInitializationMode()
    for k in range(2):
        one.setReal(tau, [40.0 * 0.25 * k])
        one.setRealInputDerivatives(tau, [1], [40.0])
        one.doStep(0.25 * k, 0.25)
    run = gw.simulate(
        gw.load("elbow"),
        None,
        0.5,
        inputs={"tau.j1": lambda t: 40 * t},
        integrator=gw.analysis.IntegratorOptions(rtol=1e-12, atol=1e-12),
    )
    assert abs(one.getReal([places["v.j1"]])[0] - run["v.j1"][-1]) < 1e-8


def test_a_parameter_may_change_during_a_run(written):
    """What sticks lets go once another gear gives it more torque: modes are found anew."""
    path = written("voltage that lets friction stick", "2.0")
    one, places = instance(path)
    speed = [places["v.shoulder"]]
    one.setReal([places["shoulder.voltage"]], [-3.1])
    one.exitInitializationMode()
    one.doStep(0.0, 0.2)
    assert abs(one.getReal(speed)[0]) < 1e-12
    one.setReal([places["shoulder.gear.ratio"]], [150.0])
    one.doStep(0.2, 0.2)
    assert abs(one.getReal(speed)[0]) > 1e-2


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["torque", "motor torque through gears that lock"])
def test_its_sources_compile_without_a_warning_and_need_no_library(name, version, written, tmp_path):
    path = written(name, version)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
        assert any(name.startswith("binaries/") for name in archive.namelist())
    strict = [
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-pedantic",
        "-Werror",
        "-std=c99",
        "-O0",
        "-shared",
        "-fPIC",
        "-fvisibility=hidden",
    ]
    main = tmp_path / "sources" / f"fmi{version[0]}.c"
    command = [build.find_compiler(), *strict, main, "-o", tmp_path / "model.so", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:500]
    if shutil.which("nm"):
        listed = subprocess.run(["nm", "-D", tmp_path / "model.so"], capture_output=True, text=True, check=True).stdout
        needed = {line.split()[-1].split("@")[0] for line in listed.splitlines() if " U " in line}
        assert needed <= MEMORY | MATHEMATICS
