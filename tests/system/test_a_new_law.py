"""A law that nobody knew of: stated once, as one file of `forces` would, it runs wherever laws run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import gearwright as gw
from gearwright.forces import DcMotorData
from gearwright.forces.actuators.dc_motor import dc_motor
from gearwright.forces.contact.end_stops import Stops
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity
from gearwright.motion import polynomial

JOINTS = ("j1", "j2", "j3")
COMMAND = {"j2.fluid.current": 0.8}
START = [0.2, 0.6, -0.3]


@dataclass(frozen=True)
class FluidDamper(Law):
    r"""A damper whose fluid stiffens with a current: $F = -(c_0 + c z) w$, $\dot z = (i - z) / T - k w^2 z$.

    The state z follows the input i, and shearing breaks the fluid's chains up: the state depends on the motion.
    """

    name: str
    line: gw.forces.Line
    damping: float = 3.0
    lag: float = 0.05

    @property
    def states(self):
        return (Quantity(f"{self.name}.stiffening", "1", 0.1),)

    @property
    def inputs(self):
        return (Quantity(f"{self.name}.current", "A", 0.2),)

    @property
    def signals(self):
        return (Quantity(f"{self.name}.force", "Nm"),)

    def _force(self, situation):
        return -(0.5 + self.damping * situation.states[0]) * self.line.speed(situation.v)

    def act(self, mode, situation):
        return Action(forces=(Force(self.line, self._force(situation)),))

    def follow(self, mode, situation, reaction):
        w, (z,), (i,) = self.line.speed(situation.v), situation.states, situation.inputs
        force = self._force(situation)
        return Outcome(
            rates=((i - z) / self.lag - 0.3 * w * w * z,),
            dissipated=-force * w,
            signals={f"{self.name}.force": force},
        )


@pytest.fixture(scope="module")
def arm():
    return gw.assemble(gw.load("elbow"))


@pytest.fixture(scope="module")
def damper(arm):
    return FluidDamper("j2.fluid", gw.forces.Line.for_machine(arm, "j2"))


@pytest.fixture(scope="module")
def adaptive(arm, damper):
    return gw.simulate(
        arm,
        START,
        0.4,
        laws=[damper],
        inputs=COMMAND,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
    )


def difference(one, other):
    names = ("q.j1", "q.j2", "v.j2", "j2.fluid.stiffening", "j2.fluid.force", "energy.dissipated")
    return max(one.compare(other, names).values())


def test_it_runs_with_adaptive_steps(adaptive):
    assert adaptive.drift < 1e-8
    assert np.ptp(adaptive["j2.fluid.stiffening"]) > 0.3
    assert not [remark for remark in adaptive.remarks if "Python" in remark]


@pytest.mark.parametrize("method", ["stiff", "rk4"])
def test_it_runs_with_the_other_methods(arm, damper, adaptive, method):
    fine = (
        gw.analysis.IntegratorOptions(step=2e-4)
        if method == "rk4"
        else gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11)
    )
    run = gw.simulate(arm, START, 0.4, laws=[damper], inputs=COMMAND, method=method, integrator=fine)
    assert difference(adaptive, run) < 2e-6


def test_it_runs_without_kernels(arm, damper, adaptive, monkeypatch):
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")
    run = gw.simulate(
        arm,
        START,
        0.4,
        laws=[damper],
        inputs=COMMAND,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
    )
    assert difference(adaptive, run) < 1e-7
    assert "GEARWRIGHT_KERNELS" in " ".join(run.remarks)


@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_it_runs_beside_laws_with_modes(arm, damper, adaptive, engine):
    """A stop that is never met gives the run modes; law by law and from the table of all laws it is the same motion."""
    far = Stops("far", gw.forces.Line.for_machine(arm, "j1"), -20.0, 20.0)
    run = gw.simulate(
        arm,
        START,
        0.4,
        laws=[damper, far],
        inputs=COMMAND,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12, engine=engine),
    )
    assert difference(adaptive, run) < 1e-7


def test_it_runs_in_batches(arm, damper, adaptive):
    batch = np.array([START, START])
    done = gw.rollout(arm, batch, np.zeros(3), 2000, 2e-4, method="rk4", laws=[damper], inputs=COMMAND)
    assert np.abs(done.q[-1, 1] - adaptive.q[-1]).max() < 1e-8
    assert abs(done.states["j2.fluid.stiffening"][-1, 0] - adaptive["j2.fluid.stiffening"][-1]) < 1e-8


@pytest.mark.parametrize("inductance", [0.0, 2e-3])
def test_a_motion_is_prescribed_to_it(arm, damper, inductance):
    """The voltages that the damper asks for make the machine follow, its state integrated along the motion.

    With an inductance the rate of the damper's force is needed, and so that of its state and input.
    """
    data = {"torque_constant": 0.05, "resistance": 0.5, "inductance": inductance}
    motors = [dc_motor(arm, name, DcMotorData(**data)) for name in JOINTS]
    motion = polynomial([0.0, 0.0, 0.0], [1.0, 0.9, -0.5], 0.5, order=7)
    current = {"j2.fluid.current": lambda t: 0.8 + 0.5 * np.sin(9.0 * t)}
    found = gw.demands(arm, motion, actuators=motors, laws=[damper], inputs=current)
    laws, inputs = [*motors, damper], {**found.input_signals, **current}
    run = gw.simulate(
        arm,
        found.start,
        0.5,
        inputs=inputs,
        laws=laws,
        method="stiff",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
    )
    assert np.abs(run.q - motion.at(run.t)).max() < 1e-6
    state = "j2.fluid.stiffening"
    assert np.abs(np.interp(run.t, found.t, found[state]) - run[state]).max() < 1e-4
    free = gw.demands(arm, motion, actuators=motors)
    assert np.abs(free["j2.voltage"] - found["j2.voltage"]).max() > 0.1
