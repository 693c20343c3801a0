"""Every law and robot that comes with Gearwright runs in machine code; whatever does not says why."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

import gearwright as gw
from gearwright import forces
from gearwright.catalogue import robots
from gearwright.errors import InputError
from gearwright.forces import Law, Line
from gearwright.forces.law import Action, Force, Outcome
from gearwright.forces.transmission.train_losses import TrainLoss
from gearwright.motion import polynomial
from gearwright.parts import CurrentControl, Friction, LoadFriction, Losses, Motor
from gearwright.simulation.compiled_loop.event_loop import EventLoop
from gearwright.simulation.python_loop.rates_in_modes import KernelRatesInModes
from gearwright.system.evaluation import evaluate_system, state_vector_rates
from gearwright.system.kernels.all_modes import law_table
from gearwright.system.kernels.traced_laws import survey_laws
from gearwright.system.system import System

ARM = gw.assemble(gw.load("elbow"))
LINE = gw.forces.Line.for_machine(ARM, "j2")
STRUT = forces.distance(ARM, ("base", (0.9, 0.2, 0.3)), (2, (0.1, 0.2, 0.05)), name="strut")
BELT = forces.MovingFrame("belt", lambda t, ops: (0.9 + ops.sin(t), 0.2 * t, 0.3))
AFLOAT = forces.distance(ARM, BELT, (2, (0.1, 0.2, 0.05)), name="afloat")
TABLE = (Losses(0.0, 0.7, 0.5, 0.01), Losses(5.0, 0.8, 0.6, 0.02))
LOCKS = (Losses(0.0, 0.4, -0.5), Losses(5.0, 0.5, 0.1))
MOTOR = Motor(1e-4, torque_constant=0.05, resistance=0.5, inductance=1e-3, max_current=5.0, max_speed=400.0)
RUB = Friction(coulomb=1.0, static=1.4, stribeck_speed=0.1, viscous=0.1, stiffness=1e3, damping=1.0)


def laws_along(line: Line) -> list[Law]:
    """An instance of every law that takes a line, with all that it can have."""
    wheels = ARM.spins[:1] if line.is_constant else ()
    twist = forces.ElementDeflection(line)
    curve = forces.TorqueCurve(100.0)
    valve = forces.ServoValve(rated_flow=6e-4)
    sizes = {"area": 1.2e-3, "volume": 5e-4, "mass": 4.0, "damping": 300.0, "leakage": 2e-12}
    return [
        forces.Backlash("backlash", twist, curve, 0.1, 0.02),
        forces.BoucWen("bouc", twist, 2.0, 0.1),
        forces.MaxwellSlip("slip", twist, 2.0, 0.1),
        forces.Clutch("clutch", line, normal_force=100.0, coefficients=[(0, 0.4), (1, 0.3)], geometry=0.05, peak=1.2),
        forces.OneWayClutch("freewheel", line, normal_force=100.0),
        forces.FunctionForce("gas", line, lambda s, speed, t, ops: ops.where(speed < 0.0, 2.0, 1.0) * s),
        forces.DryFriction("dry", line, friction=RUB),
        forces.SmoothFriction("smooth", line, friction=RUB),
        forces.LuGre("bristles", line, RUB),
        forces.LoadBristles("teeth", line, replace(RUB, damping=0.0, load=LoadFriction(motor=0.1, joint=0.05))),
        forces.VoltageServo("position servo", line, kp=2.0, torque_constant=0.4, resistance=2.0, max_current=3.0),
        forces.GearLoss("gear", line, TABLE, wheels, "j2"),
        forces.GearLoss("lock", line, LOCKS, wheels, "j2"),
        forces.NonlinearSpring("spring", twist, curve, 0.1, 0.02),
        forces.Load("load", line),
        forces.LineInertia("flywheel", line, 0.3),
        forces.IdealDrive.from_motion("led", line, lambda t: (t * t, 2 * t, 2.0), rate=10.0),
        forces.Stops("stops", line, -1.0, 1.0, restitution=0.5),
        forces.MotorCircuit("circuit", (forces.Winding("j2", line, MOTOR, CurrentControl(500.0)),)),
        forces.servo_cylinder(ARM, line, valve, forces.HydraulicCylinder(**sizes), name="j2"),
        forces.SynchronousMotor("servo", line, 4, 0.01, 0.3, (4e-4, 6e-4)),
        forces.Constraint.from_lines("rail", [line]),
        forces.Environment(
            "field", [line], lambda s, ops: [[1.0 + s[0] * s[0]]], [[2.0]], energy=lambda s, ops: s[0] ** 4
        ),
        forces.Environment("bed", [line], damping=[[2.0]], stiffness=[[100.0]], one_sided=True),
    ]


def bundled_laws() -> list[Law]:
    """An instance of every law, along a constant row where it takes a line."""
    motor = forces.dc_motor(
        ARM, "j1", forces.DcMotorData(torque_constant=0.05, resistance=0.5, inductance=1e-3, max_voltage=24.0)
    )
    floor = gw.contact.Plane((0.0, 0.0, -0.2), (0.1, 0.2, 1.0))
    touching = [forces.Contact("link3", floor, 0.5, mu, name=f"floor {mu}") for mu in (0.0, 0.3)]
    touching += [forces.SoftContact("link3", floor, 1e4, 50.0, p, name=f"mat {p}") for p in (1.0, 1.5)]
    touching.append(forces.SoftContact("link3", floor, 1e4, 50.0, name="wiped", friction=0.3))
    guide = {"friction": 0.3, "stiffness": 1e5, "damping": 200.0}
    touching += [
        gw.contact.RoughConstraint(f"guide {held}", "link3", "base", tuple(held), **guide) for held in ("z", "yz")
    ]
    touching.append(forces.Contact("link3", gw.contact.Sphere((0.1, 0, 0), 0.2), 0.5, 0.3, name="ball"))
    touching.append(forces.ForceSensor(forces.Contact("link3", floor, 0.5, 0.3, name="felt")))
    held = forces.Constraint("held", "link3", "base", ("x", "rz"))
    caught = forces.Catch("link3", "link1", gw.contact.Sphere((0, 0, 0), 0.1), ("x", "ry"))
    wrench = forces.Wrench("push", "tool", "frame")
    return [*laws_along(LINE), *touching, held, caught, wrench, forces.MotorTorque.for_machine(ARM, "j2"), motor]


def every_kind(kind: type[Law] = Law) -> set[type[Law]]:
    """All kinds of laws that Gearwright has, those that only serve as a base left out."""
    found = {x for x in kind.__subclasses__() if x.__module__.startswith("gearwright.forces.")}
    concrete = {x for x in found if not getattr(x, "__abstractmethods__", None)}
    return concrete.union(*(every_kind(x) for x in found))


def test_the_list_of_laws_is_complete():
    elsewhere = {TrainLoss}  # it needs a train: tests/trains/test_train_losses.py
    assert {type(law) for law in bundled_laws()} | elsewhere == every_kind()


BENT = [pytest.param(law, id=f"{law.name} {line.name}") for line in (STRUT, AFLOAT) for law in laws_along(line)]


@pytest.mark.parametrize("law", [*bundled_laws(), *BENT], ids=lambda law: law.name)
def test_every_law_can_be_traced_in_every_mode(law):
    found = survey_laws(System(ARM, (law,)))
    assert found.obstacles == ()
    assert [mode for _, mode in found.actions] == list(law.modes)


@pytest.mark.parametrize("law", [law for law in bundled_laws() if len(law.modes) > 1], ids=lambda law: law.name)
def test_guards_in_machine_code_are_those_in_numbers(law):
    """In every mode, at random states; as many guards whatever the numbers are."""
    system = System(ARM, (law,))
    table, rng = law_table(system), np.random.default_rng(3)
    for mode in law.modes:
        for size in (1.0, 1e-9, 0.0):
            x = np.concatenate([rng.normal(size=3), size * rng.normal(size=3), 0.05 * rng.normal(size=len(law.states))])
            x, u = np.concatenate([x, [0.0, 0.0]]), rng.normal(size=system.input_size)
            plain = [guard.value / guard.scale for _, guard in evaluate_system(system, 0.3, x, u, (mode,)).guards]
            assert np.allclose(
                KernelRatesInModes(system, (mode,), table).guard_levels(0.3, x, u), plain, rtol=1e-9, atol=1e-12
            )
            assert len(plain) == len([1 for (_, owner), _ in table.guards if owner == mode])


@pytest.mark.parametrize("law", BENT)
def test_laws_along_coordinates_in_machine_code_are_those_in_numbers(law):
    """Rates of the motion, of the laws' states and of the works, and guards, in every mode."""
    system, rng = System(ARM, (law,)), np.random.default_rng(4)
    table = law_table(system)
    for mode in law.modes:
        x = np.concatenate([0.3 * rng.normal(size=6), 0.05 * rng.normal(size=len(law.states)), [0.0, 0.0]])
        u = rng.normal(size=system.input_size)
        there, here = KernelRatesInModes(system, (mode,), table), evaluate_system(system, 0.3, x, u, (mode,))
        assert np.allclose(there(0.3, x, u), state_vector_rates(system, x, u, here, np.zeros(0)), rtol=1e-9, atol=1e-10)
        plain = [guard.value / guard.scale for _, guard in here.guards]
        assert np.allclose(there.guard_levels(0.3, x, u), plain, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", robots())
def test_no_robot_falls_back(name, monkeypatch):
    """With all its laws, and with the motors among them that have electrical data."""
    made = []
    march = EventLoop.advance_to
    monkeypatch.setattr(EventLoop, "advance_to", lambda *args: made.append(1) or march(*args))
    robot = gw.load(name)
    mech = gw.assemble(robot, "tree")
    laws = gw.laws(robot, mech, {"*"})
    assert survey_laws(System(mech, laws)).obstacles == ()
    run = gw.simulate(
        robot,
        until=1e-4,
        laws=laws,
        samples=2,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(engine="compiled"),
    )
    assert not [remark for remark in run.remarks if "Python" in remark]
    assert made


@dataclass(frozen=True)
class Numbers(Law):
    """A law whose author did not think of symbols."""

    name: str
    function: object

    def act(self, mode, situation):
        return Action(forces=(Force(LINE, self.function(situation.v[1])),))

    def follow(self, mode, situation, reaction):
        return Outcome(supplied=self.function(situation.v[1]) * situation.v[1])


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda w: -w if w > 0 else -2 * w, "`if`"),
        (lambda w: -max(w, 0.1), "`max`"),
        (lambda w: 0.0 if w == 0 else -w, "=="),
        (lambda w: -math.sin(w), "`math`"),
        (lambda w: -np.tanh(w), "NumPy's tanh"),
        (lambda w: -float(np.interp(w, [-1, 1], [-1, 1])), "`math`"),
        (lambda w: -(abs(w) ** 0.5), r" 0\.5 .*ops\.sqrt"),
        (lambda w: -w * round(w), "`math`"),
    ],
    ids=["if", "max", "equal", "math", "numpy", "interp", "power", "round"],
)
def test_a_run_says_why_a_law_is_not_compiled(function, reason):
    law = Numbers("odd", function)
    run = gw.simulate(ARM, [0.0, 0.5, 0.0], until=0.01, laws=[law], samples=3)
    remarks = [remark for remark in run.remarks if "'odd'" in remark]
    assert len(remarks) == 1
    with pytest.raises(InputError, match=f"law 'odd'.*{reason}"):
        gw.rollout(ARM, np.zeros(3), np.zeros(3), 5, 1e-3, laws=[law])


def test_an_error_in_a_law_is_not_taken_for_a_symbol():
    """Only what symbols cannot do counts as a reason to run in Python; a mistake stays a mistake."""
    broken = Numbers("broken", lambda w: {}["nothing"])
    with pytest.raises(KeyError):
        gw.simulate(ARM, until=0.01, laws=[broken])


def test_a_law_that_cannot_be_a_key_is_compiled_all_the_same():
    @dataclass(frozen=True)
    class Listed(Law):
        name: str
        numbers: list[float]

        def act(self, mode, situation):
            return Action(forces=(Force(LINE, -self.numbers[0] * situation.v[1]),))

        def follow(self, mode, situation, reaction):
            return Outcome(dissipated=self.numbers[0] * situation.v[1] * situation.v[1])

    run = gw.simulate(ARM, [0.0, 0.5, 0.0], until=0.01, laws=[Listed("listed", [2.0])], samples=3)
    assert run.drift < 1e-6
    assert not [remark for remark in run.remarks if "Python" in remark]


def test_a_prescribed_motion_from_a_trajectory_says_why():
    """A spline of SciPy asks for plain numbers."""
    motion = polynomial([0.0], [0.3], 0.2, order=7)
    led = forces.IdealDrive.from_motion(
        "led", LINE, lambda t: tuple(float(motion.at(t, k)[0]) for k in range(3)), rate=10.0
    )
    (obstacle,) = survey_laws(System(ARM, (led,))).obstacles
    assert "'led'" in obstacle
