"""The answers to hunks, and what is lacking by them."""
