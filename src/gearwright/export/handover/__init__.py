"""Hand-over to other simulators: the closest model that each can represent, with its error."""
