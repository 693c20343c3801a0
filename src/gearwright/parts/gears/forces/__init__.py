"""Forces on teeth and bearings: pitch points, and the static balance of a gear's members."""
