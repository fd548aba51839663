"""From YAML to data whose mistakes, and places, are known; code-shaped patterns."""
