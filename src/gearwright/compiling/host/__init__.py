"""The processor, the cache on disk, and machine code loaded into this process."""
