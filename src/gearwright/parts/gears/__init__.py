"""Gears of every kind, with their members, elasticity, losses and topology."""
