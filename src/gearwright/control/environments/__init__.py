"""Environments for reinforcement learning: tasks as steps of compiled batches, with randomised parameters."""
