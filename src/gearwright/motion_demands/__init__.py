"""The demands of a motion on the drives: forces, motor torques, inputs of the electronics, limits, sensitivities."""
