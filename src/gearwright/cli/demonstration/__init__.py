"""The demonstration: a geared arm through a motion, and a drive sized for a task."""
