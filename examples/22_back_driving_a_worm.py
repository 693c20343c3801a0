"""Back-driving a worm: one lets the arm fall, the other holds it until the motor pushes it down.

Both worms turn 40 times per turn of the wheel. The steep one passes 84 % of the arm's power back to the motor: the arm
falls, swings up on the other side and comes back, losing energy throughout. The flat one is self-locking (its
back-driving efficiency is -0.767): the arm, 24.5 Nm heavy, stays where it is without any motor torque. To lower it the
motor must push with 18.8 Nm, counted at the joint; the power of weight and motor becomes heat in the thread.
"""

from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.parts import Drive, Joint, Link, Motor, Robot, Worm
from gearwright.plots import Panel, panel_figure, save_figure


def crane(starts: int, lead_angle: float, friction: float) -> Robot:
    """An arm of 5 kg at 0.5 m behind a worm; the rotor is a heavy one."""
    worm = Worm(starts=starts, wheel=40 * starts, lead_angle=lead_angle, friction_coefficient=friction)
    arm = Link("arm", joint=Joint("arm", axis=(0, 1, 0)), mass=5, com=(0.5, 0, 0), inertia=np.eye(3) * 0.1)
    return Robot("crane", [arm], [Drive("arm", Motor(1e-3), worm)])


steep, flat = crane(4, 0.35, 0.05), crane(1, 0.06, 0.1)
for name, robot in (("steep", steep), ("flat", flat)):
    drives, back = robot.drives[0].gear.thread_efficiencies
    print(f"{name}: driving efficiency {drives:.3f}, back-driving {back:.3f}")

fine = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)
runs = {
    "steep, let go": gw.simulate(steep, until=2.5, integrator=fine),
    "flat, let go": gw.simulate(flat, until=2.5, integrator=fine),
    "flat, pushed": gw.simulate(flat, until=2.5, inputs={"tau.arm": lambda t: 10 * t}, integrator=fine),
}
for name, run in runs.items():
    lost = run["energy.dissipated"][-1]
    print(
        f"{name}: from 0 to {run['q.arm'][-1]:.3f} rad, {lost:.2f} J became heat, energy balance error {run.drift:.0e}"
    )
    for change in run.events:
        print(f"    {change.t:.4f} s: {change.kind}")

panels = [
    Panel(label, {name: run[series] for name, run in runs.items()})
    for label, series in (("arm [rad]", "q.arm"), ("heat [J]", "energy.dissipated"), ("motor [Nm]", "tau.arm"))
]
picture = panel_figure(runs["flat, pushed"].t, "time [s]", panels, title="Back-driving a worm")
print("figure:", save_figure(picture, Path(gettempdir()) / "back_driving_a_worm.png"))

begins = 10 * next(h.t for h in runs["flat, pushed"].events)
print(f"the locked worm begins to turn at {begins:.3f} Nm")
assert np.abs(runs["flat, let go"].q).max() == 0
assert max(run.drift for run in runs.values()) < 1e-8
assert abs(begins - 18.8) < 0.01
