"""Gear graphs: turning pairs and gear pairs, their fundamental circuits, and the rates of all wheels."""
