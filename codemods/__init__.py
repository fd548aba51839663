"""What happens to the files? One script per migration; ``engine`` is the machinery they share."""
