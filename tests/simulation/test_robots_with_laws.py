"""Whole robots with the laws of their files: the books balance, fixed steps converge to the adaptive run."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.parts import Drive, Friction, Gear, Joint, Limits, Link, Motor, Robot


def pendulum(**joint):
    """One arm, 2 kg at 0.4 m below a horizontal axis, geared 50 to 1."""
    arm = Link("arm", joint=Joint("j", axis=(0, 1, 0), **joint), mass=2.0, com=(0, 0, -0.4), inertia=np.eye(3) * 0.02)
    motor = Motor(2e-5, torque_constant=0.05, resistance=1.2, inductance=1e-3)
    return Robot("pendulum", [arm], [Drive("j", motor, Gear(50))])


ROBOTS = {
    "friction": (pendulum(friction=Friction(coulomb=0.8, viscous=0.3, static=1.0)), {}),
    "stops": (pendulum(limits=Limits(position=(-0.3, 1.5))), {}),
    "motor": (pendulum(), {"inputs": {"j.voltage": lambda t: 12.0 * np.sin(3 * t)}}),
    "all": (
        pendulum(friction=Friction(coulomb=0.8, viscous=0.3), limits=Limits(position=(-0.3, 1.5))),
        {"inputs": {"j.voltage": lambda t: 24.0 * np.sin(3 * t)}},
    ),
}


@pytest.mark.parametrize("kind", ROBOTS)
def test_stored_is_supplied_less_dissipated(kind):
    robot, more = ROBOTS[kind]
    run = gw.simulate(robot, [1.2], until=3.0, integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12), **more)
    assert run["energy.dissipated"][-1] > 0.1
    assert run.drift < 1e-8
    assert (np.diff(run["energy.dissipated"]) > -1e-9).all()


def test_what_the_file_states_acts_unless_told_otherwise():
    robot, _ = ROBOTS["friction"]
    assert [law.name for law in gw.laws(robot)] == ["j.friction"]
    slowed, free = gw.simulate(robot, [1.2], until=2.0), gw.simulate(robot, [1.2], until=2.0, laws=())
    assert slowed["energy.dissipated"][-1] > 1.0
    assert free["energy.dissipated"][-1] == 0.0
    assert gw.simulate(gw.assemble(robot), [1.2], until=2.0).compare(free)["q.j"] < 1e-9


def test_a_stop_is_not_passed():
    robot, _ = ROBOTS["stops"]
    run = gw.simulate(robot, [1.2], until=3.0)
    assert -0.3 - 1e-8 <= run["q.j"].min() < -0.299
    assert any(h.name == "j.stops" for h in run.events)


def test_friction_brings_a_pendulum_to_rest_where_it_sticks():
    robot, _ = ROBOTS["friction"]
    run = gw.simulate(robot, [1.2], until=20.0)
    assert run.modes["j.friction"][-1] == "stick"
    assert abs(run["v.j"][-1]) < 1e-12
    weight = 2.0 * 9.81 * 0.4 * abs(np.sin(run["q.j"][-1]))
    assert weight <= 1.0 + 1e-9


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("rk4", 4)])
def test_fixed_steps_converge_to_the_adaptive_run_with_their_order(method, order):
    robot, more = ROBOTS["motor"]
    fine = gw.simulate(
        robot, [1.2], until=0.5, integrator=gw.analysis.IntegratorOptions(rtol=1e-12, atol=1e-13), samples=6, **more
    )
    errors = []
    for step in (1e-4, 5e-5):
        run = gw.simulate(
            robot,
            [1.2],
            until=0.5,
            method=method,
            integrator=gw.analysis.IntegratorOptions(step=step),
            samples=6,
            **more,
        )
        np.testing.assert_allclose(run.t, fine.t, atol=1e-12)
        errors.append(np.abs(run["q.j"] - fine["q.j"]).max())
    measured = np.log2(errors[0] / errors[1])
    assert errors[1] < 1e-11 or measured == pytest.approx(order, abs=0.3)
    assert run.drift < {"euler": 1e-2, "rk4": 1e-9}[method]


def test_a_controller_drives_a_fixed_step_run_as_it_drives_an_adaptive_one():
    robot = pendulum()
    hold = gw.control.sampled_controller(lambda t, state: [20.0 * (0.5 - state.q[0]) - 4.0 * state.v[0]], 0.01)
    adaptive = gw.simulate(robot, [0.0], until=1.0, controller=hold)
    fixed = gw.simulate(
        robot, [0.0], until=1.0, controller=hold, method="rk4", integrator=gw.analysis.IntegratorOptions(step=1e-3)
    )
    assert max(adaptive.compare(fixed, ["q.j", "v.j"]).values()) < 1e-8


def test_what_fixed_steps_cannot_do_is_refused():
    robot = pendulum()
    with pytest.raises(InputError, match=r"events.*method='adaptive'"):
        gw.simulate(robot, [0.0], until=0.1, method="rk4", events=[lambda t, s: s.q[0]])
    with pytest.raises(InputError, match=r"step=0\.001\b.*euler, rk4"):
        gw.simulate(robot, [0.0], until=0.1, integrator=gw.analysis.IntegratorOptions(step=1e-3))
    with pytest.raises(InputError, match=r"step=-0\.001\b"):
        gw.simulate(robot, [0.0], until=0.1, method="rk4", integrator=gw.analysis.IntegratorOptions(step=-1e-3))


def test_a_step_too_large_for_a_stiff_spring_names_the_fastest_mode():
    with pytest.raises(InputError, match=r"0\.01 s.*j2.*j3.*'j3\.spring'"):
        gw.simulate(
            gw.assemble(gw.load("elastic_elbow")),
            None,
            until=0.1,
            method="rk4",
            integrator=gw.analysis.IntegratorOptions(step=1e-2),
        )
