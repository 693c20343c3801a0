"""Interleaved timing of several contenders, and the double-precision peak of one core.

Contenders run alternately, so that all have the same load of the machine. Measured is the processor time of this
process over all its threads, which is independent of other processes. The peak is measured with a loop of fused
multiply-adds.
"""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gearwright.compiling.host.known_processor import host_processor
from gearwright.compiling.host.processor import HostProcessor, compile_module, llvm_binding

TIMING_ROUNDS = 21
MIN_SAMPLE_SECONDS = 2e-3
"""Duration of a sample [s]; the call is repeated to fill it."""


@dataclass(frozen=True)
class ContenderTimes:
    """Seconds per call of each contender, one sample per round."""

    samples: Mapping[str, Sequence[float]]

    def median_time(self, name: str) -> float:
        """Return the median time of a contender [s]."""
        return statistics.median(self.samples[name])

    def time_ratio(self, slower: str, faster: str) -> float:
        """Return the median of the ratios of all rounds: other load of the machine cancels within a round."""
        pairs = zip(self.samples[slower], self.samples[faster], strict=True)
        return statistics.median(a / b for a, b in pairs)


def time_interleaved(contenders: Mapping[str, Callable[[], object]], rounds: int = TIMING_ROUNDS) -> ContenderTimes:
    """Time every contender once per round, alternately.

    >>> sorted(time_interleaved({"sum": lambda: sum(range(100)), "nothing": lambda: None}, rounds=3).samples)
    ['nothing', 'sum']
    """
    repeats = {name: _repeat_count(call) for name, call in contenders.items()}
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            samples[name].append(_call_seconds(call, repeats[name]))
    return ContenderTimes(samples)


def _repeat_count(call: Callable[[], object]) -> int:
    call()
    once = min(_call_seconds(call, 1) for _ in range(3))
    return max(1, round(MIN_SAMPLE_SECONDS / max(once, 1e-9)))


def _call_seconds(call: Callable[[], object], repeats: int) -> float:
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


FMA_CHAINS = 12
"""Independent accumulators: enough to hide the latency of two units."""

FMA_ITERATIONS = 100_000
SINCOS_OPERATIONS = 36
"""Operations of one sine with its cosine, counted in the kernels' own polynomial."""


def peak_flops(rounds: int = 200) -> float:
    """Return floating-point operations per second of one core: the best of many short rounds."""
    machine = host_processor()
    llvm = llvm_binding()
    engine = llvm.create_mcjit_compiler(
        llvm.parse_assembly(""), llvm.Target.from_triple(machine.triple).create_target_machine(jit=True)
    )
    engine.add_object_file(llvm.ObjectFileRef.from_data(compile_module(_fma_loop_code(machine), machine, 2)))
    engine.finalize_object()
    run = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(engine.get_function_address("fused"))
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        run(FMA_ITERATIONS)
        best = min(best, time.process_time() - start)
    return 2.0 * FMA_CHAINS * machine.width * FMA_ITERATIONS / best


def _fma_loop_code(machine: HostProcessor) -> str:
    kind = f"<{machine.width} x double>"
    name = f"llvm.fma.v{machine.width}f64"
    ones = "<" + ", ".join(["double 0.5"] * machine.width) + ">"
    lines = [f"declare {kind} @{name}({kind}, {kind}, {kind})", "define double @fused(i64 %count) {", "entry:"]
    lines += ["  br label %loop", "loop:", "  %i = phi i64 [0, %entry], [%next, %loop]"]
    lines += [f"  %a{k} = phi {kind} [{ones}, %entry], [%b{k}, %loop]" for k in range(FMA_CHAINS)]
    lines += [f"  %b{k} = call {kind} @{name}({kind} %a{k}, {kind} {ones}, {kind} {ones})" for k in range(FMA_CHAINS)]
    lines += ["  %next = add i64 %i, 1", "  %more = icmp slt i64 %next, %count"]
    lines += ["  br i1 %more, label %loop, label %done", "done:", f"  %s0 = fadd {kind} %b0, %b1"]
    lines += [f"  %s{k - 1} = fadd {kind} %s{k - 2}, %b{k}" for k in range(2, FMA_CHAINS)]
    lines += [f"  %result = extractelement {kind} %s{FMA_CHAINS - 2}, i32 0", "  ret double %result", "}"]
    return "\n".join(lines)
