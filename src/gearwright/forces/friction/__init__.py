"""Friction: dry and smooth, LuGre, clutches and brakes; stick and slip."""
