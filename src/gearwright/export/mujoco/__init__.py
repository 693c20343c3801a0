"""MJCF export for MuJoCo: bodies, rotors, actuators, loops, and a check against MuJoCo."""
