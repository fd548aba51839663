"""Which files are there, and what is in them? Bytes to text, and nothing parsed."""
