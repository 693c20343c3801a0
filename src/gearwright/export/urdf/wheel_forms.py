"""Representations of wheels in a URDF."""

from __future__ import annotations

from typing import Literal

WheelForm = Literal["at rest", "mimic", "transmission"]
"""Lumped into the links; as links that mimic their joint; as links with transmissions."""

WHEEL_FORMS: tuple[WheelForm, ...] = ("at rest", "mimic", "transmission")
