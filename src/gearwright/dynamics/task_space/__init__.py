"""Kinematics of frames: Jacobians, external coordinates, one step of inverse kinematics."""
