"""What approximations get wrong: exact where it must be, wrong by the missing term elsewhere."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import compare, energy_balance, uncoupled_spins
from gearwright.errors import InputError
from gearwright.motion import polynomial

J, RATIO = 2e-4, 80.0


def arm(axis=(0.6, 0.0, 0.8), **more):
    """Two joints about z and y; a rotor on the base, and one on the first link that drives the second joint."""
    upper = gw.Body("turret", mass=4, com=(0.1, 0, 0), inertia=np.diag([0.05, 0.06, 0.07]))
    fore = gw.Body(
        "arm",
        "turret",
        axis=(0, 1, 0),
        position=(0, 0, 0.3),
        mass=2,
        com=(0.2, 0, 0),
        inertia=np.diag([0.01, 0.03, 0.03]),
    )
    spins = [
        gw.Spin("base_rotor", "base", (0, 0, 1), J, {"turret": RATIO}),
        gw.Spin("arm_rotor", "turret", axis, J, {"arm": RATIO}),
    ]
    return gw.Mechanism([upper, fore], spins, **more)


MOTION = polynomial([0.0, -0.5], [1.2, 0.9], duration=0.6, order=7).sample(401)


def test_the_error_of_reflected_is_the_coupling_term():
    # On the turret, turning about z only, the coupling of the arm's rotor is Jc (b h' + h b') with h = e_z = 0.8.
    result = compare(arm(), MOTION)
    missing = J * RATIO * 0.8 * MOTION.a[:, ::-1]
    assert np.allclose(result.exact - result.approximations["reflected"], missing, atol=1e-12)


def test_reflected_is_exact_when_no_rotor_pushes():
    across = arm(axis=(1, 0, 0))
    assert uncoupled_spins(across) == ("base_rotor", "arm_rotor")
    result = compare(across, MOTION)
    assert np.allclose(result.approximations["reflected"], result.exact, atol=1e-12)
    assert np.allclose(result.approximations["diagonal"], result.exact, atol=1e-12)


def test_only_rotors_without_coupling_are_named():
    assert uncoupled_spins(arm()) == ("base_rotor",)


def test_none_misses_the_reflected_inertia():
    result = compare(arm(axis=(1, 0, 0)), MOTION, kinds=("none",))
    assert np.allclose(result.exact - result.approximations["none"], J * RATIO**2 * MOTION.a, atol=1e-12)


def test_the_table_has_a_row_per_kind_and_speed():
    rows = compare(arm(), MOTION).approximation_errors()
    assert [(row.kind, row.speed) for row in rows][:2] == [("reflected", "turret"), ("reflected", "arm")]
    assert len(rows) == 6
    first = rows[0]
    assert first.largest == pytest.approx(J * RATIO * 0.8 * np.abs(MOTION.a[:, 1]).max())
    assert first.relative_error == pytest.approx(first.largest / first.peak)


def test_the_figure_shows_every_speed_exact_and_both_kinds_of_error():
    page = compare(arm(), MOTION).plot()
    assert len(page.axes) == 6
    assert [len(axes.lines) for axes in page.axes[:3]] == [1, 2, 1]
    assert page.axes[2].lines[0].get_ydata().shape == MOTION.t.shape


def test_a_motion_of_another_machine_is_refused():
    with pytest.raises(InputError, match=r"\b3 coordinates.*\b2\b"):
        compare(arm(), polynomial(np.zeros(3), np.ones(3), 1.0).sample(11))


def test_the_energy_balance_closes():
    damped = arm(springs=[gw.Spring("coupling", {"turret": 1.0, "arm": -0.5}, stiffness=30.0, damping=2.0)])
    balance = energy_balance(damped, MOTION)
    assert np.abs(balance.residual).max() < 1e-6 * np.ptp(balance.kinetic)
    assert balance.heat[-1] > 0.1
