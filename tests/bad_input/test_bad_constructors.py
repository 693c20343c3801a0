"""Wrong values for the parts and laws that users construct: an error of ours that names part and value."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.argument_kinds import kind_of
from gearwright.errors import GearwrightError, InputError
from gearwright.forces import ElementDeflection, Line, Quantity, TorqueCurve, Wrench
from gearwright.parts import (
    Beam,
    Drive,
    Frame,
    Friction,
    Gear,
    Joint,
    Link,
    LoadFriction,
    Losses,
    Motor,
    Robot,
    Spur,
    Tube,
    Waypoint,
)

SPACES = ("motion", "planning", "contact", "control", "analysis", "design", "identification", "elastic", "actuation")
PUBLIC = {
    f"{space}.{name}": getattr(module, name)
    for space, module in [("gw", gw), *((s, getattr(gw, s)) for s in (*SPACES, "export", "forces", "parts"))]
    for name in module.__all__
}
BUILT = {
    cls: name
    for name, cls in reversed(PUBLIC.items())
    if inspect.isclass(cls) and dataclasses.is_dataclass(cls) and hasattr(cls.__init__, "__wrapped__")
}
"""The public classes whose constructors check their arguments, with a name each."""
ROBOT = gw.load("elbow")
MECH = gw.assemble(ROBOT)
ELASTIC = Robot(
    "table",
    [Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]))],
    [Drive("table", Motor(1e-4), Gear(100, stiffness=5e3))],
)
LINE = Line.for_machine(MECH, "j1")
MOTION = gw.motion.polynomial([0.3, 0.5, -0.7], [0.35, 0.55, -0.75], duration=1.0)
USUAL: dict[str, Any] = {
    "name": "part", "body": "link1", "frame": "tool", "link": "link1", "line": LINE, "twist": ElementDeflection(LINE),
    "drive": "j1", "curve": TorqueCurve(100.0), "surface": gw.contact.Plane(), "friction": Friction(coulomb=1.0),
    "row": {"j1": 1.0},
    "bodies": [gw.Body("cart", mass=1.0, inertia=np.eye(3))], "carrier": "base", "axis": (0, 0, 1), "inertia": 1e-3,
    "ratio": 2.0, "stiffness": 100.0, "function": len, "period": 1.0, "centre": [0.0, 0.0, 0.0], "start": (0, 0, 0),
    "end": (1, 0, 0), "radius": 0.1,
    "object": "tool", "hand": "link1", "point": (0, 0, 0), "coordinates": [LINE], "law": Wrench("pull", "tool"),
    "path": lambda t, ops: (0.0, 0.0, t), "motions": MOTION, "motion": MOTION.sample(5), "mean": 1.0, "deviation": 0.1,
    "low": 1.0, "high": 2.0, "t": np.linspace(0, 1, 5), "q": np.ones((5, 3)), "tau": np.ones((5, 3)), "mech": MECH,
    "lower": -1.0, "upper": 1.0, "speed": [1.0] * 3, "acceleration": [1.0] * 3, "conductance": 1e-8, "rated_flow": 1e-3,
    "pole_pairs": 4, "flux": 0.01, "resistance": 0.5, "inductances": (1e-3, 1e-3), "torque": 1.0, "width": 0.01,
    "table": (Losses(0.0, 0.9),), "windings": (), "port": "j1", "target": lambda t: (0.0, 0.0, 0.0), "unit": "Nm",
    "amplitude": 0.1, "periods": 2.0, "motor": Motor(torque_constant=0.1, resistance=1.0), "length": 0.3,
    "line_density": 1.0, "driver": 20, "driven": 40, "height": 0.1, "divisor": 2.0, "route": ["base", "tool"],
    "bandwidth": 100.0, "pins": 20, "key": "m1", "joint": "j1", "winding_housing": 1.0, "to": (0, 0, 0.5),
    "sections": Tube(0.1), "frames": ["a", "b"], "young": 7e10, "shear": 2.6e10, "density": 2700.0, "strength": 2e8,
    "first": "a", "second": "b", "mass": 1.0, "sun": 20, "planet": 20, "ring": 60, "fraction": 0.1,
    "links": [Link("l")], "lead": 0.01, "stages": [Spur(driver=20, driven=40)], "kind": "box", "voltage": 48.0,
    "wheel": "w", "outer": 0.1,
    "second_planet": 19, "second_ring": 59,
}  # fmt: skip
OWN: dict[str, dict[str, Any]] = {
    "gw.Spin": {"ratio": {"j1": 1.0}}, "contact.ForceSensor": {"law": gw.contact.Contact("tool", gw.contact.Plane())},
    "contact.PegInHole": {"radius": 0.01, "clearance": 2e-5, "friction": 0.3, "depth": 0.02},
    "control.Randomisation": {"names": ["j1.motor.inertia"], "mean": [1e-4], "covariance": [[1e-10]]},
    "parts.Connection": {"joint": Joint("pivot"), "parent": "a", "child": "b"},
    "control.KnownEnvironment": {"stiffness": 100.0}, "elastic.RedundantModel": {"mech": gw.assemble(ELASTIC)},
    "forces.Backlash": {"gap": 0.01}, "forces.LuGre": {"friction": Friction(coulomb=1.0, stiffness=1e4)},
    "forces.LoadBristles": {"friction": Friction(coulomb=1.0, stiffness=1e4, load=LoadFriction(motor=0.1))},
    "forces.VoltageServo": {"kp": 2.0, "torque_constant": 0.4, "resistance": 2.0},
    "identification.RunLog": {"t": np.linspace(0, 1, 5), "measured": {"q.j1": np.ones(5)}, "inputs": {}},
    "parts.FlexibleBody": {
        "positions": [[1.0, 0, 0]], "masses": [0.5], "modes": [[[0, 1.0, 0, 0, 0, 1.5]]], "stiffness": [[120.0]],
    },
    "planning.LineActuator": {"force": 100.0, "speed": 1.0},
    "parts.Beam": {"bending": (10.0, 10.0)}, "parts.Harmonic": {"reduction": 100}, "parts.Rack": {"radius": 0.05},
    "parts.Heat": {"housing_ambient": 1.0, "winding_capacity": 10.0, "housing_capacity": 100.0},
    "parts.Lubricant": {"temperature_coefficient": 0.03},
    "parts.Planetary": {"sun": 18, "planet": 27, "ring": 72},
    "parts.Wolfrom": {"sun": 18, "planet": 27, "ring": 72, "second_planet": 24, "second_ring": 69},
    "motion.FourierMotion": {"centre": [0.0], "sines": [[1.0]], "cosines": [[0.0]]},
    "design.AnalysisMeasure": {"task": gw.analysis.Task(MOTION)}, "parts.Worm": {"wheel": 40},
    "identification.MotionLimits": {"lower": [-1.0] * 3, "upper": [1.0] * 3},
    "actuation.DcMotorData": {"torque_constant": 0.05},
    "actuation.SteppingMotorData": {"torque_constant": 0.5, "teeth": 50, "current": 2.0, "inductance": 3e-3},
    "actuation.HydraulicCylinder": {"area": 1e-3, "volume": 4e-4},
    "actuation.PneumaticCylinder": {
        "areas": (8e-4, 8e-4), "volumes": (1.2e-4, 1.2e-4), "pressures": (4e5, 4e5)
    },
    "actuation.LinearActuator": {
        "C": [[-1.0]], "f": [-1.0], "d": [0.0], "tie": [1.0],
        "variables": (Quantity("i", "A"),), "controls": (Quantity("u", "V"),),
    },
    "actuation.SteadyGear": {"gear": gw.parts.Gear(50.0)}, "gw.Controller": {"function": lambda t, state: [0.0]},
    "export.CFunction": {"function": "gravity"}, "parts.Mesh": {"ratio": 2.0}, "parts.Payload": {"link": "link3"},
    "parts.Shape": {"kind": "box"}, "parts.ElasticBase": {"stiffness": [1e5, None, None, None, None, None]},
    "parts.ContactPoint": {"frame": "tool"}, "parts.Box": {"width": 0.1},
    "parts.Cord": {"route": [Waypoint("base"), Waypoint("tool")]},
    "parts.Loop": {"frames": ["a", "b"]},
    "contact.RoughConstraint": {"friction": 0.3, "stiffness": 1e5, "damping": 200.0, "held": ("z",)},
}  # fmt: skip
WRONG = {
    "nan": float("nan"), "infinity": float("inf"), "negative": -1.0, "None": None, "text": "no such thing", "3": 3,
    "huge": 1e308, "empty list": [], "empty mapping": {}, "object": object(), "class": dict,
    "list of texts": ["a", "b"], "wrong shape": np.ones((2, 5)), "objects": np.array([object(), None]), "complex": 1j,
    "text of a number": "1.0",
    "masked": np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]), "nans": [float("nan")] * 3,
}  # fmt: skip

NEVER = {"text", "object", "class", "list of texts", "objects", "complex", "text of a number", "masked", "nan", "nans"}
"""What is no array either."""


def valid(cls: type) -> dict[str, Any]:
    """Arguments with which a constructor works."""
    own = OWN.get(BUILT[cls], {})
    return {
        one.name: own.get(one.name, USUAL.get(one.name))
        for one in inspect.signature(cls).parameters.values()
        if one.name in own or one.default is inspect.Parameter.empty
    }


def tries(cls: type) -> Iterator[tuple[str, str, Any, bool]]:
    """Argument, wrong value with its name, and whether its annotation allows it."""
    hints = typing.get_type_hints(cls, include_extras=True)
    for one in inspect.signature(cls).parameters.values():
        kind = kind_of(hints[one.name])
        for word, value in WRONG.items():
            yield one.name, word, value, kind.accepts(value) if kind else word not in NEVER or value is one.default


@pytest.mark.parametrize("cls", BUILT, ids=BUILT.values())
def test_constructors_work_and_refuse_wrong_values_by_an_error_of_ours(cls):
    """No error of somebody else, and nothing is taken that is not of the kind that the annotation states."""
    given = valid(cls)
    cls(**given)
    for name, word, value, fits in tries(cls):
        what = f"{BUILT[cls]} {name}={word}"
        try:
            cls(**{**given, name: value})
        except GearwrightError:
            pass  # its own check, or the one by annotations
        except Exception as error:
            pytest.fail(f"{what}: {type(error).__name__}: {error}")
        else:
            assert fits, f"{what} was taken"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Beam(0.3, 1.0, 10.0), ["Beam", "bending=10.0", "a pair"]),
        (lambda: Motor(friction=None), ["Friction", "coulomb=None", "a number"]),
        (lambda: Motor(inertia=1e308), ["Motor", "inertia=1e+308", "1e+100 or less"]),
        (lambda: Frame("tip", "l", position="x"), ["Frame 'tip'", "position='x'", "three finite numbers"]),
        (lambda: ElementDeflection("j1"), ["ElementDeflection", "line='j1'", "a Line"]),
        (lambda: Frame("tip", "l", position={1.0, 2.0, 3.0}), ["Frame 'tip'", "position", "three finite numbers"]),
        (lambda: Frame("tip", "l", position={1.0: 1, 2.0: 2, 3.0: 3}), ["Frame 'tip'", "position"]),
        (lambda: Frame("tip", "l", position=(1.0, 1e101, 0.0)), ["Frame 'tip'", "position", "1e+101"]),
    ],
)
def test_part_argument_and_rule_are_named(make, words):
    with pytest.raises(InputError) as caught:
        make()
    assert not [word for word in words if word not in str(caught.value)], str(caught.value)


@pytest.mark.parametrize("position", [{1.0, 2.0, 3.0}, {1.0: 1, 2.0: 2, 3.0: 3}, (1.0, np.ma.masked, 2.0), (0, 1j, 0)])
def test_bodies_refuse_what_is_no_vector(position):
    with pytest.raises(GearwrightError, match="body 'cart', position"):
        gw.Body("cart", mass=1.0, inertia=np.eye(3), position=position)
