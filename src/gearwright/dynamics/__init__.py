"""The recursions of the dynamics, one file each, for any scalar type.

They take a machine at a configuration (`Pose`) and use + - * / only.
"""
