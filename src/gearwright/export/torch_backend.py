"""A function of the dynamics for PyTorch: kernels forward, derivative kernels backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.compiling.kernel import Kernel
from gearwright.dynamics.configuration import quaternion_slices
from gearwright.errors import InputError, MissingExtraError
from gearwright.functions import whole_motion
from gearwright.functions.linearise import tangent_map
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs.placement import split_results
from gearwright.tracing.recipe import kernel_request


@check_arguments
def torch_function(
    function: Callable[..., Any] | str, robot_or_mech: RobotOrMech, parameters: str | Sequence[str] = (), **fixed: Any
) -> Callable[..., Any]:
    """Return a function of the dynamics over PyTorch tensors, with the machine's parameters as constants.

    Args:
        function: a public function such as `gw.forward_dynamics`, or its name.
        robot_or_mech: a robot or a machine.
        parameters: paths of parameters that remain inputs: the last argument is then a tensor (..., P).
        fixed: further arguments of the function, as for `compile`.

    Returns:
        A function of tensors (q, v, ...) in double precision on the CPU, leading axes broadcast, with the results of
        the public function. Machine code computes them and, in the backward pass, their exact derivatives (once; the
        derivative cannot be differentiated again), with respect to the coordinates, of which a free joint has 7. With
        closed loops q is a whole configuration that closes them, and the derivative is that along such configurations.

    >>> import torch
    >>> import gearwright as gw
    >>> acceleration = torch_function(gw.forward_dynamics, gw.load("elbow"))
    >>> q, v, tau = torch.zeros(3, 3, dtype=torch.float64, requires_grad=True)
    >>> acceleration(q, v, tau).shape
    torch.Size([3])
    """
    call = _TorchCall(Kernel(kernel_request(function, robot_or_mech, parameters, fixed, "torch_function")))
    core = _autograd_function(call)

    def run_kernel(*tensors: Any) -> Any:
        return split_results(call.shapes, core.apply(*call.checked_tensors(tensors)))

    run_kernel.__name__ = call.kernel.name
    return run_kernel


class _TorchCall:
    """A kernel with its derivatives, and the sizes of its inputs."""

    def __init__(self, kernel: Kernel) -> None:
        self.torch, self.kernel = _import_torch(), kernel
        self.mech: Mechanism = kernel.trace_job.mech
        self.sizes, self.shapes = kernel.inputs, kernel.trace_job.result_shapes()
        self.entries = sum(prod(shape) for shape in self.shapes.values())
        self.jacobian = cache(lambda names: kernel.jacobian(*names))

    def checked_tensors(self, tensors: Sequence[Any]) -> list[Any]:
        """Return the inputs with normalised quaternions; PyTorch differentiates the normalisation."""
        if len(tensors) != len(self.sizes):
            raise InputError(f"{self.kernel.name}: {len(tensors)} tensors given; give {', '.join(self.sizes)}.")
        return [
            self._normalise_quaternions(name, self._checked_tensor(name, x))
            for name, x in zip(self.sizes, tensors, strict=True)
        ]

    def _checked_tensor(self, name: str, x: Any) -> Any:
        if not isinstance(x, self.torch.Tensor) or x.dtype != self.torch.float64 or x.device.type != "cpu":
            kind = f"{x.dtype} on {x.device}" if isinstance(x, self.torch.Tensor) else type(x).__name__
            raise InputError(
                f"{self.kernel.name}: {name} is {kind}, but kernels take torch.float64 on the CPU. "
                "Call .double().cpu() first."
            )
        if not x.ndim or x.shape[-1] != self.sizes[name]:
            raise InputError(
                f"{self.kernel.name}: {name} has shape {tuple(x.shape)}; its last axis must have length "
                f"{self.sizes[name]}."
            )
        return x

    def _normalise_quaternions(self, name: str, x: Any) -> Any:
        if name not in self.kernel.trace_job.program.per_coordinate:
            return x
        for four in quaternion_slices(self.mech.tree):
            x = x.clone()
            x[..., four] = self.torch.nn.functional.normalize(x[..., four].clone(), dim=-1)
        return x

    def input_gradients(self, arrays: dict[str, Array], wanted: tuple[str, ...], outer: Array) -> dict[str, Array]:
        """Return the gradient with respect to each wanted input, for that of the flat result, (..., entries)."""
        kernel = self.jacobian(wanted)
        slopes = kernel(*arrays.values())
        slopes = slopes.reshape(*outer.shape, slopes.shape[-1])
        flat_gradient = np.einsum("...o,...oc->...c", outer, slopes)
        return {
            name: self._coordinate_gradient(name, arrays[name], flat_gradient[..., kernel.columns[name]])
            for name in wanted
        }

    def _coordinate_gradient(self, name: str, x: Array, gradient: Array) -> Array:
        """Return a gradient with respect to an input's entries; kernels differentiate coordinates in the tangent space.

        dq/dt = G v: the gradient with respect to q is G (G'G)^-1 times that in the tangent space. With closed loops it
        is the gradient along closed configurations.
        """
        if name in self.kernel.trace_job.program.per_coordinate and not self.mech.speeds_are_rates:
            G = _configuration_rates(self.mech, x)
            gradient = np.einsum("...vq,...v->...q", np.linalg.pinv(G), gradient)
        return _sum_to_shape(gradient, x.shape)


def _configuration_rates(mech: Mechanism, q: Array) -> Array:
    """Return G (..., nq, n) of dq/dt = G v, for the independent speeds of closed loops."""
    if mech.closure is None:
        return tangent_map(mech, q)
    speeds = np.eye(mech.n)
    columns = whole_motion("torch_function", mech, q[..., None, :], speeds, np.zeros_like(speeds))[1]
    return np.asarray(tangent_map(mech.tree, q) @ np.swapaxes(np.asarray(columns), -1, -2))


def _sum_to_shape(gradient: Array, shape: tuple[int, ...]) -> Array:
    """Return a gradient summed over the leading axes along which its input was broadcast."""
    added_axes = gradient.ndim - len(shape)
    gradient = gradient.sum(axis=tuple(range(added_axes)))
    stretched = tuple(k for k, size in enumerate(shape) if size == 1 and gradient.shape[k] != 1)
    return gradient.sum(axis=stretched, keepdims=True)


def _autograd_function(call: _TorchCall) -> Any:
    """Return the kernel as a differentiable operation of PyTorch; its result is flat along the last axis."""
    torch = call.torch

    class Core(torch.autograd.Function):  # type: ignore[misc, name-defined, unused-ignore]
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            ctx.save_for_backward(*tensors)
            result = call.kernel(*(np.ascontiguousarray(x.detach().numpy()) for x in tensors))
            lead = np.broadcast_shapes(*(tuple(x.shape[:-1]) for x in tensors))
            return torch.from_numpy(np.asarray(result).reshape(*lead, call.entries))

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator, unused-ignore]
        def backward(ctx: Any, outer: Any) -> Any:
            names, tensors = tuple(call.sizes), ctx.saved_tensors
            wanted = tuple(name for name, needed in zip(names, ctx.needs_input_grad, strict=True) if needed)
            arrays = {name: np.ascontiguousarray(x.detach().numpy()) for name, x in zip(names, tensors, strict=True)}
            gradients = call.input_gradients(arrays, wanted, outer.numpy())
            return tuple(torch.from_numpy(gradients[name]) if name in gradients else None for name in names)

    return Core


def _import_torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtraError(
            "torch_function needs PyTorch: pip install 'gearwright[torch]'. Everything else works without it."
        ) from None
    return torch
