"""Robots made ready for sizing: missing drives, rigid gears, assumed efficiencies."""
