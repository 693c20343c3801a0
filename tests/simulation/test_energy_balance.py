"""What the balance of energy says about a run: nothing where all is well, a remark, or an error with the run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import SimulationError
from gearwright.forces import Action, Force, Law, Line, Outcome

ELBOW = gw.assemble(gw.load("elbow"))
BENT = [0.0, 0.5, 0.0]
SILENT = {"method": "adaptive", "until": 1.0, "samples": 101}


def energy_remarks(run: gw.Run) -> list[str]:
    return [remark for remark in run.remarks if remark.startswith("energy:")]


def geared(stiffness: float) -> gw.Mechanism:
    """A pendulum behind a gear whose spring is as good as rigid."""
    rod = gw.Body("a", axis=(0, 1, 0), mass=3, com=(0, 0, -0.3), inertia=np.eye(3) * 0.05)
    spring = gw.Spring("s", {"a": 1.0, "m": -1.0}, stiffness, 1e-5 * stiffness)
    return gw.Mechanism([rod], [gw.Spin("r", -1, (0, 1, 0), 1e-4, {"m": 100.0})], ["m"], [spring])


@dataclass(frozen=True)
class Push(Law):
    """A constant torque that books a part of its power."""

    name: str
    line: Line
    booked: float

    def act(self, mode, situation):
        return Action(forces=(Force(self.line, 5.0),))

    def follow(self, mode, situation, reaction):
        return Outcome(supplied=self.booked * 5.0 * self.line.speed(situation.v))


@pytest.mark.parametrize("q", [BENT, [0.3, 1.2, -2.0], [0.0, 3.0, 0.1]])
def test_a_held_arm_has_no_drift(q):
    run = gw.simulate(ELBOW, q, inputs=gw.gravity(ELBOW, q), **SILENT)
    assert np.abs(run.v).max() < 1e-9
    assert run.drift < 1e-6
    assert not energy_remarks(run)


def test_nothing_at_all_has_no_drift():
    run = gw.simulate(gw.Mechanism([gw.Body("a", mass=1, com=(0.1, 0, 0))], gravity=(0, 0, 0)), [0.0], **SILENT)
    assert run.drift == 0.0


def test_samples_at_turning_points_are_no_drift():
    """A swing that is looked at where it stands still: its energy is that of its spring."""
    block = gw.Mechanism([gw.Body("b", joint="prismatic", mass=50.0)], springs=[gw.Spring("s", {"b": 1.0}, 2e5)])
    period = 2 * np.pi / np.sqrt(2e5 / 50.0)
    run = gw.simulate(block, [0.01 - 50 * 9.81 / 2e5], until=period, samples=3)
    assert run["energy.kinetic"].max() < 1e-6
    assert run.drift < 1e-5
    assert not energy_remarks(run)


def test_a_tiny_machine_is_as_right_as_its_tolerances():
    """A watch's balance wheel with a nanojoule: its works are known to the absolute tolerance, not an error."""
    wheel = gw.Mechanism([gw.Body("w", mass=1e-6, com=(1e-3, 0, 0), inertia=np.eye(3) * 1e-12)], gravity=(0, -9.81, 0))
    assert not energy_remarks(gw.simulate(wheel, [0.4], **SILENT))


@pytest.mark.parametrize("stiffness", [1e13, 1e14, 1e15, 1e16, 1e17])
@pytest.mark.parametrize("kernels", ["off", "auto"])
def test_a_stiffness_beyond_all_numbers_is_never_wrong_in_silence(monkeypatch, kernels, stiffness):
    monkeypatch.setenv("GEARWRIGHT_KERNELS", kernels)
    right = gw.simulate(geared(1e7), [1.0, 1.0], until=0.3, samples=11, method="stiff")
    try:
        run = gw.simulate(geared(stiffness), [1.0, 1.0], until=0.3, samples=11)
    except SimulationError:
        return
    assert energy_remarks(run) or np.abs(run.q - right.q).max() < 1e-4
    assert run.drift < 1e-2


def test_a_run_that_lost_its_energy_is_an_error_that_carries_it(monkeypatch):
    """Energy is lost through a law here; as if no law could be blamed, the run itself would be wrong."""
    module = import_module("gearwright.simulation.simulate")

    monkeypatch.setattr(module, "laws_without_energy_balance", lambda *_: [])
    given = {"laws": [Push("leak", Line.for_machine(ELBOW, "j2"), 0.0)], "samples": 101}
    with pytest.raises(SimulationError, match=r"\d+\.\d%") as caught:
        gw.simulate(ELBOW, BENT, **given)
    run = caught.value.run
    assert len(run.t) == 101
    assert run.drift > 1e-2
    assert 0.01 * float(re.findall(r"([0-9.]+)%", str(caught.value))[0]) == pytest.approx(run.drift, abs=1e-3)
    assert energy_remarks(run)
    assert energy_remarks(gw.simulate(ELBOW, BENT, **given, method="rk4"))
    assert gw.simulate(ELBOW, BENT, **given, integrator=gw.analysis.IntegratorOptions(rtol=1e-2)).drift > 1e-2


def test_a_law_that_does_not_book_its_power_is_named():
    laws = [Push("fair", Line.for_machine(ELBOW, "j1"), 1.0), Push("leak", Line.for_machine(ELBOW, "j2"), 0.0)]
    run = gw.simulate(ELBOW, BENT, laws=laws, **SILENT)
    assert run.drift > 1e-2
    (remark,) = energy_remarks(run)
    assert "'leak'" in remark
    assert "fair" not in remark


def test_no_law_of_a_robot_is_blamed():
    """The instants of a run of many laws, with modes, gears and holds: every law keeps its books at each of them."""
    from gearwright.simulation.checks.energy_balance import laws_without_energy_balance
    from gearwright.simulation.engine_choice import EngineChoice
    from gearwright.simulation.recorder import Recorder
    from gearwright.simulation.simulate import Simulation
    from gearwright.system.inputs import gather_inputs
    from gearwright.system.state import initial_state, state_vector
    from gearwright.system.system import System

    for name in ("manutec_r3_full", "harmonic_6"):
        robot = gw.load(name)
        mech = gw.assemble(robot)
        system = System(mech, gw.laws(robot, mech), {})
        inputs = gather_inputs(mech, {one.name: one.initial for one in system.inputs.values()}, None)
        recorder = Recorder(system, inputs.names, name)
        times, choice = np.linspace(0, 0.05, 11), EngineChoice(system, "auto", recorder.remarks)
        work = Simulation(system, inputs, None, "adaptive", 1e-8, 1e-10, (), recorder, times, choice)
        work.run_to_end(state_vector(system, initial_state(mech, None)))
        assert laws_without_energy_balance(system, recorder.sample_instants()) == [], name


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_a_fixed_step_is_only_remarked_upon(method):
    run = gw.simulate(
        ELBOW,
        [0.0, 1.5, 2.0],
        until=3.0,
        method=method,
        integrator=gw.analysis.IntegratorOptions(step=0.06),
        samples=31,
    )
    assert run.drift > 1e-6
    assert len(energy_remarks(run)) == 1


@pytest.mark.parametrize("name", ["elbow", "planetary_3r", "panda_like", "elastic_elbow"])
def test_a_conservative_geared_robot_keeps_its_energy_for_100_s(name):
    """At the tolerances that the manual names below 1e-9 of the kinetic energy reached; a looser run is less exact."""
    mech = gw.assemble(gw.load(name))
    drift = {}
    for rtol in (1e-11, 1e-8):
        run = gw.simulate(
            mech, None, 100.0, integrator=gw.analysis.IntegratorOptions(rtol=rtol, atol=1e-2 * rtol), samples=101
        )
        energy = run["energy.kinetic"] + run["energy.potential"]
        drift[rtol] = np.abs(energy - energy[0]).max() / run["energy.kinetic"].max()
    assert drift[1e-11] < 1e-9
    assert drift[1e-8] < 1e-6
