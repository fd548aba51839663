"""Files on disk, replaced as a whole or not at all."""
