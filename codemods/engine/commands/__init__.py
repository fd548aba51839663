"""What the commands take and say."""
