"""Sensitivities of runs through events and of fixed-step motions, against closed forms and differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Contact, Plane
from gearwright.errors import InputError, SimulationError
from gearwright.forces import Backlash, DryFriction, ElementDeflection, Line, Stops, TorqueCurve
from gearwright.parts import Friction
from gearwright.simulation.fixed_step.rollout import Rollout
from gearwright.simulation.integrators.integrator_options import IntegratorOptions
from gearwright.system.inputs import steps

TIGHT = IntegratorOptions(rtol=1e-12, atol=1e-14)
G = 9.81

BALL = gw.Mechanism([gw.Body("ball", joint="prismatic", axis=(0, 0, 1), mass=2.0)], gravity=(0, 0, -G))
DISC = gw.Mechanism([gw.Body("disc", axis=(0, 0, 1), mass=1.0, inertia=np.eye(3))], gravity=(0, 0, 0))


def best_difference(value: Callable[[float], np.ndarray], steps: tuple[float, ...]) -> list[np.ndarray]:
    return [(value(h) - value(-h)) / (2 * h) for h in steps]


def test_a_bouncing_ball_has_the_sensitivities_of_the_closed_form() -> None:
    height, e = 1.0, 0.7
    floor = Stops("floor", Line.for_machine(BALL, "ball"), 0.0, float("inf"), e, unit="N")
    names = ["floor.restitution", "start.q.ball", "gravity.z"]
    run = gw.simulate(BALL, [height], 1.4, laws=[floor], samples=281, integrator=TIGHT, sensitivities=names)
    first = np.sqrt(2 * height / G)
    second = first * (1 + 2 * e)
    between = (run.t > first + 0.01) & (run.t < second - 0.01)
    t = run.t[between]
    # q = e sqrt(2 g h) s - g s^2 / 2 with s = t - sqrt(2 h / g)
    s = t - first
    by_e = np.sqrt(2 * G * height) * s
    by_height = e * np.sqrt(2 * G / height) / 2 * s - (e * np.sqrt(2 * G * height) - G * s) * first / (2 * height)
    rise = e * np.sqrt(2 * G * height) - G * s
    by_g = e * np.sqrt(2 * height / G) / 2 * s - s**2 / 2 + rise * first / (2 * G)
    for name, exact in (("floor.restitution", by_e), ("start.q.ball", by_height), ("gravity.z", -by_g)):
        found = run.sensitivities["q"][name][between, 0]
        assert np.abs(found - exact).max() < 1e-8 * np.abs(exact).max(), name
    last = run.t > second + 0.01
    assert last.sum() > 20

    def after_two(h: float) -> np.ndarray:
        law = replace(floor, restitution=e + h)
        return gw.simulate(BALL, [height], 1.4, laws=[law], samples=281, integrator=TIGHT).q[last, 0]

    error = min(
        np.abs(d - run.sensitivities["q"]["floor.restitution"][last, 0]).max()
        for d in best_difference(after_two, (1e-4, 1e-5, 1e-6))
    )
    assert error < 1e-7


def friction(coulomb: float = 0.3, static: float = 0.4, viscous: float = 0.05) -> DryFriction:
    data = Friction(coulomb=coulomb, viscous=viscous, static=static, stribeck_speed=0.3)
    return DryFriction("disc.friction", Line.for_machine(DISC, "disc"), friction=data)


def test_stick_and_slip_lose_and_keep_sensitivity() -> None:
    """The disc sticks for a while at every reversal; the static level acts by the time of breakaway alone."""
    torque = {"tau.disc": lambda t: 0.5 * np.sin(2.0 * t)}
    names = [
        "disc.friction.coulomb",
        "disc.friction.static",
        "disc.friction.viscous",
        "disc.inertia.zz",
        "start.v.disc",
    ]
    times = np.linspace(0.0, 7.0, 351)

    def simulated(law: DryFriction, **options: object) -> gw.Run:
        return gw.simulate(
            DISC, ([0.0], [0.1]), 7.0, laws=[law], inputs=torque, samples=times, integrator=TIGHT, **options
        )

    run = simulated(friction(), sensitivities=names)
    stuck = [event for event in run.events if event.kind == "stick"]
    assert len(stuck) >= 3
    inside = np.array([mode == "stick" for mode in run.modes["disc.friction"]])
    assert inside.sum() > 30
    for name in names:
        assert np.abs(run.sensitivities["v"][name][inside]).max() < 1e-9
    laws = {
        "disc.friction.coulomb": lambda h: friction(coulomb=0.3 + h),
        "disc.friction.static": lambda h: friction(static=0.4 + h),
        "disc.friction.viscous": lambda h: friction(viscous=0.05 + h),
    }
    for name, law in laws.items():
        exact = run.sensitivities["q"][name][:, 0]
        differences = best_difference(lambda h, law=law: simulated(law(h)).q[:, 0], (1e-4, 1e-5, 1e-6))
        error = min(np.abs(d - exact).max() for d in differences) / np.abs(exact).max()
        assert error < 2e-6, (name, error)
    force = run.sensitivities["disc.friction.force"]["disc.friction.coulomb"]
    moving = np.array([mode == "forward" for mode in run.modes["disc.friction"]]) & (run["v.disc"] > 0.05)
    shape = 1 - np.exp(-((run["v.disc"] / 0.3) ** 2))
    slope = -0.05 + 0.1 * np.exp(-((run["v.disc"] / 0.3) ** 2)) * 2 * run["v.disc"] / 0.09
    expected = -shape + slope * run.sensitivities["v"]["disc.friction.coulomb"][:, 0]
    assert np.abs(force - expected)[moving].max() < 1e-9


def test_backlash_with_a_damper() -> None:
    def law(stiffness: float = 200.0, damping: float = 2.0, gap: float = 0.2) -> Backlash:
        return Backlash("gear", ElementDeflection(Line.for_machine(DISC, "disc")), TorqueCurve(stiffness), damping, gap)

    def simulated(value: Backlash, **options: object) -> gw.Run:
        return gw.simulate(DISC, ([0.0], [1.5]), 2.0, laws=[value], samples=201, integrator=TIGHT, **options)

    names = {"gear.curve.stiffness": 200.0, "gear.damping": 2.0, "gear.gap": 0.2}
    run = simulated(law(), sensitivities=list(names))
    assert len(run.events) >= 9
    for name, word in (("gear.curve.stiffness", "stiffness"), ("gear.damping", "damping"), ("gear.gap", "gap")):
        exact, size = run.sensitivities["q"][name][:, 0], names[name]
        steps = tuple(size * x for x in (1e-4, 1e-5, 1e-6))
        differences = best_difference(lambda h, w=word, s=size: simulated(law(**{w: s + h})).q[:, 0], steps)
        error = min(np.abs(d - exact).max() for d in differences) / np.abs(exact).max()
        assert error < 5e-6, (name, error)


def test_grazing_is_remarked() -> None:
    """A pendulum that just touches a stop: dx/dA grows as the speed of the touch vanishes."""
    spring = gw.Mechanism(
        [gw.Body("disc", axis=(0, 0, 1), mass=1.0, inertia=np.eye(3))],
        springs=[gw.Spring("spring", [1.0], 1.0)],
        gravity=(0, 0, 0),
    )
    stop = Stops("stop", Line.for_machine(spring, "disc"), -float("inf"), 1.0, 0.8)
    slopes = []
    for touch in (1e-2, 1e-4):
        run = gw.simulate(
            spring, ([0.0], [1.0 + touch]), 3.0, laws=[stop], integrator=TIGHT, sensitivities=["start.v.disc"]
        )
        slopes.append(run.sensitivities["q"]["start.v.disc"][-1, 0])
        if touch == 1e-4:
            assert any("tangentially" in remark for remark in run.remarks)
    # dq/dA behind the touch is -(1 + e) cos(t) / sqrt(2 (A - 1)) to leading order
    assert abs(slopes[1] / slopes[0]) == pytest.approx(10.0, rel=0.15)
    near = gw.simulate(
        spring, ([0.0], [1.0 - 1e-6]), 3.0, laws=[stop], integrator=TIGHT, sensitivities=["start.v.disc"]
    )
    assert not near.events
    assert any("came within" in remark for remark in near.remarks)


def test_inputs_that_jump_are_not_events_of_the_state() -> None:
    """A force step breaks the disc away at a fixed time, whatever the friction."""
    step = gw.simulate(
        DISC,
        [0.0],
        1.0,
        laws=[friction()],
        inputs={"tau.disc": steps([0.0, 0.4], [0.0, 1.0])},
        integrator=TIGHT,
        sensitivities=["disc.friction.static", "disc.friction.coulomb", "input.tau.disc"],
    )
    after = step.t > 0.41
    assert np.abs(step.sensitivities["v"]["input.tau.disc"][after]).min() > 1e-3
    assert np.abs(step.sensitivities["v"]["disc.friction.coulomb"][after]).max() > 1e-2


def test_numbers_of_a_robot_with_windings_and_friction() -> None:
    """Numbers of a robot's file; the current is a signal with sensitivities of its own."""
    robot = gw.load("manutec_r3_full")
    paths = [f"{robot.drives[1].title}.motor.inertia", f"{robot.drives[1].title}.motor.friction.coulomb"]
    paths = [path for path in paths if _has(robot, path)]
    tau = {f"tau.{gw.assemble(robot).speeds[1]}": 300.0}

    def simulated(change: dict[str, float], **options: object) -> gw.Run:
        changed = gw.parts.with_parameters(robot, change)
        return gw.simulate(changed, None, 0.2, inputs=tau, samples=41, integrator=TIGHT, **options)

    run = simulated({}, sensitivities=paths)
    for path in paths:
        value = float(gw.parts.parameter(robot, path))
        exact = value * run.sensitivities["q"][path]
        slopes = best_difference(lambda h, p=path, v=value: simulated({p: v * (1 + h)}).q, (1e-2, 1e-3, 1e-4))
        assert min(np.abs(d - exact).max() for d in slopes) < 1e-4 * np.abs(exact).max(), path


def _has(robot: gw.Robot, path: str) -> bool:
    try:
        gw.parts.parameter(robot, path)
    except InputError:
        return False
    return True


@pytest.mark.parametrize("method", ["euler", "rk4", "moreau"])
def test_fixed_steps_are_differentiated(method: str) -> None:
    swing = gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=1.0, com=(0, 0, -0.3), inertia=0.01 * np.eye(3))])
    data = Friction(coulomb=0.3, viscous=0.05, static=0.35, stribeck_speed=0.2)
    laws = [DryFriction("arm.friction", Line.for_machine(swing, "arm"), friction=data)] if method == "moreau" else []
    names = ["arm.mass", "start.q.arm", "input.tau.arm", *(["arm.friction.coulomb"] if laws else [])]

    def moved(**options: object) -> Rollout:
        return gw.rollout(
            swing,
            [[0.9]],
            [0.1],
            1500,
            1e-3,
            method=method,
            laws=laws,
            options=gw.analysis.RolloutOptions(every=50),
            **options,
        )

    rolled = moved(sensitivities=names)
    assert rolled.sensitivities["q"]["arm.mass"].shape == rolled.q.shape
    for name, value in (("arm.mass", 1.0), ("arm.friction.coulomb", 0.3)):
        if name in names:
            exact = rolled.sensitivities["q"][name]
            slopes = best_difference(
                lambda h, name=name, value=value: moved(parameters={name: value + h}).q, (1e-4, 1e-5, 1e-6)
            )
            assert min(np.abs(d - exact).max() for d in slopes) < 1e-7 * np.abs(exact).max()
    by_force = best_difference(lambda h: moved(inputs=[h]).q, (1e-4, 1e-5))
    assert min(np.abs(d - rolled.sensitivities["q"]["input.tau.arm"]).max() for d in by_force) < 1e-6


BLOCK = gw.Mechanism(
    [
        gw.Body("x", joint="prismatic", axis=(1, 0, 0), mass=0.1),
        gw.Body("z", parent="x", joint="prismatic", axis=(0, 0, 1), mass=1.0),
    ]
)


def rough(friction: float = 0.3, restitution: float = 0.0) -> Contact:
    return Contact("z", Plane((0, 0, 0), (0, 0, 1)), restitution=restitution, friction=friction)


def test_a_block_slides_and_sticks_with_the_sensitivities_of_the_closed_form() -> None:
    """Friction of 1 kg decelerates 1.1 kg: a = mu g / 1.1, and the block sticks after v / a."""
    names = ["start.v.x", "z.contact.friction"]
    for until, sticks in ((0.2, False), (0.5, True)):
        run = gw.simulate(BLOCK, ([0.0, 0.0], [0.9, 0.0]), until, laws=[rough()], sensitivities=names)
        a = 0.3 * 9.81 / 1.1
        by_speed, by_friction = (0.9 / a, -(0.9**2) / (2 * a * 0.3)) if sticks else (until, -a / 0.3 * until**2 / 2)
        found = run.sensitivities["q"]
        assert found["start.v.x"][-1, 0] == pytest.approx(by_speed, rel=1e-6)
        assert found["z.contact.friction"][-1, 0] == pytest.approx(by_friction, rel=1e-6)


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")  # the first step of the impact has one try
@pytest.mark.parametrize("speed", [0.9, 0.2, 0.0])
def test_fixed_steps_with_a_rough_contact_are_differentiated(speed: float) -> None:
    """A fall, an impact with friction, sliding or sticking; also without any slip, where a direction does not exist."""

    def moved(speed: float = speed, friction: float = 0.3, **options: Any) -> Rollout:
        laws = [rough(friction)]
        return gw.rollout(BLOCK, [0.0, 0.1], [speed, 0.0], 300, 1e-3, method="moreau", laws=laws, **options)

    exact = moved(sensitivities=["start.v.x", "z.contact.friction"]).sensitivities["q"]
    h = 1e-6
    by_speed = (moved(speed + h).q - moved(speed - h).q) / (2 * h)
    by_friction = (moved(friction=0.3 + h).q - moved(friction=0.3 - h).q) / (2 * h)
    assert exact["z.contact.friction"] == pytest.approx(by_friction, abs=1e-7)
    assert exact["start.v.x"] == pytest.approx(by_speed, abs=1e-7)


def test_an_impact_with_friction_is_not_differentiated_as_one_without() -> None:
    with pytest.raises(SimulationError, match=r"z\.contact"):
        gw.simulate(BLOCK, ([0.0, 0.1], [0.9, 0.0]), 0.3, laws=[rough(0.3, 0.5)], sensitivities=["start.v.x"])


def test_what_cannot_be_differentiated_is_named() -> None:
    with pytest.raises(InputError, match=r"start\.q\.disk"):
        gw.simulate(DISC, [0.0], 0.1, sensitivities=["start.q.disk"])
    with pytest.raises(InputError, match="twice"):
        gw.rollout(DISC, [0.0], [0.0], 10, 1e-3, sensitivities=["disc.mass", "disc.mass"])
    with pytest.raises(InputError, match="controller"):
        gw.simulate(DISC, [0.0], 0.1, controller=lambda t, state: [0.0], sensitivities=["disc.mass"])
    with pytest.raises(InputError, match=r"disc\.weight"):
        gw.simulate(DISC, [0.0], 0.1, sensitivities=["disc.weight"])
