"""The recursions of the dynamics, one file each, over scalars of any kind.

They take a placed machine and use + - * / only.
"""
