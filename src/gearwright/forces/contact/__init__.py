"""Contacts, end stops, constraints, catching, environments and force sensors."""
