"""The motors of a robot as laws: circuits, supply, heating, and their inverses."""
