"""Making kernels: a traced program becomes machine code, or comes from the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gearwright.compiling.host import disk_cache
from gearwright.compiling.host.known_processor import host
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.compiling.host.processor import Host, object_code
from gearwright.compiling.llvm.module import bare_text, module_text, scalar_too, single_state_text
from gearwright.compiling.llvm.schedule import SHORT, ArrayLayout
from gearwright.tracing.graph import Graph, OperationCount
from gearwright.tracing.trace import TraceJob, traced

OPTIMISED, LIMIT = 50_000, 300_000
"""Operations up to which LLVM optimises a kernel cut into pieces, and up to which it compiles at all.

Up to 3,000 operations (8,000 with AVX-512) a kernel is one function, above it is cut into pieces of 2,000 that stay in
the instruction cache. LLVM optimises with level 2 up to 3,000 operations, level 1 up to 50,000, level 0 up to 300,000;
larger programs run in CasADi's virtual machine.
"""


OPTIMISED_FOR_ONE_RUN = 20_000
"""The same for code of one run, which is called thousands of times and not millions: level 0 costs 2 us less per
operation to compile, and 0.1 ns more per call."""


ModuleText = Callable[[Graph, ArrayLayout, tuple[int, ...], Host], str]
"""(graph, arrays, shape of a result, processor) -> a kernel's module in LLVM text."""


class Built(NamedTuple):
    """A kernel's code (None above the size limit), its operation count, and why it is slower than others, if it is."""

    code: MachineCode | None
    operations: OperationCount
    remarks: tuple[str, ...] = ()


def layout_of(job: TraceJob) -> ArrayLayout:
    """The arrays of a job."""
    size = 1
    for axis in job.shape():
        size *= axis
    return ArrayLayout(tuple(job.sizes().values()), size, job.count > 0)


def key_of(job: TraceJob, identity: object, machine: Host) -> str:
    """The name of a job's entry in the cache."""
    fixed = sorted(job.fixed.items())
    return disk_cache.key_of(job.program.name, identity, fixed, job.wrt, machine)


def stored(job: TraceJob, identity: object) -> Built | None:
    """The kernel if an earlier process left it in the cache."""
    entry = disk_cache.read(key_of(job, identity, host()))
    if entry is None:
        return None
    code = MachineCode(entry.code, host().width, entry.facts["scalar"])
    return Built(code, OperationCount(*entry.facts["operations"]), remarks_of(job, entry.facts["size"]))


def built(job: TraceJob, identity: object) -> Built:
    """The kernel, from the cache or made now; `identity` names machine and parameters exactly."""
    found = stored(job, identity)
    if found is not None:
        return found
    graph = traced(job)
    remarks = remarks_of(job, len(graph.nodes))
    if len(graph.nodes) > LIMIT:
        return Built(None, graph.operations, remarks)
    code = machine_code(graph, layout_of(job), job.shape(), host())
    facts = {"operations": list(graph.operations), "scalar": scalar_too(graph), "size": len(graph.nodes)}
    disk_cache.write(key_of(job, identity, host()), disk_cache.Entry(facts, code))
    return Built(MachineCode(code, host().width, scalar_too(graph)), graph.operations, remarks)


def remarks_of(job: TraceJob, size: int, optimised: int | None = None) -> tuple[str, ...]:
    """Why a kernel of so many operations is slower per operation than a small one."""
    optimised = OPTIMISED if optimised is None else optimised
    if size > LIMIT:
        where = "in CasADi's virtual machine" if job.needs_tracing else "over NumPy"
        return (f"{size:,} operations are more than the {LIMIT:,} that LLVM compiles, so it runs {where}",)
    if size > optimised:
        return (f"{size:,} operations are more than the {optimised:,} that LLVM optimises: level 0",)
    return ()


def graph_code(job: TraceJob, graph: Graph, batches: bool = True) -> MachineCode | None:
    """The code of a traced job that no identity tells, such as one with somebody's laws; None above the size limit.

    The cache knows it by its operations. Without `batches` there is no code for vectors of states: integrators ask for
    one state after another, and wait less than half as long.
    """
    if len(graph.nodes) > LIMIT:
        return None
    layout, machine = layout_of(job), host()
    key = disk_cache.key_of(job.program.name, graph, layout, batches, machine)
    entry = disk_cache.read(key)
    if entry is None:
        text = module_text if batches else single_state_text
        entry = disk_cache.Entry({}, machine_code(graph, layout, job.shape(), machine, OPTIMISED_FOR_ONE_RUN, text))
        disk_cache.write(key, entry)
    width, scalar = (machine.width, scalar_too(graph)) if batches else (1, True)
    return MachineCode(entry.code, width, scalar, remarks_of(job, len(graph.nodes), OPTIMISED_FOR_ONE_RUN))


def stored_code(name: str, identity: str) -> MachineCode | None:
    """The code of a program that an identity tells exactly, if an earlier process left it in the cache."""
    entry = disk_cache.read(_key_by_identity(name, identity))
    return None if entry is None else _told_code(entry)


def code_known_by(identity: str, job: TraceJob) -> MachineCode | None:
    """The same, made now where the cache does not know it; only machine code can call it. None above the size limit."""
    found = stored_code(job.program.name, identity)
    if found is not None:
        return found
    graph = traced(job)
    if len(graph.nodes) > LIMIT:
        return None
    code = machine_code(graph, layout_of(job), job.shape(), host(), OPTIMISED_FOR_ONE_RUN, bare_text)
    entry = disk_cache.Entry({"remarks": remarks_of(job, len(graph.nodes), OPTIMISED_FOR_ONE_RUN)}, code)
    disk_cache.write(_key_by_identity(job.program.name, identity), entry)
    return _told_code(entry)


def _key_by_identity(name: str, identity: str) -> str:
    return disk_cache.key_of(name, "by identity", identity, host())


def _told_code(entry: disk_cache.Entry) -> MachineCode:
    return MachineCode(entry.code, 1, True, tuple(entry.facts["remarks"]))


def machine_code(
    graph: Graph,
    layout: ArrayLayout,
    shape: tuple[int, ...],
    machine: Host,
    optimised: int | None = None,
    text: ModuleText = module_text,
) -> bytes:
    """The object file of a graph; up to `optimised` operations (OPTIMISED unless given) LLVM takes its time."""
    size, optimised = len(graph.nodes), OPTIMISED if optimised is None else optimised
    # With many stores in one function the best optimisation takes seconds and gains nothing.
    level = 2 if size <= SHORT and layout.outputs <= 128 else 1 if size <= optimised else 0
    return object_code(text(graph, layout, shape, machine), machine, level)
