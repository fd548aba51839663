"""Which programs are there? Entry scripts, the modules they reach, where they train."""
