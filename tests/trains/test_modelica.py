"""Gear trains against reference trajectories of the Modelica Standard Library."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gearwright as gw
from gearwright.parts import Gearwheel, Joint, Link, Mesh, Robot, Train, TrainMotor

STEEL = 7700.0


def cylinder(diameter, length):
    """Mass, axial and transverse inertia of a steel cylinder."""
    r = diameter / 2
    mass = STEEL * np.pi * r**2 * length
    return mass, mass * r**2 / 2, mass * (3 * r**2 + length**2) / 12


def two_cylinders(kind):
    """The large cylinder is the driven link, the small one a wheel that turns ten times as fast."""
    (m1, J1, T1), (m2, J2, T2) = cylinder(0.1, 0.4), cylinder(0.2, 0.4)
    axis = (0.0, 1.0, 0.0) if kind == "bevel" else (1.0, 0.0, 0.0)
    link = Link("large", joint=Joint("phi", axis=(1, 0, 0)), mass=m2, inertia=np.diag([J2, T2, T2]))
    small = Gearwheel("small", "base", axis, J1, mass=m1, transverse_inertia=T1, position=(0.0, 0.4, 0.0))
    mesh = Mesh("small", "large", teeth=(10, 100), kind=kind, sense=-1 if kind == "bevel" else 1)
    train = Train("gears", [small], [mesh], [TrainMotor("motor", "small")])
    return gw.assemble(Robot("shafts", [link], trains=[train], gravity=(0, 0, 0)))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("Examples.Rotational3DEffects.GearConstraint", "internal"), ("Parts.Rotor1D.Bevel1D", "bevel")],
)
def test_two_geared_cylinders(reference, name, kind):
    """2 sin(2 pi t) Nm on the small cylinder; angle and speed of the large one over 5 s."""
    with (reference / "modelica" / f"{name}.csv").open() as file:
        rows = [row for row in csv.reader(file) if not row[0].startswith("#")]
    series = {title: np.array([float(row[k]) for row in rows[1:]]) for k, title in enumerate(rows[0])}
    mech = two_cylinders(kind)
    A = gw.structure_matrix(mech)
    assert A[0, 0] == pytest.approx(10.0)

    def slope(t, x):
        return [x[1], *gw.forward_dynamics(mech, x[:1], x[1:], A @ [2 * np.sin(2 * np.pi * t)])]

    times = series["time"]
    found = solve_ivp(slope, (0, times[-1]), [0, 0], t_eval=times, rtol=1e-9, atol=1e-10, max_step=0.05).y
    np.testing.assert_allclose(found[0], series["inertia2.phi"], atol=2e-5)
    np.testing.assert_allclose(found[1], series["inertia2.w"], atol=2e-5)
