"""Interleaved timing of several contenders, and the double-precision peak of one core.

Contenders take turns, so that all meet the same load of the machine. What is counted is the processor time of this
process, all its threads together, which another process on the core does not change. The peak is measured with a loop
of fused multiply-adds.
"""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gearwright.compiling.host.known_processor import host
from gearwright.compiling.host.processor import Host, binding, object_code

ROUNDS = 21
LONG_ENOUGH = 2e-3
"""A sample repeats a contender until it takes about so long [s]."""


@dataclass(frozen=True)
class Times:
    """Per contender its seconds per call, one sample per round."""

    samples: Mapping[str, Sequence[float]]

    def median(self, name: str) -> float:
        """The median time of a contender [s]."""
        return statistics.median(self.samples[name])

    def ratio(self, slower: str, faster: str) -> float:
        """The median over the rounds of the ratio within a round: what a busy neighbour does to both cancels."""
        pairs = zip(self.samples[slower], self.samples[faster], strict=True)
        return statistics.median(a / b for a, b in pairs)


def interleaved(contenders: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> Times:
    """Time every contender once per round, all in turn.

    >>> sorted(interleaved({"sum": lambda: sum(range(100)), "nothing": lambda: None}, rounds=3).samples)
    ['nothing', 'sum']
    """
    repeats = {name: _repeats(call) for name, call in contenders.items()}
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            samples[name].append(_seconds(call, repeats[name]))
    return Times(samples)


def _repeats(call: Callable[[], object]) -> int:
    call()
    once = min(_seconds(call, 1) for _ in range(3))
    return max(1, round(LONG_ENOUGH / max(once, 1e-9)))


def _seconds(call: Callable[[], object], repeats: int) -> float:
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


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
