"""Effect of the exact rotor model on the choice of drives, on a fast wrist with low ratios.

Roll, pitch, roll, with the motors along the roll axis. By the diagonal model ("armature") 0.472 kg of motors and
gearboxes have a margin of 9 % to every limit; the exact margin is 2 %, because each rotor also turns with the link that
carries it. A required margin of 7 % needs 0.493 kg. On the slower wrist of `ur5_like` both models choose the same.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir

import numpy as np

import gearwright as gw
from gearwright.catalogue import Catalogue, drives
from gearwright.design import Task, size_drives, with_chosen_drives
from gearwright.motion import s_curve
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Payload, Robot
from gearwright.plots import bar_figure, save_figure

roll = Joint("roll", axis=(1, 0, 0))
pitch, twist = (
    Joint("pitch", axis=(0, 1, 0), position=(0.2, 0, 0)),
    Joint("twist", axis=(1, 0, 0), position=(0.06, 0, 0)),
)
links = [
    Link("forearm", "base", roll, 0.9, (0.1, 0, 0), np.diag([8e-4, 4e-3, 4e-3])),
    Link("knuckle", "forearm", pitch, 0.4, (0.03, 0, 0), np.diag([4e-4, 6e-4, 6e-4])),
    Link("hand", "knuckle", twist, 0.25, (0.02, 0, 0), np.diag([1.5e-4, 2e-4, 2e-4])),
]
mounts = {"roll": ("base", None), "pitch": ("forearm", (0.05, 0, 0)), "twist": ("knuckle", (-0.02, 0, 0))}
made = [Drive(joint, Motor(1e-6, position=place), Gear(20), on, (1, 0, 0)) for joint, (on, place) in mounts.items()]
wrist = Robot("wrist", links, made)
way = {"speed": 18.0, "acceleration": 400.0, "jerk": 1e4}
there, back = s_curve([0, 0, 0], [2.5, 1.2, -2.5], **way), s_curve([2.5, 1.2, -2.5], [0, 0, 0], **way)
task = Task([there, back], payload=Payload(0.4, (0.05, 0, 0)), pause=0.1)
motors = ["MM_339281", "MM_251601", "MM_267121", "MM_323218"]
boxes = ["MM_370689", "MM_GPX22UPKLSL35D0CPLW", "FH_22GPT_R24:1"]
# Adapters are taken to mount the wider motors: without outer diameters every motor may sit on every gearhead.
narrow = {key: replace(drives().gearbox(key), outer_diameter=None) for key in boxes}
table = Catalogue({key: drives().motor(key) for key in motors}, narrow)

believed, true = {}, {}
for model in ("exact", "diagonal"):
    sized = size_drives(wrist, task, table, margin=0.07, search=gw.design.SearchOptions(samples=81, model=model))
    first = sized.front[0]
    truth = gw.analyse(with_chosen_drives(wrist, dict(zip(mounts, first.choices, strict=True))), task, catalogue=table)
    believed[model], true[model] = 1 - first.largest_share, min(check.margin for check in truth.limits)
    print(
        f"{model}: {first.mass:.3f} kg, of whose limits {believed[model]:.1%} seem to be left and {true[model]:.1%} are"
    )

shares = {"the model believes": 100 * np.array([*believed.values()]), "in truth": 100 * np.array([*true.values()])}
page = bar_figure(
    ["exact", "diagonal"], shares, "margin to the tightest limit [%]", title="Wrist drives chosen by each model"
)
print("figure:", save_figure(page, Path(gettempdir()) / "exact_or_diagonal.png"))
assert abs(believed["exact"] - true["exact"]) < 0.002
assert 100 * true["diagonal"] < 7 < 100 * believed["diagonal"]
