"""Motors and gearboxes of a SCARA from a catalogue: the lightest pair of drives that keeps every limit of a pick.

The robot's own drives get too warm: its shoulder's winding comes to some 250 degrees Celsius, and its data sheet allows
155. All pairs of a motor and a gearbox are judged at once, since the forces of a motion are linear in what is chosen;
the winner, less than 1.4 kg for both joints, is analysed again from its parts. The verdict says too what could not be
checked, because data sheets do not print it.
"""

import gearwright as gw

TASK = """
task: pick
motions:
  - {to: {shoulder: 80 deg, elbow: 40 deg, lift: -50 mm}, speed: 2.5, acceleration: 8, jerk: 200}
  - {pause: 200 ms}
  - {to: {shoulder: 0, elbow: 0, lift: 0}, speed: 2.5, acceleration: 8, jerk: 200}
payload: {mass: 1}
pause: 300 ms
repetitions: continuous
"""

robot = gw.load("scara")
task = gw.design.Task.read(TASK, robot)
before = gw.analyse(robot, task)
print(f"shoulder as it is: {before.drives['shoulder'].winding_temperature - 273.15:.0f} degrees Celsius")
print("not kept:", ", ".join(check.name for check in before.limits if not check.kept))

sized = gw.size_drives(robot, task, joints=["shoulder", "elbow"], samples=101)
for joint, choice in sized.choices.items():
    print(f"{joint}: {choice.motor.key} with {choice.gearbox.key}, {choice.mass:.2f} kg")
for check in gw.analysis.by_tightness(sized.analysis.limits)[:3]:
    print(f"{check.name}: {check.margin:.0%} left")
print(sized.analysis.verdict.text)

assert before.drives["shoulder"].winding_temperature > 450.0
assert not before.possible
assert sized.analysis.possible
assert sized.mass < 1.4
