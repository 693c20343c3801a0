"""Recommendations where a limit is exceeded: another ratio, another catalogue entry, another cross-section."""
