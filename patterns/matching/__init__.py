"""Where a rule fits, with its captures, and how the module speaks of libraries."""
