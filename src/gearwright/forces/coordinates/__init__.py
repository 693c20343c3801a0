"""Coordinates along which laws act, with rows and rates by differentiation."""
