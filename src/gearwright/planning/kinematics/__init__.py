"""Inverse kinematics: closed forms and descents, poses, external coordinates, obstacles, criteria."""
