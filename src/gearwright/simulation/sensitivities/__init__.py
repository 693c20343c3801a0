"""Exact sensitivities of event-driven runs: derivatives of the force balance, of impacts, and of whole runs."""
