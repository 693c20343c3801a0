"""Motions of the joints along Cartesian paths, through poses, onto surfaces, and of task files."""
