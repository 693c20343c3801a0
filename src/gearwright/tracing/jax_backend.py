"""The traced program as a JAX function for jit, vmap and grad."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError, MissingExtraError
from gearwright.mechanism import RobotOrMech
from gearwright.programs.placement import split_results
from gearwright.tracing.graph import Graph
from gearwright.tracing.recipe import KernelRequest, kernel_request
from gearwright.tracing.trace import trace_graph


@check_arguments
def jax_function(
    function: Callable[..., Any] | str,
    robot_or_mech: RobotOrMech,
    parameters: str | Sequence[str] = (),
    **fixed: Any,
) -> Callable[..., Any]:
    """Return a function of the dynamics over JAX arrays, with the machine's parameters as constants.

    Args:
        function: a public function such as `gw.inverse_dynamics`, or its name.
        robot_or_mech: a robot or a machine.
        parameters: paths of parameters that remain inputs: the last argument is then an array (..., P).
        fixed: arguments of the function other than arrays, as for `compile`.

    Returns:
        A function of the arrays (q, v, ...), leading axes broadcast, for `jax.jit`, `jax.vmap` and `jax.grad`. Its
        results are those of the public function. It computes in float64, as all of Gearwright; derivatives are by the
        coordinates themselves, of which a free joint has 7.

    >>> import jax
    >>> jax.config.update("jax_enable_x64", True)
    >>> import gearwright as gw
    >>> arm = gw.Mechanism([gw.Body("arm", mass=2, com=(0.5, 0, 0), axis=(0, -1, 0))])
    >>> torque = jax.jit(jax_function("gravity", arm))
    >>> float(torque(jax.numpy.array([0.0]))[0])
    9.81
    """
    _require_float64()
    request = kernel_request(function, robot_or_mech, parameters, fixed, "jax_function")
    job = request.trace_job()
    graph, sizes, shapes = trace_graph(job), job.input_sizes(), job.result_shapes()

    def evaluate(*arrays: Any) -> Any:
        import jax

        if len(arrays) != len(sizes):
            raise InputError(f"{request.function}: got {len(arrays)} arrays; give {', '.join(sizes)}.")
        inputs = [_checked_array(request, name, array, sizes[name]) for name, array in zip(sizes, arrays, strict=True)]
        values = _node_values(graph, inputs)
        lead = jax.numpy.broadcast_shapes(*(array.shape[:-1] for array in inputs))
        result = jax.numpy.zeros((*lead, len(graph.outputs)))
        for place, k in enumerate(graph.outputs):
            # Stacking instead would make XLA compute common subexpressions again for each entry.
            result = result.at[..., place].set(values[k])
        return split_results(shapes, result)

    evaluate.__name__ = request.function
    return evaluate


def _require_float64() -> None:
    try:
        import jax
    except ImportError:
        raise MissingExtraError(
            "the JAX backend needs jax: pip install 'gearwright[jax]'. Everything else works without it."
        ) from None
    if not jax.config.jax_enable_x64:
        raise InputError(
            "JAX is set to float32, which is not accurate enough for dynamics. "
            'Call jax.config.update("jax_enable_x64", True) first.'
        )


def _checked_array(request: KernelRequest, name: str, array: Any, size: int) -> Any:
    """An array with `size` entries in its last axis; values cannot be checked while JAX traces."""
    import jax

    array = jax.numpy.asarray(array, dtype="float64")
    if array.ndim == 0 or array.shape[-1] != size:
        raise InputError(f"{request.function}: {name} has shape {array.shape}; its last axis must have length {size}.")
    return array


def _node_values(graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    """The value of every node."""
    table = _jax_operations()
    values: list[Any] = []
    for node in graph.nodes:
        if node.op == "const":
            values.append(float(node.a))
        elif node.op == "input":
            values.append(inputs[int(node.a)][..., int(node.b)])
        else:
            values.append(table[node.op](*(values[k] for k in node.operands)))
    return values


def _jax_operations() -> dict[str, Callable[..., Any]]:
    """JAX functions of the operations of a graph."""
    import jax.numpy as jnp

    named = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative", "fabs": "abs"}
    named |= {
        "min": "minimum",
        "max": "maximum",
        "atan2": "arctan2",
        "asin": "arcsin",
        "acos": "arccos",
        "atan": "arctan",
    }
    named |= {"lt": "less", "le": "less_equal", "eq": "equal", "ne": "not_equal"}
    named |= {"not": "logical_not", "and": "logical_and", "or": "logical_or", "pow": "power"}
    same = ("sin", "cos", "sqrt", "exp", "log", "tanh", "tan", "sinh", "cosh", "sign", "floor")
    table = {op: getattr(jnp, name) for op, name in (named | {op: op for op in same}).items()}
    return {**table, "if_else_zero": lambda condition, x: jnp.where(condition, x, 0.0)}
