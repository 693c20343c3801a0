"""The panels of the page: drives, files, motion, results."""
