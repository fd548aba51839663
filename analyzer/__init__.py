"""What is this code? Bytes to trees to facts; imports neither of the other rooms."""
