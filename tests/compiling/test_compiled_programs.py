"""Every kernel equals the recursion run over NumPy."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiling.compile import array_layout, object_file
from gearwright.compiling.host.known_processor import host_processor
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.compiling.host.processor import HostProcessor, detect_processor, generic_processor, llvm_binding
from gearwright.compiling.llvm import schedule
from gearwright.compiling.llvm.module import bare_text, single_state_text
from gearwright.programs import dynamics_programs
from gearwright.programs.batch import evaluate_program
from gearwright.tracing.trace import TraceJob, trace_graph
from support.compare import relative
from support.machines import KINDS, random_design

MACHINES = {
    "tree": ("revolute", "prismatic", "fixed", "revolute", "revolute"),
    "floating": ("free", "revolute", "follower", "prismatic"),
    "ball": ("revolute", "spherical", "follower", "fixed", "revolute"),
    "cardan": ("universal", "helical", "follower", "revolute"),
    "cart": ("planar", "fixed", "helical", "universal"),
}
NO_QUATERNIONS = ("lagrange_form", "recursive_form")


def machine(name: str) -> gw.Mechanism:
    rng = np.random.default_rng(len(name))
    return random_design(rng, MACHINES[name], wheels=4, shafts=1, springs=2).written()


def inputs_of(
    program: dynamics_programs.Program, mech: gw.Mechanism, lead: tuple[int, ...], fixed: dict, seed: int = 0
):
    rng = np.random.default_rng(seed)
    return {name: rng.uniform(-1.5, 1.5, (*lead, size)) for name, size in program.input_sizes(mech, fixed).items()}


def scale_of(name: str, mech: gw.Mechanism, x: dict[str, np.ndarray]) -> float:
    """The size of the numbers that cancel in a result."""
    if name not in ("coriolis_matrix", "lagrange_form", "recursive_form"):
        return 0.0
    return float(
        np.abs(evaluate_program(dynamics_programs.MASS_MATRIX, mech, {"q": x["q"]}, {})).max() * np.abs(x["v"]).max()
    )


def fixed_for(program: dynamics_programs.Program, mech: gw.Mechanism) -> dict:
    fixed = {"body": mech.bodies[-1].name} if "body" in program.options else {}
    return fixed | ({"point": (0.1, -0.2, 0.3)} if "point" in program.options else {})


@pytest.mark.parametrize("name", sorted(dynamics_programs.PROGRAM_BY_NAME))
@pytest.mark.parametrize("kind", MACHINES)
def test_every_program_equals_numpy(kind, name):
    mech, program = machine(kind), dynamics_programs.PROGRAM_BY_NAME[name]
    if name in NO_QUATERNIONS and not mech.speeds_are_rates:
        pytest.skip("this form is for machines without free, spherical and planar joints")
    fixed = fixed_for(program, mech)
    kernel = gw.compile(name, mech, **fixed)
    x = inputs_of(program, mech, (67,), fixed)
    expected, scale = evaluate_program(program, mech, x, fixed), scale_of(name, mech, x)
    for count in (*range(1, 41), 67):
        assert relative(kernel(*(array[:count] for array in x.values())), expected[:count], scale) < 1e-12
    for k in range(8):
        size = float(np.abs(expected).max())
        assert relative(kernel(*(array[k] for array in x.values())), expected[k], max(scale, 1e-3 * size)) < 1e-12


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "bias", "reactions"])
def test_wrenches_and_base_motion_are_inputs(name):
    mech, program = machine("floating"), dynamics_programs.PROGRAM_BY_NAME[name]
    bodies = [mech.bodies[0].name, mech.bodies[3].name]
    kernel = gw.compile(name, mech, wrenches=bodies, base_motion=True)
    fixed = {"wrenches": tuple(bodies), "base_motion": True}
    x = inputs_of(program, mech, (9,), fixed)
    base = x["base_motion"]
    found = kernel(
        *(x[key] for key in program.inputs),
        wrenches={body: x[f"wrench.{body}"] for body in bodies},
        base_motion=(base[..., :3], base[..., 3:6], base[..., 6:]),
    )
    assert relative(found, evaluate_program(program, mech, x, fixed)) < 1e-12
    with pytest.raises(gw.errors.InputError, match=r"wrenches=\(.*base_motion=True"):
        kernel(*(x[key] for key in program.inputs))


def test_every_batch_size(arm, inverse):
    """Remainders of vectors: N from 1 to 40, nothing written behind the last row."""
    x = inputs_of(dynamics_programs.INVERSE_DYNAMICS, arm, (40,), {})
    expected = evaluate_program(dynamics_programs.INVERSE_DYNAMICS, arm, x, {})
    for count in range(1, 41):
        room = np.full((count + 8, arm.n), 7.0)
        out = inverse(*(array[:count] for array in x.values()), out=room[:count])
        assert relative(out, expected[:count]) < 1e-12
        assert (room[count:] == 7.0).all()


@pytest.mark.parametrize("count", [1000, 70_001])
def test_large_batches_on_one_and_two_threads(arm, inverse, count, monkeypatch):
    x = inputs_of(dynamics_programs.INVERSE_DYNAMICS, arm, (count,), {})
    monkeypatch.setenv("GEARWRIGHT_THREADS", "1")
    one = inverse(*x.values())
    monkeypatch.setenv("GEARWRIGHT_THREADS", "2")
    assert np.array_equal(inverse(*x.values()), one)
    assert relative(one, evaluate_program(dynamics_programs.INVERSE_DYNAMICS, arm, x, {})) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_machines(seed):
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.choice([kind for kind in KINDS if kind != "free"], 5)]
    mech = random_design(
        rng, ["free" if seed % 3 == 0 else "revolute", *kinds], wheels=5, shafts=int(rng.integers(3)), springs=2
    ).written()
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "momentum", "integrate", "difference"):
        program = dynamics_programs.PROGRAM_BY_NAME[name]
        x = inputs_of(program, mech, (21,), {}, seed)
        assert relative(gw.compile(name, mech)(*x.values()), evaluate_program(program, mech, x, {})) < 1e-12


@pytest.mark.slow
def test_programs_cut_into_pieces():
    """A long chain: pieces with values in the workspace between them, on every batch size around a block."""
    rng = np.random.default_rng(2)
    mech = random_design(rng, ["revolute"] * 24, wheels=24, chain=True, twins=False).written()
    kernel = gw.compile(gw.forward_dynamics, mech)
    assert kernel.operations.arithmetic_count > 6000
    x = inputs_of(dynamics_programs.FORWARD_DYNAMICS, mech, (70,), {})
    expected = evaluate_program(dynamics_programs.FORWARD_DYNAMICS, mech, x, {})
    for count in (1, 2, 31, 32, 33, 70):
        assert relative(kernel(*(array[:count] for array in x.values())), expected[:count]) < 1e-12


def other_processors() -> dict[str, HostProcessor]:
    """Processors that this one can stand in for: nothing special, and (on x86 with FMA) AVX2 with four lanes."""
    found = {"generic": generic_processor()}
    if host_processor().has_fma and host_processor().triple.startswith("x86_64"):
        found["avx2"] = HostProcessor(host_processor().triple, "x86-64-v3", "", 4, True, True)
    return found


def test_where_llvm_cannot_tell_the_processor_any_will_do(monkeypatch):
    def refuse():
        raise RuntimeError("failed to get host cpu features")

    monkeypatch.setattr(llvm_binding(), "get_host_cpu_features", refuse)
    assert detect_processor() == generic_processor()


def test_lanes_follow_the_features(monkeypatch):
    wide = dict.fromkeys(("avx512f", "avx512vl", "avx512dq", "avx2", "fma"), True)
    found = []
    for missing in ((), ("avx512dq",), ("avx512f", "fma"), tuple(wide)):
        features = {name: has and name not in missing for name, has in wide.items()}
        monkeypatch.setattr(llvm_binding(), "get_host_cpu_features", lambda features=features: features)
        monkeypatch.setattr(llvm_binding(), "get_process_triple", lambda: "x86_64-unknown-linux-gnu")
        chip = detect_processor()
        found.append((chip.width, chip.has_fma))
    assert found == [(8, True), (4, True), (2, False), (2, False)]


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("chip", other_processors().values(), ids=other_processors().keys())
def test_code_for_other_processors(arm, chip, pieces, monkeypatch):
    """Two lanes without FMA and four with it, each as one function and cut into pieces with a workspace."""
    if pieces:
        monkeypatch.setattr(schedule, "OPERATIONS_PER_PIECE", 90)
        chip = replace(chip, max_whole_operations=100)
    job = TraceJob(dynamics_programs.FORWARD_DYNAMICS, arm, {})
    graph, layout = trace_graph(job), array_layout(job)
    assert (len(schedule.make_schedule(graph, layout, chip.width, chip.max_whole_operations).pieces) > 2) == pieces
    code = MachineCode(object_file(graph, layout, job.result_shape(), chip), chip.width, True)
    x = inputs_of(dynamics_programs.FORWARD_DYNAMICS, arm, (40,), {})
    expected = evaluate_program(dynamics_programs.FORWARD_DYNAMICS, arm, x, {})
    strides = [8 * array.shape[1] for array in x.values()]
    for count in range(1, 41):
        room = np.full((count + 8, arm.n), 7.0)
        assert code.run_rows(list(x.values()), strides, room[:count], 0, count)
        assert relative(room[:count], expected[:count]) < 1e-12
        assert (room[count:] == 7.0).all()


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("text", [single_state_text, bare_text])
def test_code_for_single_states(arm, text, pieces, monkeypatch):
    """Without vectors, with or without an entry from Python, as one function and cut into pieces: the same numbers."""
    chip = host_processor()
    if pieces:
        monkeypatch.setattr(schedule, "OPERATIONS_PER_PIECE", 90)
        chip = replace(chip, max_whole_operations=100)
    job = TraceJob(dynamics_programs.FORWARD_DYNAMICS, arm, {})
    graph, layout = trace_graph(job), array_layout(job)
    assert (len(schedule.make_schedule(graph, layout, 1, chip.max_whole_operations).pieces) > 2) == pieces
    written = text(graph, layout, job.result_shape(), chip)
    assert ("@pycall" in written) == (text is single_state_text)
    assert f"@batch{chip.width}" not in written
    code = MachineCode(object_file(graph, layout, job.result_shape(), chip, text=text), 1, True)
    x = inputs_of(dynamics_programs.FORWARD_DYNAMICS, arm, (5,), {})
    room = np.full((7, arm.n), 7.0)
    assert code.run_rows(list(x.values()), [8 * array.shape[1] for array in x.values()], room[:5], 0, 5)
    assert relative(room[:5], evaluate_program(dynamics_programs.FORWARD_DYNAMICS, arm, x, {})) < 1e-12
    assert (room[5:] == 7.0).all()
    if text is single_state_text:
        called = code.python_builtin("forward", lambda *_: None)
        assert np.array_equal(called(*(array[0] for array in x.values())), room[0])


def test_public_functions_with_kernels_forced(arm, monkeypatch):
    twin = gw.Mechanism(arm.bodies, arm.spins, arm.shafts, arm.springs, gravity=arm.gravity)
    x = inputs_of(dynamics_programs.INVERSE_DYNAMICS, arm, (6,), {})
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")
    expected = gw.inverse_dynamics(arm, *x.values())
    assert id(arm) not in dynamics_programs.INVERSE_DYNAMICS.ready
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "on")
    assert relative(gw.inverse_dynamics(twin, *x.values()), expected) < 1e-12
    assert id(twin) in dynamics_programs.INVERSE_DYNAMICS.ready
    number = id(twin)
    del twin
    assert number not in dynamics_programs.INVERSE_DYNAMICS.ready
    monkeypatch.setitem(os.environ, "GEARWRIGHT_KERNELS", "perhaps")
    with pytest.raises(gw.errors.InputError, match=r"GEARWRIGHT_KERNELS.*'perhaps'"):
        gw.inverse_dynamics(arm, *x.values())
