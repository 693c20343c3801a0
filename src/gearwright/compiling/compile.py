"""Compilation of kernels: machine code from a traced program or from the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gearwright.compiling.host import disk_cache
from gearwright.compiling.host.known_processor import host_processor
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.compiling.host.processor import HostProcessor, compile_module
from gearwright.compiling.llvm.module import bare_text, has_scalar_code, module_text, single_state_text
from gearwright.compiling.llvm.schedule import MAX_SHORT_OPERATIONS, ArrayLayout
from gearwright.tracing.graph import Graph, OperationCount
from gearwright.tracing.trace import TraceJob, trace_graph

MAX_OPTIMISED_OPERATIONS, MAX_COMPILED_OPERATIONS = 50_000, 300_000
"""Operations up to which LLVM optimises a kernel split into pieces, and up to which it compiles at all.

Up to 3,000 operations (8,000 with AVX-512) a kernel is one function; above, it is split into pieces of 2,000 that fit
into the instruction cache. LLVM optimises with level 2 up to 3,000 operations, level 1 up to 50,000, level 0 up to
300,000; larger programs run in CasADi's virtual machine.
"""


MAX_OPTIMISED_OPERATIONS_PER_RUN = 20_000
"""The same for code of one run, which is called thousands rather than millions of times: level 0 takes 2 us less per
operation to compile, and 0.1 ns more per call."""


ModuleWriter = Callable[[Graph, ArrayLayout, tuple[int, ...], HostProcessor], str]
"""(graph, arrays, shape of a result, processor) -> a kernel's module in LLVM text."""


class CompiledKernel(NamedTuple):
    """A kernel's code (None above the size limit), its operation count, and remarks on its speed."""

    code: MachineCode | None
    operations: OperationCount
    remarks: tuple[str, ...] = ()


def array_layout(job: TraceJob) -> ArrayLayout:
    """The arrays of a job."""
    size = 1
    for axis in job.result_shape():
        size *= axis
    return ArrayLayout(tuple(job.input_sizes().values()), size, job.parameter_count > 0)


def kernel_key(job: TraceJob, identity: object, machine: HostProcessor) -> str:
    """The name of a job's entry in the cache."""
    fixed = sorted(job.fixed.items())
    return disk_cache.entry_key(job.program.name, identity, fixed, job.wrt, machine)


def kernel_from_cache(job: TraceJob, identity: object) -> CompiledKernel | None:
    """The kernel if it is in the cache, else None."""
    entry = disk_cache.read_entry(kernel_key(job, identity, host_processor()))
    if entry is None:
        return None
    code = MachineCode(entry.code, host_processor().width, entry.facts["scalar"])
    return CompiledKernel(code, OperationCount(*entry.facts["operations"]), speed_remarks(job, entry.facts["size"]))


def compile_kernel(job: TraceJob, identity: object) -> CompiledKernel:
    """The kernel, from the cache or compiled now; `identity` determines machine and parameters exactly."""
    cached = kernel_from_cache(job, identity)
    if cached is not None:
        return cached
    graph = trace_graph(job)
    remarks = speed_remarks(job, len(graph.nodes))
    if len(graph.nodes) > MAX_COMPILED_OPERATIONS:
        return CompiledKernel(None, graph.operation_count, remarks)
    code = object_file(graph, array_layout(job), job.result_shape(), host_processor())
    facts = {"operations": list(graph.operation_count), "scalar": has_scalar_code(graph), "size": len(graph.nodes)}
    disk_cache.write_entry(kernel_key(job, identity, host_processor()), disk_cache.CacheEntry(facts, code))
    return CompiledKernel(
        MachineCode(code, host_processor().width, has_scalar_code(graph)), graph.operation_count, remarks
    )


def speed_remarks(job: TraceJob, size: int, optimised: int | None = None) -> tuple[str, ...]:
    """Remarks on a kernel that is slower per operation than a small one because of its size."""
    optimised = MAX_OPTIMISED_OPERATIONS if optimised is None else optimised
    if size > MAX_COMPILED_OPERATIONS:
        backend = "in CasADi's virtual machine" if job.needs_tracing else "over NumPy"
        return (
            f"{size:,} operations are more than the {MAX_COMPILED_OPERATIONS:,} that LLVM compiles, so it runs "
            f"{backend}",
        )
    if size > optimised:
        return (f"{size:,} operations are more than the {optimised:,} that LLVM optimises: level 0",)
    return ()


def compile_graph(job: TraceJob, graph: Graph, batches: bool = True) -> MachineCode | None:
    """The code of a traced job without an identity, such as one with laws of the user; None above the size limit.

    Its key in the cache is the list of its operations. Without `batches` there is no code for vectors of states:
    integrators evaluate one state at a time, and compiling takes less than half as long.
    """
    if len(graph.nodes) > MAX_COMPILED_OPERATIONS:
        return None
    layout, machine = array_layout(job), host_processor()
    key = disk_cache.entry_key(job.program.name, graph, layout, batches, machine)
    entry = disk_cache.read_entry(key)
    if entry is None:
        text = module_text if batches else single_state_text
        entry = disk_cache.CacheEntry(
            {}, object_file(graph, layout, job.result_shape(), machine, MAX_OPTIMISED_OPERATIONS_PER_RUN, text)
        )
        disk_cache.write_entry(key, entry)
    width, scalar = (machine.width, has_scalar_code(graph)) if batches else (1, True)
    return MachineCode(
        entry.code, width, scalar, speed_remarks(job, len(graph.nodes), MAX_OPTIMISED_OPERATIONS_PER_RUN)
    )


def code_from_cache(name: str, identity: str) -> MachineCode | None:
    """The code of a program that an identity determines exactly, if it is in the cache."""
    entry = disk_cache.read_entry(_identity_key(name, identity))
    return None if entry is None else _code_of_entry(entry)


def code_by_identity(identity: str, job: TraceJob) -> MachineCode | None:
    """The same, compiled now if not in the cache; only machine code can call it. None above the size limit."""
    cached = code_from_cache(job.program.name, identity)
    if cached is not None:
        return cached
    graph = trace_graph(job)
    if len(graph.nodes) > MAX_COMPILED_OPERATIONS:
        return None
    code = object_file(
        graph, array_layout(job), job.result_shape(), host_processor(), MAX_OPTIMISED_OPERATIONS_PER_RUN, bare_text
    )
    entry = disk_cache.CacheEntry(
        {"remarks": speed_remarks(job, len(graph.nodes), MAX_OPTIMISED_OPERATIONS_PER_RUN)}, code
    )
    disk_cache.write_entry(_identity_key(job.program.name, identity), entry)
    return _code_of_entry(entry)


def _identity_key(name: str, identity: str) -> str:
    return disk_cache.entry_key(name, "by identity", identity, host_processor())


def _code_of_entry(entry: disk_cache.CacheEntry) -> MachineCode:
    return MachineCode(entry.code, 1, True, tuple(entry.facts["remarks"]))


def object_file(
    graph: Graph,
    layout: ArrayLayout,
    shape: tuple[int, ...],
    machine: HostProcessor,
    optimised: int | None = None,
    text: ModuleWriter = module_text,
) -> bytes:
    """The object file of a graph, optimised by LLVM up to `optimised` operations (`MAX_OPTIMISED_OPERATIONS`)."""
    size, optimised = len(graph.nodes), MAX_OPTIMISED_OPERATIONS if optimised is None else optimised
    # With many stores in one function full optimisation takes seconds without a gain.
    level = 2 if size <= MAX_SHORT_OPERATIONS and layout.outputs <= 128 else 1 if size <= optimised else 0
    return compile_module(text(graph, layout, shape, machine), machine, level)
