"""Controllers of joints: PD, computed torque, cascade, adaptive, state feedback, feedback linearisation."""
