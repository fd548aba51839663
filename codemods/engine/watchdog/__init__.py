"""How long an analysis may take, and what goes on without the files it stumbles over."""
