"""Tasks: motions, payload phases, process forces, contacts, perturbations."""
