"""Synthesis of gear trains against an exhaustive search, and their characteristics against closed forms."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import gearwright as gw
from gearwright.design import TrainSpace, synthesise_trains
from gearwright.errors import GearwrightError, InputError, TrainError
from gearwright.parts import Drive, Link, Motor, Planetary, Robot, Series


def every_stage(teeth, planets):
    """All planetary stages that the part itself accepts."""
    for sun, planet, count in product(teeth, teeth, planets):
        try:
            yield Planetary(sun=sun, planet=planet, ring=sun + 2 * planet, planets=count)
        except TrainError:
            continue


def test_no_train_is_missed():
    """Two planetary stages with three or four planets and 15 to 24 teeth: the same set as by trying all."""
    space = TrainSpace(stages=(1, 2), teeth=(15, 24), planets=(3, 4))
    found = {(x.stages, x.planets) for x in synthesise_trains(20.0, space, 0.0105)}
    stages = list(every_stage(range(15, 25), (3, 4)))
    wanted = {
        (((a.sun, a.planet, a.ring), (b.sun, b.planet, b.ring)), (a.planets, b.planets))
        for a, b in product(stages, stages)
        if abs(a.ratio * b.ratio / 20.0 - 1) <= 0.0105
    }
    assert found == wanted
    assert len(wanted) > 20


def test_no_spur_train_is_missed():
    space = TrainSpace("spur", stages=(3,), teeth=(12, 18))
    found = {x.stages for x in synthesise_trains(2.0, space, 0.002)}
    pairs = [(a, b) for a in range(12, 19) for b in range(a + 1, 19)]
    ratio = {pair: pair[1] / pair[0] for pair in pairs}
    wanted = {s for s in product(pairs, repeat=3) if abs(np.prod([ratio[x] for x in s]) / 2.0 - 1) <= 0.002}
    assert found == wanted
    assert wanted


@pytest.mark.parametrize("rank", ["inertia", "loss", "stiffness", "size"])
def test_the_best_comes_first(rank):
    found = [getattr(x, rank) for x in synthesise_trains(16.0, TrainSpace(teeth=(15, 24)), 0.01, rank)]
    assert found == sorted(found, reverse=rank == "stiffness")
    assert len(found) > 3


def test_characteristics_of_one_stage_by_hand():
    """J_s + 3 (J_p (w_p / w_s)^2 + m_p r^2 (w_c / w_s)^2) of sun, planets and orbit; losses by rolling power."""
    space = TrainSpace(stages=(1,), teeth=(18, 27), module=2e-3, width=12e-3, density=7800.0, mesh_efficiency=0.98)
    train = next(x for x in synthesise_trains(5.0, space, 1e-9) if x.stages == ((18, 27, 72),))
    sun, planet = (2e-3 * z / 2 for z in (18, 27))
    masses = [np.pi * r**2 * 12e-3 * 7800.0 for r in (sun, planet)]
    spin, orbit = -5 / 3, 1.0  # speeds of planets and carrier for a sun at 5
    inertia = masses[0] * sun**2 / 2 + 3 / 25 * (
        masses[1] * planet**2 / 2 * spin**2 + masses[1] * (sun + planet) ** 2 * orbit**2
    )
    assert train.inertia == pytest.approx(inertia, rel=1e-9)
    rolling = 1 + 4 * 0.98**2  # torque at the carrier per torque at the sun: 1 + (Zr / Zs) of both meshes
    assert 1 - train.loss == pytest.approx(rolling / 5, rel=1e-9)
    assert train.stiffness == pytest.approx(2 * 3 * 14e9 * 12e-3 * (sun + planet) ** 2)
    assert (train.diameter, train.size) == pytest.approx((0.144, np.pi / 4 * 0.144**2 * 12e-3))


def test_a_series_in_a_robot():
    """Inertia as in the mass matrix of an arm; the first stage counts with the square of the second's ratio."""
    space = TrainSpace("spur", stages=(2,), teeth=(15, 45))
    train = synthesise_trains(6.0, space, 0.01)[0]
    assert isinstance(train.gear, Series)
    link = Link("arm", mass=2.0, com=(0.2, 0, 0), inertia=np.eye(3) * 0.1)
    mech = gw.assemble(Robot("arm", [link], [Drive("arm", Motor(inertia=1e-5), train.gear)]))
    bare = 0.1 + 2.0 * 0.2**2
    assert gw.mass_matrix(mech, [0.3])[0, 0] == pytest.approx(bare + (1e-5 + train.inertia) * train.ratio**2, rel=1e-9)
    assert gw.actuation.structure_matrix(mech)[0, 0] == pytest.approx(train.ratio)
    (_, b1), (a2, b2) = train.stages
    line = 14e9 * 10e-3
    compliance = 1 / (line * (0.5e-3 * b2) ** 2) + 1 / (line * (0.5e-3 * b1) ** 2 * (b2 / a2) ** 2)
    assert train.stiffness == pytest.approx(1 / compliance)


def test_what_cannot_be_sought_is_refused():
    with pytest.raises(GearwrightError, match="20000"):
        synthesise_trains(20.0, TrainSpace("spur", stages=(4,), teeth=(17, 60)), 0.1)
    with pytest.raises(GearwrightError, match="ratio"):
        synthesise_trains(0.5, TrainSpace())
    with pytest.raises(GearwrightError, match="teeth"):
        TrainSpace(teeth=(30, 20))
    assert synthesise_trains(500.0, TrainSpace(stages=(1,))) == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("stages", [10**6]),
        ("stages", []),
        ("planets", [0]),
        ("planets", []),
        ("teeth", (1, 10**9)),
        ("module", 1e-300),
        ("width", 0.0),
    ],
)
def test_a_space_that_has_no_trains_or_no_end_is_refused(name, value):
    with pytest.raises(InputError, match=f"TrainSpace: {name}"):
        TrainSpace(**{name: value})
