"""Voltages for a prescribed motion, the resulting motion, and the error of a diagonal model.

An elbow arm with three DC motors, of which two are on moving links, turns in 0.6 s. The voltages include the
inductances; simulated with them, the arm follows the motion to 1e-6 rad. Vukobratovic and Potkonjak (eq. 20.71) put the
rotors on the diagonal of the inertia matrix only: voltages from that model give an error of 0.94 mrad at joint 1. The
complete model as one system x' = C(x) + D(x) u gives the same accelerations as the simulation to 1e-10.
"""

import numpy as np

import gearwright as gw
from gearwright.forces import DcMotorData, dc_motor
from gearwright.motion import polynomial

DATA = DcMotorData(torque_constant=0.05, resistance=0.5, inductance=5e-4, max_voltage=48.0)
JOINTS = ("j1", "j2", "j3")

arm = gw.assemble(gw.load("elbow"))
motion = polynomial([0, 0, 0], [0.3, 1.2, -1.5], duration=0.6, order=7)


def missed(model: gw.Mechanism) -> np.ndarray:
    """Largest errors of the joints when the true arm gets the voltages that a model of it asks for [rad]."""
    asked = gw.demands(model, motion, actuators=[dc_motor(model, name, DATA) for name in JOINTS])
    print(asked.report())
    motors = [dc_motor(arm, name, DATA) for name in JOINTS]
    run = gw.simulate(
        arm, asked.start, motion.duration, extra_laws=motors, inputs=asked.input_signals, method="stiff", samples=61
    )
    return np.abs(run.q - motion.at(run.t)).max(axis=0)


exact, diagonal = missed(arm), missed(gw.approximate(arm, "diagonal"))
print("error of the arm with exact voltages", exact, "rad; with voltages of the diagonal model", diagonal.round(6))

model = gw.actuation.complete_model(arm, [dc_motor(arm, name, DATA) for name in JOINTS])
state, voltages = np.linspace(-1, 1, 9), [12.0, -6.0, 3.0]
forces = gw.actuation.structure_matrix(arm) @ (0.05 * state[6:])
difference = model.rates(state, voltages)[3:6] - gw.forward_dynamics(arm, state[:3], state[3:6], forces)
print("complete model: states", ", ".join(model.state_names), "- acceleration error", np.abs(difference).max())

assert exact.max() < 1e-6
assert abs(1000 * diagonal[0] - 0.94) < 0.01
assert np.abs(difference).max() < 1e-10
