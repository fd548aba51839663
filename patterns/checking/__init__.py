"""What is wrong with a pack, told before it runs."""
