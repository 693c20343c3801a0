"""The studio: a page that shows a robot's wheels turn and its torques change; it holds no formula."""

from gearwright.studio.open import Studio, studio

__all__ = ["Studio", "studio"]
