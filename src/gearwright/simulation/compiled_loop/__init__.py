"""The event loop in machine code: its workspace, inputs, and when it is used."""
