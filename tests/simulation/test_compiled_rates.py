"""Rates from one kernel are those of the laws one by one, and derivatives of them are exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import SimulationError
from gearwright.forces.law import Action, Force, Law, Outcome
from gearwright.parts import Cogging, Drive, Friction, Gear, Joint, Link, Motor, Robot
from gearwright.simulation.compiled_loop.event_loop import EventLoop
from gearwright.simulation.integrators import methods, rates
from gearwright.simulation.integrators.rates import exact_jacobian, rates_by_kernel, rates_by_laws
from gearwright.simulation.python_loop.rates_in_modes import KernelRatesInModes
from gearwright.system.evaluation import evaluate_system
from gearwright.system.kernels.all_modes import law_table
from gearwright.system.kernels.motion_rates import motion_rates
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError
from support.compare import relative
from support.machines import random_design, random_state
from support.random_robots import random_case


def electric_robot(seed: int, joints: int = 3) -> Robot:
    """Motors with windings, viscous and LuGre friction, one elastic drive, all numbers random."""
    rng = np.random.default_rng(seed)
    links, drives = [], []
    for k in range(joints):
        bristles = Friction(coulomb=rng.uniform(0.2, 1), viscous=0.1, stiffness=rng.uniform(1e3, 1e4), damping=5.0)
        friction = bristles if k % 2 else Friction(viscous=rng.uniform(0.05, 0.3))
        joint = Joint(f"j{k}", axis=rng.normal(size=3), position=0.3 * rng.normal(size=3), friction=friction)
        parent = f"l{k - 1}" if k else "base"
        com, inertia = 0.2 * rng.normal(size=3), np.eye(3) * rng.uniform(0.01, 0.1)
        links.append(Link(f"l{k}", parent, joint, mass=rng.uniform(1, 4), com=com, inertia=inertia))
        motor = Motor(
            rng.uniform(1e-5, 1e-4),
            torque_constant=0.05,
            resistance=rng.uniform(0.5, 2),
            inductance=rng.uniform(0.5e-3, 2e-3),
            cogging=Cogging(0.002, 7),
        )
        gear = Gear(rng.uniform(20, 80), stiffness=2e3 if k == joints - 1 else None)
        drives.append(Drive(f"j{k}", motor, gear, axis=rng.normal(size=3)))
    return Robot(f"electric{seed}", links, drives)


@dataclass(frozen=True)
class Shaker(Law):
    """A torque that depends on time."""

    name: str
    line: gw.forces.Line

    def act(self, mode, situation):
        return Action(forces=(Force(self.line, situation.ops.sin(5.0 * situation.t)),))

    def follow(self, mode, situation, reaction):
        return Outcome(supplied=situation.ops.sin(5.0 * situation.t) * self.line.speed(situation.v))


def voltages(joints: int = 3) -> dict[str, object]:
    return {f"j{k}.voltage": lambda t, k=k: 6.0 * np.sin(2 * t + k) for k in range(joints)}


def difference(one: gw.Run, other: gw.Run) -> float:
    """The largest relative difference of a series, what is missing in the balance apart."""
    return max(gap for name, gap in one.compare(other).items() if name != "energy.balance")


def situation(seed: int, integral: bool = True):
    """A system with laws (and an integral of the controller), a source of states, inputs, and the modes."""
    robot = electric_robot(seed)
    mech = gw.assemble(robot)
    laws = (*gw.laws(robot, mech, voltages()), Shaker("shaker", gw.forces.Line.for_machine(mech, "j1")))
    system = System(mech, laws, {"integral": 0.0} if integral else {})
    rng = np.random.default_rng(seed + 100)
    u = rng.normal(size=mech.n + len(system.inputs))
    return system, rng, lambda t, x: (u, np.full(int(integral), 2.5 * x[0])), tuple(law.modes[0] for law in system.laws)


@pytest.mark.parametrize("seed", range(6))
def test_the_kernel_gives_the_rates_of_the_laws(seed):
    system, rng, inputs, modes = situation(seed)
    assert len(system.states) >= 4  # three currents and the bristles
    motion = motion_rates(system)
    quick, plain = rates_by_kernel(system, modes, inputs, motion), rates_by_laws(system, modes, inputs)
    for _ in range(5):
        x = rng.normal(size=system.size)
        x[system.controller_slice] *= 1e-3
        assert relative(quick(0.7, x), plain(0.7, x)) < 1e-12


@pytest.mark.parametrize(
    "kinds",
    [("revolute", "prismatic", "revolute"), ("free", "revolute"), ("spherical",), ("planar", "helical", "universal")],
)
def test_the_kernel_gives_the_rates_of_any_machine_with_springs(kinds):
    rng = np.random.default_rng(len(kinds))
    mech = random_design(rng, kinds, shafts=1, springs=2).written()
    system = System(mech, (), {})
    state = random_state(rng, mech)
    x = np.concatenate([state.q, state.v, [0.3, 0.4]])
    inputs = lambda t, y: (state.a, np.zeros(0))  # noqa: E731
    quick = rates_by_kernel(system, (), inputs, motion_rates(system))
    assert relative(quick(0.0, x), rates_by_laws(system, (), inputs)(0.0, x)) < 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_of_the_rates_are_exact(seed):
    system, rng, inputs, modes = situation(seed, integral=False)
    plain = rates_by_laws(system, modes, inputs)
    slopes = exact_jacobian(system, inputs, motion_rates(system), plain)
    x = rng.normal(size=system.size)
    x[system.controller_slice] *= 1e-3
    found = slopes(0.2, x)
    for direction in rng.normal(size=(4, system.size)):
        small = [1e-4 * k * direction for k in (1, 2)]
        one, two = ((plain(0.2, x + step) - plain(0.2, x - step)) / (2e-4 * k) for k, step in enumerate(small, 1))
        assert relative(found @ direction, (4 * one - two) / 3) < 1e-6


def moded(name: str | int) -> tuple[System, dict[str, object]]:
    """A robot of the catalogue, or a random one, with laws that have modes."""
    robot, inputs = (gw.load(name), {}) if isinstance(name, str) else random_case(name)[::2]
    mech = gw.assemble(robot)
    return System(mech, gw.laws(robot, mech, inputs), {}), inputs


@pytest.mark.parametrize("name", ["manutec_r3_full", "harmonic_6", 0, 2, 3, 5, 6, 7])
def test_the_table_of_all_modes_gives_the_rates_of_the_laws(name):
    """In any modes, whether they fit the state or not."""
    system, _ = moded(name)
    assert any(len(law.modes) > 1 for law in system.laws)
    rng, compared = np.random.default_rng(7), 0
    table = law_table(system)
    for _ in range(8):
        u = rng.normal(size=system.mech.n + len(system.inputs))
        modes = tuple(str(rng.choice(law.modes)) for law in system.laws)
        inputs = lambda t, x, u=u: (u, np.zeros(0))  # noqa: E731
        x = rng.normal(size=system.size)
        try:
            plain = rates_by_laws(system, modes, inputs)(0.3, x)
        except SimulationError:  # holds that contradict each other
            continue
        assert relative(KernelRatesInModes(system, modes, table)(0.3, x, u), plain) < 1e-12
        compared += 1
    assert compared > 3


@pytest.mark.parametrize("seed", [2, 3])
def test_runs_with_modes_go_on_in_kernels_once_it_pays(seed, monkeypatch):
    robot, state, inputs = random_case(seed)
    more = {"state": state, "inputs": inputs, "until": 0.15, "samples": 16}
    made = []
    march = EventLoop.advance_to
    monkeypatch.setattr(EventLoop, "advance_to", lambda *args: made.append(1) or march(*args))
    quick = gw.simulate(robot, **more)
    assert made
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")
    plain = gw.simulate(robot, **more)
    assert len(quick.events) == len(plain.events)
    assert max(quick.compare(plain, [f"q.{name}" for name in gw.assemble(robot).coordinates]).values()) < 1e-7


def test_what_no_kernel_takes_is_left_to_the_laws():
    """Angles beyond the fast sine are computed, and states that are not finite come back as such."""
    system, rng, inputs, modes = situation(0)
    motion = motion_rates(system)
    quick, plain = rates_by_kernel(system, modes, inputs, motion), rates_by_laws(system, modes, inputs)
    x = 1e-3 * rng.normal(size=system.size)
    x[0] = 1e9
    assert relative(quick(0.0, x), plain(0.0, x)) < 1e-12
    x[0] = np.inf
    assert np.isnan(quick(0.0, x)).all()


@dataclass(frozen=True)
class Branching(Law):
    """A brake that only works on numbers: it looks at the sign of the speed."""

    name: str
    line: gw.forces.Line

    def act(self, mode, situation):
        speed = self.line.speed(situation.v)
        return Action(forces=(Force(self.line, -0.5 * speed if speed > 0 else -1.5 * speed),))

    def follow(self, mode, situation, reaction):
        speed = self.line.speed(situation.v)
        return Outcome(dissipated=(0.5 if speed > 0 else 1.5) * speed**2)


def test_a_law_that_works_on_numbers_alone_still_runs():
    mech = gw.assemble(gw.load("elbow"))
    law = Branching("brake", gw.forces.Line.for_machine(mech, "j2"))
    with pytest.raises(NoKernelError, match=r"'brake'.*`if`"):
        motion_rates(System(mech, (law,)))
    run = gw.simulate(mech, [0.0, 0.5, 0.0], until=0.5, laws=[law])
    assert run["energy.dissipated"][-1] > 0.01
    assert run.drift < 1e-7
    assert [remark for remark in run.remarks if "'brake'" in remark and "Python" in remark]


@pytest.mark.parametrize("method", ["adaptive", "stiff"])
def test_runs_with_and_without_kernels_agree(method, monkeypatch):
    robot, more = electric_robot(3), {"inputs": voltages(), "until": 0.05, "method": method, "samples": 11}
    asked = []
    monkeypatch.setattr(rates, "evaluate_system", lambda *args: asked.append(1) or evaluate_system(*args))
    quick = gw.simulate(robot, **more)
    assert not asked
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")
    plain = gw.simulate(robot, **more)
    assert asked
    assert difference(quick, plain) < 1e-5
    assert quick.drift < 1e-6


@pytest.mark.parametrize("sundials", [True, False])
def test_stiff_runs_with_and_without_exact_derivatives_agree(sundials, monkeypatch):
    if sundials and not methods.has_sundials():
        pytest.skip("scikit-sundae is not installed")
    monkeypatch.setattr(methods, "has_sundials", lambda: sundials)
    robot, more = electric_robot(1), {"inputs": voltages(), "until": 0.1, "method": "stiff", "samples": 11}
    exact = gw.simulate(robot, **more)
    monkeypatch.setattr("gearwright.simulation.simulation.exact_jacobian", lambda *_: None)
    assert difference(exact, gw.simulate(robot, **more)) < 1e-5


def test_a_continuous_controller_acts_on_compiled_rates_as_on_laws(monkeypatch):
    def control(t, state):
        pull = 4.0 * (0.4 - state.q[0]) + state["integral"] - 0.5 * state.v[0]
        return {"j0.voltage": pull}, {"integral": 0.4 - state.q[0]}

    robot = electric_robot(2)
    more = {"controller": gw.Controller(control, states={"integral": 0.0}), "until": 0.05, "samples": 11}
    quick = gw.simulate(robot, **more)
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")
    assert difference(quick, gw.simulate(robot, **more)) < 1e-5
    assert abs(quick["integral"][-1] - 0.02) < 2e-3  # it hardly moves in 50 ms
