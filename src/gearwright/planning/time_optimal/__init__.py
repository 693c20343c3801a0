"""Time-optimal motion along a path under limits of joints, motors and electronics."""
