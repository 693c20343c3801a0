"""Joint kinds: coordinates, degrees of freedom, geometry and configuration spaces."""
