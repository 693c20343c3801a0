"""The simulation in a C package is the event engine: its runs are those of `simulate`, events included."""

from __future__ import annotations

import ctypes
import re
import subprocess

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.export import CFunction, real_time_check
from gearwright.export import c as export_c
from gearwright.export.fmi.build import find_compiler
from gearwright.parts import Limits
from gearwright.simulation import steps
from support.fmus import PIECES, arm

UNTIL, CHANGED_MASS = 0.5, 1.7
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Werror", "-std=c99", "-pedantic", "-O1"]
VOLTAGES = {"shoulder.voltage": [9.0, -20.0, 3.0, 0.0, 24.0], "elbow.voltage": [-6.0, 2.0, 12.0, -24.0, 0.0]}

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")


def stopped_arm() -> gw.Robot:
    """Stiction, lossy gears, motors, and end stops within reach."""
    return arm(0.5, efficiency=0.7, limits=Limits(position=(-0.6, 0.6)))


class Simulation:
    """The simulation of a package as a shared library, with the variables that its header names."""

    def __init__(self, folder, name):
        library = folder / "simulation.so"
        source = folder / f"{name}_simulation.c"
        subprocess.run([find_compiler(), *STRICT, "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
        self.stem, self.library = f"{name}_simulation", ctypes.CDLL(str(library))
        header = (folder / f"{name}_simulation.h").read_text()
        listed = re.findall(r"^  \w+ = (\d+), /\* (\S+).* \*/$", header, re.MULTILINE)
        self.variables = {title: int(number) for number, title in listed if title not in ("rate", "parameter")}
        self.parameters = [int(number) for number, title in listed if title == "parameter"]
        for verb, result in (("create", ctypes.c_void_p), ("error", ctypes.c_char_p)):
            getattr(self.library, f"{self.stem}_{verb}").restype = result
        self.handle = ctypes.c_void_p(self.call("create", ctypes.c_double(1e-11)))

    def call(self, verb, *arguments):
        return getattr(self.library, f"{self.stem}_{verb}")(*arguments)

    def set(self, variable, value):
        assert self.call("set", self.handle, variable, ctypes.c_double(value)) == 0

    def get(self, name):
        value = ctypes.c_double()
        assert self.call("get", self.handle, self.variables[name], ctypes.byref(value)) == 0
        return value.value

    def advance(self, duration):
        return self.call("advance", self.handle, ctypes.c_double(duration))

    def derivative(self, of, by):
        value = ctypes.c_double()
        assert self.call("derivative", self.handle, of, by, ctypes.byref(value)) == 0
        return value.value

    def error(self):
        return self.call("error", self.handle).decode()

    def free(self):
        self.call("free", self.handle)


@needs_compiler
def test_it_runs_as_simulate_through_events_with_a_parameter_that_changed(tmp_path):
    robot = stopped_arm()
    request = CFunction("simulate", {"inputs": "voltage"})
    export_c(robot, tmp_path, ["inverse_dynamics", request], ["payload.mass"], name="arm")
    simulation = Simulation(tmp_path, "arm")
    simulation.set(simulation.parameters[0], CHANGED_MASS)
    times = np.linspace(0, UNTIL, PIECES + 1)
    names = ["q.shoulder", "q.elbow", "v.shoulder", "v.elbow", "shoulder.current", "energy.dissipated"]
    found = []
    for k, duration in enumerate(np.diff(times)):
        for name, values in VOLTAGES.items():
            simulation.set(simulation.variables[name], values[k])
        assert simulation.advance(float(duration)) == 0
        found.append([simulation.get(name) for name in names])
    heavier = gw.parts.with_parameters(robot, {"payload.mass": CHANGED_MASS})
    inputs = {name: steps(times[:-1].tolist(), values) for name, values in VOLTAGES.items()}
    options = gw.analysis.IntegratorOptions(rtol=1e-12, atol=1e-14)
    run = gw.simulate(heavier, None, UNTIL, inputs=inputs, samples=PIECES + 1, integrator=options)
    assert len(run.events) > 5
    expected = np.column_stack([run[name] for name in names])[1:]
    assert np.abs(np.array(found) - expected).max() < 1e-9
    simulation.free()


@needs_compiler
def test_its_derivatives_are_those_of_the_motion(tmp_path):
    robot = arm()
    export_c(robot, tmp_path, ["simulate"], name="arm")
    simulation, mech = Simulation(tmp_path, "arm"), gw.assemble(robot)
    A, B = gw.linearise(mech, np.zeros(2), np.zeros(2), np.zeros(2))
    variables = simulation.variables
    slopes = [simulation.derivative(variables["a.elbow"], variables[name]) for name in ("tau.shoulder", "q.elbow")]
    assert slopes == pytest.approx([B[3, 0], A[3, 1]], rel=1e-10)
    simulation.free()


@needs_compiler
def test_it_names_what_cannot_be_set_and_what_is_not_finite(tmp_path):
    export_c(arm(), tmp_path, ["simulate"], name="arm")
    simulation = Simulation(tmp_path, "arm")
    wrong = simulation.variables["a.elbow"]
    assert simulation.call("set", simulation.handle, wrong, ctypes.c_double(1.0)) == 1
    assert "parameters" in simulation.error()
    simulation.set(simulation.variables["tau.elbow"], 1e200)
    assert simulation.advance(0.1) == 1
    assert simulation.error()
    simulation.free()


@needs_compiler
@pytest.mark.parametrize("functions", [["simulate"], ["gravity", gw.simulate]])
def test_the_package_compiles_strictly_and_tests_its_simulation(tmp_path, functions):
    export_c(stopped_arm(), tmp_path, functions, precision="float", name="arm")
    sources = [tmp_path / f"arm{ending}.c" for ending in ("", "_simulation", "_selftest")]
    command = [find_compiler(), *STRICT, *sources, "-o", tmp_path / "selftest", "-lm"]
    subprocess.run(command, check=True, cwd=tmp_path)
    done = subprocess.run([tmp_path / "selftest"], capture_output=True, text=True, check=False)
    assert done.stdout == "arm: 0 values differ\n"
    assert "arm_simulation.c" in (tmp_path / "CMakeLists.txt").read_text()
    assert real_time_check(tmp_path).is_bounded
    test = tmp_path / "arm_selftest.c"
    wrong = re.sub(r"_advance\(simulation, (\S+)\)", r"_advance(simulation, 1.01 * \1)", test.read_text())
    test.write_text(wrong)
    subprocess.run(command, check=True, cwd=tmp_path)
    done = subprocess.run([tmp_path / "selftest"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "arm_simulation[" in done.stdout


def test_it_refuses_unknown_settings_and_two_of_it(tmp_path):
    with pytest.raises(InputError, match="'voltages'"):
        export_c(arm(), tmp_path, [CFunction("simulate", {"voltages": "motor"})])
    with pytest.raises(InputError, match="2 times"):
        export_c(arm(), tmp_path, ["simulate", gw.simulate])
    surface = gw.contact.Plane((0.0, 0.0, -0.3), (0.0, 0.0, 1.0))
    floors = [gw.contact.Contact(link, surface, name=f"{link}.floor") for link in ("upper", "fore")]
    with pytest.raises(InputError, match=r"contacts upper\.floor"):
        export_c(arm(), tmp_path, [CFunction("simulate", {"extra_laws": floors})])
