"""Speed of fits to logs of runs: `python benchmarks/run_fits.py`.

Prints the cost of the exact gradient of a run by 13 unknowns relative to central differences in the same engine (goal:
a third), for one joint and for three, one run and eight, all differences in one batch; and the time of a whole fit
relative to one by finite differences through `mujoco.rollout` with the same least squares (goal: five times faster at
an error that is no larger). One thread; processor time; the fit includes compiling unless its kernels are in the cache.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

os.environ.setdefault("GEARWRIGHT_THREADS", "1")

import numpy as np
from scipy.optimize import least_squares

import gearwright as gw
from gearwright.identification import RunFitOptions, RunLog, Unknown, fit_run
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Payload, Robot
from gearwright.simulation.acting_laws import RobotLaws
from gearwright.simulation.fixed_step.compiled_rollout import FixedStep, fixed_step
from gearwright.simulation.fixed_step.differentiated_step import differentiated_step, nominal_number

STEP, STEPS, ROUNDS = 1e-3, 2000, 7
ONE_JOINT = (
    *(f"j1.motor_friction.{word}" for word in ("coulomb", "viscous", "static", "stribeck_speed")),
    *(f"l1.{word}" for word in ("mass", "com.x", "com.y", "com.z", "inertia.xx", "inertia.yy", "inertia.zz")),
    *("j1.motor.inertia", "payload.mass"),
)
THREE_JOINTS = (
    *(f"j{k}.motor.inertia" for k in (1, 2, 3)),
    *(f"j{k}.motor_friction.{word}" for k in (1, 2, 3) for word in ("coulomb", "viscous", "static")),
    "payload.mass",
)
TRUE = {"j.motor.inertia": 2e-3, "j.motor_friction.coulomb": 0.05, "j.motor_friction.viscous": 0.02, "arm.com.z": -0.3}
LOGS, DURATION, PERIOD, NOISE = 8, 3.0, 5e-3, 1e-4


def arm(joints: int) -> Robot:
    """A serial arm with a geared motor in every joint."""
    links, drives = [], []
    for k in range(1, joints + 1):
        joint = Joint(f"j{k}", axis=(0, 1, 0) if k > 1 else (0, 0, 1), position=(0, 0, 0.3 if k > 1 else 0.0))
        parent = "base" if k == 1 else f"l{k - 1}"
        links.append(Link(f"l{k}", parent, joint, mass=3.0 / k, com=(0.02, 0, 0.15), inertia=0.02 * np.eye(3)))
        friction = Friction(0.01, 2e-4, 0.012, 2.0)
        drives.append(Drive(f"j{k}", Motor(1e-4, friction=friction), Gear(50.0)))
    return Robot("arm", links, drives, payload=Payload(1.0, position=(0, 0, 0.2)))


def run_time(engine: FixedStep, start: np.ndarray, inputs: np.ndarray, numbers: np.ndarray) -> float:
    """The least processor time [s] of a batch of runs."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        engine.run_steps(start, inputs, STEP, STEPS, parameters=numbers)
        times.append(time.process_time() - begin)
    return min(times)


def gradient_cost(joints: int, names: tuple[str, ...]) -> None:
    """Exact gradient of a run of 2 s by its numbers, against twice as many runs."""
    robot = arm(joints)
    laws = RobotLaws(frozenset(f"tau.j{k}" for k in range(1, joints + 1)))
    plain = fixed_step(robot, laws, "moreau", parameters=names)
    tangent = differentiated_step(robot, laws, "moreau", names, {"sweeps": plain.sweeps})
    numbers = np.array([[nominal_number(robot, plain.system.laws, name) for name in names]])
    t = 0.5 * STEP * np.arange(2 * STEPS + 1)
    inputs = np.zeros((len(t), 1, len(plain.inputs)))
    inputs[:, 0, :joints] = 20.0 * np.sin(np.outer(t, 4.0 + np.arange(joints)))
    start = plain.start_states([[0.0] * joints], [0.0] * joints)
    varied = np.repeat(numbers, 2 * len(names), axis=0)
    for k in range(len(names)):
        varied[2 * k, k] *= 1 + 1e-6
        varied[2 * k + 1, k] *= 1 - 1e-6
    for runs in (1, LOGS):
        rows, columns = np.repeat(start, runs * len(varied), axis=0), tangent.with_first_columns(start).repeat(runs, 0)
        tiled = np.tile(varied, (runs, 1))
        exact = run_time(tangent, columns, inputs, numbers)
        batch = run_time(plain, rows, inputs, tiled)
        print(
            f"gradient of {runs} run(s) of {STEPS} steps by {len(names)} unknowns, {joints} joint(s): "
            f"{1e3 * exact:.2f} ms, central differences as one batch {1e3 * batch:.2f} ms: ratio {exact / batch:.2f} "
            "(goal: 0.33)"
        )


def pendulum(numbers: dict[str, float]) -> Robot:
    """One joint with a motor of ratio 1, so that its rotor is an armature exactly."""
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=0.5, com=(0, 0, -0.2), inertia=0.01 * np.eye(3))
    motor = Motor(1e-3, friction=Friction(coulomb=0.1, viscous=0.01))
    return gw.parts.with_parameters(
        Robot("pendulum", [link], [Drive("j", motor, Gear(1.0))]),
        {name.replace("motor_friction", "motor.friction"): x for name, x in numbers.items()},
    )


def measured_logs() -> list[RunLog]:
    """Runs with located events and small tolerances, with noise."""
    logs, t = [], PERIOD * np.arange(round(DURATION / PERIOD) + 1)
    for seed in range(LOGS):
        rng = np.random.default_rng(seed)
        phases, rates = rng.uniform(0, 6, 2), rng.uniform(2, 12, 2)
        torque = 0.5 * np.sin(rates[0] * t + phases[0]) + 0.4 * np.sin(rates[1] * t + phases[1])
        held = {"tau.j": (t, torque)}
        run = gw.simulate(pendulum(TRUE), ([0.2], [0.0]), DURATION, samples=len(t), inputs=held)
        q = run.q[:, 0] + NOISE * rng.standard_normal(len(t))
        q[0] = 0.2  # both fits start there
        logs.append(RunLog(t, {"tau.j": torque}, {"q.j": q}, name=f"run {seed}"))
    return logs


def mujoco_residuals(logs: list[RunLog], step: float) -> Callable[[np.ndarray], np.ndarray]:
    """Residuals of all logs by `mujoco.rollout`; one call per set of numbers."""
    import mujoco
    from mujoco import rollout

    text = f"""<mujoco><option timestep="{step}" integrator="implicitfast"/><worldbody><body>
        <joint name="j" axis="0 1 0" armature="1e-3" damping="0.01" frictionloss="0.1"/>
        <inertial pos="0 0 -0.2" mass="0.5" diaginertia="0.01 0.01 0.01"/></body></worldbody>
        <actuator><motor joint="j"/></actuator></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data, size = mujoco.MjData(model), mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((len(logs), size))
    start[:, 1] = [log.measured["q.j"][0] for log in logs]
    count = round(DURATION / step)
    middle = step * (np.arange(count) + 0.5)
    control = np.array([np.interp(middle, log.times, log.inputs["tau.j"]) for log in logs])[:, :, None]
    every = round(PERIOD / step)

    def residuals(x: np.ndarray) -> np.ndarray:
        model.dof_armature[0], model.dof_frictionloss[0], model.dof_damping[0] = np.exp(x[:3])
        model.body_ipos[1, 2] = x[3]
        states, _ = rollout.rollout(model, data, start, control)
        q = states[:, every - 1 :: every, 1]
        return np.concatenate([q[k] - log.measured["q.j"][1:] for k, log in enumerate(logs)]) / NOISE

    return residuals


def fit_cost() -> None:
    """The same least squares, from the same start, with exact derivatives and with differences."""
    logs, bounds = measured_logs(), {"j.motor.inertia": (1e-4, 1e-1), "j.motor_friction.coulomb": (1e-3, 1.0)}
    bounds |= {"j.motor_friction.viscous": (1e-4, 1.0), "arm.com.z": (-1.0, 0.0)}
    unknowns = [Unknown(name, None, *limits) for name, limits in bounds.items()]
    options = RunFitOptions(step=STEP, horizons=(), loss="linear", starts=1, free_starts=False, scales={"q.j": NOISE})
    begin = time.process_time()
    fit = fit_run(pendulum({}), logs, unknowns, options=options)
    exact = time.process_time() - begin
    print(f"fit of {LOGS} logs of {DURATION:g} s, 4 unknowns: {exact:.2f} s, step {1e3 * STEP:g} ms")
    print(f"    {_errors(fit.values)}")
    print(f"    mean absolute error {1e3 * fit.mean_absolute_error['q.j']:.4f} mrad")
    for step in (1e-3, 2.5e-4):
        residuals = mujoco_residuals(logs, step)
        begin = time.process_time()
        found = least_squares(residuals, [*np.log([1e-3, 0.1, 0.01]), -0.2], x_scale="jac")
        slow = time.process_time() - begin
        values = dict(zip(TRUE, [*np.exp(found.x[:3]), found.x[3]], strict=True))
        print(f"finite differences through mujoco.rollout: {slow:.2f} s, step {1e3 * step:g} ms, {_errors(values)}")
        error = 1e3 * NOISE * np.abs(residuals(found.x)).mean()
        print(f"    mean absolute error {error:.4f} mrad; ratio of times {slow / exact:.1f} (goal: 5)")


def _errors(values: dict[str, float]) -> str:
    return "errors " + ", ".join(f"{100 * (values[name] / true - 1):+.2f} %" for name, true in TRUE.items())


def main() -> None:
    gradient_cost(1, ONE_JOINT)
    gradient_cost(3, THREE_JOINTS)
    fit_cost()


if __name__ == "__main__":
    main()
