"""Machine code and its constants are loaded close together, and refer to each other by distances alone.

On Linux with x86-64 an object file is loaded as one block without LLVM; elsewhere LLVM loads it. LLVM's own memory
manager asks for each section on its own. In a process with scattered memory they can end up more than 2 GB apart, which
the small code model cannot reach: LLVM then ends the process (seen about once in a thousand loads into deliberately
scattered memory). llvmlite's manager takes all sections from one block.
"""

from __future__ import annotations

import ctypes
import struct
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiling.compile import array_layout
from gearwright.compiling.host import disk_cache, known_processor, loading, processor
from gearwright.compiling.host.known_processor import processor_fields
from gearwright.compiling.host.loading import PAGE_BYTES, code_image
from gearwright.compiling.llvm.module import module_text
from gearwright.tracing.trace import trace_graph

TEXT = """
target triple = "{}"
@table = dso_local global [2 x double] zeroinitializer
@halves = internal constant [3 x double] [double 0.5, double 1.5, double 2.5]
define internal double @half(i64 %k) noinline {{
  %p = getelementptr double, ptr @halves, i64 %k
  %x = load double, ptr %p
  ret double %x
}}
define void @fill(i64 %k) {{
  %x = call double @half(i64 %k)
  %y = fmul double %x, 3.25
  store double %x, ptr @table
  store double %y, ptr getelementptr (double, ptr @table, i64 1)
  ret void
}}
"""

blocks_only = pytest.mark.skipif(
    sys.platform != "linux" or not known_processor.host_processor().triple.startswith("x86_64"),
    reason="LLVM loads code here",
)


def a_machine(mass: float) -> gw.Mechanism:
    return gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=mass, com=(0.5, 0, 0), inertia=np.eye(3))])


def code() -> bytes:
    machine = known_processor.host_processor()
    return processor.compile_module(TEXT.format(machine.triple), machine, 0)


@pytest.mark.parametrize("wide", [False, True])
def test_a_program_without_constants_compiles_on_every_processor(wide):
    """Without broadcasts from memory each constant is stored once per lane, and so is the filler of an empty table."""
    machine = replace(known_processor.host_processor(), has_wide_table=wide, width=4)
    wheel = gw.Mechanism([gw.Body("wheel", axis=(0, 0, 1), mass=1.0, inertia=np.eye(3))])
    job = gw.compile("forward_dynamics", wheel).trace_job
    text = module_text(trace_graph(job), array_layout(job), job.result_shape(), machine)
    assert processor.compile_module(text, machine, 0)


def test_sections_that_llvm_loads_come_from_one_block(monkeypatch):
    llvm, asked = processor.llvm_binding(), []
    create = llvm.create_mcjit_compiler

    def spy(module, machine, use_lmm=None):
        asked.append(use_lmm)
        return create(module, machine, use_lmm)

    monkeypatch.setattr(llvm, "create_mcjit_compiler", spy)
    monkeypatch.setattr(loading, "code_image", lambda code: None)
    arm = a_machine(2.345)
    assert np.allclose(gw.compile(gw.gravity, arm)(np.zeros(1)), gw.gravity(arm, np.zeros(1)))
    assert asked == [True]


@blocks_only
def test_a_block_does_what_llvm_loads():
    for made in (loading.load_code(code()), processor.load_by_llvm(code())):
        fill = ctypes.CFUNCTYPE(None, ctypes.c_int64)(made.get_function_address("fill"))
        table = (ctypes.c_double * 2).from_address(made.get_global_value_address("table"))
        for k in range(3):
            fill(k)
            assert list(table) == [0.5 + k, 3.25 * (0.5 + k)]
    assert isinstance(loading.load_code(code()), loading.MappedCode)


@blocks_only
def test_what_is_written_begins_at_a_page_of_its_own():
    image = code_image(code())
    assert image.written % PAGE_BYTES == len(image.content) % PAGE_BYTES == 0
    assert image.symbols["fill"] < image.written <= image.symbols["table"]


@blocks_only
def test_what_is_not_understood_is_left_to_llvm():
    """Another format, a reference to something outside, or one that is not a distance."""
    outside = (
        'target triple = "{}"\ndeclare void @elsewhere()\ndefine void @f() {{\n call void @elsewhere()\n ret void\n}}\n'
    )
    machine = known_processor.host_processor()
    assert code_image(processor.compile_module(outside.format(machine.triple), machine, 0)) is None
    assert code_image(b"MZ" + code()[2:]) is None
    assert code_image(b"") is None
    absolute = f'target triple = "{machine.triple}"\n@a = global double 1.0\n@b = global ptr @a\n'
    assert code_image(processor.compile_module(absolute, machine, 0)) is None


@blocks_only
def test_an_object_of_another_processor_is_left_to_llvm():
    other = bytearray(code())
    struct.pack_into("<H", other, 18, 183)  # AArch64
    assert code_image(bytes(other)) is None


CACHED = """
import sys, numpy as np, gearwright as gw
arm = gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=3.456, com=(0.5, 0, 0), inertia=np.eye(3))])
print(gw.compile(gw.gravity, arm)(np.zeros(1))[0], "llvmlite" in sys.modules)
"""


@blocks_only
def test_nothing_is_asked_of_llvm_where_all_is_in_the_cache():
    def ask() -> list[str]:
        found = subprocess.run([sys.executable, "-c", CACHED], check=True, capture_output=True, text=True)
        return found.stdout.split()

    (first, compiled), (second, loaded) = ask(), ask()
    assert first == second
    assert (compiled, loaded) == ("True", "False")


def test_a_processor_is_known_by_what_tells_it_from_others():
    one = "processor : 0\nvendor_id : A\nmodel : 1\ncpu MHz : 2445.1\nflags : fma avx2\n\nprocessor : 1\nflags : sse2\n"
    assert processor_fields(one) == processor_fields(one.replace("2445.1", "800.0"))
    assert processor_fields(one) != processor_fields(one.replace("avx2", "avx"))
    assert processor_fields("Processor : ARMv8\n") == ()


def test_another_processor_is_another_entry(monkeypatch):
    """A cache that two machines share: each asks LLVM once."""
    monkeypatch.setattr(known_processor, "processor_fingerprint", lambda: ("another",))
    asked = []
    monkeypatch.setattr(known_processor, "detect_processor", lambda: asked.append(1) or processor.generic_processor())
    for _ in range(2):
        assert known_processor.host_processor.__wrapped__() == processor.generic_processor()
    assert asked == ([1] if disk_cache.trusted_directory() is not None else [1, 1])
