"""Links as beams: section forces, stress, deflection of links and of the tip."""
