"""Find a forgotten ratio in somebody's actuator configuration.

The knee of a leg has a belt of ratio 1.555 behind the gear that all joints have. A configuration for a simulator states
the limits and the armature of the hip for all joints: at the knee two thirds of the torque, one and a half times the
speed, and 0.41 of the reflected inertia. The audit compares it with the robot and names both numbers.
"""

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import gearwright as gw

leg = gw.load("mini_cheetah_leg")
motors = [replace(drive, motor=replace(drive.motor, max_speed=240.0)) for drive in leg.drives]
leg = replace(leg, drives=motors)
hip = leg.drive("hip")
ratio = hip.gear.ratio
group = {
    "joint_names_expr": ["abad", "hip", "knee"],
    "effort_limit": 3.0 * ratio,
    "velocity_limit": 240.0 / ratio,
    "armature": hip.motor.inertia * ratio**2,
}
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "actuators.json"
    path.write_text(json.dumps({"actuators": {"legs": group}}))
    audit = gw.analysis.audit(path, leg)

for finding in audit:
    print(finding, end="\n\n")

armature, forgotten = audit.findings
assert (armature.kind, forgotten.kind) == ("armature", "ratio")
assert abs(forgotten.number - 1.555) < 1e-3
assert abs(armature.number / armature.expected - 0.41) < 0.01
