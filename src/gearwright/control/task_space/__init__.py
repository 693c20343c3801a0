"""Controllers of a frame: operational space, impedance, admittance."""
