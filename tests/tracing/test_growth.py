"""Graphs and code of inverse and forward dynamics grow by the same amount with every joint."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiling.compile import array_layout, object_file
from gearwright.compiling.host.known_processor import host_processor
from gearwright.tracing import trace
from gearwright.tracing.recipe import KernelRequest
from gearwright.tracing.simplify.equivalent_machine import simplify_machine
from support.compare import relative
from support.long_chains import calls, long_chain

FUNCTIONS = ["inverse_dynamics", "forward_dynamics"]


def job(function: str, links: int) -> trace.TraceJob:
    return KernelRequest(function, gw.assemble(long_chain(links)), (), (), ()).trace_job()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_joint_adds_as_many_operations(function):
    sizes = [len(trace.trace_graph(job(function, links)).nodes) for links in (42, 63, 84)]
    assert sizes[2] - sizes[1] == pytest.approx(sizes[1] - sizes[0], rel=0.03)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_joint_adds_as_much_code(function):
    sizes = []
    for links in (42, 63, 84):  # all of them cut into pieces
        work = job(function, links)
        sizes.append(
            len(
                object_file(
                    trace.trace_graph(work), array_layout(work), work.result_shape(), host_processor(), optimised=0
                )
            )
        )
    assert sizes[2] - sizes[1] < 1.2 * (sizes[1] - sizes[0])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_tracing_calls_as_many_functions_per_joint(function):
    some, more = job(function, 42), job(function, 84)
    trace.trace_graph(some)  # what is made once per machine or process
    assert calls(lambda: trace.trace_graph(more)) < 2.2 * calls(lambda: trace.trace_graph(some))


def test_preparing_calls_as_many_functions_per_link():
    some, more = gw.assemble(long_chain(50)), gw.assemble(long_chain(100))
    assert calls(lambda: simplify_machine(more)) < 2.2 * calls(lambda: simplify_machine(some))


@pytest.mark.parametrize("links", [7, 12, 16, 24])
def test_link_by_link_is_chosen_where_it_takes_fewer_operations(links, monkeypatch):
    """The estimate may be wrong by a tenth, where the two ways cost nearly the same."""
    mech = gw.assemble(long_chain(links))
    count = {}
    for by_links in (False, True):
        monkeypatch.setattr(gw.Mechanism, "solved_by_links", by_links)
        count[by_links] = trace.trace_graph(
            KernelRequest("forward_dynamics", mech, (), (), ()).trace_job()
        ).operation_count.arithmetic_count
    monkeypatch.undo()
    chosen = mech.solved_by_links
    assert count[chosen] < 1.1 * count[not chosen]


@pytest.mark.parametrize("function", [*FUNCTIONS, "mass_matrix", "kinetic_energy"])
def test_a_graph_drawn_at_once_is_the_one_of_casadi(function, monkeypatch):
    """Computed by the same kernel, the two agree to the last digits."""
    mech = gw.assemble(long_chain(20))
    rng = np.random.default_rng(3)
    results = []
    for large in (1000, 0):
        monkeypatch.setattr(trace, "MAX_CASADI_BODIES", large)
        monkeypatch.setenv("GEARWRIGHT_CACHE", "off")
        kernel = gw.compile(function, mech)
        results.append(kernel(*rng.uniform(-1, 1, (len(kernel.inputs), 20))))
        rng = np.random.default_rng(3)
    assert relative(results[1], results[0]) < 1e-11


def test_every_operation_of_the_backend_table_can_be_drawn(monkeypatch):
    """A body on a free joint and its quaternions: roots, arcs and choices."""
    mech = gw.Mechanism([gw.Body("block", joint="free", mass=1.0, inertia=np.eye(3))])
    monkeypatch.setattr(trace, "MAX_CASADI_BODIES", 0)
    monkeypatch.setenv("GEARWRIGHT_CACHE", "off")
    q = gw.neutral(mech)
    speeds = np.array([0.1, 0.2, 0.3, 0.4, -0.5, 0.6])
    for small in (1.0, 1e-9, 0.0):
        there = gw.compile("integrate", mech)(q, small * speeds)
        assert relative(there, gw.integrate(mech, q, small * speeds)) < 1e-15
        assert relative(gw.compile("difference", mech)(q, there), small * speeds, 1e-9) < 1e-12
