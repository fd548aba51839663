"""What git knows of the files that are to be written; nothing of a repository is run."""
