"""The C package compiles without a warning and returns what the recursions return."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError, InputError
from gearwright.export import CFunction, export
from gearwright.export import c as export_c
from support.machines import random_design

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Werror", "-std=c99", "-pedantic", "-O1"]
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def machine(kinds=("revolute", "prismatic", "revolute", "follower"), **options) -> gw.Mechanism:
    return random_design(np.random.default_rng(3), kinds, **options).written()


def build(directory, name):
    program = directory / "selftest"
    sources = [directory / f"{name}.c", directory / f"{name}_selftest.c"]
    subprocess.run(["gcc", *STRICT, *sources, "-o", program, "-lm"], check=True, cwd=directory)
    return program


@needs_gcc
@pytest.mark.parametrize(
    "kinds",
    [
        ("revolute",) * 4,
        ("free", "spherical", "prismatic", "revolute", "fixed", "follower"),
        ("planar", "helical", "universal", "follower"),
    ],
)
def test_compiles_strictly_and_passes_its_own_test(tmp_path, kinds):
    export_c(machine(kinds, shafts=1, springs=2), tmp_path, name="arm")
    done = subprocess.run([build(tmp_path, "arm")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout == "arm: 0 values differ\n"


@needs_gcc
def test_a_linkage_in_independent_speeds(tmp_path):
    """The stored states close the loops; speeds are the independent ones."""
    from support.parallel_ankle import ankle_machine

    names = ["motor_ratios", "inverse_dynamics", "forward_dynamics", "mass_matrix"]
    export_c(ankle_machine(), tmp_path, names, name="ankle")
    done = subprocess.run([build(tmp_path, "ankle")], capture_output=True, text=True, check=False)
    assert done.stdout == "ankle: 0 values differ\n"
    assert "ANKLE_V_SIZE = 2" in (tmp_path / "ankle.h").read_text()


@needs_gcc
def test_self_test_sees_a_wrong_number(tmp_path):
    export_c(machine(), tmp_path, name="arm")
    source = tmp_path / "arm.c"
    first = re.search(r"out\[0\] = (x\d+);", source.read_text()).group(1)
    source.write_text(source.read_text().replace(f"out[0] = {first};", f"out[0] = {first} * (1 + 1e-8);", 1))
    done = subprocess.run([build(tmp_path, "arm")], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "arm_inverse_dynamics[0]" in done.stdout


@needs_gcc
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
@pytest.mark.parametrize("name", ["arm", "test", "math"])
def test_cmake_builds_and_tests(tmp_path, name):
    """Also where the robot is called like a target of CMake or a header of C."""
    export_c(machine(), tmp_path / "package", name=name)
    build = tmp_path / "build"
    for command in (["cmake", "-S", tmp_path / "package", "-B", build], ["cmake", "--build", build], ["ctest"]):
        subprocess.run(command, check=True, cwd=build if command == ["ctest"] else tmp_path, capture_output=True)


def test_needs_only_sine_and_cosine_and_allocates_nothing(tmp_path):
    export_c(machine(("free", "revolute")), tmp_path, name="arm")
    text = (tmp_path / "arm.c").read_text()
    called = set(re.findall(r"\b([a-z_]+)\(", text)) - {f"arm_{name}" for name in ("bias", "gravity", "mass_matrix")}
    assert called <= {"sin", "cos", "arm_inverse_dynamics", "arm_forward_dynamics"}
    assert re.findall(r"#include (\S+)", text) == ['"arm.h"', "<math.h>"]


def test_header_names_every_speed(tmp_path):
    mech = gw.Mechanism(
        [
            gw.Body("a", mass=1, com=(1, 0, 0), joint_name="j 1"),
            gw.Body("b", "a", mass=1, com=(1, 0, 0), joint_name="j-1"),
        ]
    )
    export_c(mech, tmp_path, functions=[gw.gravity], name="while")
    text = (tmp_path / "while_.h").read_text()
    assert "WHILE__V_J_1 = 0, /* j 1 */" in text
    assert "WHILE__V_J_1_2 = 1, /* j-1 */" in text
    assert "WHILE__V_SIZE = 2" in text
    export_c(gw.Mechanism([gw.Body("size", mass=1, com=(1, 0, 0))]), tmp_path, functions=[gw.gravity], name="one")
    assert "ONE_V_SIZE_2 = 0, /* size */" in (tmp_path / "one.h").read_text()
    assert "void while__gravity(const double *q, double *out) GEARWRIGHT_NONBLOCKING;" in text


def test_refuses_what_it_cannot_write(tmp_path):
    with pytest.raises(InputError, match="'cobol'"):
        export(machine(), "cobol", tmp_path)
    for wrong, message in (
        ({"functions": [gw.jacobian]}, "body="),
        ({"functions": ["jacobian:nowhere"]}, "nowhere"),
        ({"functions": ["inverse_dynamic"]}, "'inverse_dynamics'"),
        ({"functions": []}, "functions="),
        ({"functions": [CFunction("bias", by=("tau",))]}, "'tau'"),
        ({"precision": "half"}, "precision='half'"),
        ({"parameters": ["nobody.mass"]}, "nobody.mass"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            export_c(machine(), tmp_path, **wrong)
    with pytest.raises(InputError, match="'elbow'"):
        export_c("elbow", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=re.escape(str(tmp_path / "file"))):
        export(machine(), "c", tmp_path / "file")
