"""The time-optimal swing of an arm within its torque limits, and the error of planning without rotors.

The elbow arm goes from rest to rest in the shortest time with torques of at most 40, 60 and 25 Nm, constant over each
of 40 intervals (multiple shooting, IPOPT from the CasADi wheel). The plan is replayed on the exact robot, open loop.
The plan with all rotors ends within 1e-5 rad of the goal; the one with reflected inertias on the diagonal of the mass
matrix has an error of more than 0.01 rad, the one without rotors of more than 1 rad.
"""

import casadi as ca
import numpy as np

import gearwright as gw

arm = gw.assemble(gw.load("elbow"))
START, GOAL, LIMITS, N = np.array([0.0, -0.5, 0.4]), np.array([1.2, 0.6, -0.8]), np.array([40.0, 60.0, 25.0]), 40


def planned(model: gw.Mechanism) -> tuple[float, np.ndarray]:
    """Duration [s] and torques (N, 3) [Nm] of the quickest swing of a model."""
    rates = gw.casadi_rates(model)
    x, u, h = ca.SX.sym("x", 6), ca.SX.sym("u", 3), ca.SX.sym("h")
    k1 = rates(x, u)  # one step of Runge and Kutta per interval
    k2 = rates(x + h / 2 * k1, u)
    k3 = rates(x + h / 2 * k2, u)
    k4 = rates(x + h * k3, u)
    interval = ca.Function("interval", [x, u, h], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)]).map(N)
    opti = ca.Opti()
    X, U, T = opti.variable(6, N + 1), opti.variable(3, N), opti.variable()
    opti.minimize(T)
    opti.subject_to(X[:, 1:] == interval(X[:, :-1], U, ca.repmat(T / N, 1, N)))
    opti.subject_to(X[:, 0] == np.concatenate([START, np.zeros(3)]))
    opti.subject_to(X[:, N] == np.concatenate([GOAL, np.zeros(3)]))
    opti.subject_to(opti.bounded(-1, ca.vec(U / ca.repmat(LIMITS, 1, N)), 1))
    opti.subject_to(opti.bounded(0.1, T, 5))
    opti.set_initial(T, 1.0)
    opti.set_initial(X[:3, :], START[:, None] + np.outer(GOAL - START, np.linspace(0, 1, N + 1)))
    opti.solver("ipopt", {"expand": True, "print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"})
    solution = opti.solve()
    return float(solution.value(T)), solution.value(U).T


missed = {}
for kind in ("exact", "diagonal", "none"):
    duration, torques = planned(arm if kind == "exact" else gw.approximate(arm, kind))
    fine = 50  # steps per interval of the replay
    swing = gw.rollout(
        arm, START, np.zeros(3), N * fine, duration / (N * fine), method="rk4", inputs=np.repeat(torques, fine, axis=0)
    )
    missed[kind] = np.abs(swing.q[-1] - GOAL).max()
    print(f"{kind:9s} planned in {duration:.4f} s, final error {missed[kind]:.1e} rad")
assert missed["exact"] < 1e-5
assert missed["diagonal"] > 0.01
assert missed["none"] > 1
