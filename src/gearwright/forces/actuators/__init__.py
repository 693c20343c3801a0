"""Linear actuators: DC, synchronous and stepping motors, hydraulic and pneumatic cylinders."""
