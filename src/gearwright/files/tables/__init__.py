"""Motors and gearboxes as tables: bundled data and CSV catalogues."""
