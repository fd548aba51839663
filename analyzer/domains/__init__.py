"""What is known of one library's programs: a folder for each, with its ``DOMAIN``."""
