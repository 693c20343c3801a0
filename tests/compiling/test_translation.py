"""Restricted Python does in machine code what it does in Python."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import types

import numpy as np
import pytest

from gearwright.compiling.host.known_processor import host_processor
from gearwright.compiling.host.processor import compile_module
from gearwright.compiling.restricted_python.c_printer import c_text
from gearwright.compiling.restricted_python.compiled_code import RestrictedCode, WorkspaceMemory, as_callback
from gearwright.compiling.restricted_python.translation import Translation
from gearwright.export.fmi.build import find_compiler

HEAD = """
from __future__ import annotations
from gearwright.compiling import Floats, Ints, Code, invoke_callback, array_tail, sqrt
"""

WORK = """
class Work:
    n: int
    x: Floats
    k: Ints
    total: float
    back: Code
"""


class Translated:
    """A source text as a Python module and as machine code, each with a workspace of its own."""

    def __init__(self, text: str, tmp_path, monkeypatch, entry: str = "go") -> None:
        file = tmp_path / "restricted.py"
        file.write_text(HEAD + WORK + text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "restricted", raising=False)
        self.module = __import__("restricted")
        whole = Translation((self.module,), self.module.Work, (entry,)).module_text()
        code = compile_module(f'target triple = "{host_processor().triple}"\n{whole}', host_processor(), 2, loops=True)
        self.code, self.entry = RestrictedCode(code, (entry,)), entry

    def both(self, x, k, back=None):
        """Result and workspace, in Python and in machine code."""
        plain = types.SimpleNamespace(n=len(x), x=np.array(x, dtype=float), k=np.array(k), total=0.0, back=back)
        memory = WorkspaceMemory(self.module.Work)
        memory["n"], memory["x"], memory["k"] = len(x), np.array(x, dtype=float), np.array(k)
        if back is not None:
            memory["back"] = as_callback(back)
        with np.errstate(all="ignore"):
            expected = getattr(self.module, self.entry)(plain)
        found = self.code.entry_function(self.entry)(memory.address)
        return (expected, plain.x, plain.k, plain.total), (found, memory["x"], memory["k"], memory["total"])


LOOPS = """
SCALE = 2.5
WEIGHTS = (1.0, -2.0, 0.5)

def weigh(x: Floats, j: int) -> float:
    if j % 3 == 0 and x[0] > 0.0:
        return WEIGHTS[j % 3] * x[0]
    elif x[0] < -1.0 or j // 2 == 1:
        return abs(x[0])
    return min(x[0], SCALE) - max(x[0], -1)

def go(s: Work) -> int:
    met = 0
    for i in range(s.n):
        if not (s.x[i] == s.x[i]):
            continue
        s.total += weigh(array_tail(s.x, i), i)
        s.k[i] += int(s.x[i]) if s.x[i] >= 0.0 else -i
        if s.total > 40.0:
            break
        met += 1
    j = s.n
    while j > 1 and s.x[j - 1] != 0.0:
        j -= 1
        s.x[j] = sqrt(abs(s.x[j])) / float(j) + s.x[j - 1] * 3
    for i in range(s.n - 1, 0, -1):
        s.k[i] -= s.k[i - 1]
    return met
"""


def test_loops_branches_and_arithmetic(tmp_path, monkeypatch):
    both = Translated(LOOPS, tmp_path, monkeypatch).both
    rng = np.random.default_rng(5)
    for _ in range(20):
        x = rng.normal(scale=3.0, size=9)
        x[rng.integers(9)] = rng.choice([np.nan, 0.0, 60.0])
        expected, found = both(x, rng.integers(-5, 5, 9))
        assert expected[0] == found[0]
        for one, other in zip(expected[1:], found[1:], strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")
def test_the_same_source_is_printed_as_c(tmp_path, monkeypatch):
    translated = Translated(LOOPS, tmp_path, monkeypatch)
    module = translated.module
    kernels = "static int run_kernel(Code code, Table table) { return code(table); }\n"
    kernels += "static int invoke_callback(Code code, double t) { (void)code; return (int)t; }\n"
    entry = "int entry(Work *s) { (void)run_kernel; (void)invoke_callback; return go(s); }\n"
    text = f"#include <math.h>\n{c_text((module,), module.Work, ('go',), {})}\n{kernels}{entry}"
    (tmp_path / "work.c").write_text(text, encoding="utf-8")
    strict = ["-std=c99", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-shared", "-fPIC"]
    subprocess.run([find_compiler(), *strict, "work.c", "-o", "work.so", "-lm"], cwd=tmp_path, check=True)

    class Work(ctypes.Structure):
        _fields_ = (
            ("n", ctypes.c_int),
            ("x", ctypes.c_void_p),
            ("k", ctypes.c_void_p),
            ("total", ctypes.c_double),
            ("back", ctypes.c_void_p),
        )

    library = ctypes.CDLL(str(tmp_path / "work.so"))
    rng = np.random.default_rng(6)
    for _ in range(20):
        x, k = rng.normal(scale=3.0, size=9), rng.integers(-5, 5, 9)
        x[rng.integers(9)] = rng.choice([np.nan, 0.0, 60.0])
        expected, _ = translated.both(x, k)
        numbers = k.astype(np.int32)
        work = Work(len(x), x.ctypes.data, numbers.ctypes.data, 0.0, None)
        assert library.entry(ctypes.byref(work)) == expected[0]
        np.testing.assert_array_equal(x, expected[1])
        np.testing.assert_array_equal(numbers, expected[2])
        assert work.total == expected[3]


def test_a_function_is_called_back(tmp_path, monkeypatch):
    text = "def go(s: Work) -> int:\n    return invoke_callback(s.back, 0.25) + 1\n"
    expected, found = Translated(text, tmp_path, monkeypatch).both([0.0], [0], back=lambda t: int(8 * t))
    assert expected[0] == found[0] == 3


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("x = [1.0]", "cannot be translated"),
        ("s.n = 1.5", "Write int"),
        ("a, b = 1, 2", "one name at a time"),
        ("for x in s.x:\n        pass", "range"),
        ("unknown(s)", "no such function"),
        ("with s:\n        pass", "statement cannot be translated"),
    ],
)
def test_what_is_beyond_the_restriction_is_refused(line, why, tmp_path, monkeypatch):
    with pytest.raises(SyntaxError, match=why):
        Translated(f"def go(s: Work) -> int:\n    {line}\n    return 0\n", tmp_path, monkeypatch)
