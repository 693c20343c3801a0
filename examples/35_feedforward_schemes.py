"""Nominal control from the reference, from the measured state, and from a file.

Figure 20.10 of Vukobratovic and Potkonjak: a PUMA 560 tracks a fast motion under PD control with gravity only, with the
nominal control of the reference (scheme a, online or stored in a file), and with that of the measured state (scheme b).
With the exact model both schemes leave less than a thousandth of the error of PD control; when the robot carries 0.2 kg
that are not in the models, less than a third. A stored control for another motion is an error. Friction is neglected
here; a stored control would include it.
"""

import tempfile

import numpy as np

import gearwright as gw
from gearwright.errors import InputError
from gearwright.motion import polynomial

robot = gw.load("puma560")
start = np.array([0.3, -0.5, 0.8, 0.4, 0.6, -0.3])
motion = polynomial(start, start + np.array([0.8, -0.6, 0.5, 1.0, -0.7, 0.9]), duration=0.8)
kp, kd = gw.control.joint_gains(robot, start, frequency=10.0)

file = gw.control.nominal_control(robot, motion, laws=()).save(f"{tempfile.mkdtemp()}/nominal.csv")
controllers = {
    "PD": gw.control.pd(robot, motion, kp, kd),
    "reference (a)": gw.control.feedforward(robot, motion, kp, kd, "reference"),
    "stored (a)": gw.control.feedforward(robot, motion, kp, kd, stored=file),
    "measured (b)": gw.control.feedforward(robot, motion, kp, kd, "measured"),
}
peaks = {}
for load in (0.0, 0.2):
    plant = robot.with_payload(load, (0.0, 0.0, 0.1)) if load else robot
    for name, controller in controllers.items():
        run = gw.rollout(plant, start, np.zeros(6), 800, 1e-3, method="rk4", laws=(), controller=controller)
        peaks[name, load] = np.abs(run.q - motion.at(run.t)).max()
        print(f"unknown load {load:3.1f} kg, {name:14s} largest error {1e3 * peaks[name, load]:8.4f} mrad")

try:
    gw.control.feedforward(robot, polynomial(start, start + 0.3, 0.8), kp, kd, stored=file)
except InputError as refusal:
    print(refusal)
assert all(peaks[name, 0.0] < 1e-3 * peaks["PD", 0.0] for name in list(controllers)[1:])
assert all(peaks[name, 0.2] < peaks["PD", 0.2] / 3 for name in list(controllers)[1:])
