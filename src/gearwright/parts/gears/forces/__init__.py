"""Forces on teeth and bearings: pitch points, the static balance of a gear's members."""
