"""A robot with its friction as an FMU, for Simulink, Modelica tools or FMPy.

The Puma is written for FMI 3.0 with one of its frictions as a parameter. FMPy runs it with the internal solver
(Co-Simulation) while joints stick and slide: the run is that of `simulate` to 1e-8. With the parameter at twice its
value joint 1 turns less, as that of the robot with this friction does.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import fmpy
import numpy as np

import gearwright as gw
from gearwright.parts.parameter_paths import parameter, with_parameters

puma, path = gw.load("puma560"), "joint1.friction"
tau = dict(zip(("tau." + speed for speed in gw.assemble(puma).speeds), (60, -30, 5, 1, 1, 1), strict=True))
harder = 2 * parameter(puma, path)

with TemporaryDirectory() as folder:
    report = gw.export.fmu(puma, Path(folder) / "puma.fmu", version="3.0", parameters=[path])
    print(report.platform, len(report.outputs), "outputs", report)
    found = {
        friction: fmpy.simulate_fmu(
            str(report.path),
            fmi_type="CoSimulation",
            stop_time=0.5,
            output_interval=0.01,
            start_values={**tau, path: friction},
            output=["q.joint1", "v.joint1", "joint1.friction.force"],
        )
        for friction in (parameter(puma, path), harder)
    }

errors = []
for friction, series in found.items():
    robot = with_parameters(puma, {path: friction})
    run = gw.simulate(
        robot, until=0.5, inputs=tau, samples=51, integrator=gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-12)
    )
    errors.append(np.abs(series["q.joint1"] - run["q.joint1"]).max())
    print(f"friction {friction:.2f} Nm: joint 1 turns {series['q.joint1'][-1]:.4f} rad, {errors[-1]:.0e} from simulate")
assert max(errors) < 1e-8
assert found[harder]["q.joint1"][-1] < found[parameter(puma, path)]["q.joint1"][-1]
