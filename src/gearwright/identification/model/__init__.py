"""The linear model of measured torques: its columns, joint groups and blocks of samples."""
