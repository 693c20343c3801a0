"""URDF, SRDF and xacro: reading, writing, and the sidecar for what URDF cannot represent."""
