"""The traced program as a JAX function: to jit, vmap and differentiate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError, MissingExtraError
from gearwright.mechanism import RobotOrMech
from gearwright.programs.placement import in_parts
from gearwright.tracing.graph import Graph
from gearwright.tracing.recipe import Recipe, recipe_of
from gearwright.tracing.trace import traced


@check_arguments
def jax_function(
    function: Callable[..., Any] | str,
    robot_or_mech: RobotOrMech,
    parameters: str | Sequence[str] = (),
    **fixed: Any,
) -> Callable[..., Any]:
    """A function of the dynamics over JAX arrays, with the machine's numbers folded in.

    Args:
        function: a public function such as `gw.inverse_dynamics`, or its name.
        robot_or_mech: a robot or a machine.
        parameters: paths of numbers that stay inputs: the last argument is then an array (..., P).
        fixed: what the function takes beside arrays, as for `compile`.

    Returns:
        A function of the arrays (q, v, ...), leading axes broadcast, for `jax.jit`, `jax.vmap` and `jax.grad`. Its
        results are those of the public function. Like all of Gearwright it computes in float64; derivatives are by
        the coordinates themselves, of which a free joint has 7.

    >>> import jax
    >>> jax.config.update("jax_enable_x64", True)
    >>> import gearwright as gw
    >>> arm = gw.Mechanism([gw.Body("arm", mass=2, com=(0.5, 0, 0), axis=(0, -1, 0))])
    >>> torque = jax.jit(jax_function("gravity", arm))
    >>> float(torque(jax.numpy.array([0.0]))[0])
    9.81
    """
    _require_float64()
    recipe = recipe_of(function, robot_or_mech, parameters, fixed, "jax_function")
    job = recipe.job()
    graph, sizes, shapes = traced(job), job.sizes(), job.results()

    def run(*arrays: Any) -> Any:
        import jax

        if len(arrays) != len(sizes):
            raise InputError(f"{recipe.function}: {len(arrays)} arrays came; give {', '.join(sizes)}.")
        inputs = [_checked(recipe, name, array, sizes[name]) for name, array in zip(sizes, arrays, strict=True)]
        values = _evaluated(graph, inputs)
        lead = jax.numpy.broadcast_shapes(*(array.shape[:-1] for array in inputs))
        result = jax.numpy.zeros((*lead, len(graph.outputs)))
        for place, k in enumerate(graph.outputs):
            # Stacking instead would make XLA compute what the entries share again for each of them.
            result = result.at[..., place].set(values[k])
        return in_parts(shapes, result)

    run.__name__ = recipe.function
    return run


def _require_float64() -> None:
    try:
        import jax
    except ImportError:
        raise MissingExtraError(
            "the JAX backend needs jax: pip install 'gearwright[jax]'. Everything else works without it."
        ) from None
    if not jax.config.jax_enable_x64:
        raise InputError(
            "JAX computes in float32 here, too coarse for dynamics. "
            'Call jax.config.update("jax_enable_x64", True) first.'
        )


def _checked(recipe: Recipe, name: str, array: Any, size: int) -> Any:
    """An array with `size` entries in its last axis; values cannot be checked while JAX traces."""
    import jax

    array = jax.numpy.asarray(array, dtype="float64")
    if array.ndim == 0 or array.shape[-1] != size:
        raise InputError(f"{recipe.function}: {name} has shape {array.shape}; its last axis must be {size} long.")
    return array


def _evaluated(graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    """The value of every node."""
    table = _operations()
    values: list[Any] = []
    for node in graph.nodes:
        if node.op == "const":
            values.append(float(node.a))
        elif node.op == "input":
            values.append(inputs[int(node.a)][..., int(node.b)])
        else:
            values.append(table[node.op](*(values[k] for k in node.operands)))
    return values


def _operations() -> dict[str, Callable[..., Any]]:
    """What JAX calls the operations of a graph."""
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
