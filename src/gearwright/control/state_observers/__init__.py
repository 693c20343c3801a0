"""State observers: Kalman filters of elastic drives, and speeds from positions alone on the redundant model."""
