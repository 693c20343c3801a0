"""When a public function turns to a kernel, and what happens when none can be had."""

from __future__ import annotations

import gc
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiling import compile as compiling
from gearwright.compiling.host import processor as host_module
from gearwright.compiling.kernel import Kernel
from gearwright.errors import CompilationError, SlowerWarning
from gearwright.functions import backend
from gearwright.programs import dynamics_programs
from gearwright.tracing.recipe import KernelRequest
from support.compare import relative
from support.machines import random_design


@pytest.fixture
def machine(monkeypatch, tmp_path) -> gw.Mechanism:
    """A machine nobody has used, and an empty cache."""
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path))
    monkeypatch.delenv("GEARWRIGHT_KERNELS", raising=False)
    return random_design(np.random.default_rng(21), ("revolute", "prismatic"), wheels=2).written()


@pytest.fixture
def larger() -> gw.Mechanism:
    """A machine of some hundred operations."""
    return gw.assemble(gw.load("elbow"))


def has_kernel(mech: gw.Mechanism) -> bool:
    return id(mech) in dynamics_programs.GRAVITY_FORCES.ready


def test_a_kernel_comes_once_the_calls_have_cost_as_much(machine, monkeypatch):
    q = np.array([0.3, 0.1])
    expected = gw.gravity(machine, q)
    assert not has_kernel(machine)
    monkeypatch.setattr(backend, "COMPILATION_COST", 500.0)
    calls = 1
    while not has_kernel(machine):
        assert relative(gw.gravity(machine, q), expected) < 1e-14
        calls += 1
        assert calls < 50
    assert calls > 10
    assert relative(gw.gravity(machine, q), expected) < 1e-12


def test_a_long_batch_counts_by_its_states(machine, monkeypatch):
    monkeypatch.setattr(backend, "COMPILATION_COST", 500.0)
    gw.gravity(machine, np.zeros((1000, 2)))
    assert has_kernel(machine)


def test_a_kernel_in_the_cache_is_taken_early(machine, monkeypatch):
    Kernel(KernelRequest("gravity", machine))
    monkeypatch.setattr(backend, "CACHE_LOOKUP_COST", 100.0)
    monkeypatch.setattr(backend, "COMPILATION_COST", float("inf"))
    for _ in range(5):
        gw.gravity(machine, np.zeros(2))
    assert has_kernel(machine)


def test_without_a_cache_entry_one_look_is_enough(machine, monkeypatch):
    looks = []
    monkeypatch.setattr(Kernel, "from_cache", looks.append)
    monkeypatch.setattr(backend, "CACHE_LOOKUP_COST", 0.0)
    for _ in range(5):
        gw.gravity(machine, np.zeros(2))
    assert [recipe.function for recipe in looks] == ["gravity"]


def test_where_llvm_fails_numpy_goes_on_and_says_so_once(machine, monkeypatch):
    tries = []

    def fail(text, host, level):
        tries.append(level)
        raise CompilationError("LLVM cannot make machine code here: no executable memory")

    expected = gw.gravity(machine, np.zeros(2))
    monkeypatch.setattr(compiling, "compile_module", fail)
    monkeypatch.setattr(backend, "_GIVEN_REASONS", set())
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "on")
    with pytest.warns(SlowerWarning, match=r"^gravity .*executable"):
        first = gw.gravity(machine, np.zeros(2))
    assert np.array_equal(first, expected)
    assert np.array_equal(gw.gravity(machine, np.zeros(2)), first)
    gw.bias(machine, np.zeros(2), np.zeros(2))  # the same reason is not given again: warnings are errors here
    assert len(tries) == 2


def test_what_llvmlite_raises_becomes_our_error(machine, monkeypatch):
    class Broken:
        def __getattr__(self, name):
            raise RuntimeError(f"no {name}")

    monkeypatch.setattr(host_module, "llvm_binding", Broken)
    with pytest.raises(CompilationError, match=r"LLVM .*no parse_assembly"):
        host_module.compile_module("", None, 0)


def test_an_error_that_is_not_about_compiling_is_not_swallowed(machine, monkeypatch):
    def broken(graph, layout, shape, host):
        raise KeyError("a bug")

    monkeypatch.setattr(compiling, "object_file", broken)
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "on")
    with pytest.raises(KeyError, match="bug"):
        gw.gravity(machine, np.zeros(2))


def test_services_die_with_their_machine(machine, monkeypatch):
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "on")
    gw.gravity(machine, np.zeros(2))
    gw.jacobian(machine, np.zeros(2), "b1")
    number = id(machine)
    assert number in backend._COLLECTION_ACTIONS
    assert len(backend._BACKENDS[number]) == 2
    twin = random_design(np.random.default_rng(21), ("revolute", "prismatic"), wheels=2).written()
    backend._run_collection_actions(number)
    gc.collect()
    assert number not in backend._BACKENDS
    assert number not in dynamics_programs.GRAVITY_FORCES.ready
    assert relative(gw.gravity(twin, np.zeros(2)), gw.gravity(machine, np.zeros(2))) < 1e-12


def test_wrenches_and_jacobians_are_served_by_kernels_too(machine, monkeypatch):
    rng = np.random.default_rng(0)
    q, v, a = rng.uniform(-1, 1, (3, 5, 2))
    wrenches, base = {"b1": rng.uniform(-1, 1, 6)}, tuple(rng.uniform(-1, 1, (3, 3)))
    calls = {
        "wrench": lambda: gw.inverse_dynamics(machine, q, v, a, wrenches, base),
        "jacobian": lambda: gw.jacobian(machine, q, "b1", (0.1, 0.2, 0.3)),
        "placement": lambda: gw.placement(machine, q, "b1").position,
        "linear": lambda: gw.linearise(machine, q, v, a).A,
    }
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")
    expected = {name: call() for name, call in calls.items()}
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "on")
    for name, call in calls.items():
        assert relative(call(), expected[name]) < 1e-12, name


def test_many_threads_meet_a_new_machine(machine, monkeypatch):
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "on")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: gw.gravity(machine, np.full((7, 2), 0.4)), range(24)))
    assert all(np.array_equal(x, found[0]) for x in found)


@pytest.mark.parametrize("wrt", [(), ("q", "v")])
def test_programs_too_large_for_machine_code(larger, monkeypatch, wrt):
    x = np.random.default_rng(1).uniform(-1, 1, (2, 4, larger.n))
    recipe = KernelRequest("coriolis_matrix", larger, wrt=wrt)
    expected = Kernel(recipe)(*x)
    monkeypatch.setattr(compiling, "MAX_COMPILED_OPERATIONS", 10)
    monkeypatch.setenv("GEARWRIGHT_CACHE", "off")
    large = Kernel(recipe)
    assert large.operations.arithmetic_count > 10
    runtime = "CasADi" if wrt else "NumPy"
    assert [remark for remark in large.remarks if re.search(rf"\b10\b.*LLVM.*{runtime}", remark)]
    assert relative(large(*x), expected) < 1e-12


def test_jacobians_of_ever_new_points_do_not_pile_up(machine):
    for k in range(3 * backend.MAX_BACKENDS_PER_MACHINE):
        gw.jacobian(machine, np.zeros(2), "b1", (0.0, 0.0, 1e-3 * k))
    assert len(backend._BACKENDS[id(machine)]) <= backend.MAX_BACKENDS_PER_MACHINE


def test_a_large_kernel_says_that_it_is_not_optimised(larger, monkeypatch, tmp_path):
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path))
    assert gw.compile("mass_matrix", larger).remarks == ()
    monkeypatch.setattr(compiling, "MAX_OPTIMISED_OPERATIONS", 10)
    monkeypatch.setattr(compiling, "MAX_SHORT_OPERATIONS", 5)
    for kernel in (gw.compile("mass_matrix", larger), Kernel.from_cache(KernelRequest("mass_matrix", larger))):
        assert re.search(r"operations.*\b10\b.*LLVM.*level 0", kernel.remarks[0])


def test_a_public_call_of_a_program_too_large_says_so(larger, monkeypatch):
    monkeypatch.setenv("GEARWRIGHT_CACHE", "off")
    monkeypatch.setattr(compiling, "MAX_COMPILED_OPERATIONS", 10)
    monkeypatch.setattr(backend, "_GIVEN_REASONS", set())
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "on")
    with pytest.warns(SlowerWarning, match=r"^mass_matrix: .*\b10\b.*LLVM"):
        gw.mass_matrix(larger, np.zeros(3))
