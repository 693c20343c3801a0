"""The recursions, one file each, over scalars of any kind: they take a placed machine and use + - * / only."""
