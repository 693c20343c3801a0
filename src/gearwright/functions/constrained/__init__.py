"""Closed loops, contacts and impacts: constrained motion, reactions, linear models, impulses."""
