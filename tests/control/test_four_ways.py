"""One controller, written once: in a simulation, in a compiled batch, as a kernel and as C, with equal results."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import gearwright as gw
from gearwright.control import ControlLaw, Decision
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.motion import polynomial
from gearwright.system.controllers.scalar_law import control_law_of
from support.controllers_in_c import decides_alike

ARM = gw.load("elbow")
LIFT = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=0.5)
PERIOD = 2e-3
T = np.arange(0, 0.4, 4e-3)
FINE = {"integrator": gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-13)}

CONTINUOUS = {
    "pd": gw.control.pd(ARM, LIFT, 2000, 100),
    "computed_torque": gw.control.computed_torque(ARM, LIFT, 15.0, model="diagonal"),
    "feedforward": gw.control.feedforward(ARM, LIFT, 2000, 100),
    "measured": gw.control.feedforward(ARM, LIFT, 2000, 100, "measured"),
    "cascade": gw.control.cascade(ARM, LIFT, 10.0, 50.0, 0.1, nominal=True),
}
AS_COMPUTED = {"delay": 1, "resolution": 1e-5, "speed": "difference", "limits": 300.0}
SAMPLED = {
    "pd": gw.control.with_sampling(CONTINUOUS["pd"], PERIOD),
    "computed_torque": gw.control.with_sampling(CONTINUOUS["computed_torque"], PERIOD, delay=1),
    "cascade": gw.control.with_sampling(
        gw.control.cascade(ARM, LIFT, 10.0, 50.0, 0.1, limits=20.0), PERIOD, **AS_COMPUTED
    ),
}


def rolled_out(control, h=1e-3):
    every = round(T[1] / h)
    return gw.rollout(
        ARM,
        np.zeros((2, 3)),
        np.zeros(3),
        every * (len(T) - 1),
        h,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=every),
    )


@pytest.mark.parametrize("name", CONTINUOUS)
def test_a_continuous_controller_moves_a_batch_as_a_run(name):
    run = gw.simulate(ARM, until=0.4, controller=CONTINUOUS[name], samples=T, **FINE)
    out = rolled_out(CONTINUOUS[name], 5e-4)
    np.testing.assert_allclose(out.q[:, 0], run.q, atol=1e-8)
    np.testing.assert_array_equal(out.q[:, 0], out.q[:, 1])
    for state, series in out.states.items():
        np.testing.assert_allclose(series[:, 0], run[state], atol=1e-6)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("name", SAMPLED)
def test_a_sampled_controller_decides_alike_in_run_batch_kernel_and_c(name, tmp_path):
    control = SAMPLED[name]
    times = np.arange(0, 0.1, PERIOD)
    run = gw.simulate(ARM, until=0.1, controller=control, samples=times, **FINE)
    out = gw.rollout(
        ARM,
        np.zeros(3),
        np.zeros(3),
        2 * (len(times) - 1),
        PERIOD / 2,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=2),
    )
    np.testing.assert_allclose(out.q, run.q, atol=1e-9)
    decides_alike(ARM, control, out, tmp_path)


def by_hand(t, state, ops):
    """A PI controller of one's own over scalars, which saturates and answers by name."""
    wanted = ops.minimum(t, 0.3)
    error = wanted - state.q[1]
    return {"tau.j2": ops.minimum(300.0 * error + 50.0 * state["sum"], 80.0)}, {"sum": error}


def test_a_function_over_scalars_moves_a_batch_as_a_run():
    """A mapping replaces forces, a sequence adds to them, in a batch as in a run."""
    own = gw.Controller(by_hand, states={"sum": 0.0}, scalars=True, breaks=(0.3,))
    damped = gw.Controller(lambda t, state, ops: [-(2.0 + t) * v for v in state.v], scalars=True)
    for control in (own, damped):
        given = {f"tau.j{k}": 3.0 for k in (1, 2, 3)}
        run = gw.simulate(ARM, until=0.4, controller=control, inputs=given, samples=T, **FINE)
        out = gw.rollout(
            ARM,
            np.zeros((2, 3)),
            np.zeros(3),
            792,
            5e-4,
            method="rk4",
            controller=control,
            inputs=[3.0] * 3,
            options=gw.analysis.RolloutOptions(every=8),
        )
        np.testing.assert_allclose(out.q[:, 0], run.q, atol=1e-7)
    run = gw.simulate(ARM, until=0.4, controller=own, samples=T, **FINE)
    out = rolled_out(own, 5e-4)
    np.testing.assert_allclose(out.states["sum"][:, 0], run["sum"], atol=1e-7)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_sampled_function_over_scalars_decides_alike_in_run_batch_and_c(tmp_path):
    def decide(t, state, ops):
        outputs, rates = by_hand(t, state, ops)
        return outputs, {"sum": state["sum"] + PERIOD * rates["sum"]}

    control = gw.Controller(decide, period=PERIOD, states={"sum": 0.0}, scalars=True)
    times = np.arange(0, 0.1, PERIOD)
    run = gw.simulate(ARM, until=0.1, controller=control, samples=times, **FINE)
    out = gw.rollout(
        ARM,
        np.zeros(3),
        np.zeros(3),
        2 * (len(times) - 1),
        PERIOD / 2,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=2),
    )
    np.testing.assert_allclose(out.q, run.q, atol=1e-9)
    decides_alike(ARM, control_law_of("test", control, gw.assemble(ARM)), out, tmp_path)
    header = gw.export.c(ARM, tmp_path / "own", [control], name="own")[0].read_text()
    assert "own_decide(const double *q, const double *v, const double *t, const double *states" in header


def test_a_function_over_scalars_reads_states_of_laws():
    """A damper on the winding's current; one that reads what nothing has is refused by name."""
    robot = gw.load("manutec_r3_full")
    mech = gw.assemble(robot)
    name = next(iter(mech.actuators)).name

    def damp(t, state, ops):
        return {f"{name}.voltage": -0.5 * state[f"{name}.current"]}

    law = control_law_of("test", gw.Controller(damp, scalars=True), mech).law
    assert law.sensors == (f"{name}.current",)
    assert law.outputs == (f"{name}.voltage",)
    unknown = gw.Controller(lambda t, state, ops: [state["nobody.current"]] * 3, scalars=True)
    with pytest.raises(InputError, match=r"nobody\.current"):
        gw.rollout(ARM, np.zeros(3), np.zeros(3), 2, 1e-3, method="rk4", controller=unknown)


def test_a_batch_of_time_stepping_is_controlled_as_a_run():
    """With friction that sticks the batch comes to the run as its step falls, and its books are closed."""
    joint = gw.parts.Joint(axis=(0, 1, 0), friction=gw.parts.Friction(coulomb=1.0, viscous=0.5))
    robot = gw.parts.Robot("lever", [gw.parts.Link("lever", mass=2, com=(0.3, 0, 0), joint=joint)])
    motion = polynomial([0.0], [1.0], 0.6)
    continuous = gw.control.cascade(robot, motion, 10.0, 20.0, 0.1)
    for control in (continuous, gw.control.with_sampling(continuous, 8e-3, delay=1)):
        run = gw.simulate(robot, [0.0], 0.8, controller=control, samples=11, **FINE)
        apart = {}
        for h in (2e-3, 5e-4):
            steps = {"steps": round(0.8 / h), "step": h, "options": gw.analysis.RolloutOptions(every=round(0.08 / h))}
            out = gw.rollout(robot, [0.0], [0.0], **steps, method="moreau", controller=control, laws=gw.laws(robot))
            integral = np.abs(out.states["lever.integral"] - run["lever.integral"]).max()
            apart[h] = max(np.abs(out.q - run.q).max(), integral)
            assert abs(out.drift) < 1e-4
        assert apart[5e-4] < min(1e-3, 0.4 * apart[2e-3])


def test_speed_by_difference_and_encoders_are_what_they_say():
    measured = {}

    class Listening(ControlLaw):
        mech = gw.assemble(ARM)

        def decide(self, now):
            measured["q"], measured["v"] = now.q, now.v
            return Decision([0.0] * 3)

    listening = gw.control.controller(Listening())
    law = gw.control.with_sampling(listening, 0.01, resolution=[0.1, 0, 0], speed="difference").law
    from gearwright.algebra.operations import FLOATS
    from gearwright.system.controllers.control_law import Measurement

    first = law.decide(Measurement([0.26, 0.26, -0.26], [9.0] * 3, {}, [0.0] * 4, FLOATS, law.mech))
    assert measured["q"] == pytest.approx([0.3, 0.26, -0.26])
    assert measured["v"] == [0.0, 0.0, 0.0]
    law.decide(Measurement([0.34, 0.27, -0.26], [9.0] * 3, {}, first.next, FLOATS, law.mech))
    assert measured["v"] == pytest.approx([0.0, 1.0, 0.0])


def test_a_law_of_ones_own_is_a_controller():
    class Damper(ControlLaw):
        """Slows down, and counts how far it went."""

        mech = gw.assemble(ARM)
        states = (Quantity("way", "rad"),)

        def decide(self, measured):
            return Decision([-5.0 * v for v in measured.v], rates=[measured.v[0]])

    damper = gw.control.controller(Damper())
    start = [0.1, 0.4, 0.0], [1.0, 0.0, 0.0]
    run = gw.simulate(gw.assemble(ARM), start, 0.2, controller=damper, samples=3, **FINE)
    assert run["way"][-1] == pytest.approx(run.q[-1, 0] - 0.1, abs=1e-9)
    out = gw.rollout(
        ARM, *start, 400, 5e-4, method="rk4", controller=damper, options=gw.analysis.RolloutOptions(every=400)
    )
    np.testing.assert_allclose(out.q[-1], run.q[-1], atol=1e-9)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Decision([0.0] * 2, rates=[0.0]), r" 2 outputs .*3 \(tau\.j1, tau\.j2, tau\.j3\)"),
        (Decision([0.0] * 3), r"0 rates .*1 \(way\)"),
        ([0.0] * 3, r"\[0\.0, 0\.0, 0\.0\].*gw\.control\.Decision"),
    ],
)
def test_a_law_that_decides_too_little_is_refused(answer, words):
    class Forgetful(ControlLaw):
        mech = gw.assemble(ARM)
        states = (Quantity("way", "rad"),)

        def decide(self, measured):
            return answer

    control = gw.control.controller(Forgetful())
    for made in (control, gw.control.with_sampling(control, 1e-3)):
        with pytest.raises(InputError, match=words):
            gw.simulate(gw.assemble(ARM), until=0.1, controller=made)
        with pytest.raises(InputError, match=words):
            gw.rollout(ARM, np.zeros(3), np.zeros(3), 10, 1e-3, controller=made)


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match=r"scalars=True"):
        gw.rollout(ARM, np.zeros(3), np.zeros(3), 2, 1e-3, controller=gw.Controller(lambda t, s: [0.0] * 3))
    with pytest.raises(InputError, match=r"rollout: .* 0\.002 s .* 0\.0013 s"):
        gw.rollout(ARM, np.zeros(3), np.zeros(3), 2, 1.3e-3, controller=SAMPLED["pd"])
    with pytest.raises(
        InputError, match=r"cascade.*j1\.integral, j2\.integral, j3\.integral.*gw\.control\.with_sampling"
    ):
        gw.export.c(ARM, "nowhere", [CONTINUOUS["cascade"]])
    with pytest.raises(InputError, match=r"with_sampling: .* 0\.002 s"):
        gw.control.with_sampling(SAMPLED["pd"], 1e-3)
    with pytest.raises(InputError, match="with_sampling: controller="):
        gw.control.with_sampling(lambda t, s: [0.0] * 3, 1e-3)
