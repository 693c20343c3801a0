"""The surroundings of a robot: surfaces, and the closed loops and contacts that a file states."""
