"""PyTorch functions: kernels forward, derivative kernels backward, on every bundled robot."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import robots
from gearwright.errors import InputError
from support.bundled import PUBLIC, arguments, fixed_for, flat, public
from support.compare import relative
from support.machines import random_design

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'gearwright[torch]'")


def tensors(arrays, grad=True):
    return [torch.tensor(x, dtype=torch.float64, requires_grad=grad) for x in arrays]


def flat_tensors(result):
    return flat(tuple(x.detach().numpy() for x in (result if isinstance(result, tuple) else (result,))))


@pytest.mark.parametrize("robot", robots())
def test_functions_are_the_same_on_every_robot(robot):
    mech = gw.assemble(gw.load(robot))
    for name in ("inverse_dynamics", "placement"):
        given, fixed = arguments(name, mech), fixed_for(name, mech)
        found = gw.torch_function(name, mech, **fixed)(*tensors(given))
        assert relative(flat_tensors(found), flat(getattr(gw, name)(mech, *given, *fixed.values()))) < 1e-12
    assert isinstance(found, gw.analysis.Placement)


@pytest.mark.parametrize("name", PUBLIC)
def test_all_functions_and_slopes_on_one(name):
    mech = gw.assemble(gw.load("elbow"))
    given, fixed = arguments(name, mech), fixed_for(name, mech)
    inputs = tensors(given)
    found = gw.torch_function(name, mech, **fixed)(*inputs)
    assert relative(flat_tensors(found), flat(public(name)(mech, *given, *fixed.values()))) < 1e-12
    parts = found if isinstance(found, tuple) else (found,)
    sum((part * torch.arange(1.0, part.numel() + 1).reshape(part.shape)).sum() for part in parts).backward()
    kernel = gw.compile(name, mech, **fixed).jacobian()
    weights = np.concatenate([np.arange(1.0, part.numel() + 1) for part in parts])
    slopes = kernel(*given)
    expected = weights @ slopes.reshape(len(weights), -1)
    assert relative(np.concatenate([x.grad.numpy() for x in inputs]), expected) < 1e-12


@pytest.mark.parametrize("kinds", [("free", "revolute"), ("planar", "spherical"), ("helical", "universal")])
def test_slopes_by_coordinates_and_over_broadcast_axes_are_finite_differences(kinds):
    mech = random_design(np.random.default_rng(4), kinds).written()
    rng = np.random.default_rng(0)
    q, v = tensors([rng.uniform(-1, 1, (2, 1, mech.nq)), rng.uniform(-1, 1, (3, mech.n))])
    momentum = gw.torch_function(gw.momentum, mech)
    assert momentum(q, v).shape == (2, 3, 6)
    assert torch.autograd.gradcheck(momentum, (q, v))


def test_parameters_are_learnt():
    """Gradient descent finds the payload that explains a torque."""
    robot, q = gw.load("elbow").with_payload(1.0, (0.1, 0, 0)), torch.tensor([0.1, 0.4, -0.2], dtype=torch.float64)
    gravity = gw.torch_function(gw.gravity, robot, ["payload.mass"])
    wanted = torch.from_numpy(gw.gravity(gw.load("elbow").with_payload(3.0, (0.1, 0, 0)), q.numpy()))
    mass = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([mass], line_search_fn="strong_wolfe")

    def loss():
        optimiser.zero_grad()
        error = ((gravity(q, mass) - wanted) ** 2).sum()
        error.backward()
        return error

    optimiser.step(loss)
    assert mass.item() == pytest.approx(3.0, abs=1e-6)


def test_refuses_other_precisions_and_shapes():
    f = gw.torch_function(gw.bias, gw.load("elbow"))
    q = torch.zeros(3, dtype=torch.float64)
    for given, message in (
        ((q, q.float()), r"\bv\b.*float32"),
        ((q, np.zeros(3)), r"\bv\b.*ndarray"),
        ((q, q[:2]), r"\bv\b.*\(2,\)"),
        ((q,), "1 .*q, v"),
    ):
        with pytest.raises(InputError, match=message):
            f(*given)
    with pytest.raises(InputError, match="body="):
        gw.torch_function(gw.jacobian, gw.load("elbow"))
