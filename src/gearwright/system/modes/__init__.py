"""Modes of laws: guards, mode changes, impacts, jamming, the search for consistent modes."""
