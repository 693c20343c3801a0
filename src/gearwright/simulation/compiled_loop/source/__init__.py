"""The source of the event loop, in restricted Python: steps, event location, consistent modes, workspace."""
