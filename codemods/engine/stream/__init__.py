"""Plans that are made while a person reviews the first hunks."""
