"""New text in the place of old: spans, templates, what must stand in parentheses."""
