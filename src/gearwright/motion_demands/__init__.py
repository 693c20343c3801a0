"""What a motion asks of the drives: forces, motor torques, inputs of the electronics, limits, sensitivities."""
