"""The event loop in machine code: its driver, its workspace and inputs, and when it is used."""
