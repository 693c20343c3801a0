"""Free gear trains: wheels, meshes and motors in any arrangement, and the teeth that mesh."""
