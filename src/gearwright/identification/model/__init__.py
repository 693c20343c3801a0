"""What a measured torque is linear in: columns, joint groups, blocks of samples."""
