"""What every kind of gear looks like: one row of a table each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gearwright.parts import (
    Belt,
    Bevel,
    Cycloidal,
    Gear,
    Harmonic,
    Planetary,
    Rack,
    Screw,
    Series,
    Spur,
    Wolfrom,
    Worm,
)
from gearwright.scene import reducers, toothed_gears
from gearwright.scene.gear_form import Form, Room

FORMS: dict[type, Callable[[Any, Room], list[Form]]] = {
    Spur: toothed_gears.spur,
    Bevel: toothed_gears.bevel,
    Planetary: toothed_gears.planetary,
    Wolfrom: toothed_gears.wolfrom,
    Harmonic: reducers.harmonic,
    Cycloidal: reducers.cycloidal,
    Belt: reducers.belt,
    Worm: reducers.worm,
    Screw: reducers.screw,
    Rack: reducers.rack,
    Gear: reducers.known_ratio,
}


def gear_forms(gear: Any, room: Room) -> list[Form]:
    """The members of a gear in its own frame; none for a kind that has nothing to show.

    >>> from gearwright.parts import Planetary
    >>> [form.name for form in gear_forms(Planetary(sun=18, planet=27, ring=72), Room(0.05, 0.01))]
    ['sun', 'ring', 'planet1', 'planet2', 'planet3', 'carrier']
    """
    if isinstance(gear, Series):
        return _series(gear, room)
    draw = next((FORMS[kind] for kind in type(gear).__mro__ if kind in FORMS), None)
    return [] if draw is None else draw(gear, room)


def _series(gear: Series, room: Room) -> list[Form]:
    """Stage after stage along the axis, each as quick as those behind it let it be."""
    made, height = [], 0.0
    for place, stage in enumerate(gear.stages):
        last = place == len(gear.stages) - 1
        for form in gear_forms(stage, room):
            named = replace(form, name=f"stage{place + 1}.{form.name}", joint_side=form.joint_side and last)
            made.append(named.quicker(float(gear.ratio_behind(place))).lifted(height))
        height += 2.0 * room.width
    return made
