"""From an actuator card to a robot and to other simulators.

A card states one identified actuator: motor, gear, losses, source. The bundled card xl330_m5 holds the published
friction model M5 of a small servo. A pendulum with it needs 1.59 times the torque of gravity to be lifted slowly to the
horizontal; a simulator with Coulomb friction alone would need 1.002 times.
"""

import numpy as np

import gearwright as gw
from gearwright.parts import Joint, Link, Robot

card = gw.export.actuator_card("xl330_m5")
print(card.description, "-", card.source, card.licence)

arm = Link("arm", "base", Joint("lift", axis=(0, -1, 0)), 0.1, (0.15, 0, 0), np.diag([1e-5, 8e-4, 8e-4]))
robot = Robot("pendulum", [arm], [gw.export.drive_of_card(card, "lift")])
lift = gw.motion.polynomial([-1.2], [1.2], duration=20.0)
result = gw.demands(robot, lift, actuators=(), samples=201)
middle = len(result.t) // 2
gravity = float(gw.gravity(gw.assemble(robot), [0.0])[0])
share = result["lift.torque"][middle] / gravity
coulomb = 1 + card.motor["friction"]["coulomb"] / gravity
print(f"lifting torque {share:.3f} of gravity; with Coulomb friction alone {coulomb:.3f}")

for target in ("mujoco", "newton", "urdf"):
    text = gw.export.card_text(card, target, "lift")
    print(f"{target}: {text.text.splitlines()[-1] if target == 'mujoco' else text.text.splitlines()[0]}")
    print("  not representable:", ", ".join(text.not_representable) or "nothing")
model, numbers = gw.export.published_parameters(card)
print(model, numbers)

assert abs(share - 1.59) < 0.01
assert abs(coulomb - 1.002) < 0.001
