"""The event loop in machine code does what the laws say, as the loop in Python does."""

from __future__ import annotations

import types
from dataclasses import dataclass, replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.compiling.restricted_python.walker import workspace_fields
from gearwright.errors import InputError, SimulationError
from gearwright.forces import DryFriction, Line, Stops
from gearwright.forces.law import Action, Force, Guard, Impact, Law
from gearwright.parts import Friction
from gearwright.simulation.compiled_loop import event_loop
from gearwright.simulation.compiled_loop.chebyshev_inputs import fit_inputs
from gearwright.simulation.compiled_loop.driver import LoopDriver, LoopInputs, LoopKernels
from gearwright.simulation.compiled_loop.event_loop import EventLoop
from gearwright.simulation.compiled_loop.source import loop
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace
from gearwright.system.evaluation import evaluate_system, state_vector_rates
from gearwright.system.inputs import gather_inputs
from gearwright.system.kernels.event_kernels import balance_term_sizes
from gearwright.system.kernels.event_table import event_table
from gearwright.system.kernels.identity import identity_of
from gearwright.system.modes.mode_search import ModeSearch
from gearwright.system.modes.mode_settling import find_consistent_modes
from gearwright.system.system import System
from support.compare import relative
from support.fmus import arm
from support.random_robots import random_case

ARM = gw.assemble(gw.load("elbow"))
RUB = Friction(coulomb=1.0, static=1.3, viscous=0.1)


def stuck_arm() -> System:
    """Friction at every joint, twice at one, and a stop where one rests: holds that repeat each other."""
    lines = {name: Line.for_machine(ARM, name) for name in ARM.speeds}
    laws = [DryFriction(f"{name}.friction", line, friction=RUB) for name, line in lines.items()]
    laws += [
        DryFriction("twice", Line.for_machine(ARM, {"j2": -3.0}), friction=RUB),
        Stops("stops", lines["j2"], -1.0, 0.0),
    ]
    return System(ARM, tuple(laws))


def driver_of(system: System, forces=None, until: float = 1.0) -> LoopDriver:
    table = event_table(system, make=True)
    codes = table.codes
    optional = (codes.get(name) for name in ("look", "settling", "displace", "initial", "flanks"))
    kernels = LoopKernels(table.structure, codes["tied"], codes["follow"], *optional)
    pieces = fit_inputs(gather_inputs(system.mech, {name: 0.0 for name in system.inputs}, forces), 0.0, until)
    inputs = LoopInputs(pieces, None, None, None, None, 0)
    return LoopDriver(system, kernels, inputs, np.linspace(0.0, until, 11), (1e-8, 1e-10), until / 50)


def moded(case: str | int) -> System:
    if case == "stuck":
        return stuck_arm()
    robot, inputs = (gw.load(case), {}) if isinstance(case, str) else random_case(case)[::2]
    mech = gw.assemble(robot)
    return System(mech, gw.laws(robot, mech, inputs))


@pytest.mark.parametrize("case", ["stuck", "harmonic_6", 2, 3])
def test_rates_in_any_modes_are_those_of_the_laws(case):
    """Whether they fit the state or not, holds along one line among them."""
    system, rng, compared = moded(case), np.random.default_rng(1), 0
    driver, u = driver_of(system), np.zeros(system.input_size)
    for _ in range(12):
        modes = tuple(str(rng.choice(law.modes)) for law in system.laws)
        x = rng.normal(size=system.size)
        try:
            now = evaluate_system(system, 0.3, x, u, modes)
        except SimulationError:  # holds that contradict each other
            continue
        driver.continue_from(0.3, x, modes, None)
        assert relative(driver.state_rates(0.3, x), state_vector_rates(system, x, u, now, np.zeros(0))) < 1e-9
        held = [force for felt in now.reactions for force in felt.multipliers]
        if held and case == "stuck":  # elsewhere, holds that repeat each other through gears share in another way
            places = driver.memory["member_place"][: driver.memory["member_count"]]
            assert relative(driver.memory["felt"][places], np.array(held)) < 1e-9
        compared += 1
    assert compared > 5


@pytest.mark.parametrize("case", ["stuck", "puma560", 3])
def test_settling_chooses_the_modes_that_python_does(case):
    system, rng, agreed = moded(case), np.random.default_rng(2), 0
    driver, u = driver_of(system), np.zeros(system.input_size)
    for size in (0.0, 1e-9, 1.0) * 3:
        x = np.concatenate((0.2 * rng.normal(size=system.mech.nq), size * rng.normal(size=system.mech.n)))
        x = np.concatenate((x, np.zeros(system.size - len(x))))
        modes = tuple(str(rng.choice(law.modes)) for law in system.laws)
        try:
            expected = find_consistent_modes(system, 0.0, x, u, modes)
        except SimulationError:
            continue
        driver.continue_from(0.0, x, modes, None)
        if driver.call_entry("find_consistent_modes") == 0:
            assert driver.modes == expected.modes
            assert np.abs(driver.memory["x"] - expected.x).max() < 1e-12 * (1 + np.abs(x).max())
            assert [change[1:] for change in driver.take_mode_changes()] == list(expected.changes)
            agreed += 1
        else:
            assert driver.modes == modes
            np.testing.assert_array_equal(driver.memory["x"], x)
    assert agreed > 3


def bouncing_arm(efficiency: float, restitution: float) -> System:
    """Lossy gears, friction, and stops at both joints."""
    robot = arm(1.0, efficiency=efficiency)
    mech = gw.assemble(robot)
    stops = [
        Stops(f"{name}.stops", Line.for_machine(mech, name), -0.1, 0.3, restitution=restitution) for name in mech.speeds
    ]
    return System(mech, (*gw.laws(robot), *stops))


@pytest.mark.parametrize(("efficiency", "restitution"), [(0.8, 0.7), (0.45, 0.7), (0.45, 0.0)])
def test_impacts_through_gears_are_those_of_python(efficiency, restitution):
    """Stops that are hit through turning gears, whose flanks change, some self-locking: none is left to Python."""
    system, rng, lost = bouncing_arm(efficiency, restitution), np.random.default_rng(5), 0
    driver, u = driver_of(system), np.zeros(system.input_size)
    for k in range(20):
        v = (1e-3, 1.0, 2.0)[k % 3] * rng.normal(size=2)
        x = np.concatenate((rng.choice([-0.1, 0.3], size=2), v, np.zeros(system.size - 4)))
        modes = tuple(law.initial_mode(situation) for law, situation in zip(system.laws, at(system, x), strict=True))
        expected = find_consistent_modes(system, 0.0, x, u, modes)
        driver.continue_from(0.0, x, modes, None)
        assert driver.call_entry("find_consistent_modes") == 0
        assert driver.modes == expected.modes
        assert np.abs(driver.memory["x"] - expected.x).max() < 1e-12 * (1 + np.abs(x).max())
        lost += expected.x[-1] > 1e-6
    assert lost > 5


def at(system: System, x: np.ndarray) -> list:
    return system.law_situations(FLOATS, 0.0, system.motion_of(x.tolist()), [0.0] * system.input_size)


CIRCLING = (  # x, u and modes from which applying the most violated guard leads in a circle
    (
        [-0.1, -0.1, 9.3e-11, 1.0e-9],
        [-251.7, -56.6],
        ("backward", "forward", "forward driving", "backward driving"),
    ),
    (
        [-0.0744, -0.136, -8.57e-10, 2.62e-10],
        [0.0, 0.0],
        ("stick", "stick", "backward driven", "backward driven"),
    ),
)


@pytest.mark.parametrize(("state", "u", "modes"), CIRCLING)
def test_the_search_for_modes_finds_those_that_python_finds(state, u, modes, monkeypatch):
    robot, searches = arm(0.5, efficiency=0.48), []
    system, search = System(gw.assemble(robot), gw.laws(robot)), ModeSearch.search_modes
    monkeypatch.setattr(ModeSearch, "search_modes", lambda *args, **more: searches.append(1) or search(*args, **more))
    x = np.concatenate((state, np.zeros(system.size - 4)))
    expected = find_consistent_modes(system, 0.0, x, np.array(u), modes)
    assert searches
    driver = driver_of(system)
    driver.memory["coefficients"][:2] = u
    driver.continue_from(0.0, x, modes, None)
    assert driver.call_entry("find_consistent_modes") == 0
    assert driver.modes == expected.modes
    assert [change[1:] for change in driver.take_mode_changes()] == list(expected.changes)
    assert np.abs(driver.memory["x"] - expected.x).max() < 1e-12


def test_the_source_of_the_loop_runs_as_plain_python():
    """The same text, the same numbers, with events, holds and samples."""
    system = stuck_arm()
    driver = driver_of(system, lambda t: [9.0 * np.sin(8 * t), 30.0 * np.cos(5 * t), 1.0], until=0.2)
    start = np.array([0.0, -0.3, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0])
    driver.continue_from(0.0, start, tuple(law.modes[0] for law in system.laws), None)
    driver.memory["bound"], driver.memory["latest"], driver.memory["pause"] = 0.2, float(np.nextafter(0.2, 0)), 10**6
    plain = plain_work(driver)
    expected = [function(plain) for function in (loop.find_consistent_modes, loop.record_current_state, loop.advance)]
    assert (
        [driver.call_entry(name) for name in ("find_consistent_modes", "record_current_state", "advance")]
        == expected
        == [0, 0, 0]
    )
    assert driver.memory["sampled"] == plain.sampled == 11
    assert driver.memory["events"] == plain.events > 3
    assert np.abs(driver.memory["sample_x"] - plain.sample_x).max() < 1e-12
    assert driver.memory["modes"].tolist() == plain.modes.tolist()


def plain_work(driver: LoopDriver) -> types.SimpleNamespace:
    """A workspace for plain Python: arrays of its own, kernels that work on them."""
    memory, work = driver.memory, types.SimpleNamespace()
    for name, (_, kind) in workspace_fields(LoopWorkspace).items():
        if kind in ("float", "int"):
            setattr(work, name, memory[name])
        elif kind in ("Floats", "Ints") and name in memory:
            setattr(work, name, memory[name].copy())
    sizes = event_loop_sizes(driver)
    tied, begin = np.zeros(sum(sizes.values()) + 1), 0
    for name, count in sizes.items():
        setattr(work, name, tied[begin : begin + max(count, 1)])
        begin += count
    known = ("x_at", "t_at", "u", "chosen")
    given = {"tied": known} | dict.fromkeys(("follow", "look", "settling"), (*known, "a", "felt"))
    results = {"tied": tied[:-1], "follow": work.moved, "look": work.looks, "settling": work.violations}
    for name, taken in given.items():
        code, arrays, out = memory[name], [getattr(work, x) for x in taken], results[name]
        setattr(work, f"{name}_table", None)
        setattr(work, name, lambda _, c=code, a=arrays, o=out: int(not c.run_rows(a, [0] * len(a), o[None], 0, 1)))
    return work


def event_loop_sizes(driver: LoopDriver) -> dict[str, int]:
    made = driver.kernels.structure
    return balance_term_sizes(driver.system.mech.n, made)


CASES: dict[str, tuple] = {"puma560": ("puma560", {}), "lossy": ("puma560", {}), "manutec": ("manutec_r3_full", {})}


@pytest.mark.parametrize("name", [*CASES, 1, 4])
def test_runs_are_those_of_the_loop_in_python(name):
    """Within ten times the tolerance, with the same events, and with books that balance."""
    if isinstance(name, int):
        robot, state, inputs = random_case(name)
        more = {"state": state, "inputs": inputs, "until": 0.1}
    else:
        robot, more = gw.load(CASES[name][0]), {"until": 0.2}
        if name == "lossy":
            drives = [replace(x, gear=replace(x.gear, efficiency=0.8)) for x in robot.drives]
            robot = replace(robot, drives=drives)
            more["controller"] = gw.Controller(lambda t, state: 40.0 * (0.3 * np.cos(3 * t) - state.q), period=0.01)
    more |= {"method": "adaptive", "samples": 21}
    quick = gw.simulate(robot, **more, integrator=gw.analysis.IntegratorOptions(engine="compiled"))
    plain = gw.simulate(robot, **more, integrator=gw.analysis.IntegratorOptions(engine="python"))
    for letter in ("q", "v"):
        mine, its = (
            np.array([run.series[n] for n in run.series if n.startswith(f"{letter}.")]) for run in (quick, plain)
        )
        assert np.abs(mine - its).max() < 1e-7 * (1 + np.abs(its).max())
    assert quick.drift < 1e-6
    assert [event.name for event in quick.events] == [event.name for event in plain.events]
    assert set(quick.series) == set(plain.series)
    for signal in (name for name in quick.series if name.endswith(".force")):
        assert np.abs(quick[signal] - plain[signal]).max() < 1e-5 * (1 + np.abs(plain[signal]).max())


@dataclass(frozen=True)
class Bouncing(Law):
    """A force between two modes, with an impact whose restitution depends on the speed: not for the loop."""

    name: str
    line: Line

    @property
    def modes(self):
        return ("on", "off")

    def act(self, mode, situation):
        return Action(forces=(Force(self.line, 1.0 if mode == "on" else -1.0),))

    def guards(self, mode, situation, reaction):
        speed = self.line.speed(situation.v)
        side = 1.0 if mode == "on" else -1.0
        other = "off" if mode == "on" else "on"
        restitution = situation.ops.minimum(situation.ops.absolute(speed), 0.5)
        return (Guard(0.3 - side * self.line.position(situation.q), other, impact=Impact(self.line, restitution)),)


def test_what_the_loop_does_not_take_runs_in_python_and_says_so():
    run = gw.simulate(ARM, until=1.0, laws=[Bouncing("odd", Line.for_machine(ARM, "j1"))], samples=3)
    assert [remark for remark in run.remarks if "Python" in remark]


def test_a_tolerance_that_cannot_be_met_says_where_and_why():
    noise = np.random.default_rng(3)
    with pytest.raises(SimulationError, match=r"rtol=1e-08.* t = \d.*'v\.j2'.*discontinuous") as caught:
        gw.simulate(ARM, until=1.0, inputs=lambda t: [0.0, 5 * noise.normal(), 0.0], method="adaptive")
    assert caught.value.run is not None


def test_a_law_that_cannot_be_compiled_is_refused_by_the_compiled_engine():
    with pytest.raises(InputError, match="restitution"):
        gw.simulate(
            ARM,
            until=0.02,
            laws=[Bouncing("odd", Line.for_machine(ARM, "j1"))],
            integrator=gw.analysis.IntegratorOptions(engine="compiled"),
        )
    with pytest.raises(InputError, match="'compiled'"):
        gw.simulate(ARM, until=0.02, integrator=gw.analysis.IntegratorOptions(engine="compild"))


def test_laws_are_told_apart_by_their_data():
    system = stuck_arm()
    again, other = stuck_arm(), System(ARM, (replace(system.laws[0], friction=Friction(coulomb=1.1)), *system.laws[1:]))
    assert identity_of(system) == identity_of(again) != identity_of(other)
    assert identity_of(System(ARM, (Bouncing("own", Line.for_machine(ARM, "j1")),))) is None


def test_kernels_that_are_known_are_taken_at_once(monkeypatch):
    system = stuck_arm()
    assert event_table(system, make=True) is not None
    marched, march = [], EventLoop.advance_to
    monkeypatch.setattr(event_loop.EventLoop, "advance_to", lambda *args: marched.append(1) or march(*args))
    gw.simulate(ARM, until=0.01, laws=system.laws, samples=3)
    assert marched


def test_holds_along_coordinates_are_those_of_python():
    """Friction and a stop along a distance that bends with the configuration: rows and drifts come from the kernel."""
    reach = gw.forces.Coordinate.for_machine(ARM, "reach", lambda c: c.q[1] * c.q[1] + 0.5 * c.q[2])
    laws = [DryFriction("rub", reach, friction=RUB), Stops("end", reach, -0.2, 0.6, restitution=0.5)]
    more = {"state": ([0.0, 0.5, 0.1], [0.3, 1.5, -0.5]), "until": 0.9, "laws": laws, "method": "adaptive"}
    more |= {"samples": 26, "inputs": lambda t: [1.0, 40.0 * np.sin(12 * t), 4.0]}
    quick = gw.simulate(ARM, **more, integrator=gw.analysis.IntegratorOptions(engine="compiled"))
    plain = gw.simulate(ARM, **more, integrator=gw.analysis.IntegratorOptions(engine="python"))
    assert len(quick.events) == len(plain.events) > 2
    assert max(np.abs(quick[name] - plain[name]).max() for name in ("q.j1", "q.j2", "q.j3")) < 1e-7
    assert quick.drift < 1e-7
