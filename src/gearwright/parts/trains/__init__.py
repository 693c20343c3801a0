"""Gear trains drawn freely: wheels, meshes, motors, and the teeth that mesh."""
