"""The demonstration: errors of approximate models on geared arms, and drives sized for a task."""
