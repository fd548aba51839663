"""What do we look for, and what do we make of it? Rules as data, applied with the facts."""
