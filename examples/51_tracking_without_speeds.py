"""Speeds from positions alone, on the "points" model of Melhem and Loria, compared with an extended Kalman filter.

Positions of links and motors are measured, speeds are not. In the model of mass points the Coriolis forces are
symmetric, so that an observer of the speeds converges from any initial error at a proven rate. The elbow arm with three
elastic joints swings at constant torques, with 1 rad/s that neither observer knows. After 0.2 s both errors are below
1e-4 of the initial one. The filter has 90 states and no proven bound; the observer has 6.
"""

import numpy as np

import gearwright as gw

mech = gw.assemble(gw.load("elastic_elbow"))
model = gw.elastic.RedundantModel(mech, "points")
some = model.configurations(20)
print("controllable:", gw.elastic.controllability(model, some))
print("observable from positions:", gw.elastic.observability(model, some))
bound = gw.control.speed_observer_bound(mech, kinetic_energy=60.0, rate=40.0, configurations=100)
print(f"Coriolis constant {bound.coriolis_constant:.2f}, gain {bound.gain:.0f} 1/s for a rate of {bound.rate:.0f} 1/s")

hold = gw.control.state_feedback(mech, [0.2, 0.1, 0.3], np.zeros((3, 12)))
start, _, torques = (x[0] for x in hold.references(np.zeros(1)).values())
speeds = np.tile([1.0, -0.5, 0.8], 2)
step, count = 5e-4, 400
watched = gw.control.speed_observer(hold, start, bound)
options = gw.analysis.RolloutOptions(every=2)
run = gw.rollout(mech, start, speeds, 2 * count, step / 2, method="rk4", controller=watched, options=options)
observed = np.stack([run.states[f"observer.{x}"] for x in mech.speeds], axis=-1) + bound.gain * run.q


def extended_kalman_filter(positions, tau):
    """Estimates of the speeds: the model linearised at the estimate, second-order steps."""
    x, P = np.concatenate([positions[0], np.zeros(6)]), np.diag(np.repeat([1e-10, 1.0], 6))
    noise = np.diag(np.repeat([0.0, 1e2], 6)) * step
    estimates = [x[6:]]
    for y in positions[1:]:
        linear = gw.linearise(mech, x[:6], x[6:], tau)
        rates = np.concatenate([x[6:], gw.forward_dynamics(mech, x[:6], x[6:], tau)])
        x = x + step * rates + step**2 / 2 * linear.A @ rates
        F = np.eye(12) + step * linear.A + step**2 / 2 * linear.A @ linear.A
        P = F @ P @ F.T + noise
        gain = np.linalg.solve(P[:6, :6] + 1e-10 * np.eye(6), P[:6]).T
        x, P = x + gain @ (y - x[:6]), P - gain @ P[:6]
        estimates.append(x[6:])
    return np.array(estimates)


filtered = extended_kalman_filter(run.q, np.concatenate([np.zeros(3), torques]))
errors = {
    name: np.sqrt(2 * gw.kinetic_energy(mech, run.q, run.v - estimate))
    for name, estimate in (("observer", observed), ("Kalman filter", filtered))
}
proven = bound.error(errors["observer"][0], run.t)
for k in range(0, count + 1, 80):
    print(f"t = {run.t[k]:.2f} s: error of the observer {errors['observer'][k]:.1e}, proven {proven[k]:.1e},", end=" ")
    print(f"extended Kalman filter {errors['Kalman filter'][k]:.1e}  (energy norm)")
assert np.all(errors["observer"] <= proven + 1e-4)
assert errors["observer"][-1] < 1e-4 * errors["observer"][0]
assert errors["Kalman filter"][-1] < 1e-4 * errors["observer"][0]
