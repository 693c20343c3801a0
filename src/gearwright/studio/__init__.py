"""The studio: a web page that shows a robot, its wheels and its torques; it contains no formula."""

from gearwright.studio.open import Studio, studio

__all__ = ["Studio", "studio"]
