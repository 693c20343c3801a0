"""URDF with wheels and coupled transmissions, and a sidecar."""
