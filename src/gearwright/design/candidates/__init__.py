"""Candidates for every joint: usable catalogue entries, their loads, feasibility and objectives."""
