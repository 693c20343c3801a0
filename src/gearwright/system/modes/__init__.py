"""Modes of laws: guards, mode changes, impacts, jamming, and the search for consistent modes."""
