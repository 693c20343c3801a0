"""Time stepping: it converges to the event-driven runs, books what it does, and takes no energy from nowhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest

import gearwright as gw
from gearwright import forces
from gearwright.errors import GearwrightWarning, InputError
from gearwright.forces import Law
from gearwright.parts import Drive, Friction, Gear, Motor
from gearwright.simulation.fixed_step.compiled_rollout import FixedStep, fixed_step
from gearwright.simulation.fixed_step.gauss_seidel_sweeps import required_sweeps
from support.compare import relative

ROBOT = gw.load("elbow")
ARM = gw.assemble(ROBOT)
Q0, V0 = np.array([0.1, 0.4, -0.3]), np.array([0.5, -0.4, 0.3])
COARSE, FINE = (480, 500, 520), (3840, 4000, 4160)
"""Steps, several of each kind: when in a step an impact falls is chance."""


def line(speed: str) -> gw.forces.Line:
    return gw.forces.Line.for_machine(ARM, speed)


def rubbing(friction: Friction) -> list[Law]:
    return [forces.DryFriction(f"{x}.friction", line(x), friction=friction) for x in ARM.speeds]


def ends(restitution: float = 0.0) -> list[Law]:
    return [forces.Stops(f"{x}.stops", line(x), -0.5, 0.5, restitution) for x in ARM.speeds]


def geared(efficiency: float) -> tuple[gw.Mechanism, tuple[Law, ...]]:
    drives = [Drive(j, Motor(1e-4 if efficiency > 0.5 else 1e-3), Gear(50, efficiency=efficiency)) for j in ARM.speeds]
    robot = replace(ROBOT, drives=drives)
    mech = gw.assemble(robot)
    return mech, gw.laws(robot, mech)


def torques(t: float) -> np.ndarray:
    return np.array([8 * np.sin(6 * t), 6 * np.sin(9 * t) + 4, 4 * np.cos(5 * t)])


def rubbing_beside_locks(last: bool) -> tuple[gw.Mechanism, list[Law]]:
    """Friction at joints whose gears lock themselves, listed before or after them: who bears the load is open."""
    mech, gears = geared(0.4)
    rub = [
        forces.DryFriction(f"{x}.friction", forces.Line.for_machine(mech, x), friction=Friction(3.0, 0.2))
        for x in mech.speeds
    ]
    return mech, [*gears, *rub] if last else [*rub, *gears]


TWIST = forces.ElementDeflection(line("j2"), ripples=(forces.TransmissionRipple(line("j3"), 0.01, 3.0),))
CASES = {
    "Coulomb": (ARM, rubbing(Friction(3.0, 0.2))),
    "Stribeck": (ARM, rubbing(Friction(3.0, 0.2, 4.0, 0.05))),
    "plastic stops": (ARM, ends()),
    "stops that bounce, friction": (ARM, [*rubbing(Friction(1.0, 0.2)), *ends(0.5)]),
    "backlash": (ARM, [forces.Backlash("gap", TWIST, forces.TorqueCurve(300.0, 100.0), 2.0, 0.1)]),
    "hysteresis": (ARM, [forces.MaxwellSlip("slip", TWIST, 4.0, 0.05)]),
    "led": (ARM, [forces.IdealDrive.from_motion("led", line("j2"), lambda t: (0.4 - 0.4 * t, -0.4, 0.0), rate=10.0)]),
    "lossy gears": geared(0.8),
    "gears that lock themselves": geared(0.4),
    "friction beside gears that lock themselves": rubbing_beside_locks(last=True),
}


def stepped(mech: gw.Mechanism, laws, steps: int, until: float = 0.5) -> np.ndarray:
    """The last configuration; the torques at the beginning, middle and end of every step."""
    tau = np.array([torques(0.5 * until / steps * k) for k in range(2 * steps + 1)])
    run = gw.rollout(
        mech,
        Q0,
        V0,
        steps,
        until / steps,
        method="moreau",
        laws=laws,
        inputs=tau,
        options=gw.analysis.RolloutOptions(every=steps, sweeps=12),
    )
    return run.q[-1]


@pytest.mark.parametrize("case", CASES)
def test_it_converges_to_the_event_driven_run(case):
    """With first order: an eighth of the step, an eighth of the error."""
    mech, laws = CASES[case]
    exact = gw.simulate(
        mech,
        (Q0, V0),
        until=0.5,
        inputs=torques,
        laws=laws,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-8, atol=1e-10),
        samples=2,
    ).q[-1]
    errors = [np.mean([np.abs(stepped(mech, laws, steps) - exact).max() for steps in some]) for some in (COARSE, FINE)]
    order = np.log(errors[0] / errors[1]) / np.log(8)
    assert errors[1] < 1e-3
    assert 0.75 < order < 1.5


def test_who_is_listed_first_does_not_decide_whether_something_rests():
    """Friction and a gear that locks itself at one joint: there are ways to rest and to move, and it rests."""
    ends = [stepped(*rubbing_beside_locks(last), 500) for last in (False, True)]
    np.testing.assert_allclose(*ends, atol=2e-6)


@pytest.mark.parametrize("name", ["puma560", "manutec_r3_full"])
def test_robots_with_their_laws(name):
    """Runs of all that a robot states: motion, signals and books as of the event-driven run."""
    robot = gw.load(name)
    exact = gw.simulate(robot, until=0.04, samples=3)
    run = gw.simulate(
        robot, until=0.04, method="moreau", integrator=gw.analysis.IntegratorOptions(step=1e-4), samples=3
    )
    assert np.abs(run.q - exact.q).max() < 1e-5
    assert run.drift < 1e-4
    assert run["energy.dissipated"][-1] == pytest.approx(exact["energy.dissipated"][-1], rel=2e-2, abs=1e-6)
    for law in gw.laws(robot):
        assert set(run.modes[law.name]) == {"stepped" if len(law.modes) > 1 else "on"}
    forces_of = [name for name in run.series if name.endswith(".friction.force")]
    assert forces_of
    for signal in forces_of:
        np.testing.assert_allclose(run[signal][1:], exact[signal][1:], atol=0.2 + 0.02 * np.abs(exact[signal]).max())


def gantry() -> gw.Mechanism:
    """Three slides askew: a mass matrix that couples all and is the same everywhere."""
    axes = ((1.0, 0, 0), (0.6, 0.8, 0), (0.5, 0.5, np.sqrt(0.5)))
    bodies = [gw.Body(f"s{k}", parent=k - 1, joint="prismatic", axis=axis, mass=1.0 + k) for k, axis in enumerate(axes)]
    return gw.Mechanism(bodies, gravity=(0, 0, 0))


@pytest.mark.parametrize(
    ("restitution", "coulomb"),
    [(0.0, 0.0), (0.0, 2.0), (0.6, 0.0), (1.0, 0.0)],
    ids=["plastic", "both", "e", "elastic"],
)
def test_no_step_gains_energy(restitution, coulomb):
    """Plastic stops with friction, or stops that bounce without: with nothing else acting, energy only falls."""
    mech, rng = gantry(), np.random.default_rng(3)
    rows = {x: gw.forces.Line.for_machine(mech, x) for x in mech.speeds}
    laws: list[Law] = [forces.Stops(f"{x}.stops", row, -0.2, 0.2, restitution) for x, row in rows.items()]
    if coulomb:
        laws += [forces.DryFriction(f"{x}.rub", row, friction=Friction(coulomb)) for x, row in rows.items()]
    q, v = rng.uniform(-0.2, 0.2, (64, 3)), rng.uniform(-2, 2, (64, 3))
    run = gw.rollout(mech, q, v, 1000, 1e-3, method="moreau", laws=laws, options=gw.analysis.RolloutOptions(sweeps=50))
    energy = gw.kinetic_energy(mech, run.q, run.v)
    assert (np.diff(energy, axis=0) <= 1e-12 * energy[0]).all()
    assert run.drift is not None
    assert np.abs(run.drift).max() < 1e-12 * energy[0].max()
    lost = 1 - energy[-1] / energy[0]
    assert lost.max() < 1e-12 if restitution == 1 else lost.min() > 0.1


def test_the_books_of_the_smooth_part_close_with_first_order():
    """Swinging freely, what is missing falls with the step."""
    drifts = []
    for steps in (250, 500, 1000):
        run = gw.rollout(
            ARM, Q0, V0, steps, 0.5 / steps, method="moreau", options=gw.analysis.RolloutOptions(every=steps)
        )
        drifts.append(abs(float(run.drift)))
    for coarse, fine in pairwise(drifts):
        assert 0.8 < np.log2(coarse / fine) < 2.2
    assert drifts[-1] < 1e-3


def test_what_sticks_does_not_creep():
    laws = rubbing(Friction(60.0))
    run = gw.rollout(
        ARM, Q0, np.zeros(3), 2000, 1e-3, method="moreau", laws=laws, options=gw.analysis.RolloutOptions(every=2000)
    )
    assert np.abs(run.q[-1] - Q0).max() < 1e-9


def test_a_bounce_gives_back_the_square_of_its_restitution():
    """A mass falls on a stop: it rises to e^2 of its height, and the stop is passed by no more than a step's way."""
    slide = gw.Mechanism([gw.Body("mass", joint="prismatic", axis=(0, 0, 1), mass=1.0)])
    ground = forces.Stops("ground", gw.forces.Line.for_machine(slide, "mass"), 0.0, float("inf"), restitution=0.7)
    run = gw.rollout(slide, [1.0], [0.0], 8000, 1e-4, method="moreau", laws=[ground])
    landing = int(np.argmax(run.v[:, 0] > 0))
    assert run.t[landing] == pytest.approx(np.sqrt(2 / 9.81), abs=2e-4)
    assert run.q[landing:, 0].max() == pytest.approx(0.49, abs=1e-3)
    assert 0 < float(run.penetration) < 1e-4 * np.sqrt(2 * 9.81)


def test_numbers_of_laws_and_of_the_robot_vary_across_a_batch():
    """Each member moves as it would alone with its own numbers."""
    laws = [*rubbing(Friction(3.0, 0.2)), *ends()]
    varied = {
        "j2.friction.coulomb": [1.0, 5.0],
        "j3.stops.upper": [0.45, 0.2],
        "j3.friction.friction.viscous": [0.0, 1.0],
        "payload.mass": [0.5, 2.0],
    }
    robot = ROBOT.with_payload(1.0, (0.3, 0, 0))
    mech = gw.assemble(robot)
    run = gw.rollout(
        robot,
        Q0,
        V0,
        300,
        1e-3,
        method="moreau",
        laws=laws,
        parameters=varied,
        options=gw.analysis.RolloutOptions(every=300, sweeps=12),
    )
    for k in range(2):
        own = [
            replace(laws[0]),
            replace(laws[1], friction=Friction(varied["j2.friction.coulomb"][k], 0.2)),
            replace(laws[2], friction=Friction(3.0, varied["j3.friction.friction.viscous"][k])),
            *laws[3:5],
            replace(laws[5], upper=varied["j3.stops.upper"][k]),
        ]
        heavy = gw.assemble(ROBOT.with_payload(varied["payload.mass"][k], (0.3, 0, 0)))
        alone = gw.rollout(
            heavy,
            Q0,
            V0,
            300,
            1e-3,
            method="moreau",
            laws=own,
            options=gw.analysis.RolloutOptions(every=300, sweeps=12),
        )
        np.testing.assert_allclose(run.q[-1, k], alone.q[-1], atol=1e-10)
        assert run.drift[k] == pytest.approx(float(alone.drift), abs=1e-10)
    assert mech.n == 3
    assert np.abs(run.q[-1, 0] - run.q[-1, 1]).max() > 1e-2


def test_a_member_that_is_unstable_is_named():
    rotor = gw.Spin("rotor", "base", (0, 0, 1), 1e-6, {"motor": 100.0})
    bar = gw.Spring("bar", {"arm": 1.0, "motor": -1.0}, 500.0)
    arm = gw.Body("arm", mass=1.0, inertia=np.diag([0.04] * 3))
    mech = gw.Mechanism([arm], [rotor], shafts=["motor"], springs=[bar], gravity=(0, 0, 0))
    stiff = np.full(100, 500.0)
    stiff[73] = 5e6
    for method in ("euler", "moreau"):
        with pytest.raises(InputError, match=r"state 73\b.*arm.*motor.*'bar'"):
            gw.rollout(mech, [0.0, 0.0], [0.0, 0.0], 10, 1e-3, method=method, parameters={"bar.stiffness": stiff})
    rub = forces.DryFriction("rub", gw.forces.Line.for_machine(mech, "arm"), friction=Friction(1.0))
    with pytest.raises(InputError, match=r"coulomb=-1\b.*state 2\b"):
        gw.rollout(mech, [0, 0], [0, 0], 1, 1e-3, method="moreau", laws=[rub], parameters={"rub.coulomb": [1, 2, -1]})


def test_a_number_that_no_law_has_is_refused():
    rub = forces.DryFriction("rub", line("j1"), friction=Friction(1.0))
    with pytest.raises(InputError, match=r"'rub\.grip'"):
        gw.rollout(ARM, Q0, V0, 1, 1e-3, method="moreau", laws=[rub], parameters={"rub.grip": [1.0]})


def test_the_limit_of_stability_is_that_of_leapfrog():
    """Just below 2 over the frequency the motion stays, just above it is refused and would have grown."""
    mech = gw.Mechanism(
        [gw.Body("arm", mass=1.0, inertia=np.diag([0.01] * 3))],
        springs=[gw.Spring("bar", [1.0], 400.0)],
        gravity=(0, 0, 0),
    )
    with pytest.raises(InputError, match=r"0\.0102 s.*\b0\.01 s"):
        gw.rollout(mech, [0.1], [0.0], 10, 0.0102, method="moreau")
    run = gw.rollout(mech, [0.1], [0.0], 2000, 0.0099, method="moreau")
    assert np.abs(run.q).max() < 1.0
    engine = fixed_step(mech, (), "moreau", work=True)
    grown = engine.run_steps(engine.start_states([[0.1]], [0.0]), None, 0.0102, 500)
    assert np.abs(grown[-1, 0, 0]) > 10.0


def test_sweeps_are_as_many_as_the_inertias_ask_for():
    """Rotors make a few enough; too few of them are said, and too few asked for are refused."""
    few = fixed_step(gw.assemble(gw.load("puma560")), gw.laws(gw.load("puma560")), "moreau")
    assert required_sweeps(few.system, np.zeros((1, 14)), 1e-3) <= 6
    askew = gantry()
    laws = [
        forces.DryFriction(f"{x}.rub", gw.forces.Line.for_machine(askew, x), friction=Friction(50.0))
        for x in askew.speeds
    ]
    assert required_sweeps(fixed_step(askew, laws, "moreau").system, np.zeros((1, 8)), 1e-3) > 10
    with pytest.warns(GearwrightWarning, match=r"\b1 steps.*\b1 sweeps.*t = 0 s"):
        gw.rollout(
            askew,
            [0.0] * 3,
            [1.0, -1, 2],
            1,
            1e-3,
            method="moreau",
            laws=laws,
            options=gw.analysis.RolloutOptions(sweeps=1),
        )
    with pytest.raises(InputError, match="sweeps=0"):
        gw.rollout(
            askew,
            [0.0] * 3,
            [0.0] * 3,
            1,
            1e-3,
            method="moreau",
            laws=laws,
            options=gw.analysis.RolloutOptions(sweeps=0),
        )


def test_machine_code_and_numpy_agree(monkeypatch):
    """With all kinds of limits, numbers of laws and quaternions."""
    ball = gw.Body("ball", joint="spherical", mass=1.0, com=(0, 0, -0.3), inertia=np.diag([0.1, 0.2, 0.3]))
    mech = gw.Mechanism([ball, gw.Body("arm", parent=0, axis=(0, 1, 0), mass=1.0, com=(0.3, 0, 0))])
    hinge = gw.forces.Line.for_machine(mech, "arm")
    laws = (forces.DryFriction("rub", hinge, friction=Friction(0.5)), forces.Stops("ends", hinge, -0.3, 0.3, 0.5))
    x, found = None, []
    for mode in ("on", "off"):
        monkeypatch.setenv("GEARWRIGHT_KERNELS", mode)
        engine = FixedStep(mech, laws, "moreau", True, ("rub.coulomb", "arm.mass"), 5)
        x = engine.start_states([0.9, 0.1, -0.3, 0.2, 0.1], [0.3, 1.0, -0.5, 2.0]) if x is None else x
        found.append(engine.run_steps(np.array([x, x]), None, 1e-3, 200, parameters=[[0.5, 1.0], [0.0, 2.0]]))
        assert (engine._compiled_loop[0] is None) == (mode == "off")
    assert relative(*found) < 1e-10


@dataclass(frozen=True)
class Moody(Law):
    """A law with modes that does not say what it does over a step."""

    name: str

    @property
    def modes(self):
        return ("glad", "sad")


def test_a_law_that_does_not_say_what_it_does_over_a_step_is_refused():
    with pytest.raises(InputError, match=r"'mood'.*glad, sad.*`stepped`"):
        gw.rollout(ARM, Q0, V0, 1, 1e-3, method="moreau", laws=[Moody("mood")])
