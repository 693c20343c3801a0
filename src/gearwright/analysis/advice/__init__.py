"""What would keep a limit: another ratio, another catalogue entry, another cross-section."""
