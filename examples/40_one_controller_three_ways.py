"""One controller in Python, in a compiled batch, and as C.

A cascade with encoders of 1e-5 rad and speeds by difference is written once. In a simulation it controls the arm; in a
batch of 1,000 arms with payloads of 0 to 3 kg it runs in machine code; as C (built with gcc if installed) its outputs
agree with Python to 1e-12.
"""

import ctypes
import shutil
import subprocess
import tempfile

import numpy as np

import gearwright as gw
from gearwright.motion import polynomial

arm = gw.load("elbow").with_payload(0.0, (0.1, 0.0, 0.0))
motion = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=0.5)
cascade = gw.control.controller_by_name("cascade", arm, motion, frequency=60.0)
controller = gw.control.with_sampling(cascade, 1e-3, resolution=1e-5, speed="difference")

times = np.linspace(0.0, 0.5, 11)
run = gw.simulate(arm, until=0.5, controller=controller, samples=times)
masses = np.linspace(0.0, 3.0, 1000)
batch = gw.rollout(
    arm, np.zeros(3), np.zeros(3), 500, 1e-3, method="rk4", controller=controller,
    parameters={"payload.mass": masses}, options=gw.analysis.RolloutOptions(every=50),
)  # fmt: skip
print(f"largest difference of run and batch {np.abs(batch.q[:, 0] - run.q).max():.1e} rad")
print(f"error at the end: {batch.q[-1, 0] - motion.at(0.5)} without load, {batch.q[-1, -1] - motion.at(0.5)} with 3 kg")
assert np.abs(batch.q[:, 0] - run.q).max() < 1e-6

states = np.array(list(controller.states.values()))
given = [np.array([0.1, 0.0, -0.1]), np.zeros(3), motion.at(0.2), motion.at(0.2, 1), states]
decided = controller.kernel(*given)
print("Python decides", decided[:3])
out = decided.copy()
if shutil.which("gcc"):
    folder = tempfile.mkdtemp()
    _, source, *_ = gw.export.c(arm, folder, [controller])
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", source, "-o", f"{folder}/arm.so", "-lm"], check=True)
    out[:] = 0.0
    arrays = [ctypes.c_void_p(x.ctypes.data) for x in (*given, out)]
    ctypes.CDLL(f"{folder}/arm.so").elbow_cascade(*arrays)
    print("C decides     ", out[:3])
assert np.allclose(out, decided, rtol=1e-12, atol=1e-12)
