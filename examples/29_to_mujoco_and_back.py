"""A geared arm in MuJoCo, with armature and with every rotor as a body.

The elbow arm is written as MJCF in three forms. With armature, at joints or along tendons, MuJoCo's accelerations are
within 1 % of the exact ones, with rotor bodies within 0.01 %. Read back, the file with rotor bodies has the exact mass
matrix, and with its sidecar it is the robot itself.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import gearwright as gw

elbow = gw.load("elbow")
exact = gw.assemble(elbow)
q = [0.3, -0.5, 0.8]

with TemporaryDirectory() as folder:
    path = Path(folder) / "elbow.xml"
    errors = {}
    for form in ("diagonal", "reflected", "bodies"):
        report = gw.export.mjcf(elbow, path, rotors=form)
        errors[form] = report.acceleration_error
        print(f"{form:10s} accelerations within {report.acceleration_error:.1e}")
    back = gw.load(path)  # with its sidecar: the robot itself
    gw.export.mjcf(elbow, path, rotors="bodies", sidecar=False)
    (Path(folder) / "elbow.gearwright.yaml").unlink()
    alone = gw.load(path)  # what MuJoCo sees: rotors are links that follow their joints

print("links in the file:", ", ".join(link.name for link in alone.links))
assert errors["diagonal"] < 1e-2
assert errors["bodies"] < 1e-4
assert back.drives == elbow.drives
assert np.allclose(gw.mass_matrix(gw.assemble(alone), q), gw.mass_matrix(exact, q), rtol=1e-12)
