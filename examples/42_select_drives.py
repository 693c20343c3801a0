"""Motors and gearboxes of a SCARA from a catalogue: the lightest pair of drives that keeps every limit of a pick.

The robot's own drives get too hot: the winding of the shoulder motor reaches some 250 degrees Celsius, and its data
sheet allows 155. All pairs of a motor and a gearbox are evaluated together, since the forces of a motion are linear in
the chosen data; the best set, less than 1.4 kg for both joints, is analysed again from its parts. The verdict also
lists limits that could not be checked, because data sheets do not state them.
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
print(f"shoulder with its own drive: {before.drives['shoulder'].winding_temperature - 273.15:.0f} degrees Celsius")
print("exceeded:", ", ".join(check.name for check in before.limits if not check.is_satisfied))

sized = gw.size_drives(robot, task, joints=["shoulder", "elbow"], search=gw.design.SearchOptions(samples=101))
for joint, choice in sized.choices.items():
    print(f"{joint}: {choice.motor.key} with {choice.gearbox.key}, {choice.mass:.2f} kg")
for check in gw.analysis.sorted_by_margin(sized.analysis.limits)[:3]:
    print(f"{check.name}: margin {check.margin:.0%}")
print(sized.analysis.verdict.text)

assert before.drives["shoulder"].winding_temperature > 450.0
assert not before.is_feasible
assert sized.analysis.is_feasible
assert sized.mass < 1.4
