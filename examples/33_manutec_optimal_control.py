"""The Manutec r3 from point to point: a classic of optimal control, as CasADi solves it with the exact robot.

From rest at (0, -1.5, 0) to rest at (1, -1.95, 1) rad without payload, within 7.5 V at each drive and the limits of the
joints (Otter and Tuerk 1988; von Stryk and Schlemmer 1994). Radau collocation of third order on 40 intervals and IPOPT
give 20.404 V^2 s for the least energy in 0.53 s (PSOPT publishes 20.404 and 20.406) and 0.4952 s for the least time.
Without rotors in the model the energy would be about half, 10.851.
"""

import casadi as ca
import numpy as np

import gearwright as gw

arm = gw.assemble(gw.parts.with_parameters(gw.load("manutec_r3"), {"payload.mass": 0.0}))
START, GOAL = np.array([0.0, -1.5, 0.0, 0, 0, 0]), np.array([1.0, -1.95, 1.0, 0, 0, 0])
LARGEST = np.array([2.97, 2.01, 2.86, 3.0, 1.5, 5.2])  # rad, rad/s
PER_VOLT = np.array([-126.0, 252.0, 72.0])  # Nm/V
N, K = 40, 3


def solved(model: gw.Mechanism, duration: float | None) -> float:
    """The least energy [V^2 s] in a duration, or without one the least time [s]."""
    f = gw.casadi_rates(model, laws=())
    x, volts = ca.SX.sym("x", 6), ca.SX.sym("volts", 3)
    rates = ca.Function("rates", [x, volts], [f(x, PER_VOLT * volts)]).map(N * K)
    slopes, _, weights = ca.collocation_coeff(ca.collocation_points(K, "radau"))
    opti = ca.Opti()
    X, U = opti.variable(6, N * K + 1), opti.variable(3, N * K)
    T = opti.variable() if duration is None else duration
    motion, energy = rates(X[:, 1:], U), 0
    for k in range(0, N * K, K):
        opti.subject_to(X[:, k : k + K + 1] @ slopes == T / N * motion[:, k : k + K])
        energy += T / N * ca.sum1(U[:, k : k + K] ** 2) @ weights
    opti.subject_to(X[:, 0] == START)
    opti.subject_to(X[:, -1] == GOAL)
    opti.subject_to(opti.bounded(-7.5, ca.vec(U), 7.5))
    opti.subject_to(opti.bounded(-1, ca.vec(X / ca.repmat(LARGEST, 1, N * K + 1)), 1))
    opti.set_initial(X[:3, :], START[:3, None] + np.outer((GOAL - START)[:3], np.linspace(0, 1, N * K + 1)))
    if duration is None:
        opti.subject_to(opti.bounded(0.1, T, 2.0))
        opti.set_initial(T, 0.6)
    opti.minimize(energy if duration else T)
    opti.solver("ipopt", {"expand": True, "print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"})
    return float(opti.solve().value(energy if duration else T))


least, time = solved(arm, 0.53), solved(arm, None)
light = solved(gw.approximate(arm, "none"), 0.53)
print(f"least energy in 0.53 s: {least:.5f} V^2 s; with no rotors in the model {light:.5f}")
print(f"least time: {time:.5f} s")
assert abs(light - 10.851) < 0.001
assert abs(time - 0.4952) < 0.0001
assert abs(least - 20.404) < 0.001
