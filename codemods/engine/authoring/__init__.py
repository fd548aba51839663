"""What helps whoever writes a pack? Its examples as tests, and why a rule does not apply."""
