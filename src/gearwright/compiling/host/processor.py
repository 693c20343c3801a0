"""The processor that kernels are made for, and LLVM as it must be set up for them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from gearwright.errors import CompilationError

_LLVM = threading.RLock()

# The scheduler would undo the order of the recursion, and loop-invariant motion would spill the constant table to the
# stack. Both are switched off while a kernel is compiled and on again for others who use LLVM in this process.
_QUIET = ("-disable-machine-licm", "-enable-misched")

_SHORT = 25
"""Functions of more than about so many instructions are called rather than copied to where they are called."""


@dataclass(frozen=True)
class Host:
    """A processor: its name and features as LLVM spells them, and what follows for the kernels.

    Args:
        triple: LLVM's name of the platform.
        cpu: LLVM's name of the processor.
        features: its features as LLVM lists them.
        width: states per vector.
        fused: whether it has fused multiply-add.
        whole: operations up to which a program is one function; with twice the registers, longer ones may be.
        wide_table: whether numbers are stored once per lane; processors that broadcast memory operands need it once.
        llvm: the version of LLVM that makes its code.
    """

    triple: str
    cpu: str
    features: str
    width: int
    fused: bool
    wide_table: bool
    whole: int = 3000
    llvm: tuple[int, ...] = ()


@contextmanager
def _naming_llvm() -> Iterator[None]:
    """Turn what llvmlite raises when it is missing or fails into an error of ours."""
    try:
        yield
    except (ImportError, OSError, RuntimeError) as error:
        raise CompilationError(f"LLVM cannot make machine code here: {error}") from error


@cache
def binding() -> Any:
    """llvmlite, made ready at the first call."""
    with _naming_llvm():
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    return llvm


def asked_host() -> Host:
    """This machine as LLVM knows it: 8 states per vector with AVX-512, 4 with AVX2 and FMA, else 2 (SSE2, NEON)."""
    llvm = binding()
    try:
        features = dict(llvm.get_host_cpu_features())
    except RuntimeError:  # LLVM cannot tell on this platform
        return generic()
    triple = llvm.get_process_triple()
    wide = bool(features.get("avx512f") and features.get("avx512vl") and features.get("avx512dq"))
    fused = bool(features.get("fma")) or triple.startswith(("aarch64", "arm64"))
    width = 8 if wide else 4 if features.get("avx2") and fused else 2
    return Host(
        triple,
        llvm.get_host_cpu_name(),
        llvm.FeatureMap(features).flatten(),
        width,
        fused,
        not wide,
        8000 if wide else 3000,
        tuple(llvm.llvm_version_info),
    )


def generic() -> Host:
    """A processor of the same kind with nothing special about it: two states per vector, no fused multiply-add."""
    llvm = binding()
    triple = llvm.get_process_triple()
    arm = triple.startswith(("aarch64", "arm64"))
    return Host(triple, "generic" if arm else "x86-64", "", 2, arm, True, llvm=tuple(llvm.llvm_version_info))


def object_code(text: str, host: Host, level: int, loops: bool = False) -> bytes:
    """The object file of a module in LLVM text; with `loops`, LLVM's own passes go over it first."""
    llvm = binding()
    with _LLVM, _naming_llvm():
        module = llvm.parse_assembly(text)
        target = llvm.Target.from_triple(host.triple)
        machine = target.create_target_machine(
            cpu=host.cpu, features=host.features, opt=level, reloc="pic", codemodel="small", jit=True
        )
        if loops:
            options = llvm.create_pipeline_tuning_options(speed_level=level)
            # Its loops are short (over joints, stages and unknowns): more copies take time to compile and gain nothing.
            options.loop_unrolling = options.loop_interleaving = False
            options.inlining_threshold = _SHORT
            builder = llvm.create_pass_builder(machine, options)
            builder.getModulePassManager().run(module, builder)
        llvm.set_option("", _QUIET[0] + "=true")
        llvm.set_option("", _QUIET[1] + "=false")
        try:
            return bytes(machine.emit_object(module))
        finally:
            llvm.set_option("", _QUIET[0] + "=false")
            llvm.set_option("", _QUIET[1] + "=true")


def loaded_by_llvm(code: bytes) -> Any:
    """An execution engine that holds an object file."""
    llvm = binding()
    with _LLVM, _naming_llvm():
        machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
        # llvmlite's memory manager keeps code and constants together. LLVM's own may put them further apart than the
        # 2 GB that the small code model can reach, and then ends the process.
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine, use_lmm=True)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return engine


def _fresh_lock() -> None:
    """A child must not wait for a thread that its parent had."""
    global _LLVM
    _LLVM = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_fresh_lock)
