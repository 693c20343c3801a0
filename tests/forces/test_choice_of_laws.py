"""Everywhere the same: a robot brings its laws, `laws` replaces them and says so, `extra_laws` adds."""

from __future__ import annotations

import inspect
import warnings
import zipfile
from contextlib import nullcontext
from types import ModuleType

import numpy as np
import pytest

import gearwright as gw
from gearwright.actuation import complete_model, dc_motor
from gearwright.contact import Constraint
from gearwright.errors import GearwrightWarning, InputError
from gearwright.export.c_code.c_functions import CFunction
from gearwright.forces import DcMotorData
from gearwright.forces.friction.dry_friction import SmoothFriction
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.forces.line import Line
from gearwright.motion import polynomial
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Loop, Motor, Robot
from gearwright.parts.payload_and_frames import Frame

BOX = np.diag([0.02, 0.05, 0.05])


def arm(rub: Friction, gear: Gear | None = None) -> Robot:
    """Two joints with friction in their bearings."""
    hinges = [Joint(f"j{k + 1}", axis=(0, 1, 0), position=(0.4 * k, 0, 0), friction=rub) for k in range(2)]
    links = [
        Link("upper", "base", hinges[0], 2.0, (0.2, 0, 0), BOX),
        Link("fore", "upper", hinges[1], 1.0, (0.2, 0, 0), BOX),
    ]
    return Robot("arm", links, [Drive("j1", Motor(1e-4), gear or Gear(50)), Drive("j2", Motor(1e-4), Gear(40))])


DRAG, DRY = Friction(viscous=0.8), Friction(coulomb=4.0, viscous=0.8)
"""Friction that every entry takes, since it has one mode and is linear; and friction that sticks."""
ARM = arm(DRAG)
MECH = gw.assemble(ARM)
MORE = SmoothFriction("brake", Line.for_machine(MECH, "j2"), Friction(viscous=0.5))
Q, V = np.array([0.3, -0.5]), np.array([1.1, -0.7])
WAY = polynomial(Q, [0.9, -0.1], 0.8)
MOTORS = [
    dc_motor(MECH, name, DcMotorData(torque_constant=0.1, resistance=0.5, inductance=1e-3)) for name in ("j1", "j2")
]


def rates(machine, **given):
    return np.asarray(gw.casadi_rates(machine, **given)(np.array([*Q, *V]), np.zeros(2))).ravel()


ACTING = {
    "simulate": lambda m, **k: gw.simulate(m, (Q, V), until=0.1, samples=3, **k).q,
    "rollout": lambda m, **k: gw.rollout(m, Q, V, 50, 2e-3, **k).q,
    "demands": lambda m, **k: gw.demands(m, WAY, samples=21, **k).tau,
    "nominal_control": lambda m, **k: gw.control.nominal_control(m, WAY, 21, **k).tau,
    "fastest": lambda m, **k: gw.planning.fastest(m, [Q, Q + 0.5], torque=[60, 20], intervals=100, **k).duration,
    "limit_use": lambda m, **k: gw.planning.limit_use(m, WAY, torque=[60, 20], **k).shares["tau.j2"],
    "casadi_rates": rates,
    "state_space": lambda m, **k: gw.export.state_space(m, Q, **k).A,
    "complete_model": lambda m, **k: complete_model(m, MOTORS, **k).rates([*Q, *V, 0, 0], [0, 0]),
    "fastest_mode": lambda m, **k: gw.analysis.fastest_mode(m, Q, **k).frequency,
}
"""Entries whose numbers any law changes; those of `REMARKS` say in remarks what is left out, the others warn."""
REMARKS = {
    "simulate": lambda m, **k: gw.simulate(m, (Q, V), until=0.01, samples=2, **k).remarks,
    "demands": lambda m, **k: gw.demands(m, WAY, samples=21, **k).remarks,
}

CLOSED = np.array([0.2, 0.7, -0.4, 1.1])


def chain() -> Robot:
    """Four joints, of which a loop takes one freedom: the end keeps its height over the first link."""
    ways = np.cumsum([0.0, *CLOSED[1:]])  # of the links, seen from the first
    end = (0.4 * np.cos(ways).sum(), 0.4 * np.sin(ways).sum(), 0.0)
    joints = [Joint(axis=(0, 0, 1), position=(0.4, 0, 0) if k else (0, 0, 0)) for k in range(4)]
    links = [Link(f"l{k}", f"l{k - 1}" if k else "base", joints[k], 1.0, (0.2, 0, 0), BOX) for k in range(4)]
    frames = [Frame("end", "l3", (0.4, 0, 0)), Frame("rail", "l0", end)]
    drives = [Drive(f"l{k}", Motor(1e-4), Gear(50)) for k in range(3)]
    return Robot("chain", links, drives, frames=frames, loops=[Loop("guide", ("end", "rail"), held=("y",))])


CHAIN = chain()
STAY = Constraint("stay", "end", "rail", held=("x",))
MOVED = [1.0, 0.5, -0.2, 0.3]


def moved(machine, **given):
    """The motion of those that are free at the start."""
    free = gw.contact.free_speeds(machine, CLOSED, **given)
    way = polynomial(CLOSED[list(free.indices)], CLOSED[list(free.indices)] + 0.01, 0.5)
    return gw.contact.closed_motion(machine, way, CLOSED, accuracy=1e-3, **given).at(0.3)


HOLDING = {
    "free_speeds": lambda m, **k: gw.contact.free_speeds(m, CLOSED, **k).directions,
    "linearise": lambda m, **k: gw.linearise(m, CLOSED, [0.0] * 4, [0.0] * 4, **k).A,
    "reactions": lambda m, **k: gw.reactions(m, CLOSED, [0.0] * 4, MOVED, **k),
    "project": lambda m, **k: gw.contact.project(m, CLOSED + 0.01, **k).q,
    "inverse_kinematics": lambda m, **k: (
        gw.inverse_kinematics(m, "l2", (None, gw.placement(m, CLOSED + 0.02, "l2").position), start=CLOSED, **k).q
    ),
    "closed_motion": moved,
}
NEVER_OPEN = ("project", "closed_motion")
"""Entries that refuse a machine that nothing closes."""


def entries() -> dict[str, object]:
    """Every public function that takes laws, by its name."""
    spaces = [gw, *(space for name in gw.__all__ if isinstance(space := getattr(gw, name), ModuleType))]
    named = [
        (name, x) for space in spaces for name, x in vars(space).items() if inspect.isfunction(x) and name[0] != "_"
    ]
    # Written to a file, needs a log, or reads laws for others: tests/export, tests/identification, tests/contact.
    elsewhere = ("fmu", "fit_run", "excite_run")
    return {name: x for name, x in named if "laws" in inspect.signature(x).parameters and name not in elsewhere}


def same(one, other) -> None:
    assert np.asarray(one) == pytest.approx(np.asarray(other), rel=1e-12, abs=1e-14)


def differ(one, other) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    return one.shape != other.shape or np.abs(one - other).max() > 1e-6


def test_no_entry_is_forgotten():
    found = entries()
    assert set(found) <= {*ACTING, *HOLDING, "fmu"}
    assert all("extra_laws" in inspect.signature(x).parameters for x in found.values())
    assert "loads" not in inspect.signature(gw.demands).parameters


@pytest.mark.parametrize("name", ACTING)
def test_a_robot_brings_its_laws_and_extra_ones_add(name):
    call, own = ACTING[name], gw.laws(ARM)
    same(call(ARM), call(ARM, laws=own))
    same(call(ARM, extra_laws=[MORE]), call(ARM, laws=[*own, MORE]))
    same(call(ARM, laws=(), extra_laws=[MORE]), call(MECH, laws=[MORE]))
    same(call(ARM, laws=()), call(MECH))
    assert differ(call(ARM), call(MECH))
    assert differ(call(ARM, extra_laws=[MORE]), call(ARM))


@pytest.mark.parametrize("name", sorted(ACTING))
def test_laws_that_replace_those_of_a_robot_say_what_is_left_out(name):
    if name in REMARKS:
        assert any("j1.friction, j2.friction" in one for one in REMARKS[name](ARM, laws=[MORE]))
        assert not any("j1.friction" in one for one in REMARKS[name](ARM, laws=()))
        return
    with pytest.warns(GearwrightWarning, match=r"j1\.friction, j2\.friction"):
        found = ACTING[name](ARM, laws=[MORE])
    same(found, ACTING[name](MECH, laws=[MORE]))


@pytest.mark.parametrize("name", HOLDING)
def test_a_robot_brings_its_loops_and_extra_constraints_add(name):
    call, own = HOLDING[name], [law for law in gw.laws(CHAIN) if law.name == "guide"]
    same(call(CHAIN), call(CHAIN, laws=own))
    same(call(CHAIN, extra_laws=[STAY]), call(CHAIN, laws=[*own, STAY]))
    with pytest.warns(GearwrightWarning, match="guide"):
        alone = call(CHAIN, laws=[STAY])
    same(alone, call(CHAIN, laws=(), extra_laws=[STAY]))
    if name in NEVER_OPEN:
        with pytest.raises(InputError):
            call(CHAIN, laws=())
    else:
        assert differ(call(CHAIN, laws=()), call(CHAIN))


def test_an_fmu_and_c_take_them_too(tmp_path, monkeypatch):
    monkeypatch.setattr("gearwright.export.fmi.fmu.find_compiler", lambda: None)  # the sources will do
    names = ["j1.friction", "j2.friction", "brake"]
    wanted = (({}, names[:2]), ({"extra_laws": [MORE]}, names), ({"laws": ()}, []), ({"laws": [MORE]}, names[2:]))
    for k, (given, acting) in enumerate(wanted):
        with pytest.warns(GearwrightWarning, match=r"j1\.friction") if given.get("laws") else nullcontext():
            written = gw.export.fmu(ARM, tmp_path / f"arm{k}.fmu", **given).path
            job = CFunction("rates", given).trace_job(ARM, ())
            shown = rates(ARM, **given)
        page = zipfile.ZipFile(written).read("documentation/index.html").decode()
        assert [name for name in names if f"<li>{name}:" in page] == acting
        same(np.asarray(job.casadi_trace(np.array([*Q, *V]), np.zeros(2))[1]).ravel(), shown)


def test_a_rollout_goes_the_way_of_a_simulation_with_friction():
    """Dry friction that sticks: time stepping is of first order, its error halves with the step."""
    robot, start = arm(DRY), ([0.3, -0.5], [2.0, -3.0])
    exact = gw.simulate(robot, start, until=0.4, samples=2).q[-1]
    errors = [
        np.abs(gw.rollout(robot, *start, n, 0.4 / n, options=gw.analysis.RolloutOptions(every=n)).q[-1] - exact).max()
        for n in (100, 400, 1600)
    ]
    assert errors[0] > 3 * errors[1] > 9 * errors[2]
    assert errors[2] < 2e-4
    assert np.abs(gw.rollout(robot, *start, 400, 1e-3, laws=()).q[-1] - exact).max() > 0.1


def test_laws_follow_the_parameters_of_a_batch():
    """Friction of a motor weighs as much at the joint as its gear says, for every member."""
    links = [Link("disc", mass=1, com=(0.2, 0, 0), inertia=BOX)]
    rub = Friction(coulomb=0.01, viscous=1e-4)
    robot = Robot("disc", links, [Drive("disc", Motor(1e-5, friction=rub), Gear(50))], gravity=(0, 0, 0))
    ratios = [40.0, 60.0]
    found = gw.rollout(robot, [0.0], [3.0], 200, 1e-3, parameters={"disc.gear.ratio": ratios})
    for k, ratio in enumerate(ratios):
        alone = robot.with_drive(Drive("disc", Motor(1e-5, friction=rub), Gear(ratio)))
        same(found.v[:, k], gw.rollout(alone, [0.0], [3.0], 200, 1e-3).v)


def test_the_method_of_a_rollout_suits_its_laws():
    lossy = arm(DRAG, Gear(50, efficiency=0.7))
    assert gw.rollout(lossy, Q, V, 2, 1e-3).drift is not None  # time stepping keeps books
    assert gw.rollout(ARM, Q, V, 2, 1e-3).drift is None
    with pytest.raises(InputError, match=r"j1.*laws=\(\)"):
        gw.rollout(lossy, Q, V, 2, 1e-3, method="rk4")


@pytest.mark.parametrize("word", ["laws", "extra_laws"])
def test_one_law_alone_is_refused(word):
    with pytest.raises(InputError, match=rf"{word}=\["):
        choose_laws("simulate", ARM, **{"laws": None, "extra_laws": (), word: MORE}, own_laws=gw.laws)


def test_no_warning_where_nothing_is_left_out():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gw.casadi_rates(ARM, laws=gw.laws(ARM))
        gw.casadi_rates(MECH, laws=[MORE])
        gw.contact.project(CHAIN, CLOSED, extra_laws=[STAY])
