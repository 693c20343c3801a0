"""FMUs for FMI 2.0 and 3.0: variables, model description, C sources, build."""
