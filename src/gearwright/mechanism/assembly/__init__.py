"""The assembly of parts into the flat machine: links, drives, trains, springs and tendons."""
