"""URDF export with wheels and coupled transmissions, and a sidecar."""
