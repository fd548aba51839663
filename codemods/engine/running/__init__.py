"""A codemod over some paths, from proposal to files."""
