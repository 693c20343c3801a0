"""Gear graphs: turning pairs and gear pairs, their circuits, and the rates that follow."""
