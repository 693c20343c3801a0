"""Preparation of a robot for sizing: missing drives, rigid gears, assumed efficiencies."""
