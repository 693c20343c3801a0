"""Tracking with an observer, the purpose of the model of Melhem and Loria, on the corrected model.

The elbow arm has elastic drives and sensors at its motors only. An observer simulates the model, quadratic terms
included, in parallel with the arm and is corrected by the motor measurements; the controller uses its link estimates.
It starts with an error of 0.02 rad at every link; at the end its estimate is within 1e-3 rad of the links. The arm
stays within 0.01 rad of its path: the feedforward assumes rigid drives. The constants of the paper's proofs (P1 to P3
and eq. 17) are bounds over all configurations, of which 200 are sampled here.
"""

import numpy as np

import gearwright as gw
from gearwright.motion import polynomial

mech = gw.assemble(gw.load("elastic_elbow"))
model = gw.elastic.RedundantModel(mech)
some = model.configurations(200)
print("P1  ||J|| in", model.norm_bounds(some))
print("P2  ||J1+|| in", model.inverse_norm_bounds(some, "J1"), " ||J3+|| in", model.inverse_norm_bounds(some, "J3"))
print(f"P3  Lipschitz constant of dJ/dt {model.lipschitz_constant(some):.3f}, of dJ+/dt (17)", end=" ")
print(f"{model.inverse_lipschitz_constant(some):.3f}")

motion = polynomial([0, 0, 0], [0.8, 0.5, -0.5], duration=0.8, order=7)
at_rest = gw.approximate(mech, "spong")  # the push of rotors on links, left out here, is zero at rest
start = gw.motor_motion(at_rest, *(motion.at(0.0, k) for k in range(5))).q
inner = gw.control.feedforward(mech, motion, 2000, 100)
control = gw.control.elastic_observer(inner, motion.at(0.0) + 0.02, frequency=100.0)
run = gw.rollout(
    mech,
    start,
    np.zeros(6),
    3200,
    2.5e-4,
    method="rk4",
    controller=control,
    options=gw.analysis.RolloutOptions(every=32),
)

estimate = np.stack([run.states[f"estimate.q.{name}"] for name in mech.speeds[:3]], axis=-1)
gap = np.abs(estimate - run.q[:, :3]).max(axis=1)
error = np.abs(run.q[:, :3] - motion.at(run.t)).max(axis=1)
for k in range(0, len(run.t), 20):
    print(f"t = {run.t[k]:.2f} s: estimation error {gap[k]:.1e} rad, tracking error {error[k]:.1e} rad")

assert gap[0] > 0.019
assert error.max() < 0.01
assert gap[-1] < 1e-3
