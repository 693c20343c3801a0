"""Geometry of every kind of gear, as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gearwright.arrays import Array
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
from gearwright.scene.gear_form import GearForm, GearSpace

FORM_FUNCTIONS: dict[type, Callable[[Any, GearSpace], list[GearForm]]] = {
    Spur: toothed_gears.spur_forms,
    Bevel: toothed_gears.bevel_forms,
    Planetary: toothed_gears.planetary_forms,
    Wolfrom: toothed_gears.wolfrom_forms,
    Harmonic: reducers.harmonic_forms,
    Cycloidal: reducers.cycloidal_forms,
    Belt: reducers.belt_forms,
    Worm: reducers.worm_forms,
    Screw: reducers.screw_forms,
    Rack: reducers.rack_forms,
    Gear: reducers.plain_gear_forms,
}


def gear_forms(gear: Any, space: GearSpace) -> list[GearForm]:
    """The members of a gear in its own frame; none for a kind without geometry.

    >>> from gearwright.parts import Planetary
    >>> [form.name for form in gear_forms(Planetary(sun=18, planet=27, ring=72), GearSpace(0.05, 0.01))]
    ['sun', 'ring', 'planet1', 'planet2', 'planet3', 'carrier']
    """
    if isinstance(gear, Series):
        return _series_forms(gear, space)
    make_forms = next((FORM_FUNCTIONS[kind] for kind in type(gear).__mro__ if kind in FORM_FUNCTIONS), None)
    return [] if make_forms is None else make_forms(gear, space)


def output_offset(forms: Sequence[GearForm]) -> Array:
    """The vector from a gear's input axis to its output axis, in the gear's frame (3,) [m]: of spur gears and belts."""
    arms = [form.arm * (1.0, 1.0, 0.0) for form in forms if form.joint_side]
    return arms[-1] if arms else np.zeros(3)


def _series_forms(gear: Series, space: GearSpace) -> list[GearForm]:
    """The stages in sequence along the axis, each on the output axis of the one before it."""
    forms, height, offset = [], 0.0, np.zeros(3)
    offset_stages = sum(isinstance(stage, Spur | Belt) for stage in gear.stages)
    share = replace(space, distance=space.distance / max(offset_stages, 1))
    for index, stage in enumerate(gear.stages):
        last = index == len(gear.stages) - 1
        stage_forms, prefix = gear_forms(stage, share), f"stage{index + 1}."
        for form in stage_forms:
            named = replace(
                form,
                name=prefix + form.name,
                mates=tuple(prefix + mate for mate in form.mates),
                joint_side=form.joint_side and last,
                arm=form.arm + offset + (0.0, 0.0, height),
            )
            forms.append(named.with_scaled_rates(float(gear.ratio_behind(index))))
        offset = offset + output_offset(stage_forms)
        height += 2.0 * space.width
    return forms
