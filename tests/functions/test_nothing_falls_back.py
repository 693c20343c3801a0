"""No public program of a bundled robot is slower than it could be without saying so, and none is."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiling.compile import speed_remarks
from gearwright.functions import backend
from gearwright.programs import dynamics_programs, kinematic_programs
from gearwright.programs.program import Program
from gearwright.tracing.recipe import kernel_request
from gearwright.tracing.trace import trace_graph

FOLDER = files("gearwright") / "catalogue" / "robots"
ROBOTS = sorted(entry.name.removesuffix(".yaml") for entry in FOLDER.iterdir() if entry.name.endswith(".yaml"))
LARGE = {"humanoid_30", "mini_cheetah", "panda_like", "panda_like_calibrated"}
EXCUSED = {
    ("humanoid_30", "lagrange_form"): "a formulation to teach with; its work grows with the cube of the bodies",
    ("mini_cheetah", "lagrange_form"): "not for free joints",
    ("palletiser", "reactions"): "no kernel computes the forces in the cut joints of closed loops",
    ("palletiser", "reaching_step"): "a step of open trees",
}


def test_the_list_of_programs_is_complete():
    stated = {
        value.name
        for module in (dynamics_programs, kinematic_programs)
        for value in vars(module).values()
        if isinstance(value, Program)
    }
    assert stated == set(dynamics_programs.PROGRAM_BY_NAME)
    assert len(dynamics_programs.PROGRAM_BY_NAME) == len(dynamics_programs.DYNAMICS_PROGRAMS)


@pytest.mark.parametrize("name", [pytest.param(x, marks=pytest.mark.slow if x in LARGE else ()) for x in ROBOTS])
def test_every_program_is_optimised_machine_code(name):
    mech = gw.assemble(gw.load(name))
    for program in dynamics_programs.DYNAMICS_PROGRAMS:
        if (name, program.name) not in EXCUSED:
            job = kernel_request(program.name, mech, (), {"body": 0} if "body" in program.options else {}).trace_job()
            assert speed_remarks(job, len(trace_graph(job).nodes)) == (), program.name


@pytest.mark.parametrize("program", dynamics_programs.DYNAMICS_PROGRAMS, ids=lambda program: program.name)
def test_every_program_becomes_a_kernel_without_remark(program, monkeypatch, tmp_path):
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path))
    tip = {"body": 0} if "body" in program.options else {}
    kernel = gw.compile(program.name, gw.load("elbow"), **tip)
    assert kernel.has_code
    assert kernel.remarks == ()


def test_public_calls_get_their_kernels(monkeypatch, tmp_path):
    """Warnings are errors in these tests, so that a call that falls back fails."""
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "on")
    mech, x = gw.assemble(gw.load("elbow")), np.array([0.1, 0.2, 0.3])
    gw.inverse_dynamics(mech, x, x, x)
    gw.inverse_dynamics(mech, x, x, x, {2: np.ones(6)})
    gw.linearise(mech, x, x, x)
    gw.jacobian(mech, x, 2)
    found = backend._BACKENDS[id(mech)].values()
    assert len(found) == 4
    assert all(one.kernel is not None and one.kernel.has_code for one in found)
