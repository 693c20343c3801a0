"""One cycle of a task: prescribed or in closed loop, with changing payloads, and its characteristics."""
