"""What is said to people: expected failures as values, errors that nobody expected, odd text."""
