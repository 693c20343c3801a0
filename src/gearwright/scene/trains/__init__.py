"""Trains as solids: gears that touch at their pitch points, their shafts, and the links around them."""
