"""The motion of shafts behind elastic drives, linear and nonlinear, for a motion of the joints."""
