"""What surrounds a robot: surfaces, and the loops and contacts that a file states."""
