"""Structural parts: cross-sections and materials, tendons and cords, changes of frame."""
