"""The processor that kernels are compiled for, and the set-up of LLVM."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from gearwright.errors import CompilationError

_LLVM_LOCK = threading.RLock()

# The scheduler would undo the order of the recursion, and loop-invariant motion would spill the constant table to the
# stack. Both are switched off while a kernel is compiled, and on again for other users of LLVM in this process.
_DISABLED_PASSES = ("-disable-machine-licm", "-enable-misched")

_INLINING_THRESHOLD = 25
"""Approximate number of instructions above which functions are not inlined."""


@dataclass(frozen=True)
class HostProcessor:
    """A processor: its name and features as LLVM spells them, and what follows for the kernels.

    Args:
        triple: LLVM's name of the platform.
        cpu: LLVM's name of the processor.
        features: its features as LLVM lists them.
        width: states per vector.
        has_fma: whether it has fused multiply-add.
        max_whole_operations: operations up to which a program is one function; larger with twice the registers.
        has_wide_table: whether constants are stored once per lane; not needed if memory operands can be broadcast.
        llvm: the version of LLVM.
    """

    triple: str
    cpu: str
    features: str
    width: int
    has_fma: bool
    has_wide_table: bool
    max_whole_operations: int = 3000
    llvm: tuple[int, ...] = ()


@contextmanager
def _compilation_errors() -> Iterator[None]:
    """Turn errors of llvmlite, or its absence, into a CompilationError."""
    try:
        yield
    except (ImportError, OSError, RuntimeError) as error:
        raise CompilationError(f"LLVM cannot compile on this machine: {error}") from error


@cache
def llvm_binding() -> Any:
    """llvmlite, initialised at the first call."""
    with _compilation_errors():
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    return llvm


def detect_processor() -> HostProcessor:
    """This machine as detected by LLVM: 8 states per vector with AVX-512, 4 with AVX2 and FMA, else 2 (SSE2, NEON)."""
    llvm = llvm_binding()
    try:
        features = dict(llvm.get_host_cpu_features())
    except RuntimeError:  # not available on this platform
        return generic_processor()
    triple = llvm.get_process_triple()
    wide = bool(features.get("avx512f") and features.get("avx512vl") and features.get("avx512dq"))
    fused = bool(features.get("fma")) or triple.startswith(("aarch64", "arm64"))
    width = 8 if wide else 4 if features.get("avx2") and fused else 2
    return HostProcessor(
        triple,
        llvm.get_host_cpu_name(),
        llvm.FeatureMap(features).flatten(),
        width,
        fused,
        not wide,
        8000 if wide else 3000,
        tuple(llvm.llvm_version_info),
    )


def generic_processor() -> HostProcessor:
    """A generic processor of the same architecture: two states per vector, no fused multiply-add."""
    llvm = llvm_binding()
    triple = llvm.get_process_triple()
    arm = triple.startswith(("aarch64", "arm64"))
    return HostProcessor(triple, "generic" if arm else "x86-64", "", 2, arm, True, llvm=tuple(llvm.llvm_version_info))


def compile_module(text: str, host: HostProcessor, level: int, loops: bool = False) -> bytes:
    """The object file of a module in LLVM text; with `loops`, after LLVM's optimisation passes."""
    llvm = llvm_binding()
    with _LLVM_LOCK, _compilation_errors():
        module = llvm.parse_assembly(text)
        target = llvm.Target.from_triple(host.triple)
        machine = target.create_target_machine(
            cpu=host.cpu, features=host.features, opt=level, reloc="pic", codemodel="small", jit=True
        )
        if loops:
            options = llvm.create_pipeline_tuning_options(speed_level=level)
            # Loops are short (over joints, stages and unknowns): unrolling takes compile time without a gain.
            options.loop_unrolling = options.loop_interleaving = False
            options.inlining_threshold = _INLINING_THRESHOLD
            builder = llvm.create_pass_builder(machine, options)
            builder.getModulePassManager().run(module, builder)
        llvm.set_option("", _DISABLED_PASSES[0] + "=true")
        llvm.set_option("", _DISABLED_PASSES[1] + "=false")
        try:
            return bytes(machine.emit_object(module))
        finally:
            llvm.set_option("", _DISABLED_PASSES[0] + "=false")
            llvm.set_option("", _DISABLED_PASSES[1] + "=true")


def load_by_llvm(code: bytes) -> Any:
    """An execution engine that holds an object file."""
    llvm = llvm_binding()
    with _LLVM_LOCK, _compilation_errors():
        machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
        # llvmlite's memory manager keeps code and constants together. LLVM's own may place them further apart than the
        # 2 GB of the small code model, and then aborts the process.
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine, use_lmm=True)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return engine


def _renew_lock() -> None:
    """Replace the lock after a fork: a thread of the parent may have held it."""
    global _LLVM_LOCK
    _LLVM_LOCK = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
