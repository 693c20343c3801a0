"""Fixed-step motions under laws, and the step that is too long for them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.linalg import expm

import gearwright as gw
from gearwright.errors import InputError, SimulationError
from gearwright.forces import DcMotorData
from gearwright.forces.actuators.dc_motor import dc_motor
from gearwright.forces.friction.dry_friction import SmoothFriction
from gearwright.forces.friction.lugre import LuGre
from gearwright.forces.law import Action, Force, Hold, Law, Outcome, Quantity
from gearwright.parts.drives.friction import Friction
from gearwright.simulation.fixed_step.compiled_rollout import FixedStep, fixed_step
from support.compare import relative

J, K, R, L, B = 0.02, 0.5, 2.0, 0.01, 0.003
"""A wheel turned by a motor: inertia, torque constant, resistance, inductance, friction."""

WHEEL = gw.Mechanism([gw.Body("wheel", mass=1.0, inertia=np.diag([J, J, J]))], gravity=(0, 0, 0))


@dataclass(frozen=True)
class Motor(Law):
    """L i' = u - R i - K w, torque K i - B w."""

    name: str
    line: gw.forces.Line
    initial: float = 0.0
    title: str = "motor"

    @property
    def states(self):
        return (Quantity(f"{self.title}.current", "A", self.initial),)

    @property
    def inputs(self):
        return (Quantity(f"{self.title}.voltage", "V", 3.0),)

    def act(self, mode, situation):
        (i,), w = situation.states, self.line.speed(situation.v)
        return Action(forces=(Force(self.line, K * i - B * w),))

    def follow(self, mode, situation, reaction):
        (i,), (u,), w = situation.states, situation.inputs, self.line.speed(situation.v)
        return Outcome(
            rates=((u - R * i - K * w) / L,), supplied=u * i, dissipated=R * i * i + B * w * w, stored=0.5 * L * i * i
        )


@dataclass(frozen=True)
class Shaker(Law):
    """A torque sin(5 t)."""

    name: str
    line: gw.forces.Line

    def act(self, mode, situation):
        return Action(forces=(Force(self.line, situation.ops.sin(5.0 * situation.t)),))


@dataclass(frozen=True)
class Two(Law):
    """A law with two modes."""

    name: str

    @property
    def modes(self):
        return ("stick", "slide")


@dataclass(frozen=True)
class Held(Law):
    """A law that holds."""

    name: str
    line: gw.forces.Line

    def act(self, mode, situation):
        return Action(holds=(Hold(self.line),))


def line() -> gw.forces.Line:
    return gw.forces.Line.for_machine(WHEEL, "wheel")


def exact(t: float, voltage: float, x0: np.ndarray) -> np.ndarray:
    """[speed, current] of the motor with its wheel, by the matrix exponential."""
    A = np.array([[-B / J, K / J], [-K / L, -R / L]])
    rest = -np.linalg.solve(A, np.array([0.0, voltage / L]))
    return rest + expm(A * t) @ (x0 - rest)


def test_states_and_inputs_of_a_law():
    voltages = np.array([3.0, -1.0, 7.0])
    run = gw.rollout(
        WHEEL,
        np.zeros((3, 1)),
        [2.0],
        500,
        1e-4,
        method="rk4",
        laws=[Motor("m", line(), 0.3)],
        inputs={"motor.voltage": voltages},
    )
    for k, u in enumerate(voltages):
        found = np.array([run.v[-1, k, 0], run.states["motor.current"][-1, k]])
        np.testing.assert_allclose(found, exact(0.05, u, np.array([2.0, 0.3])), rtol=1e-9)


def test_every_law_has_its_own_states_and_inputs():
    wheels = [gw.Body(name, mass=1.0, inertia=np.diag([J, J, J])) for name in ("left", "right")]
    pair = gw.Mechanism(wheels, gravity=(0, 0, 0))
    laws = [Motor(x, gw.forces.Line.for_machine(pair, x), start, x) for x, start in (("left", 0.3), ("right", -0.5))]
    voltages = {"right.voltage": 4.0, "left.voltage": -2.0}
    run = gw.rollout(pair, [0.0, 0.0], [2.0, 1.0], 500, 1e-4, method="rk4", laws=laws, inputs=voltages)
    for k, law in enumerate(laws):
        found = [run.v[-1, k], run.states[f"{law.title}.current"][-1]]
        begin = np.array([2.0 - k, law.initial])
        np.testing.assert_allclose(found, exact(0.05, voltages[f"{law.title}.voltage"], begin), rtol=1e-9)


def test_what_is_not_given_starts_at_its_own_value():
    laws = [Motor("m", line(), 0.3)]
    run = gw.rollout(WHEEL, [0.0], [0.0], 100, 1e-4, method="rk4", laws=laws)
    np.testing.assert_allclose(
        [run.v[-1, 0], run.states["motor.current"][-1]], exact(0.01, 3.0, np.array([0.0, 0.3])), rtol=1e-9
    )
    moved = gw.rollout(
        WHEEL,
        [0.0],
        [0.0],
        1,
        1e-4,
        laws=laws,
        options=gw.analysis.RolloutOptions(states={"motor.current": [0.1, 0.2]}),
    )
    np.testing.assert_array_equal(moved.states["motor.current"][0], [0.1, 0.2])


def test_euler_moves_states_from_the_beginning_of_the_step():
    run = gw.rollout(WHEEL, [0.0], [2.0], 1, 1e-4, laws=[Motor("m", line(), 0.3)])
    v = 2.0 + 1e-4 * (K * 0.3 - B * 2.0) / J
    assert run.v[1, 0] == pytest.approx(v, rel=1e-14)
    assert run.q[1, 0] == pytest.approx(1e-4 * v, rel=1e-14)
    assert run.states["motor.current"][1] == pytest.approx(0.3 + 1e-4 * (3.0 - R * 0.3 - K * 2.0) / L, rel=1e-14)


def test_laws_see_the_time():
    """J w' = sin 5 t: w = (1 - cos 5 t) / (5 J)."""
    run = gw.rollout(WHEEL, [0.0], [0.0], 200, 0.01, method="rk4", laws=[Shaker("s", line())])
    np.testing.assert_allclose(run.v[:, 0], (1 - np.cos(5 * run.t)) / (5 * J), atol=1e-5)
    engine = fixed_step(WHEEL, [Shaker("s", line())], "rk4")
    later = engine.run_steps(np.zeros((1, 2)), None, 0.01, 100, start=0.7)[-1, 0, 1]
    assert later == pytest.approx((np.cos(3.5) - np.cos(8.5)) / (5 * J), abs=1e-5)


def test_what_a_recorded_motion_shows():
    """Accelerations are those of the steps; signals and stored energy those of the laws."""
    rub = SmoothFriction("rub", line(), Friction(coulomb=0.1, viscous=0.02))
    engine = fixed_step(WHEEL, [Motor("m", line(), 0.3), rub])
    x0, u = engine.start_states([0.0], [2.0])[None], np.array([[[0.1, 4.0]]])
    record = engine.run_steps(x0, u, 1e-4, 50)[:, 0]
    seen = engine.observe(record, np.broadcast_to(u[0], (51, 2)), 1e-4 * np.arange(51))
    np.testing.assert_allclose(seen.a[:-1, 0], np.diff(record[:, 1]) / 1e-4, rtol=1e-9)
    np.testing.assert_allclose(seen.stored, 0.5 * L * record[:, 2] ** 2, rtol=1e-14)
    np.testing.assert_allclose(seen.signals["rub.force"], -0.1 - 0.02 * record[:, 1], rtol=1e-9)  # far above its width
    assert fixed_step(WHEEL).observe(record[:, :2], np.zeros((51, 1)), np.zeros(51)).stored.shape == (51,)


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_laws_of_the_house_compile(method, monkeypatch):
    """Motors with and without inductance, smooth friction and bristles: the same as over NumPy."""
    arm = gw.assemble(gw.load("elbow"))
    rubbing = Friction(coulomb=2.0, viscous=0.5, static=3.0, stribeck_speed=0.1, stiffness=1e4, damping=10.0)
    laws = (
        dc_motor(arm, "j1", DcMotorData(torque_constant=0.05, resistance=0.5, inductance=1e-3, max_voltage=4.0)),
        dc_motor(arm, "j2", DcMotorData(torque_constant=0.05, resistance=0.5)),
        SmoothFriction("j1.friction", gw.forces.Line.for_machine(arm, "j1"), rubbing),
        LuGre("j3.friction", gw.forces.Line.for_machine(arm, "j3"), rubbing),
    )
    rng = np.random.default_rng(2)
    engine = FixedStep(arm, laws, method, True, ())
    x, u = engine.start_states(rng.uniform(-1, 1, (3, 3)), rng.uniform(-1, 1, (3, 3))), np.full((1, 1, 5), 5.0)
    compiled = engine.run_steps(x, u, 1e-5, 30)
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")
    plain = FixedStep(arm, laws, method, True, ())
    assert relative(compiled, plain.run_steps(x, u, 1e-5, 30)) < 1e-12
    assert engine._compiled_loop[0] is not None
    assert plain._compiled_loop[0] is None


def test_work_balances_energy():
    """Stored = supplied - dissipated, with a motor, a torque and a damped spring."""
    rng = np.random.default_rng(5)
    arm = gw.assemble(gw.load("elastic_elbow"))
    motor = Motor("m", gw.forces.Line.for_machine(arm, arm.speeds[0]))
    engine = fixed_step(arm, [motor], "rk4", work=True)
    x = engine.start_states(gw.neutral(arm), rng.uniform(-1, 1, arm.n), {"motor.current": 1.0})[None]
    u = np.concatenate([rng.normal(size=arm.n), [2.0]])[None, None]
    run = engine.run_steps(x, u, 2e-5, 5000, 5000)[:, 0]
    q, v = run[:, : arm.nq], run[:, arm.nq : arm.nq + arm.n]
    stored = gw.kinetic_energy(arm, q, v) + gw.potential_energy(arm, q) + 0.5 * L * run[:, -3] ** 2
    supplied, dissipated = run[1, -2:]
    assert dissipated > 0.01
    assert stored[1] - stored[0] == pytest.approx(supplied - dissipated, abs=1e-8 * abs(supplied))
    assert engine.states[-2:] == ("work.supplied", "work.dissipated")


def test_dampers_of_springs_dissipate():
    mech = spring(500.0, 0.4)
    engine = fixed_step(mech, (), "rk4", work=True)
    run = engine.run_steps(engine.start_states([0.1, 0.0], [0.0, 2.0])[None], None, 1e-4, 2000, 2000)[:, 0]
    energy = gw.kinetic_energy(mech, run[:, :2], run[:, 2:4]) + gw.potential_energy(mech, run[:, :2])
    assert run[1, 4] == 0.0
    assert run[1, 5] == pytest.approx(energy[0] - energy[1], rel=1e-7)
    assert run[1, 5] > 0.5 * energy[0]


@pytest.mark.parametrize(("law", "reason"), [(Two("rub"), "stick, slide"), (Held("clamp", line()), "accelerations")])
def test_laws_that_need_events_are_refused(law, reason):
    with pytest.raises(InputError, match=f"{law.name!r}.*{reason}"):
        gw.rollout(WHEEL, [0.0], [0.0], 1, 1e-3, laws=[law], method="euler")


def test_two_laws_with_one_state_are_refused():
    with pytest.raises(InputError, match=r"'motor\.current'"):
        gw.rollout(WHEEL, [0.0], [0.0], 1, 1e-3, laws=[Motor("a", line()), Motor("b", line())])


def spring(k: float, d: float = 0.0) -> gw.Mechanism:
    """A motor (inertia 0.01 at the joint side) and an arm of 0.04 on a spring."""
    arm = gw.Body("arm", mass=1.0, inertia=np.diag([0.04] * 3))
    rotor = gw.Spin("rotor", "base", (0, 0, 1), 1e-6, {"motor": 100.0})
    bar = gw.Spring("bar", {"arm": 1.0, "motor": -1.0}, k, d)
    return gw.Mechanism([arm], [rotor], shafts=["motor"], springs=[bar], gravity=(0, 0, 0))


def test_fastest_mode_of_two_masses_on_a_spring():
    """k (1/J1 + 1/J2), damped by d with ratio d/2 sqrt((1/J1 + 1/J2)/k)."""
    found = gw.analysis.fastest_mode(spring(500.0, 0.4), [0.0, 0.0])
    assert found.frequency == pytest.approx(np.sqrt(500 * 125), rel=1e-9)
    assert found.damping == pytest.approx(0.2 * np.sqrt(125 / 500), rel=1e-9)
    assert found.names == ("arm", "motor")
    assert found.spring == "bar"


def test_fastest_mode_may_be_electrical():
    """The current's decay: the faster eigenvalue of the motor's matrix."""
    found = gw.analysis.fastest_mode(WHEEL, [0.0], [Motor("m", line())])
    poles = np.linalg.eigvals(np.array([[-B / J, K / J], [-K / L, -R / L]]))
    assert found.frequency == pytest.approx(np.abs(poles).max(), rel=1e-9)
    assert "motor.current" in found.names
    assert gw.analysis.fastest_mode(WHEEL, [0.0]).frequency == 0


LIMITS = {"euler": 2.0, "rk4": 2 * np.sqrt(2)}
"""Step times frequency up to which the methods are stable without damping."""


@pytest.mark.parametrize("method", LIMITS)
@pytest.mark.parametrize("damping", [0.0, 0.1, 1.0])
def test_a_step_too_long_for_a_spring_is_refused(method, damping):
    """Just below the limit the motion stays, just above it is refused and would have grown."""
    mech = spring(2000.0, 2 * damping * np.sqrt(2000 / 125))
    omega = np.sqrt(2000 * 125)
    with pytest.raises(InputError, match=r"arm.*motor.*'bar'") as refusal:
        gw.rollout(mech, [0.01, 0.0], [0.0, 0.0], 10, 10 / omega, method=method)
    refused, longest = (float(x) for x in re.findall(r"([0-9.e+-]+) s\b", str(refusal.value)))
    assert refused == pytest.approx(10 / omega, rel=5e-3)
    if not damping:
        assert longest * omega == pytest.approx(LIMITS[method], rel=5e-3)
    elif method == "euler":
        assert longest * omega == pytest.approx(2 * (np.sqrt(1 + damping**2) - damping), rel=5e-3)
    run = gw.rollout(mech, [0.01, 0.0], [0.0, 0.0], 2000, 0.99 * longest, method=method)
    assert np.abs(run.q[-1] - run.q[-1].mean()).max() < 0.1
    engine = fixed_step(mech, (), method)
    grown = engine.run_steps(np.array([[0.01, 0.0, 0.0, 0.0]]), None, 1.02 * longest, 500)
    assert np.abs(np.diff(grown[-1, 0, :2])).max() > 1.0


def test_a_motion_that_leaves_all_bounds_says_when_and_what():
    engine = fixed_step(spring(2000.0))
    with pytest.raises(SimulationError, match=r"t = [0-9.]+ s.*state 1\b.*'v\.\w+' .*-?\d[0-9.]+e\+\d+") as error:
        engine.run_steps(np.array([[0.0] * 4, [0.01, 0.0, 0.0, 0.0]]), None, 0.1, 1000)
    kept = error.value.run
    assert 1 < len(kept) < 1000
    assert np.isfinite(kept).all()


BAD = {
    "'heun'": dict(method="heun"),
    r"step=0\.0": dict(step=0.0),
    r"\b5\b.*every=2": dict(steps=5, options=gw.analysis.RolloutOptions(every=2)),
    r"steps=2\.5": dict(steps=2.5),
    "step='1 ms'": dict(step="1 ms"),
    r"laws=\['friction'\]": dict(laws=["friction"]),
    "laws=3": dict(laws=3),
    r"parameters=\['wheel.mass'\]": dict(parameters=["wheel.mass"]),
    r"inputs.*numbers": dict(inputs=["motor.voltage"]),
    r"q \(2,\), v \(3,\)": dict(q0=np.zeros((2, 1)), v0=np.zeros((3, 1))),
    r"x0 .*\(0, 2\)": dict(q0=np.zeros((0, 1))),
    "input 'voltage'": dict(inputs={"voltage": 1.0}),
    "state 'current'": dict(options=gw.analysis.RolloutOptions(states={"current": 1.0})),
    "inputs 3": dict(steps=5, inputs=np.zeros((3, 1))),
    r"inputs .*\(1, 3\).*\(4,\)": dict(q0=np.zeros((4, 1)), inputs=np.zeros((3, 1))),
    r"'tau\.wheel'.*\bnan\b": dict(inputs=[np.nan]),
    r"'wheel\.weight'": dict(parameters={"wheel.weight": 1.0}),
    r"\(4,\).*wheel\.mass \(2,\)": dict(q0=np.zeros((4, 1)), parameters={"wheel.mass": [1.0, 2.0]}),
    r"q0 .*\(2,\).*\b1\b.*wheel": dict(q0=[0.0, 1.0]),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    given = dict(q0=[0.0], v0=[0.0], steps=1, step=1e-3) | BAD[message]
    with pytest.raises(InputError, match=message):
        gw.rollout(WHEEL, **given)


def test_bad_vectors():
    engine = fixed_step(WHEEL)
    for x0, inputs, message in (
        (np.zeros(2), None, r"x0 .*\(2,\).*q\.wheel, v\.wheel"),
        (np.full((1, 2), np.inf), None, r"x0\[0, 0\] \('q\.wheel'\) .*\binf\b"),
        (np.zeros((1, 2)), np.zeros((2, 1, 1)), r"inputs .*\(2, 1, 1\).*tau\.wheel"),
        (np.zeros((1, 2)), np.full((1, 1, 1), np.nan), r"'tau\.wheel'\) .*\bnan\b"),
    ):
        with pytest.raises(InputError, match=message):
            engine.run_steps(x0, inputs, 1e-3, 5)
    with pytest.raises(InputError, match=r"parameters.*\(1, 1\)"):
        engine.run_steps(np.zeros((1, 2)), None, 1e-3, 5, parameters=[[1.0]])
    ball = gw.Mechanism([gw.Body("ball", joint="spherical", mass=1.0, inertia=np.diag([0.1] * 3))])
    with pytest.raises(InputError, match=r"q .*quaternion.*'ball'"):
        fixed_step(ball).run_steps(np.zeros((1, 7)), None, 1e-3, 5)
