"""How a kernel is called: shapes, output arrays, errors, processes and threads."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiling.call import GeneralCall
from gearwright.compiling.host import machine_code
from gearwright.compiling.kernel import Kernel
from gearwright.errors import InputError, SingularityError
from gearwright.export import c as export_c
from gearwright.mechanism.assembly import tree_of
from gearwright.programs.dynamics_programs import INVERSE_DYNAMICS
from gearwright.tracing import trace
from gearwright.tracing.recipe import KernelRequest
from gearwright.tracing.trace import TraceJob, trace_function
from support.compare import relative


@pytest.fixture
def motion(arm):
    return np.random.default_rng(3).uniform(-1, 1, (3, 6, arm.n))


def test_leading_axes_broadcast(arm, inverse, motion):
    q, v, a = motion
    expected = gw.inverse_dynamics(arm, q, v, a)
    assert relative(inverse(q, v, a), expected) < 1e-12
    assert relative(inverse(q[1], v[1], a[1]), expected[1]) < 1e-12
    grid = inverse(q[:, None], v[None], a[0])
    assert grid.shape == (6, 6, arm.n)
    for i in range(6):
        for j in range(6):
            assert relative(grid[i, j], gw.inverse_dynamics(arm, q[i], v[j], a[0])) < 1e-12
    assert relative(inverse(q, v[2], a[2]), gw.inverse_dynamics(arm, q, v[2], a[2])) < 1e-12


def test_results_of_every_rank(arm, motion):
    q, v, _ = motion
    energy, mass = gw.compile(gw.kinetic_energy, arm), gw.compile(gw.mass_matrix, arm)
    assert energy(q, v).shape == (6,)
    assert energy(q[0], v[0]).shape == ()
    assert mass(q).shape == (6, arm.n, arm.n)
    out = np.empty((6, arm.n, arm.n))
    assert mass(q, out=out) is out
    assert relative(out, gw.mass_matrix(arm, q)) < 1e-12
    scalar = np.empty(())
    assert energy(q[0], v[0], out=scalar) is scalar
    assert scalar == pytest.approx(float(gw.kinetic_energy(arm, q[0], v[0])), rel=1e-12)


def test_output_array(inverse, motion):
    q, v, a = motion
    expected = inverse(q, v, a)
    out = np.empty_like(expected)
    assert inverse(q, v, a, out=out) is out
    assert np.array_equal(out, expected)
    out[:] = 0
    assert inverse(q, v, a, out) is out
    assert np.array_equal(out, expected)
    assert inverse(q.tolist(), v, a, out=out) is out
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("convert", [lambda q: q.tolist(), np.asfortranarray, lambda q: q[::-1][::-1], lambda q: q])
def test_any_kind_of_array(inverse, motion, convert):
    q, v, a = motion
    expected = inverse(q, v, a)
    assert np.array_equal(inverse(convert(q), v, convert(a)), expected)
    frozen = q.copy()
    frozen.flags.writeable = False
    assert np.array_equal(inverse(frozen, v, a), expected)


def test_integers_and_single_precision(arm, inverse):
    q = np.arange(arm.n)
    expected = inverse(q.astype(float), q.astype(float), q.astype(float))
    assert np.array_equal(inverse(q, q.astype(np.float32), list(map(int, q))), expected)


def test_empty_batches(arm, inverse):
    assert inverse(np.empty((0, arm.n)), np.empty((0, arm.n)), np.zeros(arm.n)).shape == (0, arm.n)
    assert inverse(np.empty((3, 0, arm.n)), np.zeros(arm.n), np.zeros(arm.n)).shape == (3, 0, arm.n)


def test_errors_are_those_of_the_public_function(arm, inverse, motion):
    q, v, a = motion
    for spoil, message in [
        (lambda: (q[:, :-1], v, a), r"\bq .*\(6, 4\).*\b5\b"),
        (lambda: (q, v, a[:4]), r"q \(6, 5\), v \(6, 5\), a \(4, 5\)"),
        (lambda: (q, v.astype(complex), a), r"\bv .*complex128"),
        (lambda: (q, [["x"] * arm.n], a), r"\bv .*<U1"),
        (lambda: (np.where(np.arange(6)[:, None] == 4, np.nan, q), v, a), r"q\[4, 0\].*\bnan\b"),
        (lambda: (q, v, np.where(np.arange(arm.n) == 1, -np.inf, a[0])), r"a\[1\].* -inf\b"),
    ]:
        bad = spoil()
        with pytest.raises(InputError, match=message) as kernel_error:
            inverse(*bad)
        with pytest.raises(InputError) as public_error:
            gw.inverse_dynamics(arm, *bad)
        assert str(kernel_error.value) == str(public_error.value)
    with pytest.raises(InputError, match=r"q, v, a.*\b2\b"):
        inverse(q, v)


@pytest.mark.parametrize("place", range(9))
def test_what_no_result_depends_on_is_checked_too(place):
    """The mass matrix of slides is constant; a coordinate that is NaN is refused all the same."""
    slides = gw.Mechanism([gw.Body(f"b{i}", i - 1, "prismatic", axis=np.eye(3)[i], mass=1.0) for i in range(3)])
    kernel = gw.compile(gw.mass_matrix, slides)
    q = np.zeros((9, 3))
    assert kernel(q).shape == (9, 3, 3)
    q[place, place % 3] = np.nan
    for bad in (q, q[place]):
        with pytest.raises(InputError, match=r"q\[.*\bnan\b"):
            kernel(bad)


@pytest.mark.parametrize("make", [
    lambda q: q, lambda q: q[:3], lambda q: np.empty_like(q, dtype=np.float32), lambda q: np.empty_like(q, order="F"),
    lambda q: [0.0], lambda q: np.empty((7, *q.shape[1:])),
])  # fmt: skip
def test_wrong_output_arrays_are_refused(inverse, motion, make):
    q, v, a = motion
    with pytest.raises(InputError, match=r"\bout\b"):
        inverse(q, v, a, out=make(q))


def test_an_output_that_cannot_be_written_is_refused(inverse, motion):
    out = np.empty_like(motion[0])
    out.flags.writeable = False
    with pytest.raises(InputError, match="writable"):
        inverse(*motion, out=out)


def test_overlap_is_seen_even_when_shifted(inverse, motion):
    q, v, a = motion
    room = np.zeros(q.size + 3)
    room[: q.size] = q.ravel()
    with pytest.raises(InputError, match=r"\bout .*\bq\b"):
        inverse(room[: q.size].reshape(q.shape), v, a, out=room[3:].reshape(q.shape))


def test_angles_beyond_the_fast_sine_are_still_right(arm, inverse, motion):
    q, v, a = motion
    far = q + np.where(np.arange(arm.n) == 2, 4e10, 0.0)
    assert relative(inverse(far, v, a), gw.inverse_dynamics(arm, far, v, a)) < 1e-9


def test_results_that_overflow_are_errors():
    point = {"mass": 1.0, "com": (1.0, 0.0, 0.0)}
    two = gw.Mechanism([gw.Body("first", **point), gw.Body("second", 0, position=(1.0, 0.0, 0.0), **point)])
    kernel = gw.compile(gw.forward_dynamics, two)
    q, huge = np.array([0.3, 0.5]), np.array([1e200, 1e200])
    for call in (kernel, kernel.jacobian("q")):
        with pytest.raises(SingularityError, match="forward_dynamics"):
            call(q, huge, huge)


def test_zero_quaternions_are_refused_as_elsewhere():
    body = gw.Body("trunk", joint="free", mass=2.0, inertia=np.eye(3))
    mech = gw.Mechanism([body])
    kernel = gw.compile(gw.inverse_dynamics, mech)
    v = np.zeros(6)
    for tiny in (0.0, 1e-13):
        q = np.array([0, 0, 0, tiny, 0, 0, 0])
        with pytest.raises(InputError, match=r"quaternion.*'trunk'"):
            kernel(q, v, v)


def test_arrays_from_another_process_take_the_fast_entry(inverse, motion, monkeypatch):
    """Unpickled arrays bring a copy of the dtype."""
    sent = [pickle.loads(pickle.dumps(x)) for x in motion]
    assert sent[0].dtype is not motion[0].dtype
    monkeypatch.setattr(GeneralCall, "__call__", lambda *_args, **_words: pytest.fail("took the slow way"))
    assert inverse(*sent).shape == motion[0].shape


def test_machine_without_speeds():
    mech = gw.Mechanism([gw.Body("rock", joint="fixed", mass=1.0)])
    kernel = gw.compile(gw.inverse_dynamics, mech)
    for lead in ((), (3,), (2, 3), (0,)):
        x = np.zeros((*lead, 0))
        assert kernel(x, x, x).shape == (*lead, 0)


def test_pickle(inverse, motion):
    again = pickle.loads(pickle.dumps(inverse))
    assert np.array_equal(again(*motion), inverse(*motion))
    assert again.operations == inverse.operations


def _in_child(kernel, motion, queue):
    queue.put(kernel(*motion))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # newer Pythons warn of forks beside threads
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # and so does JAX, if another test imported it
@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_fork(inverse, motion, monkeypatch):
    monkeypatch.setenv("GEARWRIGHT_THREADS", "2")
    long = [np.tile(x, (12_000, 1)) for x in motion]
    expected = inverse(*long)  # the parent's threads exist now
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(inverse, long, queue))
    child.start()
    found = queue.get(timeout=60)
    child.join(timeout=60)
    assert child.exitcode == 0
    assert np.array_equal(found, expected)


def test_many_threads_at_once(inverse):
    rng = np.random.default_rng(8)
    batches = [rng.uniform(-1, 1, (3, 200 + k, 5)) for k in range(16)]
    expected = [inverse(*batch) for batch in batches]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            for found, right in zip(pool.map(lambda batch: inverse(*batch), batches), expected, strict=True):
                assert np.array_equal(found, right)


def test_references_are_neither_lost_nor_kept(inverse, motion):
    q, v, a = (x[0].copy() for x in motion)
    out = np.empty_like(q)
    double = q.dtype
    before = [sys.getrefcount(x) for x in (q, v, a, out, double)]
    for _ in range(5000):
        inverse(q, v, a)
        inverse(q, v, a, out=out)
        inverse(q, v, a, out)
    after = [sys.getrefcount(x) for x in (q, v, a, out, double)]
    assert all(abs(x - y) < 10 for x, y in zip(before, after, strict=True))


def test_without_the_fast_entry(arm, inverse, motion, monkeypatch):
    """Interpreters whose objects lie otherwise in memory take the general call."""
    monkeypatch.setattr(machine_code, "has_known_layout", lambda: False)
    plain = Kernel(KernelRequest("inverse_dynamics", arm))
    assert not isinstance(plain.func, type(len))
    assert np.array_equal(plain(*motion), inverse(*motion))


def test_without_machine_code(arm, inverse, motion):
    """Programs above the size limit run in CasADi or over NumPy, with the same results."""
    slow = GeneralCall(TraceJob(INVERSE_DYNAMICS, arm, {}), (), None, 1)
    assert relative(slow(*motion), inverse(*motion)) < 1e-12
    slope = GeneralCall(TraceJob(INVERSE_DYNAMICS, arm, {}, wrt=("q", "a")), (), None, 1)
    assert relative(slope(*motion), inverse.jacobian("q", "a")(*motion)) < 1e-12


def test_without_machine_code_a_program_is_traced_once(arm, motion, monkeypatch):
    traces = []
    monkeypatch.setattr(trace, "trace_function", lambda job: traces.append(job) or trace_function(job))
    slope = GeneralCall(TraceJob(INVERSE_DYNAMICS, arm, {}, wrt=("q",)), (), None, 1)
    assert np.array_equal(slope(*motion), slope(*motion))
    assert len(traces) == 1


def test_a_robot_is_assembled_once(monkeypatch):
    """Assembling takes longer than taking a kernel from the cache."""
    robot, made = gw.load("elbow"), []
    monkeypatch.setattr(tree_of, "assemble_tree", lambda x: made.append(x) or gw.assemble(x))
    gw.compile(gw.gravity, robot)
    assert len(made) == 1


def test_a_function_of_the_same_name_is_another_function(arm):
    def gravity(mech, q):
        return 0 * q

    with pytest.raises(InputError, match=r"compile: .*\bgravity\b.*inverse_dynamics"):
        gw.compile(gravity, arm)


def test_compile_refuses_what_it_does_not_know(arm):
    for call, message in [
        (lambda: gw.compile("inverse_dynamic", arm), "'inverse_dynamic'.*'inverse_dynamics'"),
        (lambda: gw.compile(gw.neutral, arm), "'neutral'"),
        (lambda: gw.compile(gw.inverse_dynamics, "arm"), "robot_or_mech='arm'"),
        (lambda: gw.compile(gw.inverse_dynamics, arm, parameters=["b9.mass"]), r"'b9\.mass'"),
        (lambda: gw.compile(gw.inverse_dynamics, arm, body="b1"), "inverse_dynamics .*'body'"),
        (lambda: gw.compile(gw.jacobian, arm), "jacobian .*body="),
        (lambda: gw.compile(gw.jacobian, arm, body="b77"), "'b77'"),
        (lambda: gw.compile(gw.jacobian, arm, body="b1", point=(1, 2)), r"point \(1, 2\)"),
        (lambda: gw.compile(gw.jacobian, arm, body="b1", point="abc"), "point .*<U3"),
        (lambda: gw.compile(gw.jacobian, arm, body="b1", point=(1, 2, np.nan)), r"point \(1, 2, nan\)"),
        (lambda: gw.compile(gw.bias, arm, wrenches=3), "wrenches=3"),
        (lambda: gw.compile(gw.bias, arm, wrenches="b9"), "'b9'"),
        (lambda: gw.compile(gw.bias, arm, parameters=5), "parameters=5"),
        (lambda: gw.compile(gw.inverse_dynamics, arm).jacobian("x"), "'x'.*q, v, a"),
        (lambda: gw.compile(gw.inverse_dynamics, arm).jacobian("q").jacobian("q"), r"d inverse_dynamics / d \(q\)"),
        (lambda: gw.compile(gw.inverse_dynamics, arm).source("fortran"), "language='fortran'.*'c'"),
    ]:
        with pytest.raises(InputError, match=message):
            call()


def test_a_division_by_zero_among_the_numbers_is_an_error_in_words(tmp_path):
    shell = gw.Mechanism([gw.Body("shell", inertia=np.eye(3))])
    for make in (gw.compile, lambda function, mech: export_c(mech, tmp_path, [function])):
        with pytest.raises(SingularityError, match="centre_of_mass"):
            make(gw.centre_of_mass, shell)


FUZZ = """
import itertools, sys
import numpy as np
import gearwright as gw
body = dict(mass=2.0, com=(0.3, 0.1, 0.0), inertia=np.diag([0.1, 0.2, 0.25]))
mech = gw.Mechanism([gw.Body("a", **body), gw.Body("b", 0, axis=(0, 1, 0), position=(0.5, 0, 0), **body)])
kernel = gw.compile(gw.forward_dynamics, mech)
good = np.array([[0.1, 0.2], [0.3, -0.4], [1.0, 2.0]])
frozen = good.copy()
frozen.flags.writeable = False
odd = np.frombuffer(bytes(33), dtype="u1")[1:].view("f8")[:2]
strided = np.lib.stride_tricks.as_strided(good, (5, 2), (0, 8))
types = ["f4", "i8", "u1", ">f8", complex, object, str]
values = [
    good, good[0], good.tolist(), np.nan * good, good * np.inf, good * 5e-324, good * 1e308, good[:, ::-1], good[::2],
    *(good.astype(kind) for kind in types), np.empty((0, 2)), np.empty((3, 0)), np.float64(1.0), np.zeros((2, 3, 2)),
    np.zeros((1, 2)), None, "q", {"q": 1}, [], [[]], [1, [2, 3]], np.ma.masked_array(good), np.matrix(good), frozen,
    memoryview(good), good.T, True, 1j, strided, np.broadcast_to(good[0], (4, 2)), np.zeros(2, dtype="f8,f8"), odd,
    np.datetime64("2020"), object(), range(2), (0.1, 0.2),
]
shapes = [np.empty((3, 2)), np.empty(2), np.empty((3, 2), order="F"), np.empty((3, 2), dtype="f4")]
outs = [None, good, frozen, *shapes, "out", good.T]
calls = 0
for k, trio in enumerate(itertools.product(values, repeat=3)):
    if k % int(sys.argv[1]):
        continue
    for out in (outs if k % 7 == 0 else outs[:1]):
        calls += 1
        try:
            result = kernel(*trio, out=out)
        except gw.errors.GearwrightError:
            continue
        assert result.dtype == np.float64 and np.isfinite(result).all(), trio
for count, words in [(0, {}), (9, {}), (3, {"other": 1}), (3, {"out": None, "x": 2}), (4, {"out": good})]:
    try:
        kernel(*(good,) * count, **words)
    except (gw.errors.GearwrightError, TypeError):
        continue
    raise AssertionError((count, words))
print("survived", calls)
"""


@pytest.mark.parametrize(
    "stride", [pytest.param("97", id="some"), pytest.param("3", id="many", marks=pytest.mark.slow)]
)
def test_no_input_crashes_the_process(stride):
    run = subprocess.run([sys.executable, "-c", FUZZ, stride], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.startswith("survived")
