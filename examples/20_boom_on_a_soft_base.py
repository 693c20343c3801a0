"""A flexible link and an elastic support: problems 4 and 6 of the ten that Vukobratovic and Potkonjak list.

A boom of 1.6 m, divided into 20 segments, has the frequency of an Euler-Bernoulli cantilever, 1.157 Hz, within 1 %. An
elastic support and a flexible boom both lower the frequency; Dunkerley's rule, 1/f^2 = 1/f_boom^2 + 1/f_support^2,
gives the lower one within 3 %.
"""

import numpy as np

import gearwright as gw
from gearwright.parts import Beam, ElasticBase, Joint, Link, Robot, with_beam, with_elastic_base

LENGTH, DENSITY, BENDING, TILTING = 1.6, 2.5, 70.0, 150.0
beam = Beam(LENGTH, DENSITY, bending=(None, BENDING), segments=20)
support = ElasticBase([None, None, None, None, TILTING, TILTING], mass=5.0, inertia=0.05 * np.eye(3))
weightless = {"gravity": (0, 0, 0)}
rod = Robot("rod", [Link("boom", joint=Joint(kind="fixed"))], **weightless)
thin = np.diag([0, 1, 1]) * DENSITY * LENGTH**3 / 12
rigid = Link("boom", "base", Joint(kind="fixed"), DENSITY * LENGTH, (0.5 * LENGTH, 0, 0), thin)


def slowest(robot):
    """The lowest frequency [Hz]."""
    mech = gw.assemble(robot)
    return gw.analysis.vibration_modes(mech, np.zeros(mech.n)).frequencies[0]


boom = slowest(with_beam(rod, "boom", beam))
base = slowest(with_elastic_base(Robot("rod", [rigid], **weightless), support))
both = slowest(with_elastic_base(with_beam(rod, "boom", beam), support))
theory = 1.8751**2 * np.sqrt(BENDING / DENSITY) / LENGTH**2 / (2 * np.pi)
dunkerley = 1 / np.sqrt(1 / boom**2 + 1 / base**2)
print(f"boom alone {boom:.3f} Hz (a cantilever: {theory:.3f} Hz), support alone {base:.3f} Hz")
print(f"both {both:.3f} Hz, Dunkerley's rule {dunkerley:.3f} Hz")

assert abs(theory - 1.157) < 1e-3
assert abs(boom / theory - 1) < 0.01
assert abs(both / dunkerley - 1) < 0.03
