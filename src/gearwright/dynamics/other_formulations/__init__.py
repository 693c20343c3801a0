"""The same dynamics by other formulations: Lagrange, Vukobratovic, Melhem and Loria."""
