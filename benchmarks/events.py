"""How fast runs with events are: friction that sticks, lossy gears, controllers.

python benchmarks/events.py [--rounds 9]

Prints a line per number that must hold, and ends with 1 if one does not. The method before the event loop in machine
code is kept here: SciPy's DOP853 with rates, guards and settling called from Python.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import gearwright as gw
from gearwright.bench.cases import GEARWRIGHT_NAME
from gearwright.bench.peers import Mujoco, installed_peers
from gearwright.bench.report import Target
from gearwright.bench.timing import time_interleaved

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.closed_machines import parallel_robot, parallel_robots

BEFORE = "before"
SAMPLES = "from samples"
PEER = "MuJoCo"
STEP = 1e-3


def torques(t: float) -> np.ndarray:
    """Smooth torques that make every joint of a Puma stick and slide."""
    phases = np.array([3.0, 2.0, 4.0, 5.0, 3.0, 7.0]) * t + np.array([0.0, 1.0, 1.6, 0.0, 1.6, 0.0])
    return np.array([20.0, 60.0, 20.0, 1.0, 1.0, 1.0]) * np.sin(phases)


def sampled_torques(mech: gw.Mechanism) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The same torques as 401 samples over 2 s each."""
    t = np.linspace(0.0, 2.0, 401)
    values = np.array([torques(now) for now in t])
    return {f"tau.{speed}": (t, values[:, k]) for k, speed in enumerate(mech.speeds)}


def friction(rounds: int) -> list[Target]:
    """`puma560` with its friction for 2 s: against the method before, and against MuJoCo with `frictionloss`."""
    robot = gw.load("puma560")
    mech, laws = gw.assemble(robot), gw.laws(robot)
    options = gw.analysis.IntegratorOptions
    run = lambda engine="auto": gw.simulate(  # noqa: E731
        mech, None, 2.0, inputs=torques, laws=laws, integrator=options(engine=engine)
    )
    samples = sampled_torques(mech)
    from_samples = lambda: gw.simulate(mech, None, 2.0, inputs=samples, laws=laws)  # noqa: E731
    calls: dict[str, Callable[[], object]] = {
        GEARWRIGHT_NAME: run,
        BEFORE: lambda: run("python"),
        SAMPLES: from_samples,
    }
    if PEER in installed_peers():
        calls[PEER] = _mujoco(mech, [law.friction.coulomb for law in laws], 2.0)
    times = time_interleaved(calls, rounds)
    found = [Target("puma560 with friction, 2 s, vs the method before", times.time_ratio(BEFORE, GEARWRIGHT_NAME), 20)]
    if PEER in calls:
        found.append(
            Target("the same vs MuJoCo at 1 kHz with frictionloss", times.time_ratio(PEER, GEARWRIGHT_NAME), 0.5)
        )
        found.append(Target("the same with 401 samples per torque, vs MuJoCo", times.time_ratio(PEER, SAMPLES), 0.5))
    return found


def _mujoco(mech: gw.Mechanism, coulomb: list[float], until: float) -> Callable[[], object]:
    """MuJoCo's steps from Python, torques given at every one."""
    peer = Mujoco(mech)
    peer.model.dof_frictionloss[:] = coulomb
    peer.model.opt.timestep = STEP

    def run() -> None:
        data = peer.mujoco.MjData(peer.model)
        for k in range(round(until / STEP)):
            data.qfrc_applied[:] = torques(k * STEP)
            peer.mujoco.mj_step(peer.model, data)

    return run


def harmonic(rounds: int) -> Target:
    """`harmonic_6`: six lossy elastic drives with hysteresis, 1000 events per second."""
    robot = gw.load("harmonic_6")
    times = time_interleaved({GEARWRIGHT_NAME: lambda: gw.simulate(robot, None, 1.0)}, rounds)
    return Target("harmonic_6 with its 18 laws, vs real time", 1.0 / times.median_time(GEARWRIGHT_NAME), 10)


def lossy_arm() -> gw.Robot:
    """A Puma with its friction and gears of 80 %."""
    robot = gw.load("puma560")
    return replace(robot, drives=[replace(x, gear=replace(x.gear, efficiency=0.8)) for x in robot.drives])


def sampled(rounds: int) -> Target:
    """A PD in Python at 1 kHz."""
    robot = lossy_arm()
    kp, kd = np.array([800.0, 800.0, 400.0, 40.0, 40.0, 20.0]), np.array([80.0, 80.0, 40.0, 4.0, 4.0, 2.0])
    phases = np.arange(6.0)

    def control(t: float, state: gw.State) -> np.ndarray:
        wanted, speeds = 0.3 * np.sin(2 * t + phases), 0.6 * np.cos(2 * t + phases)
        return kp * (wanted - state.q) + kd * (speeds - state.v)

    run = lambda: gw.simulate(robot, None, 1.0, controller=gw.Controller(control, period=1e-3))  # noqa: E731
    times = time_interleaved({GEARWRIGHT_NAME: run}, rounds)
    return Target(
        "six axes, friction, lossy gears, PD in Python at 1 kHz, vs real time",
        1.0 / times.median_time(GEARWRIGHT_NAME),
        8,
    )


def cascade(mech: gw.Mechanism, robot: gw.Robot) -> gw.Controller:
    """P control of the motor angles around PI control of their speeds, on a trapezoidal motion; over scalars."""
    begin, way = np.deg2rad([-60, 20, 90, 0, -110, 0]), np.deg2rad([120, -90, -125, 45, 220, 45])
    rise, top = 1.5, 0.75
    ramp, cruise = top / rise, 1.0 / top
    data = [(x.joint, x.gear.ratio, x.motor.resistance, x.motor.torque_constant) for x in robot.drives]
    places = [mech.speeds.index(f"{x.joint}.motor" if x.gear.stiffness else x.joint) for x in robot.drives]

    def control(t, state, ops):  # type: ignore[no-untyped-def]
        clip = lambda x, most: ops.minimum(ops.maximum(x, 0.0), most)  # noqa: E731
        up, on, down = clip(t, ramp), clip(t - ramp, cruise - ramp), clip(t - cruise, ramp)
        s = 0.5 * rise * up * up + top * (on + down) - 0.5 * rise * down * down
        pace = rise * (up - down)
        volts, rates = {}, {}
        for k, ((joint, ratio, resistance, constant), place) in enumerate(zip(data, places, strict=True)):
            angle, speed = ratio * state.q[place], ratio * state.v[place]
            error = ratio * way[k] * pace + 5.0 * (ratio * (begin[k] + s * way[k]) - angle) - speed
            current = 0.05 * (state[f"{joint}.PI"] + error)
            volts[f"{joint}.voltage"] = resistance * current + constant * speed
            rates[f"{joint}.PI"] = error / 0.05
        return volts, rates

    states = {f"{x.joint}.PI": 0.0 for x in robot.drives}
    return gw.Controller(control, states=states, breaks=(ramp, cruise, cruise + ramp), scalars=True)


def controlled(rounds: int) -> Target:
    """`manutec_r3_full` under its cascade."""
    robot = gw.load("manutec_r3_full")
    mech = gw.assemble(robot)
    start = np.deg2rad([-60, 20, 90, 0, -110, 0])
    q = np.concatenate([start, start[:3]])
    run = lambda: gw.simulate(robot, q, 2.0, controller=cascade(mech, robot), method="adaptive")  # noqa: E731
    times = time_interleaved({GEARWRIGHT_NAME: run}, rounds)
    return Target("manutec_r3_full under its cascade, vs real time", 2.0 / times.median_time(GEARWRIGHT_NAME), 10)


def delta() -> tuple[gw.parts.Robot, np.ndarray, list[gw.forces.Law]]:
    """A delta robot with friction: three geared arms, three rods of 0.5 m, a platform that slides."""
    slim = lambda mass, length: mass * length**2 / 12 * np.diag([1e-2, 1.0, 1.0])  # noqa: E731
    links, drives, ends = [], [], []
    for k in range(3):
        c, s = np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3)
        joint = gw.parts.Joint(
            f"a{k}", axis=(0, 1, 0), position=(0.15 * c, 0.15 * s, 0), rotation=((c, -s, 0), (s, c, 0), (0, 0, 1))
        )
        links.append(gw.parts.Link(f"arm{k}", "base", joint, mass=0.4, com=(0.12, 0, 0), inertia=slim(0.4, 0.25)))
        drives.append(gw.parts.Drive(f"a{k}", gw.parts.Motor(inertia=4e-5), gw.parts.Gear(30.0), "base"))
        ends.append(((f"arm{k}", (0.25, 0, 0)), ("z", (0.05 * c, 0.05 * s, 0))))
    for name, parent, axis, mass in (
        ("x", "base", (1, 0, 0), 0.0),
        ("y", "x", (0, 1, 0), 0.0),
        ("z", "y", (0, 0, 1), 0.5),
    ):
        links.append(gw.parts.Link(name, parent, gw.parts.Joint(f"{name}_slide", "prismatic", axis=axis), mass=mass))
    robot = gw.parts.Robot("delta", links, drives)
    mech = gw.assemble(robot)
    rods = []
    for k, pair in enumerate(ends):
        rod = gw.forces.distance(mech, *pair, name=f"rod{k}")
        stretch = gw.forces.Coordinate.for_machine(mech, f"stretch{k}", lambda c, rod=rod: rod.function(c) - 0.5)
        rods.append(gw.contact.Constraint.from_lines(f"rod{k}", [stretch]))
    start = gw.contact.project(robot, [0.4, 0.4, 0.4, 0.0, 0.0, -0.55], rods).q
    rub = gw.parts.Friction(coulomb=0.3, static=0.4, viscous=0.02)
    frictions = [
        gw.forces.DryFriction(f"a{k}.rub", gw.forces.Line.for_machine(mech, f"a{k}"), friction=rub) for k in range(3)
    ]
    return robot, start, [*rods, *frictions]


def loops(rounds: int) -> Target:
    """A delta robot with its loops and friction: the loop in machine code against the one in Python."""
    robot, start, laws = delta()
    push = lambda t: [6 * np.sin(9 * t), 5 * np.sin(7 * t), 4 * np.cos(8 * t), 0.0, 0.0, 0.0]  # noqa: E731

    def run(engine: str) -> None:
        gw.simulate(
            robot,
            start,
            0.5,
            inputs=push,
            laws=laws,
            method="adaptive",
            integrator=gw.analysis.IntegratorOptions(engine=engine),
        )

    times = time_interleaved({GEARWRIGHT_NAME: lambda: run("compiled"), BEFORE: lambda: run("python")}, rounds)
    return Target(
        "delta robot with loops and friction, vs the method before", times.time_ratio(BEFORE, GEARWRIGHT_NAME), 20
    )


def leg(rounds: int) -> list[Target]:
    """A Cassie-like leg of the collection in GEARWRIGHT_REFERENCE, with its loops, falling for 0.1 s."""
    if "cassie_like" not in parallel_robots():
        return []
    robot = parallel_robot("cassie_like")
    mech = gw.assemble(robot)
    start = gw.integrate(mech, mech.reference, np.full(mech.n, -0.1))
    run = lambda engine: gw.simulate(  # noqa: E731
        robot, start, 0.1, method="adaptive", integrator=gw.analysis.IntegratorOptions(engine=engine)
    )
    times = time_interleaved({GEARWRIGHT_NAME: lambda: run("compiled"), BEFORE: lambda: run("python")}, rounds)
    return [
        Target("a Cassie-like leg with its loops, vs the method before", times.time_ratio(BEFORE, GEARWRIGHT_NAME), 20)
    ]


def circuit(rounds: int) -> Target:
    """Six motors with L/R = 20 us and friction: implicit steps in machine code against those of Python."""
    robot = lossy_arm()
    motor = gw.parts.Motor(1e-4, torque_constant=0.06, resistance=0.8, inductance=0.8 * 20e-6)
    drives = [replace(x, motor=replace(motor, inertia=x.motor.inertia)) for x in robot.drives]
    robot = replace(robot, drives=drives)
    inputs = {f"{x.joint}.voltage": lambda t, k=k: 8.0 * np.sin((5 + k) * t) for k, x in enumerate(drives)}

    def run(engine: str) -> None:
        options = gw.analysis.IntegratorOptions(engine=engine)
        gw.simulate(robot, None, 0.2, inputs=inputs, method="stiff", integrator=options)

    times = time_interleaved({GEARWRIGHT_NAME: lambda: run("compiled"), BEFORE: lambda: run("python")}, rounds)
    return Target(
        "motor circuits of L/R = 20 us, vs the implicit method before", times.time_ratio(BEFORE, GEARWRIGHT_NAME), 50
    )


FIRST = """
import time, gearwright as gw
robot = gw.load("puma560")
begun = time.process_time()
gw.simulate(robot, None, 0.1)
print(time.process_time() - begun)
"""


def first(rounds: int) -> Target:
    """A first run in a new process, everything it needs on disk."""
    ask = lambda: float(subprocess.run([sys.executable, "-c", FIRST], check=True, capture_output=True).stdout)  # noqa: E731
    robot = gw.load("puma560")
    for _ in range(2):
        gw.simulate(robot, None, 3.0, inputs=torques)  # long enough for the kernels to pay
    ask()
    what = "a first run in a new process, puma560 with friction, 0.1 s"
    return Target(what, sorted(ask() for _ in range(rounds))[rounds // 2], 0.05, "s", at_most=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="paired rounds per comparison")
    os.environ["GEARWRIGHT_THREADS"] = "1"
    rounds = parser.parse_args().rounds
    found = [*friction(rounds), harmonic(3), sampled(3), controlled(3), loops(3), *leg(3), circuit(3), first(rounds)]
    print(*found, sep="\n")
    return 0 if all(promise.is_met for promise in found) else 1


if __name__ == "__main__":
    sys.exit(main())
