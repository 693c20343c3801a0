"""Inverse kinematics: closed forms and iterative solutions, poses, external coordinates, obstacles, criteria."""
