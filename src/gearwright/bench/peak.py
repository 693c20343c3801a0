"""The double-precision peak of one core, measured with a loop of fused multiply-adds."""

from __future__ import annotations

import ctypes
import time

from gearwright.compiling.host import Host, binding, object_code
from gearwright.compiling.known_host import host

CHAINS = 12
"""Independent accumulators: enough to hide the latency of two units."""

TURNS = 100_000
SINCOS = 36
"""Operations of one sine with its cosine, counted in the kernels' own polynomial."""


def peak(rounds: int = 200) -> float:
    """Floating-point operations per second of one core: the best of many short rounds, as on a quiet machine."""
    machine = host()
    llvm = binding()
    engine = llvm.create_mcjit_compiler(
        llvm.parse_assembly(""), llvm.Target.from_triple(machine.triple).create_target_machine(jit=True)
    )
    engine.add_object_file(llvm.ObjectFileRef.from_data(object_code(_loop(machine), machine, 2)))
    engine.finalize_object()
    run = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(engine.get_function_address("fused"))
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        run(TURNS)
        best = min(best, time.process_time() - start)
    return 2.0 * CHAINS * machine.width * TURNS / best


def _loop(machine: Host) -> str:
    kind = f"<{machine.width} x double>"
    name = f"llvm.fma.v{machine.width}f64"
    ones = "<" + ", ".join(["double 0.5"] * machine.width) + ">"
    lines = [f"declare {kind} @{name}({kind}, {kind}, {kind})", "define double @fused(i64 %count) {", "entry:"]
    lines += ["  br label %loop", "loop:", "  %i = phi i64 [0, %entry], [%next, %loop]"]
    lines += [f"  %a{k} = phi {kind} [{ones}, %entry], [%b{k}, %loop]" for k in range(CHAINS)]
    lines += [f"  %b{k} = call {kind} @{name}({kind} %a{k}, {kind} {ones}, {kind} {ones})" for k in range(CHAINS)]
    lines += ["  %next = add i64 %i, 1", "  %more = icmp slt i64 %next, %count"]
    lines += ["  br i1 %more, label %loop, label %done", "done:", f"  %s0 = fadd {kind} %b0, %b1"]
    lines += [f"  %s{k - 1} = fadd {kind} %s{k - 2}, %b{k}" for k in range(2, CHAINS)]
    lines += [f"  %result = extractelement {kind} %s{CHAINS - 2}, i32 0", "  ret double %result", "}"]
    return "\n".join(lines)
