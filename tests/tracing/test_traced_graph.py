"""Graphs: what is computed once, what is left out, and the C source made from it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import weakref

import numpy as np
import pytest

import gearwright as gw
from gearwright.programs import dynamics_programs
from gearwright.tracing.graph import GraphBuilder
from gearwright.tracing.trace import TraceJob, trace_graph
from support.compare import relative
from support.machines import random_design


@pytest.fixture
def builder() -> GraphBuilder:
    made = GraphBuilder()
    made.x, made.y = made.add_node("input", 0, 0), made.add_node("input", 0, 1)
    return made


def test_equal_operations_are_one(builder):
    b, x, y = builder, builder.x, builder.y
    assert b.add(x, y) == b.add(y, x)
    assert b.mul(x, y) == b.mul(y, x)
    assert b.mul(b.neg(x), y) == b.neg(b.mul(x, y))
    assert b.mul(b.neg(x), b.neg(y)) == b.mul(x, y)
    assert b.mul(b.add_constant(-3.0), x) == b.neg(b.mul(x, b.add_constant(3.0)))
    assert b.add(x, b.neg(y)) == b.sub(x, y)
    assert b.sub(y, x) == b.neg(b.sub(x, y))
    assert b.sub(x, b.neg(y)) == b.add(x, y)
    assert b.neg(b.neg(x)) == x
    assert b.sin(b.neg(x)) == b.neg(b.sin(x))
    assert b.cos(b.neg(x)) == b.cos(x)


def test_zeros_ones_and_numbers_fold(builder):
    b, x = builder, builder.x
    assert b.add(x, b.add_constant(0.0)) == x
    assert b.mul(x, b.add_constant(1.0)) == x
    assert b.constant_value(b.mul(x, b.add_constant(0.0))) == 0.0
    assert b.constant_value(b.sub(x, x)) == 0.0
    assert b.sub(b.add_constant(0.0), x) == b.neg(x)
    assert b.constant_value(b.add(b.add_constant(2.0), b.add_constant(3.0))) == 5.0
    assert b.div(x, b.add_constant(4.0)) == b.mul(x, b.add_constant(0.25))


def test_what_no_result_needs_is_left_out(builder):
    b = builder
    b.mul(b.x, b.x)
    graph = b.make_graph([b.add(b.x, b.y)])
    assert [node.op for node in graph.nodes] == ["input", "input", "add"]


def test_count_of_a_pendulum():
    """Torque of m = 2, c = 0.5 on the x axis, I = 0.1, about a level axis: 0.6 a + 9.81 cos q, by hand."""
    body = gw.Body("arm", axis=(0, -1, 0), mass=2.0, com=(0.5, 0, 0), inertia=np.diag([0.0, 0.1, 0.1]))
    kernel = gw.compile(gw.inverse_dynamics, gw.Mechanism([body]))
    q, v, a = np.array([0.7]), np.array([3.0]), np.array([1.5])
    assert kernel(q, v, a)[0] == pytest.approx(0.6 * 1.5 + 9.81 * np.cos(0.7), rel=1e-14)
    assert (kernel.operations.additions, kernel.operations.multiplications) == (1, 2)
    assert (kernel.operations.divisions, kernel.operations.sincos) == (0, 1)


def test_operands_come_before_their_use(arm):
    graph = trace_graph(TraceJob(dynamics_programs.FORWARD_DYNAMICS, arm, {}))
    assert all(operand < k for k, node in enumerate(graph.nodes) for operand in node.operands)
    assert len(set(graph.nodes)) == len(graph.nodes)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "integrate", "difference"])
@pytest.mark.parametrize(
    "kinds", [("revolute", "prismatic", "revolute"), ("free", "spherical"), ("planar", "helical", "universal")]
)
def test_c_source_compiles_strictly_and_agrees(kinds, name, tmp_path):
    mech = random_design(np.random.default_rng(3), kinds, wheels=2).written()
    kernel = gw.compile(name, mech)
    (tmp_path / "k.c").write_text(kernel.source("c"))
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", str(tmp_path / "k.so"), str(tmp_path / "k.c"), "-lm"], check=True)
    function = getattr(ctypes.CDLL(str(tmp_path / "k.so")), name)
    rng = np.random.default_rng(0)
    x = [rng.uniform(-1, 1, size) for size in kernel.inputs.values()]
    expected = kernel(*x)
    out = np.empty_like(expected)
    function(*(ctypes.c_void_p(array.ctypes.data) for array in (*x, out)))
    assert relative(out, expected) < 1e-12


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_c_source_of_derivatives_and_wrenches_has_names_of_its_own(tmp_path):
    """A derivative beside its function, and bodies whose names C cannot write or that become one."""
    point = {"mass": 1.0, "com": (0.2, 0.0, 0.1), "axis": (0, 1, 0)}
    mech = gw.Mechanism([gw.Body("arm-ä", **point), gw.Body("arm_ö", 0, position=(0.3, 0, 0), **point)])
    kernel = gw.compile("bias", mech, wrenches=[0, 1])
    slope = kernel.jacobian("q", "wrench.arm_ö")
    (tmp_path / "k.c").write_text(kernel.source("c") + slope.source("c"))
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", str(tmp_path / "k.so"), str(tmp_path / "k.c"), "-lm"], check=True)
    x = [np.random.default_rng(0).uniform(-1, 1, size) for size in kernel.inputs.values()]
    expected = slope(*x)
    out = np.empty_like(expected)
    ctypes.CDLL(str(tmp_path / "k.so")).bias_by_q_wrench_arm__(*(ctypes.c_void_p(y.ctypes.data) for y in (*x, out)))
    assert relative(out, expected) < 1e-12


def test_machine_code_is_freed_with_its_last_entry(arm):
    kernel = gw.compile(gw.inverse_dynamics, arm)
    entry = kernel.func
    code = weakref.ref(entry.__self__.code)
    del kernel
    x = np.zeros(arm.n)
    assert entry(x, x, x).shape == (arm.n,)
    del entry
    assert code() is None
