"""Compliance: a flexible link, an elastic support, and both sides of a contact (problems 4, 6, 9 of figure 20.11).

A boom of 1.6 m in 20 segments has the frequency of a clamped beam, 7.27 rad/s, within 1 %. A boom of 5 kg on a foot of
195 kg oscillates on a support of 8e5 N/m at sqrt(k/m) = 63.25 rad/s. A hand of stiffness k1 on a base of stiffness k2
has k1 k2 / (k1 + k2): a slide of 2 kg that hits both at 0.5 m/s is in contact for half a period, 31.4 ms.
"""

import numpy as np

import gearwright as gw
from gearwright.contact import Plane, SoftContact
from gearwright.parts import Beam, ElasticBase, Joint, Link, Robot, with_beam, with_elastic_base

boom = Robot("boom", [Link("boom", joint=Joint(kind="fixed"))], gravity=(0, 0, 0))
beam = Beam(length=1.6, line_density=2.5, bending=(None, 70.0), segments=20)
flexible = gw.assemble(with_beam(boom, "boom", beam))
bending = 2 * np.pi * gw.analysis.vibration_modes(flexible, gw.neutral(flexible)).frequencies.min()
clamped = 1.8751040687**2 * np.sqrt(70.0 / 2.5) / 1.6**2
print(f"flexible link: {bending:.3f} rad/s, a clamped beam {clamped:.3f} rad/s")

rod = Link("rod", joint=Joint(kind="fixed"), mass=5.0, inertia=np.eye(3))
foot = ElasticBase((None, None, 8e5, None, None, None), mass=195.0, inertia=np.eye(3))
standing = gw.assemble(with_elastic_base(Robot("block", [rod], gravity=(0, 0, 0)), foot))
bouncing = 2 * np.pi * gw.analysis.vibration_modes(standing, gw.neutral(standing)).frequencies.max()
print(f"elastic support: {bouncing:.2f} rad/s")

hand, base = 3e4, 6e4  # [N/m]
together = hand * base / (hand + base)
slide = gw.Mechanism([gw.Body("slide", joint="prismatic", axis=(1, 0, 0), mass=2.0)], gravity=(0, 0, 0))
meets = SoftContact("slide", Plane((0, 0, 0), (-1, 0, 0)), together, name="both")
run = gw.simulate(slide, ([-0.005], [0.5]), until=0.06, extra_laws=[meets], samples=601)
pressing = run.t[run["both.force"] > 0]
half = np.pi * np.sqrt(2.0 / together)
print(f"both sides of a contact: {1e3 * (pressing[-1] - pressing[0]):.1f} ms, half a period {1e3 * half:.1f} ms")

assert abs(bending - clamped) < 0.01 * clamped
assert abs(bouncing - np.sqrt(8e5 / 200)) < 1e-6
assert abs(pressing[-1] - pressing[0] - half) < 3e-4
