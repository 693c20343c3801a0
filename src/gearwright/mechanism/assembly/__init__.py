"""From parts to the flat machine: links, drives, trains, springs and tendons."""
