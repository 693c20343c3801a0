"""Tables of motors and gearboxes: bundled data and CSV catalogues."""
