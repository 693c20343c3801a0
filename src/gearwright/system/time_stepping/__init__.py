"""Fixed steps with impulses: Moreau's midpoint rule and projected Gauss-Seidel."""
