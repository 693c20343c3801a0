"""Cords and tendons: lengths over points, pulleys and rollers, and the laws along them."""
