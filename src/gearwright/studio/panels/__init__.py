"""The panels of the studio's page: drives, files, motion, results."""
