"""One application of one rule as one hunk; a plan of them, and what they require."""
