"""Arrays that a function cannot take: shape, dtype, NaN, infinity, a zero quaternion, unknown bodies."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError, SingularityError

TENSOR = np.diag([0.01, 0.02, 0.02])
MECH = gw.Mechanism(
    [
        gw.Body("trunk", joint="free", mass=2, com=(0.2, 0, 0), inertia=TENSOR),
        gw.Body("leg", 0, mass=2, com=(0.2, 0, 0), inertia=TENSOR),
    ],
    [gw.Spin("rotor", 0, (0, 1, 0), 1e-4, {"leg": 6})],
    actuators=[gw.Actuator("rotor", {"leg": 6})],
)
GOOD = {
    "q": gw.neutral(MECH),
    "q0": gw.neutral(MECH),
    "q1": gw.neutral(MECH),
    "v": np.zeros(7),
    "a": np.zeros(7),
    "tau": np.zeros(7),
    "body": "leg",
}
FUNCTIONS = [
    gw.inverse_dynamics,
    gw.forward_dynamics,
    gw.bias,
    gw.gravity,
    gw.reactions,
    gw.mass_matrix,
    gw.coriolis_matrix,
    gw.kinetic_energy,
    gw.potential_energy,
    gw.momentum,
    gw.centre_of_mass,
    gw.placement,
    gw.jacobian,
    gw.jacobian_rate,
    gw.regressor,
    gw.integrate,
    gw.difference,
    gw.linearise,
    gw.equations.recursive_form,
    gw.equations.lagrange_form,
    gw.actuator_speeds,
    gw.actuator_torques,
]
ARGUMENTS = [
    (function, name)
    for function in FUNCTIONS
    for name in inspect.signature(function).parameters
    if name in GOOD and name != "body"
]
WRONG = {
    "short": (lambda x: x[:-1], ["shape"]),
    "a single number": (lambda x: 1.0, ["shape ()"]),
    "text": (lambda x: ["one"] * len(x), ["dtype"]),
    "complex": (lambda x: x * 1j, ["dtype complex128"]),
    "objects": (lambda x: np.array([None] * len(x)), ["dtype object"]),
    "truth values": (lambda x: x > 0, ["dtype bool"]),
    "ragged": (lambda x: [[1.0, 2.0], [3.0]], ["array"]),
    "NaN": (lambda x: spoiled(x, np.nan), ["'leg'", "nan"]),
    "infinity": (lambda x: spoiled(x, -np.inf), ["'leg'", "-inf"]),
}


def spoiled(x: np.ndarray, value: float) -> np.ndarray:
    out = x.copy()
    out[-1] = value
    return out


def call(function, **changes):
    names = [name for name in inspect.signature(function).parameters if name in GOOD]
    return function(MECH, **{name: changes.get(name, GOOD[name]) for name in names})


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(("function", "name"), ARGUMENTS, ids=[f"{f.__name__}-{name}" for f, name in ARGUMENTS])
def test_refusals_name_function_argument_and_value(function, name, wrong):
    change, facts = WRONG[wrong]
    with pytest.raises(InputError) as caught:
        call(function, **{name: change(GOOD[name])})
    for fact in (function.__name__, name, *facts):
        assert fact in str(caught.value), f"{fact!r} not in: {caught.value}"


@pytest.mark.parametrize("name", ["q", "q0", "q1"])
def test_zero_quaternion(name):
    function = gw.mass_matrix if name == "q" else gw.difference
    with pytest.raises(InputError, match=rf"{name} .*quaternion.*'trunk'"):
        call(function, **{name: np.zeros(8)})


def test_one_bad_state_in_a_batch_is_named():
    q = np.tile(GOOD["q"], (5, 1))
    q[3, 7] = np.nan
    with pytest.raises(InputError, match=r"q\[3, 7\] \('leg'\).*nan"):
        gw.mass_matrix(MECH, q)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_first_argument_must_be_a_machine(function):
    rest = [GOOD[name] for name in inspect.signature(function).parameters if name in GOOD]
    with pytest.raises(InputError, match="='elbow'"):
        function("elbow", *rest)


def test_leading_axes_that_do_not_broadcast():
    with pytest.raises(InputError, match=r"q \(3, 8\), v \(2, 7\)"):
        gw.bias(MECH, np.tile(GOOD["q"], (3, 1)), np.zeros((2, 7)))


@pytest.mark.parametrize("body", ["lge", 7, -1, 0.5, None])
def test_unknown_body(body):
    with pytest.raises(InputError, match=r"\bbody\b"):
        gw.jacobian(MECH, GOOD["q"], body)
    with pytest.raises(InputError, match=r"\bbody\b"):
        gw.bias(MECH, GOOD["q"], GOOD["v"], wrenches={body: np.zeros(6)})


@pytest.mark.parametrize("point", [(1, 2), (1, 2, np.nan), "abc"])
def test_point_must_be_three_numbers(point):
    with pytest.raises(InputError, match=r"jacobian: point"):
        gw.jacobian(MECH, GOOD["q"], "leg", point)


@pytest.mark.parametrize("wrenches", [{"leg": np.zeros(3)}, {"leg": np.full(6, np.nan)}, {"leg": None}, np.zeros(6)])
def test_wrenches_must_be_six_numbers_per_body(wrenches):
    with pytest.raises(InputError, match=r"bias: wrench"):
        gw.bias(MECH, GOOD["q"], GOOD["v"], wrenches)


def test_two_wrenches_on_one_body():
    with pytest.raises(InputError, match=r"wrenches.*'leg'"):
        gw.bias(MECH, GOOD["q"], GOOD["v"], {"leg": np.zeros(6), 1: np.zeros(6)})


@pytest.mark.parametrize(
    "motion", [np.zeros(3), (np.zeros(3),) * 2, (np.zeros(3), np.zeros(3), [0, 0, np.nan]), 5, "base"]
)
def test_base_motion_must_be_three_vectors(motion):
    with pytest.raises(InputError, match=r"base_motion"):
        gw.bias(MECH, GOOD["q"], GOOD["v"], base_motion=motion)


def test_forces_that_no_motor_can_give():
    with pytest.raises(SingularityError, match=r"actuator_torques: .*trunk.vx.*1 motors"):
        gw.actuator_torques(MECH, [1.0, 0, 0, 0, 0, 0, 0])


def test_numbers_too_large_do_not_come_back_as_nan():
    with pytest.raises(SingularityError, match=r"inverse_dynamics: .*finite"):
        gw.inverse_dynamics(MECH, GOOD["q"], np.full(7, 1e200), GOOD["a"])


def test_singular_configuration_in_forward_dynamics():
    """Two point masses whose arms fold onto the axis: fine in general, singular when folded."""
    folding = gw.Mechanism(
        [
            gw.Body("arm", mass=0, com=(0, 0, 0)),
            gw.Body("slide", 0, joint="prismatic", axis=(1, 0, 0), mass=1),
        ]
    )
    assert gw.forward_dynamics(folding, [0, 2.0], [0, 0], [4.0, 0]) == pytest.approx([1.0, 0])
    with pytest.raises(SingularityError, match=r"forward_dynamics.*singular"):
        gw.forward_dynamics(folding, [0, 0.0], [0, 0], [4.0, 0])


def test_integers_and_lists_are_numbers():
    q = [0, 0, 0, 1, 0, 0, 0, 0]
    assert gw.mass_matrix(MECH, q) == pytest.approx(gw.mass_matrix(MECH, np.array(q, dtype=np.float32)))
