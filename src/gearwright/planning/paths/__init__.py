"""Joint motions along Cartesian paths, through poses, to surfaces, and of task files."""
