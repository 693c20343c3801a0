"""C for controllers: any set of functions in both precisions equals the library, without allocator or warning."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.export import CFunction, c
from gearwright.export.c_code import c_functions
from gearwright.export.c_code.c_functions import traced_functions
from gearwright.export.c_code.float_error import states_in_range
from gearwright.programs.program import Program
from support.compare import relative

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-std=c99", "-O1"]
KINDS = {"double": (ctypes.c_double, np.float64, 1e-12), "float": (ctypes.c_float, np.float32, 1e-4)}
MATHEMATICS = {"sin", "cos", "sqrt", "atan2", "tanh", "exp", "fabs", "fmin", "fmax", "sincos"}
FUNCTIONS = ["placement:{}", "jacobian:{}", "inverse_dynamics", "forward_dynamics", "mass_matrix", "regressor", "rates"]


class Library:
    """A package, compiled and loaded."""

    def __init__(self, folder, robot, functions, precision="double", **options):
        c(robot, folder, functions, precision=precision, name="arm", **options)
        self.header, self.folder = (folder / "arm.h").read_text(), folder
        for source, target in (("arm.c", "-shared"), ("arm_selftest.c", None)):
            sources = [folder / source] + ([folder / "arm.c"] if target is None else [])
            output = folder / ("arm.so" if target else "selftest")
            flags = [target, "-fPIC"] if target else []
            subprocess.run(["gcc", *STRICT, *flags, *sources, "-o", output, "-lm"], check=True, cwd=folder)
        self.kind, self.dtype, self.tolerance = KINDS[precision]
        self.code = ctypes.CDLL(str(folder / "arm.so"))

    def __call__(self, name, size, *arrays):
        out = (self.kind * size)()
        given = [np.ascontiguousarray(x, dtype=self.dtype) for x in arrays]
        getattr(self.code, f"arm_{name}")(*(x.ctypes.data_as(ctypes.POINTER(self.kind)) for x in given), out)
        return np.array(out)


@pytest.mark.parametrize("precision", KINDS)
@pytest.mark.parametrize("name", ["elbow", "wrist_puma", "mini_cheetah_leg", "elastic_elbow"])
def test_every_function_equals_the_library(name, precision, tmp_path):
    robot = gw.load(name)
    mech, last = gw.assemble(robot), len(robot.links) - 1
    body = mech.bodies[last].name
    built = Library(tmp_path, robot, [text.format(body) for text in FUNCTIONS], precision)
    rng = np.random.default_rng(5)
    rates = gw.casadi_rates(robot)
    for q, v, a in rng.uniform(-1, 1, (3, 3, mech.n)):
        expected = {
            f"placement_{body}": (np.concatenate([x.ravel() for x in gw.placement(robot, q, body)]), q),
            f"jacobian_{body}": (gw.jacobian(robot, q, body), q),
            "inverse_dynamics": (gw.inverse_dynamics(robot, q, v, a), q, v, a),
            "forward_dynamics": (gw.forward_dynamics(robot, q, v, a), q, v, a),
            "mass_matrix": (gw.mass_matrix(robot, q), q),
            "regressor": (gw.regressor(robot, q, v, a), q, v, a),
            "rates": (np.array(rates([*q, *v], a)).ravel(), [*q, *v], a),
        }
        for function, (result, *given) in expected.items():
            assert relative(built(function, result.size, *given), result.ravel()) < built.tolerance, function
    done = subprocess.run([tmp_path / "selftest"], capture_output=True, text=True, check=False)
    assert done.stdout == "arm: 0 values differ\n"


@pytest.mark.parametrize("name", ["elbow", "mini_cheetah"])
def test_the_stated_error_of_float_is_that_of_the_machine_code(name, tmp_path):
    """Compiled float and double code at other states of the same range, relative to the largest entry."""
    robot, functions = gw.load(name), ["inverse_dynamics", "forward_dynamics", "mass_matrix"]
    (tmp_path / "single").mkdir()
    (tmp_path / "double").mkdir()
    single = Library(tmp_path / "single", robot, functions, "float")
    double = Library(tmp_path / "double", robot, functions)
    stated = [float(text) for text in re.findall(r"at most ([\d.e-]+)", single.header)]
    assert "at most" not in double.header
    for function, largest in zip(traced_functions("arm", robot, functions, ()), stated, strict=True):
        inputs = states_in_range(robot, function.job.input_sizes(), np.random.default_rng(77)).values()
        errors = []
        for row in zip(*(x[:400].astype(np.float32).astype(float) for x in inputs), strict=True):
            name = function.name.removeprefix("arm_")
            exact = double(name, len(function.graph.outputs), *row)
            errors.append(np.abs(single(name, len(exact), *row) - exact).max() / np.abs(exact).max())
        assert largest / 4 < max(errors) < 4 * largest
        assert max(errors) > 1e-8, "single precision has 24 bits"


def test_states_for_the_error_of_float_are_drawn_for_float_only(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(c_functions, "states_in_range", lambda *_: drawn.append(1) or {"q": np.zeros((1, 3))})
    for precision in ("double", "float"):
        (tmp_path / precision).mkdir()
        c(gw.load("elbow"), tmp_path / precision, ["gravity"], precision=precision)
        assert bool(drawn) is (precision == "float")


@pytest.mark.parametrize("precision", KINDS)
def test_symbols_are_those_of_the_mathematical_library_alone(precision, tmp_path):
    robot = gw.load("sea_leg")
    functions = ["inverse_dynamics", "integrate", CFunction("rates", {"inputs": "voltage"})]
    c(robot, tmp_path, functions, precision=precision, name="leg")
    subprocess.run(["gcc", *STRICT, "-c", tmp_path / "leg.c", "-o", tmp_path / "leg.o"], check=True)
    listed = subprocess.run(["nm", "-u", tmp_path / "leg.o"], capture_output=True, text=True, check=True).stdout
    ending = "f" if precision == "float" else ""
    assert set(listed.split()) - {"U"} <= {f"{name}{ending}" for name in MATHEMATICS} | {"_GLOBAL_OFFSET_TABLE_"}
    assert "for (" not in (tmp_path / "leg.c").read_text()


def test_parameters_stay_arguments_and_are_listed_with_their_values(tmp_path):
    robot, path = gw.load("elbow").with_payload(2.0, (0.1, 0, 0)), "payload.mass"
    built = Library(tmp_path, robot, ["gravity", "rates"], parameters=[path])
    q, v, tau = np.random.default_rng(0).uniform(-1, 1, (3, 3))
    for mass in (2.0, 5.0):
        heavier = gw.load("elbow").with_payload(mass, (0.1, 0, 0))
        assert relative(built("gravity", 3, q, [mass]), gw.gravity(heavier, q)) < 1e-12
        expected = [*v, *gw.forward_dynamics(heavier, q, v, tau)]
        assert relative(built("rates", 6, [*q, *v], tau, [mass]), expected) < 1e-12
    assert "ARM_P_PAYLOAD_MASS = 0, /* payload.mass */" in built.header
    assert (ctypes.c_double * 1).in_dll(built.code, "arm_nominal_parameters")[0] == 2.0


def test_rates_with_motors_are_those_of_a_run(tmp_path):
    """Voltage in, current among the states."""
    robot = gw.load("manutec_r3_full")
    built = Library(tmp_path, robot, [CFunction("rates", {"inputs": "voltage"})])
    rates = gw.casadi_rates(robot, "voltage")
    rng = np.random.default_rng(1)
    x, u = rng.uniform(-1, 1, len(rates.states)), rng.uniform(-1, 1, len(rates.inputs))
    assert relative(built("rates", len(x), x, u), np.array(rates(x, u)).ravel()) < 1e-12
    assert f"ARM_X_SIZE = {len(x)}" in built.header
    assert f"/* {rates.inputs[0]} */" in built.header


def test_derivatives_are_those_of_the_kernels(tmp_path):
    robot = gw.load("elbow")
    built = Library(tmp_path, robot, [CFunction(gw.inverse_dynamics, by=("q", "v"))])
    q, v, a = np.random.default_rng(2).uniform(-1, 1, (3, 3))
    expected = gw.compile(gw.inverse_dynamics, robot).jacobian("q", "v")(q, v, a)
    assert relative(built("inverse_dynamics_by_q_v", 18, q, v, a), expected.ravel()) < 1e-12


def test_any_program_goes_through_the_same_door(tmp_path):
    """As controllers will: a program of the machine, with arguments of its own."""

    def run(mech, ops, x, _):
        return [100.0 * (goal - q) - 20.0 * v for goal, q, v in zip(x["goal"], x["q"], x["v"], strict=True)]

    servo = Program("servo", ("q", "v", "goal"), run, lambda m, _: (m.n,), per_coordinate=("q", "goal"))
    built = Library(tmp_path, gw.load("elbow"), ["gravity", servo])
    q, v, goal = np.random.default_rng(3).uniform(-1, 1, (3, 3))
    assert relative(built("servo", 3, q, v, goal), 100.0 * (goal - q) - 20.0 * v) < 1e-14


def test_header_counts_the_operations_that_the_text_has(tmp_path):
    c(gw.load("elbow"), tmp_path, ["inverse_dynamics"], name="arm")
    body = (tmp_path / "arm.c").read_text()
    arithmetic = sum(line.split(" = ")[1].count(f" {s} ") for line in body.split("\n") if " = " in line for s in "+-*/")
    assert f"/* {arithmetic} " in (tmp_path / "arm.h").read_text()


def test_numbers_too_large_for_float_are_refused(tmp_path):
    arm = gw.Mechanism([gw.Body("arm", mass=1e39, com=(1, 0, 0), axis=(0, 1, 0))])
    c(arm, tmp_path, ["gravity"])
    with pytest.raises(InputError, match=r"9\.81e\+39.*float"):
        c(arm, tmp_path, ["gravity"], precision="float")


def test_the_loop_of_the_manual_runs_and_follows_its_reference(tmp_path):
    loop = Path(__file__).parents[2] / "examples" / "controller" / "loop.c"
    files = c(gw.load("elbow"), tmp_path, ["inverse_dynamics", "forward_dynamics"])
    for more in ([], ["-DREAL_TIME"]):
        command = ["gcc", *STRICT, *more, f"-I{tmp_path}", loop, files[1], "-o", tmp_path / "loop", "-lm"]
        subprocess.run(command, check=True)
        done = subprocess.run([tmp_path / "loop"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
        assert "largest tracking error" in done.stdout
        assert ("wake-up latency" in done.stdout) == bool(more)
