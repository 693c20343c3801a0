"""The error of generated C in single precision, measured over the range of a robot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import integrate, neutral
from gearwright.mechanism import Mechanism, RobotOrMech, tree_of
from gearwright.parts import Robot
from gearwright.tracing.graph import Graph, GraphNode

ERROR_STATES = 1000
"""Random states over which the error is measured."""
USUAL_RANGE, USUAL_SPEED, USUAL_ACCELERATION = np.pi, 3.0, 10.0
"""Range of positions [rad, m], speeds [rad/s, m/s] and accelerations of joints without limits."""
USUAL_INPUT = 1.5
"""Range of other inputs in their unit, as in the self-test."""
OPERATIONS: Mapping[str, Callable[..., Any]] = {
    **{"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "fabs": np.abs},
    **{"sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan},
    **{"sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "exp": np.exp, "log": np.log, "sqrt": np.sqrt},
    **{"atan2": np.arctan2, "pow": np.power, "floor": np.floor, "sign": np.sign, "min": np.fmin, "max": np.fmax},
    **{"lt": np.less, "le": np.less_equal, "eq": np.equal, "ne": np.not_equal},
    **{"not": np.logical_not, "and": np.logical_and, "or": np.logical_or},
    "if_else_zero": lambda condition, x: np.where(condition != 0, x, np.zeros_like(x)),
}


class FloatError(NamedTuple):
    """Error of single precision relative to the largest entry of the result, over states: the largest and the mean."""

    largest: float
    mean: float
    states: int


def graph_values(graph: Graph, inputs: Sequence[Any], kind: type[np.floating[Any]]) -> Any:
    """Return the results (N, outputs) of a graph, every operation rounded to a type of numbers.

    Args:
        graph: the operations.
        inputs: in the order of the graph's inputs, (N, size) each.
        kind: np.float32 or np.float64.
    """
    rows = [np.asarray(x, dtype=kind).T for x in inputs]
    values: list[Any] = []
    for node in graph.nodes:
        values.append(_node_value(node, values, rows, kind))
    count = len(inputs[0])
    results = [np.broadcast_to(values[k], (count,)) for k in graph.outputs]
    return np.stack(results, axis=-1) if results else np.zeros((count, 0), dtype=kind)


def _node_value(node: GraphNode, values: list[Any], rows: list[Any], kind: Any) -> Any:
    if node.op == "const":
        return kind(node.a)
    if node.op == "input":
        return rows[int(node.a)][int(node.b)]
    if node.op not in OPERATIONS:
        raise InputError(f"operation {node.op!r} has no error in single precision. Use precision='double'.")
    return np.asarray(OPERATIONS[node.op](*(values[k] for k in node.operands)), dtype=kind)


def float_error(graph: Graph, inputs: Mapping[str, Array]) -> FloatError:
    """Return the error of a graph in single precision at inputs (N, size) that single precision represents."""
    rounded = [np.asarray(x, dtype=np.float32) for x in inputs.values()]
    with np.errstate(all="ignore"):
        single = graph_values(graph, rounded, np.float32).astype(float)
        double = graph_values(graph, [x.astype(float) for x in rounded], np.float64)
    size = np.abs(double).max(axis=-1, initial=0.0)
    errors = np.abs(single - double).max(axis=-1, initial=0.0) / np.where(size > 0, size, 1.0)
    errors = errors[np.isfinite(double).all(axis=-1)]
    return FloatError(float(errors.max(initial=0.0)), float(errors.mean()) if len(errors) else 0.0, len(errors))


def states_in_range(robot: RobotOrMech, sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, Array]:
    """Return random inputs within the limits of the joints, (N, size) each."""
    mech = tree_of("export.c", robot, "names")
    ranges = {"v": _range_of(robot, mech, "speed", USUAL_SPEED), "tau": _range_of(robot, mech, "effort", USUAL_INPUT)}
    ranges["a"] = _range_of(robot, mech, "acceleration", USUAL_ACCELERATION)
    inputs = {}
    for name, size in sizes.items():
        if name == "q" and size == mech.nq:
            inputs[name] = _configurations(robot, mech, rng)
        else:
            half = ranges.get(name, np.full(size, USUAL_INPUT))
            half = half if len(half) == size else np.full(size, USUAL_INPUT)
            inputs[name] = rng.uniform(-half, half, (ERROR_STATES, size))
    return inputs


def _range_of(robot: RobotOrMech, mech: Mechanism, word: str, usual: float) -> Array:
    limits = {x.joint_name: getattr(x.joint.limits, word) for x in robot.links} if isinstance(robot, Robot) else {}
    numbers = [limits.get(name) for name in mech.speeds]
    return np.array([usual if x is None or not np.isfinite(x) else float(x) for x in numbers])


def _configurations(robot: RobotOrMech, mech: Mechanism, rng: np.random.Generator) -> Array:
    limits = {x.joint_name: x.joint.limits.position for x in robot.links} if isinstance(robot, Robot) else {}
    if mech.nq != mech.n:
        steps = rng.uniform(-USUAL_RANGE, USUAL_RANGE, (ERROR_STATES, mech.n))
        return np.asarray(integrate(mech, neutral(mech), steps))
    ends = np.array([limits.get(name) or (-USUAL_RANGE, USUAL_RANGE) for name in mech.speeds], dtype=float)
    ends = np.where(np.isfinite(ends), ends, [-USUAL_RANGE, USUAL_RANGE])
    return rng.uniform(ends[:, 0], ends[:, 1], (ERROR_STATES, mech.nq))
